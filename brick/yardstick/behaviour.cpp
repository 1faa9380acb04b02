#include "behaviour.hpp"

#include <stdexcept>
#include <string_view>
#include <utility>

#include "events.hpp"
#include "thread_clock.hpp"

namespace yardstick {
namespace {

std::string repeated(std::string_view text, std::size_t bytes) {
    std::string whole;
    while (whole.size() < bytes) whole.append(text.substr(0, bytes - whole.size()));
    return whole;
}

/// The cost of reading the clock: it is a system call.
std::chrono::nanoseconds cost_of_a_look() {
    constexpr int kLooks = 1000;
    const std::chrono::nanoseconds begin = thread_cpu_time();
    for (int look = 1; look < kLooks; ++look) thread_cpu_time();
    return (thread_cpu_time() - begin) / kLooks;
}

/// Works for this long. Time that the thread loses to others does not count.
void work(std::chrono::nanoseconds time) {
    static const std::chrono::nanoseconds look = cost_of_a_look();
    // Half a reading passes before the first result, half a one after the last, and half a one
    // beyond the end on average.
    const std::chrono::nanoseconds end = thread_cpu_time() + time - look * 3 / 2;
    while (thread_cpu_time() < end) {
    }
}

brick::Source chunks(std::shared_ptr<const std::string> body, std::size_t chunk_bytes) {
    return [body = std::move(body), chunk_bytes, sent = std::size_t{0}](std::string& out) mutable {
        out.append(*body, sent, chunk_bytes);
        sent += chunk_bytes;
        return sent < body->size();
    };
}

}  // namespace

Behaviour::Behaviour(const Options& options) : options_(options) {
    constexpr std::string_view kHello = "Hello, World!";
    body_ = std::make_shared<const std::string>(
        repeated(kHello, options.body_bytes.value_or(kHello.size())));
    if (options.stall.count() > 0) stalls_.emplace(options.stall, options.every, options.log);
    if (options.causes.any()) planted_.emplace(options.causes);
    if (options.exponential.count() > 0) {
        queue_.emplace(options.exponential, options.seed.value_or(1));
    }
}

void Behaviour::serve(brick::Server& server) {
    const brick::Handler usual = [this](const brick::Request&) { return answer(body_); };
    const brick::Handler echo = [this](const brick::Request& request) {
        return answer(std::make_shared<const std::string>(request.body));
    };
    for (const char* const path : {"/", "/{rest...}"}) {
        if (is_plain()) {
            server.get(path, brick::Fixed(200, "text/plain", *body_));
        } else {
            server.get(path, usual);
        }
        server.post(path, usual);
    }
    server.post("/echo", echo);
    for (const char* const path : {"/events", "/v1/chat/completions"}) {
        const bool is_chat = path != std::string_view("/events");
        const brick::Handler stream = [this, is_chat](const brick::Request& request) {
            return this->stream(request.query, is_chat);
        };
        server.get(path, stream);
        server.post(path, stream);
    }
}

brick::Response Behaviour::stream(std::string_view query, bool is_chat) {
    try {
        Script script = parse_script(query, is_chat);
        brick::Response response(200, script.type);
        response.field("Cache-Control", "no-store");
        work_first();
        response.stream(play(std::move(script), hold()));
        return response;
    } catch (const std::invalid_argument& error) {
        return brick::Response(400, "text/plain", error.what() + std::string("\n"));
    }
}

void Behaviour::work_first() {
    if (stalls_) stalls_->pass();
    if (options_.busy.count() > 0) work(options_.busy);
    if (planted_) planted_->pass();
}

brick::Response Behaviour::answer(std::shared_ptr<const std::string> body) {
    work_first();
    brick::Response response(200, "text/plain");
    if (options_.header_bytes > 0) {
        response.field("X-More", std::string(options_.header_bytes, 'x'));
    }
    if (options_.chunk_bytes > 0) {
        response.stream(chunks(std::move(body), options_.chunk_bytes));
    } else {
        response.body(*body);
    }
    return std::move(
        response.pace({.hold = hold(), .piece_bytes = options_.piece_bytes, .gap = options_.gap}));
}

std::chrono::nanoseconds Behaviour::hold() {
    std::chrono::nanoseconds hold = options_.delay;
    if (queue_) hold += queue_->joined(Queue::Clock::now());
    if (options_.slow_every > 0) {
        const std::uint64_t before = requests_.fetch_add(1, std::memory_order_relaxed);
        if ((before + 1) % options_.slow_every == 0) hold += options_.slow;
    }
    return hold;
}

/// Whether all answers are the same and nothing comes before them: they are rendered once.
bool Behaviour::is_plain() const noexcept {
    return options_.delay.count() == 0 && !stalls_ && options_.slow_every == 0 && !queue_ &&
           options_.busy.count() == 0 && !planted_ && options_.chunk_bytes == 0 &&
           options_.piece_bytes == 0 && options_.header_bytes == 0;
}

}  // namespace yardstick
