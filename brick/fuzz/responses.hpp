/// Reads a server's bytes with a plain parser: are they a sequence of responses, and frames after
/// an upgrade?
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>

namespace brick::fuzz {

class Responses {
public:
    /// At most `heads` answers have no body, because they answer HEAD. With `may_end` the last may
    /// be cut short, or end with the connection.
    Responses(std::string_view bytes, std::size_t heads, bool may_end)
        : may_end_(may_end), are_well_formed_(read(bytes, heads, 0)) {}

    [[nodiscard]] bool are_well_formed() const { return are_well_formed_; }

    /// The number of final responses.
    [[nodiscard]] std::size_t count() const { return count_; }

private:
    // All of them, if `before` came before.
    bool read(std::string_view bytes, std::size_t heads, std::size_t before) {
        if (bytes.empty()) {
            count_ = before;
            return true;
        }
        const std::size_t end = bytes.find("\r\n\r\n");
        if (end == std::string_view::npos) return cut(before);
        const std::string_view head = bytes.substr(0, end + 2);
        const std::string_view rest = bytes.substr(end + 4);
        if (!is_head(head)) return false;
        const std::string_view status = head.substr(9, 3);
        if (status == "101") return read_frames(rest, before + 1);
        if (head[9] == '1') return read(rest, heads, before);
        const bool has_content = status != "204" && status != "304";
        if (!has_content) return read(rest, heads, before + 1);
        if (heads > 0 && read(rest, heads - 1, before + 1)) return true;
        if (value(head, "Transfer-Encoding") == "chunked") {
            return read_chunks(rest, heads, before + 1);
        }
        const auto length = value(head, "Content-Length");
        if (!length) return cut(before + 1);
        std::size_t bytes_left = 0;
        if (!number(*length, 10, bytes_left)) return false;
        if (bytes_left > rest.size()) return cut(before + 1);
        return read(rest.substr(bytes_left), heads, before + 1);
    }

    bool read_chunks(std::string_view bytes, std::size_t heads, std::size_t before) {
        while (true) {
            const std::size_t end = bytes.find("\r\n");
            if (end == std::string_view::npos) return cut(before);
            std::size_t size = 0;
            if (!number(bytes.substr(0, end), 16, size)) return false;
            bytes.remove_prefix(end + 2);
            if (size + 2 > bytes.size()) return cut(before);
            if (bytes.substr(size, 2) != "\r\n") return false;
            bytes.remove_prefix(size + 2);
            if (size == 0) return read(bytes, heads, before);
        }
    }

    // Of a server: whole messages without a mask, and nothing after a close frame.
    bool read_frames(std::string_view bytes, std::size_t before) {
        while (!bytes.empty()) {
            const auto byte = [bytes](std::size_t at) {
                return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at]));
            };
            const bool is_known =
                byte(0) == 0x81 || byte(0) == 0x82 || byte(0) == 0x88 || byte(0) == 0x8a;
            if (!is_known || (bytes.size() > 1 && byte(1) > 127)) return false;
            if (bytes.size() < 2) return cut(before);
            const std::size_t more = byte(1) == 127 ? 8 : byte(1) == 126 ? 2 : 0;
            if (bytes.size() < 2 + more) return cut(before);
            std::size_t length = more == 0 ? byte(1) : 0;
            for (std::size_t at = 0; at < more; ++at) length = length * 256 + byte(2 + at);
            if (length > bytes.size() - 2 - more) return cut(before);
            if (byte(0) == 0x88 && bytes.size() > 2 + length) return false;
            bytes.remove_prefix(2 + more + length);
        }
        count_ = before;
        return true;
    }

    bool cut(std::size_t count) {
        count_ = count;
        return may_end_;
    }

    static bool is_head(std::string_view head) {
        if (head.size() < 15 || !head.starts_with("HTTP/1.1 ")) return false;
        std::size_t status = 0;
        if (!number(head.substr(9, 3), 10, status) || status < 100 || head[12] != ' ') return false;
        for (head.remove_prefix(head.find("\r\n") + 2); !head.empty();) {
            const std::string_view line = head.substr(0, head.find("\r\n"));
            const std::size_t colon = line.find(": ");
            if (colon == 0 || colon == std::string_view::npos) return false;
            if (line.find_first_of("\r\n") != std::string_view::npos) return false;
            head.remove_prefix(line.size() + 2);
        }
        return true;
    }

    static std::optional<std::string_view> value(std::string_view head, std::string_view name) {
        for (std::size_t at = head.find("\r\n"); at + 2 < head.size(); at = head.find("\r\n", at)) {
            at += 2;
            const std::string_view line = head.substr(at, head.find("\r\n", at) - at);
            if (line.starts_with(name) && line.substr(name.size()).starts_with(": ")) {
                return line.substr(name.size() + 2);
            }
        }
        return std::nullopt;
    }

    static bool number(std::string_view text, int base, std::size_t& out) {
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), out, base);
        return error == std::errc{} && end == text.data() + text.size();
    }

    std::size_t count_ = 0;
    bool may_end_;
    bool are_well_formed_;
};

}  // namespace brick::fuzz
