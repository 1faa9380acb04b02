/// A request's head: parses bytes to views of them (RFC 9112 sections 2 to 6, RFC 9110 sections 4
/// to 10). No I/O, no allocation, no state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <brick/options.hpp>
#include <brick/request.hpp>

namespace brick::http {

inline constexpr std::size_t kMostFields = 100;

/// The form of a request's target (RFC 9112, 3.2).
enum class Target : std::uint8_t { origin, absolute, authority, asterisk };

/// How the body is framed (RFC 9112, 6.3); a request without a length has none.
enum class Framing : std::uint8_t { none, length, chunked };

/// A head that may be answered. The views refer to the parsed bytes.
struct Head {
    std::string_view method;
    std::string_view target;
    std::string_view path;  // "/" if an absolute target has none; "*"; empty for authority.
    std::string_view query;
    std::uint64_t length = 0;  // Content-Length, for Framing::length.
    std::size_t field_count = 0;
    Target form = Target::origin;
    Framing framing = Framing::none;
    std::uint8_t minor = 1;
    bool keeps_alive = true;        // By version and Connection.
    bool expects_continue = false;  // Never in HTTP/1.0, where Expect is ignored.
    std::array<Field, kMostFields> fields;

    [[nodiscard]] std::span<const Field> all_fields() const noexcept {
        return {fields.data(), field_count};
    }
};

/// The result for the bytes: this many of them were the head; or it is not complete yet (both 0);
/// or it is refused with a status: 400, 414, 417, 431, 501 or 505.
struct Parsed {
    std::size_t consumed = 0;
    int refusal = 0;
};

/// Parses the head at the start of `bytes`. Of empty lines before it, one CRLF is consumed with it.
///
/// A refusal occurs as soon as the line that causes it is complete, or is longer than its limit;
/// with more bytes, the result for a complete or refused head stays the same. `head` is unspecified
/// unless the head is complete. No byte outside of `bytes` is read.
[[nodiscard]] Parsed parse_head(std::string_view bytes, const Limits& limits, Head& head) noexcept;

/// Field names and coding names are compared without regard to the case of ASCII letters.
[[nodiscard]] bool same_letters(std::string_view one, std::string_view other) noexcept;

/// A token (RFC 9110, 5.6.2): the characters of methods and field names.
[[nodiscard]] bool is_token(std::string_view text) noexcept;

/// The characters of a field value (RFC 9110, 5.5): visible characters, spaces, tabs, bytes from
/// 0x80.
[[nodiscard]] bool is_field_value(std::string_view text) noexcept;

}  // namespace brick::http
