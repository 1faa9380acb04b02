#include "ws/frame.hpp"

#include <cstring>

namespace brick::ws {
namespace {

constexpr unsigned kFinal = 0x80;
constexpr unsigned kReserved = 0x70;  // Bits of extensions, of which there are none.
constexpr unsigned kMasked = 0x80;
constexpr unsigned kTwoBytes = 126;  // The length is in so many bytes that follow.
constexpr unsigned kEightBytes = 127;

bool is_known(unsigned opcode) noexcept {
    return opcode <= unsigned{static_cast<std::uint8_t>(Opcode::binary)} ||
           (opcode >= 8 && opcode <= 10);
}

}  // namespace

FrameHead parse_frame_head(std::string_view bytes) noexcept {
    const auto byte = [bytes](std::size_t at) {
        return unsigned{static_cast<std::uint8_t>(bytes[at])};
    };
    FrameHead head;
    if (bytes.empty()) return head;
    head.is_final = (byte(0) & kFinal) != 0;
    head.opcode = static_cast<Opcode>(byte(0) & 0x0fU);
    head.is_wrong = (byte(0) & kReserved) != 0 || !is_known(byte(0) & 0x0fU) ||
                    (head.is_control() && !head.is_final);
    if (bytes.size() < 2 || head.is_wrong) return head;
    const unsigned length = byte(1) & ~kMasked;
    head.is_wrong = (byte(1) & kMasked) == 0 || (head.is_control() && length > kMostControlBytes);
    if (head.is_wrong) return head;
    const std::size_t length_bytes = length == kEightBytes ? 8 : length == kTwoBytes ? 2 : 0;
    const std::size_t head_bytes = 2 + length_bytes + head.key.size();
    if (bytes.size() < head_bytes) return head;
    head.length = length_bytes == 0 ? length : 0;
    for (std::size_t at = 0; at < length_bytes; ++at)
        head.length = head.length << 8U | byte(2 + at);
    // A length has its shortest form, and its highest bit is 0.
    head.is_wrong = head.length >> 63U != 0 || frame_head_bytes(head.length) != 2 + length_bytes;
    std::memcpy(head.key.data(), bytes.data() + 2 + length_bytes, head.key.size());
    head.bytes = head_bytes;
    return head;
}

char* write_frame_head(char* out, Opcode opcode, std::uint64_t length) noexcept {
    const std::size_t head_bytes = frame_head_bytes(length);
    *out++ = static_cast<char>(kFinal | static_cast<std::uint8_t>(opcode));
    *out++ = static_cast<char>(head_bytes == 2   ? length
                               : head_bytes == 4 ? kTwoBytes
                                                 : kEightBytes);
    for (std::size_t left = head_bytes - 2; left > 0; --left) {
        *out++ = static_cast<char>(length >> (8 * (left - 1)));
    }
    return out;
}

}  // namespace brick::ws
