/// The fields that a server itself must understand: Host, Content-Length, Transfer-Encoding,
/// Connection and Expect (RFC 9112 sections 3.2, 6 and 9; RFC 9110 section 10.1.1).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "http/head.hpp"

namespace brick::http {

/// Collects the values of those fields one by one; gives the verdict on all of them at the end.
class KnownFields {
public:
    /// Sets the values that `head` has without any field. Its request line has been parsed; it
    /// outlives this. The bytes after a field may be read up to `end`.
    KnownFields(Head& head, const char* end) noexcept : head_(head), end_(end) {
        head.length = 0;
        head.framing = Framing::none;
        head.expects_continue = false;
    }

    /// Checks a field with a token and a checked value, with a colon and CRLF in their places.
    /// Returns 0, or 400, 417 or 501.
    [[nodiscard]] int note(const Field& field) noexcept {
        // Most fields are not of interest: their lengths and first letters show this.
        const std::size_t length = field.name.size();
        return length < kFirstLetters.size() &&
                       first_letters(field.name.data()) == kFirstLetters[length]
                   ? note_named(field)
                   : 0;
    }

    /// To be called after the last field: returns 0 or 400.
    [[nodiscard]] int finish() noexcept {
        if (!has_host_ && head_.minor > 0) {
            return 400;
        }
        if (has_coding_ && head_.framing != Framing::chunked) {
            return 400;  // The body's end is unknown (RFC 9112, 6.3).
        }
        head_.keeps_alive = !closes_ && (keeps_alive_ || head_.minor > 0);
        return 0;
    }

private:
    // The first four bytes, in lower case. The shortest field, "a:" and CRLF, has four.
    [[nodiscard]] static std::uint32_t first_letters(const char* name) noexcept {
        std::uint32_t letters = 0;
        std::memcpy(&letters, name, sizeof letters);
        return letters | 0x20202020U;
    }

    // The relevant names by their lengths; 0, which no letters are, for all other lengths.
    static constexpr std::array<std::uint32_t, 18> kFirstLetters = [] {
        std::array<std::uint32_t, 18> table{};
        for (const std::string_view name :
             {"host", "expect", "connection", "content-length", "transfer-encoding"}) {
            table[name.size()] =
                std::bit_cast<std::uint32_t>(std::array{name[0], name[1], name[2], name[3]});
        }
        return table;
    }();

    int note_named(const Field& field) noexcept;
    int note_host(std::string_view value) noexcept;
    int note_length(std::string_view value) noexcept;
    int note_codings(std::string_view value) noexcept;
    int note_expectations(std::string_view value) noexcept;
    void note_connection(std::string_view value) noexcept;

    Head& head_;
    const char* end_;
    bool has_host_ = false;
    bool has_coding_ = false;          // A Transfer-Encoding came.
    bool has_foreign_coding_ = false;  // It named one other than chunked.
    bool closes_ = false;
    bool keeps_alive_ = false;
};

}  // namespace brick::http
