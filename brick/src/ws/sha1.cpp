#include "ws/sha1.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace brick::ws {
namespace {

constexpr std::size_t kBlockBytes = 64;
using State = std::array<std::uint32_t, 5>;

void take_block(State& state, const char* block) noexcept {
    std::array<std::uint32_t, 80> words{};
    for (std::size_t at = 0; at < kBlockBytes; ++at) {
        words[at / 4] = words[at / 4] << 8U | static_cast<unsigned char>(block[at]);
    }
    for (std::size_t at = 16; at < words.size(); ++at) {
        words[at] = std::rotl(words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16], 1);
    }
    auto [a, b, c, d, e] = state;
    for (std::size_t at = 0; at < words.size(); ++at) {
        std::uint32_t mixed = 0;
        if (at < 20) {
            mixed = ((b & c) | (~b & d)) + 0x5a827999U;
        } else if (at < 40) {
            mixed = (b ^ c ^ d) + 0x6ed9eba1U;
        } else if (at < 60) {
            mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU;
        } else {
            mixed = (b ^ c ^ d) + 0xca62c1d6U;
        }
        const std::uint32_t sum = std::rotl(a, 5) + mixed + e + words[at];
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = sum;
    }
    state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

}  // namespace

std::array<unsigned char, 20> sha1(std::string_view text) {
    std::string padded(text);
    padded += '\x80';
    while (padded.size() % kBlockBytes != kBlockBytes - 8) padded += '\0';
    for (int shift = 56; shift >= 0; shift -= 8) {
        padded += static_cast<char>(std::uint64_t{text.size()} * 8 >> shift);
    }
    State state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    for (std::size_t at = 0; at < padded.size(); at += kBlockBytes) {
        take_block(state, padded.data() + at);
    }
    std::array<unsigned char, 20> digest{};
    for (std::size_t at = 0; at < digest.size(); ++at) {
        digest[at] = static_cast<unsigned char>(state[at / 4] >> (24 - 8 * (at % 4)));
    }
    return digest;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (; !bytes.empty(); bytes.remove_prefix(bytes.size() < 3 ? bytes.size() : 3)) {
        std::uint32_t three = 0;
        for (std::size_t at = 0; at < 3; ++at) {
            three = three << 8U | (at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U);
        }
        for (std::size_t at = 0; at < 4; ++at) {
            text += at <= bytes.size() ? kDigits[three >> (18 - 6 * at) & 63U] : '=';
        }
    }
    return text;
}

}  // namespace brick::ws
