/// SHA-1 (RFC 3174) of a short text, and base64: RFC 6455 wants them in each upgrade, and the
/// library depends on no other that has them.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace brick::ws {

[[nodiscard]] std::array<unsigned char, 20> sha1(std::string_view text);

[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace brick::ws
