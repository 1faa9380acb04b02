/// The head's parser once more, line by line, as the RFCs put it: what `parse_head` is held
/// against.
#pragma once

#include <string_view>

#include "http/head.hpp"

namespace brick::http::testing {

/// The contract of `parse_head`, without its tricks. Slow.
[[nodiscard]] Parsed parse_head_plainly(std::string_view bytes, const Limits& limits, Head& head);

}  // namespace brick::http::testing
