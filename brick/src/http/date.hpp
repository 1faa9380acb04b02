/// The Date of every answer (RFC 9110, 6.6.1).
#pragma once

#include <array>
#include <cstddef>
#include <ctime>
#include <string_view>

namespace brick::http {

/// "Sun, 06 Nov 1994 08:49:37 GMT": an IMF-fixdate (RFC 9110, 5.6.7), rendered when the second
/// changes.
class Date {
public:
    static constexpr std::size_t kBytes = 29;

    Date() noexcept { set(0); }

    /// Times before 1970 and after 9999 become the nearest one that can be written.
    void set(std::time_t now) noexcept;
    /// The time that was set, in seconds since 1970.
    [[nodiscard]] std::time_t second() const noexcept { return now_; }
    [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), kBytes}; }

private:
    std::time_t now_ = -1;
    std::array<char, kBytes> text_;
};

}  // namespace brick::http
