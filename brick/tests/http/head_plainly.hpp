/// The head's parser once more, line by line in the order of the RFCs: `parse_head` is compared
/// with it.
#pragma once

#include <string_view>

#include "http/head.hpp"

namespace brick::http::testing {

/// It has the contract of `parse_head`, without its tricks. Slow.
[[nodiscard]] Parsed parse_head_plainly(std::string_view bytes, const Limits& limits, Head& head);

}  // namespace brick::http::testing
