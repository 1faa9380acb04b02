#include <algorithm>
#include <exception>
#include <utility>

#include "http/conversation.hpp"

namespace brick::http {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

Request request_of(const Service& service, std::string_view body) noexcept {
    const Head& head = service.head;
    const Match& match = service.match;
    return {.method = head.method,
            .target = head.target,
            .path = head.path,
            .query = head.query,
            .minor = head.minor,
            .fields = head.all_fields(),
            .params = {match.params.data(), match.param_count},
            .body = body};
}

const Opener* opener_of(const Match& match) noexcept {
    return match.answer == nullptr ? nullptr : std::get_if<Opener>(match.answer);
}

// A handler's answer; nothing if it throws.
template <class Call>
std::optional<Response> answer_of(Call&& call) noexcept {
    try {
        return call();
    } catch (...) {
        return std::nullopt;
    }
}

std::unique_ptr<Sink> opened(const Opener& opener, const Request& request) noexcept {
    try {
        return opener(request);
    } catch (...) {
        return nullptr;
    }
}

}  // namespace

std::size_t Conversation::take_head(Service& service, std::string_view bytes) {
    const Parsed parsed = parse_head(bytes, service.limits, service.head);
    if (parsed.refusal != 0) {
        refuse(service, parsed.refusal);
        return bytes.size();
    }
    if (parsed.consumed == 0) return 0;
    const std::string_view head = bytes.substr(0, parsed.consumed);
    return parsed.consumed + take_request(service, head, bytes.substr(parsed.consumed));
}

// Answers the request if it is complete, else prepares for its body. Returns how many bytes of
// `rest`, which follows the head, were the body.
std::size_t Conversation::take_request(Service& service, std::string_view head,
                                       std::string_view rest) {
    const Head& parsed = service.head;
    manner_ = {
        .keeps = parsed.keeps_alive, .old = parsed.minor == 0, .bodiless = parsed.method == "HEAD"};
    service.routes.find(parsed.method, parsed.path, service.match);
    const bool has_length = parsed.framing != Framing::chunked;
    const std::uint64_t length = parsed.framing == Framing::length ? parsed.length : 0;
    const bool is_whole = has_length && length <= rest.size() &&
                          length <= service.limits.body_bytes &&
                          (length == 0 || opener_of(service.match) == nullptr);
    if (!is_whole) {
        await_body(service, head, rest);
        return 0;
    }
    answer(service, rest.substr(0, length));
    return length;
}

void Conversation::await_body(Service& service, std::string_view head, std::string_view rest) {
    const Head& parsed = service.head;
    const bool is_routed = service.match.answer != nullptr;
    const Opener* opener = opener_of(service.match);
    const std::uint64_t limit =
        opener != nullptr ? service.limits.streamed_bytes : service.limits.body_bytes;
    const bool is_too_long = parsed.framing == Framing::length && parsed.length > limit;
    if (!is_routed && (is_too_long || parsed.expects_continue)) {
        manner_.keeps = false;
        return answer_unrouted(service);
    }
    if (is_too_long) return refuse(service, 413);
    Incoming body{.head = std::string(head), .left = parsed.length, .is_dropped = !is_routed};
    if (parsed.framing == Framing::chunked) body.chunked.emplace(service.limits.head_bytes);
    if (opener != nullptr) {
        body.limit_bytes = service.limits.streamed_bytes;
        body.sink = opened(*opener, request_of(service, {}));
        if (!body.sink) return refuse(service, 500);
    } else {
        body.limit_bytes = service.limits.body_bytes;
    }
    if (parsed.expects_continue && rest.empty()) output_.append(service.pool, kContinue);
    message().incoming = std::move(body);
    phase_ = Phase::body;
}

std::size_t Conversation::take_body(Service& service, std::string_view bytes) {
    Incoming& body = *message_->incoming;
    return body.chunked ? take_chunks(service, body, bytes) : take_sized(service, body, bytes);
}

std::size_t Conversation::take_sized(Service& service, Incoming& body, std::string_view bytes) {
    const std::size_t taken = std::min<std::uint64_t>(body.left, bytes.size());
    body.left -= taken;
    const bool is_last = body.left == 0;
    if (take_data(service, body, bytes.substr(0, taken)) && is_last) finish_body(service);
    return taken;
}

std::size_t Conversation::take_chunks(Service& service, Incoming& body, std::string_view bytes) {
    const Chunked::Step step = body.chunked->decode(bytes);
    if (step.state == Chunked::Step::State::refused) {
        refuse(service, step.refusal);
        return bytes.size();
    }
    // A chunk that is announced too large is refused before its data arrives.
    const std::uint64_t come = body.received + step.data.size();
    if (come > body.limit_bytes || body.chunked->announced_bytes() > body.limit_bytes - come) {
        refuse(service, 413);
        return bytes.size();
    }
    if (take_data(service, body, step.data) && step.state == Chunked::Step::State::done) {
        finish_body(service);
    }
    return step.consumed;
}

// Returns false if the connection is over with this answer.
bool Conversation::take_data(Service& service, Incoming& body, std::string_view data) {
    body.received += data.size();
    if (data.empty() || body.is_dropped) return true;
    if (!body.sink) {
        body.body.append(data);
        return true;
    }
    bool is_taken = false;
    try {
        is_taken = body.sink->receive(data);
    } catch (...) {
        refuse(service, 500);
        return false;
    }
    if (is_taken) return true;
    manner_.keeps = false;
    finish_body(service);
    return false;
}

void Conversation::finish_body(Service& service) {
    const Incoming body = std::move(*message_->incoming);
    message_->incoming.reset();
    phase_ = Phase::head;
    if (body.sink) {
        if (auto response = answer_of([&] { return body.sink->finish(); })) {
            return respond(service, std::move(*response));
        }
        return respond_plainly(service, 500);
    }
    // Its views are gone with the bytes that it was parsed from: this makes them anew.
    static_cast<void>(parse_head(body.head, service.limits, service.head));
    service.routes.find(service.head.method, service.head.path, service.match);
    answer(service, body.body);
}

void Conversation::answer(Service& service, std::string_view body) {
    const Match& match = service.match;
    if (match.answer == nullptr) return answer_unrouted(service);
    if (const auto* fixed = std::get_if<Rendered>(match.answer)) return respond(service, *fixed);
    if (const auto* socket = std::get_if<WebSocket>(match.answer)) return upgrade(service, *socket);
    const Request request = request_of(service, body);
    std::optional<Response> response;
    if (const auto* handler = std::get_if<Handler>(match.answer)) {
        response = answer_of([&] { return (*handler)(request); });
    } else if (auto sink = opened(std::get<Opener>(*match.answer), request)) {
        response = answer_of([&] { return sink->finish(); });
    }
    if (!response) return respond_plainly(service, 500);
    respond(service, std::move(*response));
}

void Conversation::answer_unrouted(Service& service) {
    const Match& match = service.match;
    const Head& head = service.head;
    if (!match.method_known || head.form == Target::authority) {
        respond_plainly(service, 501);
    } else if (match.allow.empty()) {
        respond_plainly(service, 404);
    } else {
        respond_plainly(service, head.method == "OPTIONS" ? 204 : 405, match.allow);
    }
}

}  // namespace brick::http
