#include "null.hpp"

#include <cstddef>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <brick/brick.hpp>

#include "http/conversation.hpp"
#include "http/render.hpp"
#include "net/listener.hpp"
#include "net/reactors.hpp"
#include "net/running.hpp"
#include "where.hpp"

namespace yardstick {
namespace {

/// The state that reactors expect for a thread's connections; there is no memory to share here.
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

/// A conversation without HTTP: it sends one answer for each piece of input.
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
    [[nodiscard]] bool is_ending() const noexcept { return is_over_; }
    void release(Service&) noexcept {}

private:
    std::string_view answer_;
    std::size_t sent_ = 0;  // Bytes of the answer that is being sent.
    std::uint64_t owed_ = 0;
    bool is_over_ = false;
};

/// The bytes that a route with the same answer would send now.
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

}  // namespace

void run_null(const Options& options) {
    const brick::Options mine = server_options(options);
    const brick::Io io = brick::net::chosen_io(mine.io);
    const std::string answer = rendered_hello();
    std::atomic<std::size_t> open{0};
    std::vector<std::unique_ptr<NullService>> services;
    brick::net::Reactors reactors;
    std::vector<brick::net::Listener> listeners = brick::net::listen_all(mine);
    const std::uint16_t port = listeners.front().port();
    for (brick::net::Listener& listener : listeners) {
        services.push_back(std::make_unique<NullService>(NullService{.answer = answer}));
        reactors.push_back(brick::net::make_reactor<NullTalk>(io, mine, std::move(listener),
                                                              *services.back(), open));
    }
    const brick::net::StopSignals signals(reactors);
    say_where(options, port, io);
    brick::net::run_all(reactors);
}

}  // namespace yardstick
