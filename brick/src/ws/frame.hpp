/// The heads of frames (RFC 6455, 5.2). No I/O, no allocation, no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ws/mask.hpp"

namespace brick::ws {

enum class Opcode : std::uint8_t {
    continuation = 0,
    text = 1,
    binary = 2,
    close = 8,
    ping = 9,
    pong = 10
};

/// The longest payload of a control frame.
inline constexpr std::size_t kMostControlBytes = 125;

/// The head of a client's frame.
struct FrameHead {
    std::uint64_t length = 0;
    Key key{};
    Opcode opcode = Opcode::continuation;
    bool is_final = true;
    bool is_wrong = false;  // The connection has to fail with 1002.
    std::size_t bytes = 0;  // Of the head itself; 0: it is not complete yet.

    [[nodiscard]] bool is_control() const noexcept { return opcode >= Opcode::close; }
};

/// Parses the head at the start of `bytes`. It is wrong as soon as the byte that makes it wrong is
/// there. No byte outside of `bytes` is read.
[[nodiscard]] FrameHead parse_frame_head(std::string_view bytes) noexcept;

/// The length of the head of a server's frame: 2, 4 or 10 bytes.
[[nodiscard]] constexpr std::size_t frame_head_bytes(std::uint64_t length) noexcept {
    return length <= kMostControlBytes ? 2 : length <= 0xffff ? 4 : 10;
}

/// Writes the head of a server's frame, which is a whole message, and returns its end.
char* write_frame_head(char* out, Opcode opcode, std::uint64_t length) noexcept;

}  // namespace brick::ws
