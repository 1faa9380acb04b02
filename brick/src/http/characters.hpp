/// Which bytes may occur where (RFC 9110 section 5.6, RFC 3986 section 3), as one table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace brick::http {

/// Sets of bytes.
enum class Chars : std::uint8_t {
    token = 1,     ///< tchar: methods, field names, codings.
    value = 2,     ///< Field values: visible characters, space, tab, bytes from 0x80.
    target = 4,    ///< A request's target.
    reg_name = 8,  ///< A host that is a name or an IPv4 address, its %XX aside.
};

namespace detail {

/// Strictly RFC 3986 except for \ ^ ` { | }, which browsers send unchanged in a query: visible
/// ASCII without " # < >.
constexpr bool in_target(unsigned char byte) noexcept {
    return byte > ' ' && byte < 0x7f && byte != '"' && byte != '#' && byte != '<' && byte != '>';
}

constexpr std::array<std::uint8_t, 256> table_of_chars() noexcept {
    std::array<std::uint8_t, 256> table{};
    const auto add = [&table](std::string_view bytes, Chars set) {
        for (const char byte : bytes) {
            table[static_cast<unsigned char>(byte)] |= static_cast<std::uint8_t>(set);
        }
    };
    constexpr std::string_view alphanumeric =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    add(alphanumeric, Chars::token);
    add("!#$%&'*+-.^_`|~", Chars::token);
    add(alphanumeric, Chars::reg_name);
    add("-._~", Chars::reg_name);         // unreserved
    add("!$&'()*+,;=", Chars::reg_name);  // sub-delims
    for (std::size_t byte = 0; byte < table.size(); ++byte) {
        if (byte == '\t' || (byte >= ' ' && byte != 0x7f)) {
            table[byte] |= static_cast<std::uint8_t>(Chars::value);
        }
        if (in_target(static_cast<unsigned char>(byte))) {
            table[byte] |= static_cast<std::uint8_t>(Chars::target);
        }
    }
    return table;
}

inline constexpr std::array<std::uint8_t, 256> kTableOfChars = table_of_chars();

}  // namespace detail

[[nodiscard]] constexpr bool in(Chars set, char byte) noexcept {
    return (detail::kTableOfChars[static_cast<unsigned char>(byte)] &
            static_cast<std::uint8_t>(set)) != 0;
}

[[nodiscard]] constexpr bool is_blank(char byte) noexcept { return byte == ' ' || byte == '\t'; }

/// The tab is included.
[[nodiscard]] constexpr bool is_control(char byte) noexcept {
    return static_cast<unsigned char>(byte) < ' ' || byte == 0x7f;
}

[[nodiscard]] constexpr bool is_digit(char byte) noexcept { return byte >= '0' && byte <= '9'; }

/// 0 to 15, or -1 for a byte that is not a hexadecimal digit.
[[nodiscard]] constexpr int hex_value(char byte) noexcept {
    if (is_digit(byte)) {
        return byte - '0';
    }
    const int letter = (byte | 0x20) - 'a';
    return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/// Takes the next element from a comma-separated `list`, without the blanks around it. Elements may
/// be empty, which RFC 9110, 5.6.1.2 requires a recipient to accept.
[[nodiscard]] constexpr std::string_view take_element(std::string_view& list) noexcept {
    const std::size_t comma = list.find(',');
    std::string_view element = list.substr(0, comma);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    while (!element.empty() && is_blank(element.front())) {
        element.remove_prefix(1);
    }
    while (!element.empty() && is_blank(element.back())) {
        element.remove_suffix(1);
    }
    return element;
}

}  // namespace brick::http
