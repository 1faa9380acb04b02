/// A client's mask (RFC 6455, 5.3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace brick::ws {

using Key = std::array<unsigned char, 4>;

/// Writes the `count` bytes at `in` to `out` without their mask, word by word. Returns the key for
/// the bytes that follow them in the same frame.
inline Key unmask(char* out, const char* in, std::size_t count, Key key) noexcept {
    std::uint32_t half = 0;
    std::memcpy(&half, key.data(), sizeof half);
    const std::uint64_t mask = std::uint64_t{half} << 32U | half;
    constexpr std::size_t kWord = sizeof mask;
    const auto word = [&](std::size_t at) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, in + at, kWord);
        bytes ^= mask;
        std::memcpy(out + at, &bytes, kWord);
    };
    std::size_t at = 0;
    // Four at once become the widest loads and stores that the machine has.
    for (; at + 4 * kWord <= count; at += 4 * kWord) {
        word(at);
        word(at + kWord);
        word(at + 2 * kWord);
        word(at + 3 * kWord);
    }
    for (; at + kWord <= count; at += kWord) word(at);
    for (; at < count; ++at) out[at] = static_cast<char>(in[at] ^ key[at % 4]);
    return {key[count % 4], key[(count + 1) % 4], key[(count + 2) % 4], key[(count + 3) % 4]};
}

}  // namespace brick::ws
