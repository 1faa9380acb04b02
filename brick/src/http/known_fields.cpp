#include "http/known_fields.hpp"

#include <cstring>
#include <limits>
#include <type_traits>

#include "http/authority.hpp"
#include "http/characters.hpp"

namespace brick::http {
namespace {

template <typename Word>
bool is_word(const char* text, const char* known) noexcept {
    Word one = 0;
    Word other = 0;
    std::memcpy(&one, text, sizeof one);
    std::memcpy(&other, known, sizeof other);
    return (one | static_cast<Word>(0x2020202020202020)) == other;
}

/// Whether `text` is `known` except for the case of its letters. `known` is lower-case letters,
/// digits and hyphens; only a control, which `text` cannot contain, would become one of the latter
/// two by the bit that makes letters lower-case.
template <std::size_t Size>
bool is(std::string_view text, const char (&known)[Size]) noexcept {
    constexpr std::size_t length = Size - 1;
    using Word = std::conditional_t<(length < 8), std::uint32_t, std::uint64_t>;
    static_assert(length >= sizeof(Word));
    if (text.size() != length) {
        return false;
    }
    for (std::size_t at = 0; at + sizeof(Word) < length; at += sizeof(Word)) {
        if (!is_word<Word>(text.data() + at, known + at)) {
            return false;
        }
    }
    constexpr std::size_t last = length - sizeof(Word);
    return is_word<Word>(text.data() + last, known + last);
}

}  // namespace

int KnownFields::note_named(const Field& field) noexcept {
    switch (field.name.size()) {
        case 4:
            return is(field.name, "host") ? note_host(field.value) : 0;
        case 6:
            return is(field.name, "expect") ? note_expectations(field.value) : 0;
        case 10:
            if (is(field.name, "connection")) {
                note_connection(field.value);
            }
            return 0;
        case 14:
            return is(field.name, "content-length") ? note_length(field.value) : 0;
        default:
            return is(field.name, "transfer-encoding") ? note_codings(field.value) : 0;
    }
}

int KnownFields::note_host(std::string_view value) noexcept {
    if (has_host_) {
        return 400;
    }
    has_host_ = true;
    // Every target of http has a host, with a port or without (RFC 9112, 3.3).
    return is_authority(value, end_) ? 0 : 400;
}

int KnownFields::note_length(std::string_view value) noexcept {
    if (head_.framing != Framing::none || has_coding_ || value.empty()) {
        return 400;
    }
    head_.framing = Framing::length;
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    for (const char byte : value) {
        const auto digit = static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) - '0';
        if (digit > 9 || head_.length > (most - digit) / 10) {
            return 400;
        }
        head_.length = head_.length * 10 + digit;
    }
    return 0;
}

int KnownFields::note_codings(std::string_view value) noexcept {
    if (head_.minor == 0 || head_.framing == Framing::length) {
        return 400;
    }
    has_coding_ = true;
    while (!value.empty()) {
        const std::string_view coding = take_element(value);
        if (coding.empty()) {
            continue;
        }
        // No coding may follow chunked. No coding that is in use has parameters.
        if (head_.framing == Framing::chunked || !is_token(coding)) {
            return 400;
        }
        if (is(coding, "chunked")) {
            head_.framing = Framing::chunked;
        } else {
            has_foreign_coding_ = true;
        }
    }
    return head_.framing == Framing::chunked && has_foreign_coding_ ? 501 : 0;
}

int KnownFields::note_expectations(std::string_view value) noexcept {
    if (head_.minor == 0) {
        return 0;
    }
    while (!value.empty()) {
        const std::string_view expectation = take_element(value);
        if (expectation.empty()) {
            continue;
        }
        if (!is(expectation, "100-continue")) {
            return 417;
        }
        head_.expects_continue = true;
    }
    return 0;
}

void KnownFields::note_connection(std::string_view value) noexcept {
    if (is(value, "keep-alive")) {  // The usual case.
        keeps_alive_ = true;
        return;
    }
    while (!value.empty()) {
        const std::string_view option = take_element(value);
        closes_ = closes_ || is(option, "close");
        keeps_alive_ = keeps_alive_ || is(option, "keep-alive");
    }
}

}  // namespace brick::http
