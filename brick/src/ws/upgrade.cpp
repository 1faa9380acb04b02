#include "ws/upgrade.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "ws/sha1.hpp"

namespace brick::ws {
namespace {

constexpr std::string_view kId = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

bool is_space(char each) noexcept { return each == ' ' || each == '\t'; }

// Whether a list of the fields of this name has this member, in letters of either case.
bool has_member(const http::Head& head, std::string_view name, std::string_view member) noexcept {
    for (const Field& field : head.all_fields()) {
        if (!http::same_letters(field.name, name)) continue;
        std::string_view rest = field.value;
        while (!rest.empty()) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            std::string_view one = rest.substr(0, comma);
            while (!one.empty() && is_space(one.front())) one.remove_prefix(1);
            while (!one.empty() && is_space(one.back())) one.remove_suffix(1);
            if (http::same_letters(one, member)) return true;
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    }
    return false;
}

// The value of the only field of this name; nothing if there are none or several.
std::optional<std::string_view> only(const http::Head& head, std::string_view name) noexcept {
    std::optional<std::string_view> found;
    for (const Field& field : head.all_fields()) {
        if (!http::same_letters(field.name, name)) continue;
        if (found) return std::nullopt;
        found = field.value;
    }
    return found;
}

// 16 bytes in base64: 22 digits, of which the last has four bits, and their padding.
bool is_key(std::string_view text) noexcept {
    const auto is_digit = [](char each) {
        return (each >= 'A' && each <= 'Z') || (each >= 'a' && each <= 'z') ||
               (each >= '0' && each <= '9') || each == '+' || each == '/';
    };
    return text.size() == 24 && text.ends_with("==") &&
           std::all_of(text.begin(), text.end() - 2, is_digit);
}

}  // namespace

Upgrade upgrade(const http::Head& head) {
    if (head.method != "GET" || head.minor == 0 || !has_member(head, "upgrade", "websocket") ||
        !has_member(head, "connection", "upgrade") || only(head, "sec-websocket-version") != "13") {
        return {426, "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"};
    }
    const std::optional<std::string_view> key = only(head, "sec-websocket-key");
    if (!key || !is_key(*key)) return {400, {}};
    const auto digest = sha1(std::string(*key).append(kId));
    const std::string_view bytes(reinterpret_cast<const char*>(digest.data()), digest.size());
    return {101, "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
                     base64(bytes) + "\r\n"};
}

}  // namespace brick::ws
