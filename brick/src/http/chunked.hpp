/// The chunked coding of a request's body (RFC 9112, 7.1). No I/O, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace brick::http {

/// Decodes a body piece by piece. Extensions and trailers are checked and dropped.
///
/// A size is 1 to 16 hexadecimal digits and below 2^63. White space may occur only where the
/// grammar has it: not between a size and its CRLF.
class Chunked {
public:
    /// `overhead_bytes` bounds the bytes other than data: the extensions of all chunks and all
    /// trailers of one body, without the ends of their lines.
    explicit Chunked(std::size_t overhead_bytes) noexcept : overhead_left_(overhead_bytes) {}

    struct Step {
        enum class State : std::uint8_t { more, done, refused };
        State state;            // more: all input was consumed, or `data` is to be taken first.
        std::size_t consumed;   // Bytes of the input; of a refused one, those before the bad byte.
        std::string_view data;  // A piece of the body, within the input; may be empty.
        int refusal = 0;        // 400, or 431 for too long extensions or trailers.
    };

    /// Takes bytes from the front of `input`: call again with the rest until all is consumed or the
    /// state is not `more`. After `done`, the next request follows. A refusal occurs at the byte
    /// that causes it, and stays.
    [[nodiscard]] Step decode(std::string_view input) noexcept;

    /// The bytes of the current chunk that are still missing, so that a passed limit is found
    /// early. 0 between two chunks, and until a size line is complete: before, the size may turn
    /// out to be invalid, and the refusal would depend on how the bytes were cut.
    [[nodiscard]] std::uint64_t announced_bytes() const noexcept {
        return place_ == Place::data ? left_ : 0;
    }

private:
    /// The place of the next byte. The places of extensions are adjacent.
    enum class Place : std::uint8_t {
        size,       // The first digit.
        more_size,  // Another digit, the extension or the line's end.
        extension,  // Blanks, then a semicolon.
        name,       // Blanks, then the extension's name.
        more_name,
        equals,  // Blanks, then = or the next semicolon.
        value,   // Blanks, then a token or a quoted string.
        more_value,
        quoted,
        escaped,
        behind_quotes,
        size_line_feed,
        data,
        data_return,
        data_line_feed,
        trailer,  // The first byte of a trailer or of the last line.
        trailer_name,
        trailer_value,
        trailer_line_feed,
        last_line_feed,
        done,
        refused,
    };

    [[nodiscard]] static bool is_overhead(Place place) noexcept;
    [[nodiscard]] Place after(char byte) noexcept;
    [[nodiscard]] Place after_size_digit(char byte) noexcept;
    [[nodiscard]] Place after_extension(char byte) const noexcept;
    [[nodiscard]] Place after_trailer(char byte) const noexcept;

    std::uint64_t left_ = 0;     // Bytes of the chunk.
    std::size_t overhead_left_;  // Bytes up to the bound.
    std::uint16_t refusal_ = 0;
    std::uint8_t digits_ = 0;  // Digits of the size.
    Place place_ = Place::size;
};

static_assert(sizeof(Chunked) <= 32, "a connection has one");

}  // namespace brick::http
