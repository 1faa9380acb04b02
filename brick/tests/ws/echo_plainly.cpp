#include "ws/echo_plainly.hpp"

#include <algorithm>
#include <cstdint>

#include "ws/frames.hpp"

namespace brick::ws::testing {
namespace {

unsigned byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
}

bool is_character(std::uint32_t number, std::size_t bytes) {
    const std::uint32_t least = bytes == 1 ? 0 : bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
    return number >= least && number <= 0x10ffff && (number < 0xd800 || number > 0xdfff);
}

bool is_code(unsigned code) {
    if (code >= 3000) return code < 5000;
    return code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006;
}

std::string answer_to_close(std::string_view payload) {
    if (payload.empty()) return reply(kClose, "");
    if (payload.size() == 1) return closed(1002);
    const unsigned code = byte_at(payload, 0) * 256 + byte_at(payload, 1);
    if (!is_code(code)) return closed(1002);
    return closed(is_utf8_plainly(payload.substr(2), true) ? code : 1007);
}

}  // namespace

bool is_utf8_plainly(std::string_view text, bool is_whole) {
    while (!text.empty()) {
        const unsigned first = byte_at(text, 0);
        std::size_t bytes = 1;
        std::uint32_t low = first;
        if (first >= 0xf8 || (first >= 0x80 && first < 0xc0)) return false;
        if (first >= 0xc0) {
            bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
            low = first & (0x7fU >> bytes);
        }
        std::uint32_t high = low;
        const std::size_t there = std::min(bytes, text.size());
        for (std::size_t at = 1; at < bytes; ++at) {
            if (at < there && byte_at(text, at) / 64 != 2) return false;
            low = low * 64 + (at < there ? byte_at(text, at) % 64 : 0);
            high = high * 64 + (at < there ? byte_at(text, at) % 64 : 63);
        }
        // Bytes that are missing leave a range of characters.
        if (!is_character(low, bytes) && !is_character(high, bytes)) return false;
        if (there < bytes) return !is_whole;
        text.remove_prefix(bytes);
    }
    return true;
}

std::string echo_plainly(std::string_view bytes, std::size_t message_bytes) {
    std::string sent;
    std::string message;
    unsigned kind = 0;
    while (!bytes.empty()) {
        const unsigned first = byte_at(bytes, 0);
        const unsigned opcode = first % 16;
        const bool is_final = first >= 128;
        const bool is_control = opcode >= 8;
        if (first / 16 % 8 != 0 || opcode > 10 || (opcode > 2 && opcode < 8)) {
            return sent + closed(1002);
        }
        if (is_control && !is_final) return sent + closed(1002);
        if (bytes.size() < 2) return sent;
        const unsigned second = byte_at(bytes, 1);
        if (second < 128 || (is_control && second > 128 + 125)) return sent + closed(1002);
        const std::size_t more = second == 255 ? 8 : second == 254 ? 2 : 0;
        if (bytes.size() < 2 + more + 4) return sent;
        std::uint64_t length = more > 0 ? 0 : second - 128;
        for (std::size_t at = 0; at < more; ++at) length = length * 256 + byte_at(bytes, 2 + at);
        if ((more == 2 && length < 126) || (more == 8 && length < 65536) || length >> 63U != 0) {
            return sent + closed(1002);
        }
        const std::string_view key = bytes.substr(2 + more, 4);
        std::string payload(bytes.substr(2 + more + 4).substr(0, length));
        const bool is_there = payload.size() == length;
        bytes.remove_prefix(2 + more + 4 + payload.size());
        for (std::size_t at = 0; at < payload.size(); ++at) {
            payload[at] = static_cast<char>(payload[at] ^ key[at % 4]);
        }
        if (is_control) {
            if (!is_there) return sent;
            if (opcode == kClose) return sent + answer_to_close(payload);
            if (opcode == kPing) sent += reply(kPong, payload);
            continue;
        }
        if ((opcode == 0) != (kind != 0)) return sent + closed(1002);
        if (message.size() + length > message_bytes) return sent + closed(1009);
        if (opcode != 0) kind = opcode;
        message += payload;
        const bool is_whole = is_final && is_there;
        if (kind == kText && !is_utf8_plainly(message, is_whole)) return sent + closed(1007);
        if (is_whole) {
            sent += reply(kind, message);
            message.clear();
            kind = 0;
        }
    }
    return sent;
}

}  // namespace brick::ws::testing
