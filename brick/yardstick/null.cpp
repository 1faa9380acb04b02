#include "null.hpp"

#include <csignal>
#include <cstddef>
#include <ctime>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>
#include <brick/brick.hpp>

#include "http/conversation.hpp"
#include "http/render.hpp"
#include "net/listener.hpp"
#include "net/reactors.hpp"
#include "where.hpp"

namespace yardstick {
namespace {

/// What reactors expect of a thread's connections; there is no memory to share here.
struct NullService {
    struct Pool {
        void trim() noexcept {}
    };

    std::string_view answer;
    Pool pool{};
    brick::http::Date date{};
    std::uint32_t now_s = 0;
    bool stopping = false;
};

/// A conversation without HTTP: an answer for each piece of input.
class NullTalk {
public:
    using Service = NullService;
    using End = brick::http::End;

    explicit NullTalk(Service& service) noexcept : answer_(service.answer) {}

    void receive(Service&, std::string_view) noexcept { ++owed_; }
    void input_ended(Service&) noexcept { is_over_ = true; }
    void sent(Service&, std::size_t bytes) noexcept {
        sent_ += bytes;
        if (sent_ < answer_.size()) return;
        sent_ = 0;
        --owed_;
    }
    void paused(Service&) noexcept {}
    void stop(Service&) noexcept { is_over_ = true; }
    bool expire(Service&) noexcept { return false; }

    [[nodiscard]] std::string_view next_send() const noexcept {
        return owed_ > 0 ? answer_.substr(sent_) : std::string_view();
    }
    [[nodiscard]] bool is_reading(const Service&) const noexcept { return !is_over_; }
    [[nodiscard]] std::optional<std::chrono::nanoseconds> take_pause() const noexcept {
        return std::nullopt;
    }
    [[nodiscard]] End end() const noexcept {
        return is_over_ && owed_ == 0 ? End::close : End::open;
    }
    void release(Service&) noexcept {}

private:
    std::string_view answer_;
    std::size_t sent_ = 0;  // Of the answer that is being sent.
    std::uint64_t owed_ = 0;
    bool is_over_ = false;
};

/// What a route with the same answer would send now.
std::string rendered_hello() {
    using brick::http::Connection;
    const brick::http::Rendered hello(brick::Fixed(200, "text/plain", "Hello, World!"));
    brick::http::Date date{};
    date.set(std::time(nullptr));
    std::string bytes(hello.bytes(Connection::silent, true), '\0');
    bytes.resize(static_cast<std::size_t>(
        hello.write(bytes.data(), Connection::silent, true, date) - bytes.data()));
    return bytes;
}

/// Serves on a thread for each reactor, while this one waits for a signal or a failure.
void run_all(const std::vector<std::unique_ptr<brick::net::Reactor>>& reactors,
             const sigset_t& signals) {
    std::exception_ptr failure;
    std::once_flag first;
    {
        std::vector<std::jthread> threads;
        threads.reserve(reactors.size());
        for (const auto& reactor : reactors) {
            threads.emplace_back([&failure, &first, &reactor] {
                try {
                    reactor->run();
                } catch (...) {
                    std::call_once(first, [&failure] { failure = std::current_exception(); });
                    kill(getpid(), SIGTERM);
                }
            });
        }
        int signal = 0;
        sigwait(&signals, &signal);
        for (const auto& reactor : reactors) reactor->stop();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

void run_null(const Options& options) {
    // Blocked before the first thread, so that only sigwait sees them.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    const brick::Options mine = server_options(options);
    const brick::Io io = brick::net::chosen_io(mine.io);
    const std::string answer = rendered_hello();
    std::atomic<std::size_t> open{0};
    std::vector<std::unique_ptr<NullService>> services;
    std::vector<std::unique_ptr<brick::net::Reactor>> reactors;
    std::uint16_t port = mine.port;
    for (unsigned thread = 0; thread < mine.threads; ++thread) {
        brick::net::Listener listener(mine, port, thread == 0);
        port = listener.port();
        services.push_back(std::make_unique<NullService>(NullService{.answer = answer}));
        reactors.push_back(brick::net::make_reactor<NullTalk>(io, mine, std::move(listener),
                                                              *services.back(), open));
    }
    say_where(options, port, io);
    run_all(reactors, signals);
}

}  // namespace yardstick
