/// UTF-8 (RFC 3629), checked as it comes.
#pragma once

#include <cstdint>
#include <string_view>

namespace brick::ws {

/// Takes a text in pieces of any size. A piece may end within a character.
class Utf8 {
public:
    /// Returns false as soon as no continuation of the bytes is UTF-8; that is final.
    bool take(std::string_view bytes) noexcept;

    /// Whether the bytes so far are whole characters.
    [[nodiscard]] bool is_whole() const noexcept { return state_ == 0; }

private:
    std::uint8_t state_ = 0;
};

}  // namespace brick::ws
