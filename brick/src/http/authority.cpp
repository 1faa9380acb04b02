#include "http/authority.hpp"

#include <algorithm>
#include <cstddef>

#include "http/scan.hpp"

namespace brick::http {
namespace {

constexpr int kPieces = 8;  // An IPv6 address has this many of 16 bits.

/// A decimal number of one to three digits up to 255, without a leading zero.
bool is_octet(std::string_view text) noexcept {
    if (text.empty() || text.size() > 3 || (text.size() > 1 && text.front() == '0')) {
        return false;
    }
    int number = 0;
    for (const char byte : text) {
        if (!is_digit(byte)) {
            return false;
        }
        number = number * 10 + (byte - '0');
    }
    return number <= 255;
}

bool is_ipv4(std::string_view text) noexcept {
    for (int octet = 0; octet < 3; ++octet) {
        const std::size_t dot = text.find('.');
        if (dot == std::string_view::npos || !is_octet(text.substr(0, dot))) {
            return false;
        }
        text.remove_prefix(dot + 1);
    }
    return is_octet(text);
}

/// Pieces of 16 bits with a colon between each two: their number, or -1 for any other text. The
/// last two may be written as an IPv4 address if `ends`. An empty text has no pieces.
int count_pieces(std::string_view text, bool ends) noexcept {
    int pieces = 0;
    while (!text.empty()) {
        std::size_t digits = 0;
        while (digits < text.size() && hex_value(text[digits]) >= 0) {
            ++digits;
        }
        if (ends && digits < text.size() && text[digits] == '.') {
            return is_ipv4(text) ? pieces + 2 : -1;
        }
        if (digits == 0 || digits > 4) {
            return -1;
        }
        ++pieces;
        text.remove_prefix(digits);
        if (text.empty()) {
            break;
        }
        if (text.front() != ':' || text.size() == 1) {
            return -1;
        }
        text.remove_prefix(1);
    }
    return pieces;
}

/// Nothing, or a colon and a port.
inline bool is_port_part(const char* at, const char* end, Port port) noexcept {
    if (at == end || *at != ':') {
        return at == end && port == Port::optional;
    }
    if (++at == end) {
        return port == Port::optional;
    }
    unsigned number = 0;
    for (; at != end; ++at) {
        const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
        number = number * 10 + digit;
        if (digit > 9 || number > 65'535) {
            return false;
        }
    }
    return true;
}

/// The end of the name or IPv4 address that begins at `at`; bytes may be read up to `end`.
const char* name_end(const char* at, const char* end) noexcept {
    while ((at = reg_name_end(at, at, end)) != end && *at == '%' && end - at > 2 &&
           hex_value(at[1]) >= 0 && hex_value(at[2]) >= 0) {
        at += 3;
    }
    return at;
}

}  // namespace

bool is_ipv6(std::string_view text) noexcept {
    const std::size_t gap = text.find("::");
    if (gap == std::string_view::npos) {
        return count_pieces(text, true) == kPieces;
    }
    const int before = count_pieces(text.substr(0, gap), false);
    const int after = count_pieces(text.substr(gap + 2), true);
    return before >= 0 && after >= 0 && before + after < kPieces;  // The gap is at least one piece.
}

bool is_authority(std::string_view text, const char* end, Port port) noexcept {
    const char* const start = text.data();
    const char* const text_end = start + text.size();
    if (!text.starts_with('[')) {
        const char* const host_end = std::min(name_end(start, end), text_end);
        return host_end != start && is_port_part(host_end, text_end, port);
    }
    const std::size_t closing = text.find(']');
    return closing != std::string_view::npos && is_ipv6(text.substr(1, closing - 1)) &&
           is_port_part(start + closing + 1, text_end, port);
}

}  // namespace brick::http
