/// RFC 6455 and RFC 3629 read plainly: all input at once, and numbers instead of tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace brick::ws::testing {

/// Whether a text is UTF-8; or, if `is_whole` is false, whether it is the start of such a text.
bool is_utf8_plainly(std::string_view text, bool is_whole);

/// All that a server sends that gives each message back, for all that a client sends.
std::string echo_plainly(std::string_view bytes, std::size_t message_bytes);

}  // namespace brick::ws::testing
