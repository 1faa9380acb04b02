/// The chunked coding once more, by the grammar of RFC 9112, 7.1: `Chunked` is compared with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace brick::http::testing {

struct Decoded {
    enum class End : std::uint8_t { more, done, refused };
    End end = End::more;
    int refusal = 0;
    std::size_t consumed = 0;  // Up to the body's end, the input's end or the refused byte.
    std::string data;

    bool operator==(const Decoded&) const = default;
};

/// Decodes a body that lies at the start of `input`, whole or cut off.
[[nodiscard]] Decoded decode_plainly(std::string_view input, std::size_t overhead_bytes);

}  // namespace brick::http::testing
