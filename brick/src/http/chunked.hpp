/// The chunked coding of a request's body (RFC 9112, 7.1). No I/O, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace brick::http {

/// Decodes a body piece by piece. Extensions and trailers are checked and dropped.
class Chunked {
public:
    /// `overhead_bytes` bounds what isn't data: all extensions, and all trailers, of one body.
    explicit Chunked(std::size_t overhead_bytes) noexcept;

    struct Step {
        enum class State : std::uint8_t { more, done, refused };
        State state;            // more: all input was consumed, or `data` is to be taken first.
        std::size_t consumed;   // Of the input.
        std::string_view data;  // A piece of the body, within the input; may be empty.
        int refusal = 0;        // 400, or 431 for too long extensions or trailers.
    };

    /// Takes bytes from the front of `input`: call again with the rest until all is consumed or
    /// the state isn't `more`. After `done`, what follows is the next request.
    [[nodiscard]] Step decode(std::string_view input) noexcept;

    /// What the chunk that has begun still has to bring, for a limit that is known to be passed.
    [[nodiscard]] std::uint64_t announced_bytes() const noexcept;
};

}  // namespace brick::http
