/// A server's end of a WebSocket: frames in, messages to the handler, frames out. No I/O, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <brick/websocket.hpp>

#include "http/output.hpp"
#include "ws/frame.hpp"
#include "ws/utf8.hpp"

namespace brick::ws {

/// Codes of close frames that the server itself sends (RFC 6455, 7.4.1).
inline constexpr std::uint16_t kGoingAway = 1001;
inline constexpr std::uint16_t kWrongProtocol = 1002;
inline constexpr std::uint16_t kNotUtf8 = 1007;
inline constexpr std::uint16_t kTooSlow = 1008;
inline constexpr std::uint16_t kTooLong = 1009;
inline constexpr std::uint16_t kFailed = 1011;

/// Whether a close frame may have this code: those of RFC 6455 and of IANA's registry, and those
/// of libraries and applications.
[[nodiscard]] constexpr bool is_close_code(std::uint16_t code) noexcept {
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

/// All but the bytes of an unfinished message is the connection's: what it sends goes to `output`.
class Endpoint {
public:
    /// A message of more than `message_bytes` is refused with 1009. All arguments outlive this.
    Endpoint(const WebSocket::Handler& handler, std::size_t message_bytes, http::Output& output,
             http::Pool& pool) noexcept
        : handler_(handler), limit_bytes_(message_bytes), output_(output), pool_(pool) {}
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;
    ~Endpoint() { message_.free(pool_); }

    /// Takes bytes up to the end of a frame at most, and returns how many: 0 if more are needed.
    /// Once it is closed, it takes all.
    std::size_t receive(std::string_view bytes);

    /// Sends a close frame, the last frame of all.
    void close(std::optional<std::uint16_t> code);

    [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }

    /// Whether a message has begun.
    [[nodiscard]] bool is_within_message() const noexcept { return kind_.has_value(); }

private:
    friend class WebSocket::Replies;

    std::size_t take_control(const FrameHead& head, std::string_view rest);
    void take_close(std::string_view payload);
    bool begin_frame(const FrameHead& head);
    void end_message();
    void send(const WebSocket::Message& message);
    void copy_returned();
    void send_frame(Opcode opcode, std::string_view payload);
    [[nodiscard]] std::string_view data() const noexcept {
        return {message_.data + head_bytes_, message_.end - head_bytes_};
    }

    const WebSocket::Handler& handler_;
    const std::size_t limit_bytes_;
    http::Output& output_;
    http::Pool& pool_;

    http::Output::Buffer message_;  // After room for the head of a frame that returns it.
    std::size_t head_bytes_ = 0;    // That room.
    std::uint64_t left_ = 0;        // Of the frame's payload.
    Key key_{};
    std::optional<WebSocket::Kind> kind_;      // Of the message that has begun.
    std::optional<WebSocket::Kind> returned_;  // The handler sends its message, as this kind.
    Utf8 utf8_;
    bool is_final_ = false;  // The frame ends its message.
    bool is_closed_ = false;
};

}  // namespace brick::ws
