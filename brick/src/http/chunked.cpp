#include "http/chunked.hpp"

#include <algorithm>

#include "http/characters.hpp"

namespace brick::http {
namespace {

constexpr std::uint8_t kMostDigits = 16;

/// A size stays below 2^63, so that additions to it cannot overflow.
constexpr std::uint64_t kMostBeforeDigit = (std::uint64_t{1} << 59U) - 1;

}  // namespace

Chunked::Step Chunked::decode(std::string_view input) noexcept {
    std::size_t at = 0;
    while (at < input.size()) {
        if (place_ == Place::data) {
            const std::string_view rest = input.substr(at);
            const std::string_view data =
                rest.substr(0, std::min<std::uint64_t>(left_, rest.size()));
            left_ -= data.size();
            place_ = left_ == 0 ? Place::data_return : Place::data;
            return {Step::State::more, at + data.size(), data};
        }
        if (place_ == Place::done || place_ == Place::refused) {
            break;
        }
        const Place next = after(input[at]);
        const bool is_counted = next != Place::refused && is_overhead(next);
        if (next == Place::refused || (is_counted && overhead_left_ == 0)) {
            refusal_ = next == Place::refused ? 400 : 431;
            place_ = Place::refused;
            break;
        }
        overhead_left_ -= is_counted ? 1 : 0;
        place_ = next;
        ++at;
    }
    const Step::State state = place_ == Place::done      ? Step::State::done
                              : place_ == Place::refused ? Step::State::refused
                                                         : Step::State::more;
    return {state, at, {}, refusal_};
}

bool Chunked::is_overhead(Place place) noexcept {
    return (place >= Place::extension && place <= Place::behind_quotes) ||
           place == Place::trailer_name || place == Place::trailer_value;
}

/// The place of the byte after `byte`, or Place::refused.
Chunked::Place Chunked::after(char byte) noexcept {
    switch (place_) {
        case Place::size:
            digits_ = 0;
            return hex_value(byte) < 0 ? Place::refused : after_size_digit(byte);
        case Place::more_size:
            return hex_value(byte) < 0 ? after_extension(byte) : after_size_digit(byte);
        case Place::size_line_feed:
            return byte != '\n' ? Place::refused : left_ == 0 ? Place::trailer : Place::data;
        case Place::data_return:
            return byte == '\r' ? Place::data_line_feed : Place::refused;
        case Place::data_line_feed:
            return byte == '\n' ? Place::size : Place::refused;
        case Place::trailer:
        case Place::trailer_name:
        case Place::trailer_value:
        case Place::trailer_line_feed:
        case Place::last_line_feed:
            return after_trailer(byte);
        default:
            return after_extension(byte);
    }
}

Chunked::Place Chunked::after_size_digit(char byte) noexcept {
    if (digits_ == kMostDigits || left_ > kMostBeforeDigit) {
        return Place::refused;
    }
    ++digits_;
    left_ = left_ << 4U | static_cast<unsigned>(hex_value(byte));
    return Place::more_size;
}

Chunked::Place Chunked::after_extension(char byte) const noexcept {
    const bool is_part = in(Chars::token, byte);
    switch (place_) {
        case Place::extension:
            break;
        case Place::name:
            return is_blank(byte) ? Place::name : is_part ? Place::more_name : Place::refused;
        case Place::more_name:
            if (is_part || byte == '=') {
                return is_part ? Place::more_name : Place::value;
            }
            if (is_blank(byte)) {
                return Place::equals;
            }
            break;
        case Place::equals:
            if (byte == '=') {
                return Place::value;
            }
            if (is_blank(byte)) {
                return Place::equals;
            }
            break;
        case Place::value:
            if (byte == '"' || is_blank(byte)) {
                return byte == '"' ? Place::quoted : Place::value;
            }
            return is_part ? Place::more_value : Place::refused;
        case Place::more_value:
            if (is_part) {
                return Place::more_value;
            }
            break;
        case Place::quoted:
            if (byte == '"' || byte == '\\') {
                return byte == '"' ? Place::behind_quotes : Place::escaped;
            }
            [[fallthrough]];
        case Place::escaped:
            return in(Chars::value, byte) ? Place::quoted : Place::refused;
        default:  // After a size or quotes.
            break;
    }
    // The bytes that may follow a size, a name or a value.
    if (byte == ';') {
        return Place::name;
    }
    if (is_blank(byte)) {
        return Place::extension;
    }
    const bool may_end = place_ != Place::extension && place_ != Place::equals;
    return byte == '\r' && may_end ? Place::size_line_feed : Place::refused;
}

Chunked::Place Chunked::after_trailer(char byte) const noexcept {
    const bool is_part = in(Chars::token, byte);
    switch (place_) {
        case Place::trailer:
            return byte == '\r' ? Place::last_line_feed
                   : is_part    ? Place::trailer_name
                                : Place::refused;
        case Place::trailer_name:
            return byte == ':' ? Place::trailer_value
                   : is_part   ? Place::trailer_name
                               : Place::refused;
        case Place::trailer_value:
            return byte == '\r'             ? Place::trailer_line_feed
                   : in(Chars::value, byte) ? Place::trailer_value
                                            : Place::refused;
        case Place::trailer_line_feed:
            return byte == '\n' ? Place::trailer : Place::refused;
        default:
            return byte == '\n' ? Place::done : Place::refused;
    }
}

}  // namespace brick::http
