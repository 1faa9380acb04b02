#include "http/conversation.hpp"

#include <algorithm>
#include <utility>

namespace brick::http {
namespace {

// The limit of kept input that cannot be answered yet.
constexpr std::size_t kReadAheadBytes = 16 * 1024;

bool has_line_end(std::string_view bytes) noexcept {
    return bytes.find('\n') != std::string_view::npos;
}

}  // namespace

// Only memory can run out in the events below: exceptions of handlers are caught at their calls.

void Conversation::receive(Service& service, std::string_view bytes) noexcept {
    if (phase_ == Phase::over) return;
    try {
        work(service, bytes);
    } catch (...) {
        abort();
    }
    close_if_idle(service);
}

void Conversation::input_ended(Service& service) noexcept {
    input_over_ = true;
    if (phase_ == Phase::streaming && message_->outgoing->is_pausing) abort();
    if (phase_ == Phase::over && end_ != End::abort) end_ = End::close;
    close_if_idle(service);
}

void Conversation::sent(Service& service, std::size_t bytes) noexcept {
    output_.sent(service.pool, bytes);
    go_on(service, bytes);
}

void Conversation::paused(Service& service) noexcept {
    if (!message_ || !message_->outgoing) return;
    message_->outgoing->is_pausing = false;
    if (phase_ == Phase::streaming) return go_on(service, 0);
    since_s_ = service.now_s;  // The client did not cause this delay.
}

void Conversation::stop(Service& service) noexcept { close_if_idle(service); }

// Bytes were sent, or a wait is over.
void Conversation::go_on(Service& service, std::size_t sent_bytes) noexcept {
    since_s_ = service.now_s;
    if (!message_) return close_if_idle(service);
    try {
        if (phase_ == Phase::streaming) pump(service);
        if (phase_ == Phase::paced) pace_on(sent_bytes);
        if (!message_->input.empty() && takes_input(service)) work_on_input(service);
    } catch (...) {
        abort();
    }
    tidy();
    close_if_idle(service);
}

bool Conversation::expire(Service& service) noexcept {
    const Limits& limits = service.limits;
    const auto passed = [&](std::chrono::seconds limit) {
        return static_cast<std::int64_t>(service.now_s - since_s_) > limit.count();
    };
    const bool is_pausing = message_ && message_->outgoing && message_->outgoing->is_pausing;
    if (is_pausing && (phase_ == Phase::paced || output_.unsent() == 0)) return false;
    if (output_.unsent() > 0) {
        if (!passed(limits.send_timeout)) return false;
        abort();
    } else if (phase_ == Phase::over) {
        if (!passed(limits.linger_timeout)) return false;
        end_ = End::close;  // Not aborted: the refusal may still be in transit.
    } else if (phase_ == Phase::head && !message_) {
        if (!passed(limits.idle_timeout)) return false;
        phase_ = Phase::over;
        end_ = End::close;
    } else if (phase_ == Phase::websocket) {
        const bool is_within = is_within_socket_message();
        if (!passed(is_within ? limits.body_timeout : limits.idle_timeout)) return false;
        close_socket(is_within ? ws::kTooSlow : ws::kGoingAway);
    } else {
        if (!passed(phase_ == Phase::head ? limits.head_timeout : limits.body_timeout))
            return false;
        try {
            refuse(service, 408);
        } catch (...) {
            abort();
        }
        tidy();
    }
    return true;
}

std::string_view Conversation::next_send() noexcept {
    const std::string_view bytes = output_.next();
    if (phase_ != Phase::paced) return bytes;
    const Outgoing& answer = *message_->outgoing;
    if (answer.ahead > 0) return bytes.substr(0, answer.ahead);
    if (answer.is_pausing) return {};
    return answer.pace.piece_bytes > 0 ? bytes.substr(0, answer.pace.piece_bytes) : bytes;
}

bool Conversation::is_reading(const Service& service) const noexcept {
    if (input_over_) return false;
    if (phase_ == Phase::over) return end_ == End::linger;
    return takes_input(service) || !message_ || message_->input.size() < kReadAheadBytes;
}

std::optional<std::chrono::nanoseconds> Conversation::take_pause() noexcept {
    if (!message_ || !message_->outgoing) return std::nullopt;
    return std::exchange(message_->outgoing->pause, std::nullopt);
}

End Conversation::end() const noexcept {
    if (end_ != End::abort && output_.unsent() > 0) return End::open;
    return end_ == End::linger && input_over_ ? End::close : end_;  // There is nothing to wait for.
}

void Conversation::release(Service& service) noexcept {
    output_.clear(service.pool);
    message_.reset();
}

void Conversation::work(Service& service, std::string_view bytes) {
    const bool is_sending = output_.unsent() > 0;
    bool same_head = false;
    if (message_ && !message_->input.empty()) {
        std::string& input = message_->input;
        input.append(bytes);
        same_head = phase_ == Phase::head;
        // A head is parsed again only when another of its lines is complete, or may be too long.
        const std::size_t shortest_limit =
            std::min(service.limits.request_line_bytes, service.limits.head_bytes);
        const bool is_worth_it =
            phase_ != Phase::head || has_line_end(bytes) || input.size() >= shortest_limit;
        if (is_worth_it && takes_input(service)) same_head = !work_on_input(service) && same_head;
    } else {
        const std::size_t used = advance(service, bytes);
        keep(bytes.substr(used));
    }
    // A head has one deadline, a client that does not read has another: more input extends neither.
    if (!same_head && !is_sending) since_s_ = service.now_s;
    tidy();
}

bool Conversation::work_on_input(Service& service) {
    std::string input = std::move(message_->input);
    message_->input.clear();
    const std::size_t used = advance(service, input);
    if (used == 0 && phase_ != Phase::over) {
        message().input = std::move(input);
        return false;
    }
    keep(std::string_view(input).substr(used));
    return true;
}

void Conversation::keep(std::string_view rest) {
    if (!rest.empty() && phase_ != Phase::over) message().input.assign(rest);
}

std::size_t Conversation::advance(Service& service, std::string_view bytes) {
    std::size_t used = 0;
    while (used < bytes.size() && takes_input(service)) {
        const std::string_view rest = bytes.substr(used);
        const std::size_t taken = phase_ == Phase::head   ? take_head(service, rest)
                                  : phase_ == Phase::body ? take_body(service, rest)
                                                          : take_frame(rest);
        if (taken == 0) break;
        used += taken;
    }
    return used;
}

bool Conversation::takes_input(const Service& service) const noexcept {
    return (phase_ == Phase::head || phase_ == Phase::body || phase_ == Phase::websocket) &&
           output_.unsent() < service.limits.unsent_bytes;
}

void Conversation::close_if_idle(Service& service) noexcept {
    // Unsent output may delay input that is still to be answered.
    if (output_.unsent() > 0) return;
    if (phase_ == Phase::websocket && !input_over_) {
        if (service.stopping) close_socket(ws::kGoingAway);
        return;
    }
    if (phase_ == Phase::streaming || phase_ == Phase::paced || phase_ == Phase::over) return;
    if (!input_over_ && !(service.stopping && !message_)) return;
    phase_ = Phase::over;
    end_ = End::close;
}

void Conversation::abort() noexcept {
    phase_ = Phase::over;
    end_ = End::abort;
}

Message& Conversation::message() {
    if (!message_) message_ = std::make_unique<Message>();
    return *message_;
}

void Conversation::tidy() noexcept {
    if (message_ && message_->is_empty()) message_.reset();
}

}  // namespace brick::http
