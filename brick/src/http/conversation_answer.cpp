#include <charconv>
#include <limits>
#include <utility>

#include "http/conversation.hpp"

namespace brick::http {
namespace {

// A stream gives its next piece while less than this is unsent.
constexpr std::size_t kStreamAheadBytes = 64 * 1024;

}  // namespace

void Conversation::respond(Service& service, const Rendered& fixed) {
    if (fixed.closes() || service.stopping) manner_.keeps = false;
    const bool with_body = !manner_.bodiless;
    Edition& edition = service.editions.current(fixed, connection(), service.date);
    output_.append(service.pool, edition, fixed.bytes(connection(), with_body));
    answered();
}

void Conversation::respond(Service& service, Response response) {
    if (response.closes() || service.stopping) manner_.keeps = false;
    if (!has_content(response.status())) manner_.bodiless = true;
    const Body framing = body_of(response, manner_.old ? 0 : 1);
    if (framing.framing == Body::Framing::until_close && !manner_.bodiless) manner_.keeps = false;
    const std::size_t ahead = output_.unsent();
    append_head(service, response, framing);
    if (!manner_.bodiless) {
        if (response.streams()) return start_stream(service, response, framing, ahead);
        output_.append(service.pool, response.body());
    }
    if (response.pace().is_set()) return start_pace(response.pace(), ahead);
    answered();
}

void Conversation::respond_plainly(Service& service, int status, std::string_view allow) {
    std::string text = std::to_string(status) + " ";
    text.append(reason(status)).append("\n");
    Response response(status, status == 204 ? "" : "text/plain", status == 204 ? "" : text);
    if (!allow.empty()) response.field("Allow", allow);
    respond(service, std::move(response));
}

void Conversation::refuse(Service& service, int status) {
    if (message_) {
        message_->incoming.reset();
        message_->input.clear();
    }
    manner_.keeps = false;
    respond_plainly(service, status);
}

Connection Conversation::connection() const noexcept {
    if (!manner_.keeps) return Connection::close;
    return manner_.old ? Connection::keep_alive : Connection::silent;
}

void Conversation::append_head(Service& service, const Response& response, Body framing) {
    char* out = output_.room(service.pool, head_bytes_at_most(response));
    const char* end = render_head(out, response, framing, connection(), service.date);
    output_.commit(static_cast<std::size_t>(end - out));
}

void Conversation::start_stream(Service& service, Response& response, Body framing,
                                std::size_t ahead) {
    Outgoing out{.source = response.take_source(),
                 .is_chunked = framing.framing == Body::Framing::chunked,
                 .pace = response.pace(),
                 .ahead = ahead};
    if (framing.framing == Body::Framing::length) out.left = framing.length;
    message().outgoing = std::move(out);
    phase_ = Phase::streaming;
    pump(service);
}

void Conversation::pump(Service& service) {
    Outgoing& out = *message_->outgoing;
    const std::size_t ahead =
        out.pace.is_set() ? std::numeric_limits<std::size_t>::max() : kStreamAheadBytes;
    while (output_.unsent() < ahead && !out.is_pausing) {
        service.piece.clear();
        Next next = false;
        try {
            next = out.source(service.piece);
        } catch (...) {
            return abort();
        }
        const std::size_t bytes = service.piece.size();
        if (out.left && bytes > *out.left) return abort();
        if (out.left) *out.left -= bytes;
        append_piece(service, out);
        out.pause_for(next.wait);
        if (out.is_pausing && input_over_) return abort();
        if (!next.has_more || (bytes == 0 && !out.is_pausing)) return end_stream(service);
    }
}

void Conversation::append_piece(Service& service, const Outgoing& out) {
    if (service.piece.empty()) return;
    if (!out.is_chunked) return output_.append(service.pool, service.piece);
    char size[16];
    const char* end = std::to_chars(size, size + sizeof size, service.piece.size(), 16).ptr;
    output_.append(service.pool, {size, static_cast<std::size_t>(end - size)});
    output_.append(service.pool, "\r\n");
    output_.append(service.pool, service.piece);
    output_.append(service.pool, "\r\n");
}

void Conversation::end_stream(Service& service) {
    const Outgoing& out = *message_->outgoing;
    if (out.left && *out.left > 0) return abort();
    if (out.is_chunked) output_.append(service.pool, "0\r\n\r\n");
    if (out.pace.is_set()) return start_pace(Pace(out.pace), out.ahead);
    message_->outgoing.reset();
    answered();
}

void Conversation::start_pace(const Pace& pace, std::size_t ahead) {
    Outgoing out{.pace = pace, .ahead = ahead};
    out.pause_for(pace.hold);
    message().outgoing = std::move(out);
    phase_ = Phase::paced;
}

// This many more bytes of a paced answer, or of output ahead of it, are sent.
void Conversation::pace_on(std::size_t bytes) {
    Outgoing& out = *message_->outgoing;
    if (out.ahead > 0) {
        out.ahead -= bytes;
    } else if (output_.unsent() == 0) {
        message_->outgoing.reset();
        answered();
    } else {
        out.pause_for(out.pace.gap);
    }
}

void Conversation::answered() noexcept {
    phase_ = manner_.keeps ? Phase::head : Phase::over;
    // If it were closed at once, the connection of a client that still sends would be reset, and
    // the answer lost with it (RFC 9112, 9.6).
    if (!manner_.keeps && end_ == End::open) end_ = End::linger;
    manner_ = {};  // A later refusal is not the answer to a HEAD.
}

}  // namespace brick::http
