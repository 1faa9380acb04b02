/// WebSocket (RFC 6455): what a server does with a client's messages.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace brick {

namespace ws {
class Endpoint;
}

/// The answer of a GET route whose clients upgrade to WebSocket. The server itself joins fragments,
/// answers pings and closes; it checks masks, framing and UTF-8. A client that does not upgrade is
/// answered with 426. Extensions, such as permessage-deflate, and subprotocols are declined.
class WebSocket {
public:
    enum class Kind : std::uint8_t { text = 1, binary = 2 };

    /// A whole message, valid until the handler returns. Text is UTF-8.
    struct Message {
        std::string_view data;
        Kind kind = Kind::text;
    };

    /// What a handler sends. Nothing is sent after `close`.
    class Replies {
    public:
        /// The handler's own message, given back as a whole, is sent without a copy.
        void send(const Message& message);

        /// `code` is 1000 to 1003, 1007 to 1014 or 3000 to 4999; else std::invalid_argument is
        /// thrown.
        void close(std::uint16_t code = 1000);

    private:
        friend class ws::Endpoint;
        explicit Replies(ws::Endpoint& endpoint) noexcept : endpoint_(endpoint) {}

        ws::Endpoint& endpoint_;
    };

    /// Is called for each message, on the connection's thread. If it throws, the connection is
    /// closed with 1011. While a client leaves `Limits::unsent_bytes` unread, it is not called.
    using Handler = std::function<void(const Message&, Replies&)>;

    explicit WebSocket(Handler handler) : handler_(std::move(handler)) {}

    [[nodiscard]] const Handler& handler() const noexcept { return handler_; }

private:
    Handler handler_;
};

}  // namespace brick
