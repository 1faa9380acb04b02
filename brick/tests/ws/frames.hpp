/// Frames as clients and servers write them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace brick::ws::testing {

inline constexpr unsigned kText = 1;
inline constexpr unsigned kBinary = 2;
inline constexpr unsigned kClose = 8;
inline constexpr unsigned kPing = 9;
inline constexpr unsigned kPong = 10;

struct Manner {
    bool is_final = true;
    bool is_masked = true;
    unsigned reserved = 0;         // Three bits.
    std::size_t length_bytes = 0;  // Of a longer form than needed, 2 or 8.
};

/// A frame with this payload; a client's if it is masked.
inline std::string frame(unsigned opcode, std::string_view payload, Manner manner = {}) {
    const std::size_t shortest = payload.size() < 126 ? 0 : payload.size() < 65536 ? 2 : 8;
    const std::size_t length_bytes = manner.length_bytes > 0 ? manner.length_bytes : shortest;
    std::string bytes;
    bytes += static_cast<char>((manner.is_final ? 128U : 0U) | manner.reserved << 4U | opcode);
    const std::size_t length = length_bytes == 0 ? payload.size() : length_bytes == 2 ? 126 : 127;
    bytes += static_cast<char>((manner.is_masked ? 128U : 0U) | length);
    for (std::size_t left = length_bytes; left > 0; --left) {
        bytes += static_cast<char>(std::uint64_t{payload.size()} >> (8 * (left - 1)));
    }
    if (!manner.is_masked) return bytes.append(payload);
    const std::array<char, 4> key{'\x9a', '\0', '\x33', static_cast<char>(payload.size())};
    bytes.append(key.data(), key.size());
    for (std::size_t at = 0; at < payload.size(); ++at) {
        bytes += static_cast<char>(payload[at] ^ key[at % 4]);
    }
    return bytes;
}

inline std::string fragment(unsigned opcode, std::string_view payload) {
    return frame(opcode, payload, {.is_final = false});
}

/// A server's frame.
inline std::string reply(unsigned opcode, std::string_view payload) {
    return frame(opcode, payload, {.is_masked = false});
}

/// The payload of a close frame.
inline std::string closing(unsigned code, std::string_view reason = {}) {
    return std::string{static_cast<char>(code >> 8U), static_cast<char>(code)}.append(reason);
}

inline std::string closed(unsigned code) { return reply(kClose, closing(code)); }

}  // namespace brick::ws::testing
