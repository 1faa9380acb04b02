/// HTTP on one connection: bytes in, bytes out, no I/O and no clock.
///
/// Its reactor calls an event, then sends the bytes of `next_send` and checks `is_reading`,
/// `take_pause` and `end`. An idle connection consists of this object alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "http/message.hpp"
#include "http/output.hpp"
#include "http/service.hpp"

namespace brick::http {

/// What happens to a connection when all output is sent.
enum class End : std::uint8_t {
    open,    // It goes on.
    close,   // Close it: the client has ended, or there was no answer to send.
    linger,  // Shut the sending side, drop input, then close: the answer has to arrive.
    abort,   // Close it now, whatever is unsent.
};

class Conversation {
public:
    using Service = http::Service;
    using End = http::End;

    /// Begins the conversation at `service.now_s`.
    explicit Conversation(Service& service) noexcept : since_s_(service.now_s) {}

    /// The events. Bytes were received, all of which are taken; the client will send no more; the
    /// client took the first `bytes` of `next_send`; the requested pause is over; the server is to
    /// stop.
    void receive(Service& service, std::string_view bytes) noexcept;
    void input_ended(Service& service) noexcept;
    void sent(Service& service, std::size_t bytes) noexcept;
    void paused(Service& service) noexcept;
    void stop(Service& service) noexcept;

    /// A deadline may have passed: returns true if it has. Then the reactor makes its checks as
    /// after an event.
    bool expire(Service& service) noexcept;

    /// The bytes to send next, which stay in place until they are sent; empty if there are none.
    [[nodiscard]] std::string_view next_send() noexcept;

    /// Whether more input is wanted now. Bytes that arrive nevertheless are kept.
    [[nodiscard]] bool is_reading(const Service& service) const noexcept;

    /// A pause to make, counted from now, then `paused`. Reported once.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> take_pause() noexcept;

    /// `open` as long as anything except an abort waits for output to be sent.
    [[nodiscard]] End end() const noexcept;

    /// Whether the connection ends with the remaining output.
    [[nodiscard]] bool is_ending() const noexcept { return end_ != End::open; }

    /// To be called before it is destroyed: gives its memory back. No bytes may be in transit.
    void release(Service& service) noexcept;

private:
    enum class Phase : std::uint8_t { head, body, streaming, paced, websocket, over };

    // The properties of the current request's answer.
    struct Manner {
        bool keeps = true;      // The connection stays open.
        bool old = false;       // HTTP/1.0.
        bool bodiless = false;  // HEAD.
    };

    // conversation.cpp: input, deadlines and ends.
    void work(Service& service, std::string_view bytes);
    bool work_on_input(Service& service);
    std::size_t advance(Service& service, std::string_view bytes);
    void keep(std::string_view rest);
    [[nodiscard]] bool takes_input(const Service& service) const noexcept;
    void close_if_idle(Service& service) noexcept;
    void abort() noexcept;
    Message& message();
    void tidy() noexcept;

    // conversation_request.cpp: from a head to its answer.
    std::size_t take_head(Service& service, std::string_view bytes);
    std::size_t take_request(Service& service, std::string_view head, std::string_view rest);
    void await_body(Service& service, std::string_view head, std::string_view rest);
    std::size_t take_body(Service& service, std::string_view bytes);
    std::size_t take_sized(Service& service, Incoming& body, std::string_view bytes);
    std::size_t take_chunks(Service& service, Incoming& body, std::string_view bytes);
    bool take_data(Service& service, Incoming& body, std::string_view data);
    void finish_body(Service& service);
    void answer(Service& service, std::string_view body);
    void answer_unrouted(Service& service);

    // conversation_answer.cpp: from a response to bytes.
    void respond(Service& service, const Rendered& fixed);
    void respond(Service& service, Response response);
    void respond_plainly(Service& service, int status, std::string_view allow = {});
    void refuse(Service& service, int status);
    [[nodiscard]] Connection connection() const noexcept;
    void append_head(Service& service, const Response& response, Body framing);
    void start_stream(Service& service, Response& response, Body framing, std::size_t ahead);
    void pump(Service& service);
    void go_on(Service& service, std::size_t sent_bytes) noexcept;
    void append_piece(Service& service, const Outgoing& out);
    void end_stream(Service& service);
    void start_pace(const Pace& pace, std::size_t ahead);
    void pace_on(std::size_t bytes);
    void answered() noexcept;

    // conversation_socket.cpp: from an upgrade to a close frame.
    void upgrade(Service& service, const WebSocket& route);
    std::size_t take_frame(std::string_view bytes);
    void close_socket(std::uint16_t code) noexcept;
    void end_socket() noexcept;
    [[nodiscard]] bool is_within_socket_message() const noexcept;

    std::unique_ptr<Message> message_;
    Output output_;
    std::uint32_t since_s_;
    Phase phase_ = Phase::head;
    End end_ = End::open;
    Manner manner_;
    bool input_over_ = false;
};

}  // namespace brick::http
