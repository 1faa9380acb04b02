#include "ws/endpoint.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace brick {

void WebSocket::Replies::send(const Message& message) { endpoint_.send(message); }

void WebSocket::Replies::close(std::uint16_t code) {
    if (!ws::is_close_code(code)) {
        throw std::invalid_argument("WebSocket close code " + std::to_string(code) +
                                    ": it is 1000 to 1003, 1007 to 1014 or 3000 to 4999");
    }
    endpoint_.close(code);
}

namespace ws {
namespace {

// Memory for a message is taken at once up to here, and beyond as its bytes come: a client only
// announces them.
constexpr std::uint64_t kTrustedBytes = 64 * 1024;

}  // namespace

std::size_t Endpoint::receive(std::string_view bytes) {
    std::string_view rest = bytes;
    if (left_ == 0) {
        const FrameHead head = parse_frame_head(bytes);
        if (head.is_wrong) {
            close(kWrongProtocol);
            return bytes.size();
        }
        if (head.bytes == 0) return 0;
        rest.remove_prefix(head.bytes);
        if (head.is_control()) return take_control(head, rest);
        if (!begin_frame(head)) return bytes.size();
    }
    const std::size_t count = std::min<std::uint64_t>(left_, rest.size());
    char* const to = message_.room(pool_, count);
    key_ = unmask(to, rest.data(), count, key_);
    message_.end += count;
    left_ -= count;
    if (kind_ == WebSocket::Kind::text && !utf8_.take({to, count})) {
        close(kNotUtf8);
        return bytes.size();
    }
    if (left_ == 0 && is_final_) end_message();
    return bytes.size() - rest.size() + count;
}

// A frame of control is taken only as a whole: it is short, and may come between two fragments.
std::size_t Endpoint::take_control(const FrameHead& head, std::string_view rest) {
    if (rest.size() < head.length) return 0;
    std::array<char, kMostControlBytes> bytes{};
    unmask(bytes.data(), rest.data(), head.length, head.key);
    const std::string_view payload(bytes.data(), head.length);
    if (head.opcode == Opcode::close) take_close(payload);
    if (head.opcode == Opcode::ping) send_frame(Opcode::pong, payload);
    return head.bytes + head.length;
}

void Endpoint::take_close(std::string_view payload) {
    if (payload.empty()) return close(std::nullopt);
    if (payload.size() == 1) return close(kWrongProtocol);
    const auto code = static_cast<std::uint16_t>(static_cast<unsigned char>(payload[0]) << 8U |
                                                 static_cast<unsigned char>(payload[1]));
    Utf8 reason;
    const bool is_text = reason.take(payload.substr(2)) && reason.is_whole();
    close(!is_close_code(code) ? kWrongProtocol : is_text ? code : kNotUtf8);
}

// Returns false if that closed it.
bool Endpoint::begin_frame(const FrameHead& head) {
    const bool is_first = head.opcode != Opcode::continuation;
    if (is_first == kind_.has_value()) {
        close(kWrongProtocol);
        return false;
    }
    const std::size_t gathered = is_first ? 0 : data().size();
    if (head.length > limit_bytes_ - gathered) {
        close(kTooLong);
        return false;
    }
    if (is_first) {
        kind_ = static_cast<WebSocket::Kind>(head.opcode);
        // Of a message in fragments the length is not known yet: it is copied when it returns.
        head_bytes_ = head.is_final ? frame_head_bytes(head.length) : 0;
        static_cast<void>(message_.room(pool_, head_bytes_ + std::min(head.length, kTrustedBytes)));
        message_.end = head_bytes_;
    }
    left_ = head.length;
    key_ = head.key;
    is_final_ = head.is_final;
    return true;
}

void Endpoint::end_message() {
    if (kind_ == WebSocket::Kind::text && !utf8_.is_whole()) return close(kNotUtf8);
    WebSocket::Replies replies(*this);
    try {
        handler_({data(), *kind_}, replies);
    } catch (...) {
        close(kFailed);
    }
    if (returned_ && head_bytes_ > 0) {
        write_frame_head(message_.data, static_cast<Opcode>(*returned_), data().size());
        output_.adopt(pool_, message_);
        returned_.reset();
    }
    copy_returned();
    message_.free(pool_);
    kind_.reset();
}

void Endpoint::close(std::optional<std::uint16_t> code) {
    if (is_closed_) return;
    copy_returned();
    const std::array<char, 2> bytes{static_cast<char>(code.value_or(0) >> 8U),
                                    static_cast<char>(code.value_or(0))};
    send_frame(Opcode::close, {bytes.data(), code ? bytes.size() : 0});
    is_closed_ = true;
}

void Endpoint::send(const WebSocket::Message& message) {
    if (is_closed_) return;
    copy_returned();
    const bool is_own =
        message.data.data() == data().data() && message.data.size() == data().size();
    if (is_own) {
        returned_ = message.kind;  // It has to stay in place until the handler returns.
    } else {
        send_frame(static_cast<Opcode>(message.kind), message.data);
    }
}

// More follows the returned message: it can't wait any longer.
void Endpoint::copy_returned() {
    if (!returned_) return;
    send_frame(static_cast<Opcode>(*returned_), data());
    returned_.reset();
}

void Endpoint::send_frame(Opcode opcode, std::string_view payload) {
    char* const out = output_.room(pool_, frame_head_bytes(payload.size()) + payload.size());
    char* const end =
        std::copy(payload.begin(), payload.end(), write_frame_head(out, opcode, payload.size()));
    output_.commit(static_cast<std::size_t>(end - out));
}

}  // namespace ws
}  // namespace brick
