/// brick-besieged: a server whose arguments set its limits, for tests that attack it from outside.

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <brick/brick.hpp>

namespace {

using brick::Options;
using Value = std::string_view;

std::uint64_t number(Value text, std::uint64_t most) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
    if (error == std::errc{} && end == text.end() && value <= most) return value;
    throw std::invalid_argument("\"" + std::string(text) + "\"; it takes a number, at most " +
                                std::to_string(most));
}

template <class Number>
Number number(Value text) {
    return static_cast<Number>(number(text, std::numeric_limits<Number>::max()));
}

std::chrono::seconds seconds(Value text) { return std::chrono::seconds(number(text, 3600)); }

brick::Io io(Value text) {
    if (text == "automatic") return brick::Io::automatic;
    if (text == "epoll") return brick::Io::epoll;
    if (text == "uring") return brick::Io::uring;
    throw std::invalid_argument("\"" + std::string(text) +
                                "\"; it takes automatic, epoll or uring");
}

struct Word {
    Value name;
    void (*set)(Options&, Value);
};

constexpr std::array kWords = {
    Word{"--port", [](Options& o, Value v) { o.port = number<std::uint16_t>(v); }},
    Word{"--threads", [](Options& o, Value v) { o.threads = number<std::uint8_t>(v); }},
    Word{"--io", [](Options& o, Value v) { o.io = io(v); }},
    Word{"--connections", [](Options& o, Value v) { o.limits.connections = number(v, 1'000'000); }},
    Word{"--message-bytes",
         [](Options& o, Value v) { o.limits.message_bytes = number<std::uint32_t>(v); }},
    Word{"--head-timeout", [](Options& o, Value v) { o.limits.head_timeout = seconds(v); }},
    Word{"--body-timeout", [](Options& o, Value v) { o.limits.body_timeout = seconds(v); }},
    Word{"--idle-timeout", [](Options& o, Value v) { o.limits.idle_timeout = seconds(v); }},
    Word{"--send-timeout", [](Options& o, Value v) { o.limits.send_timeout = seconds(v); }},
    Word{"--linger-timeout", [](Options& o, Value v) { o.limits.linger_timeout = seconds(v); }},
    Word{"--stop-timeout", [](Options& o, Value v) { o.limits.stop_timeout = seconds(v); }},
    Word{"--send-buffer",
         [](Options& o, Value v) { o.tuning.send_buffer_bytes = number<std::uint16_t>(v); }},
};

Options options_of(std::span<const char* const> words) {
    Options options;
    for (std::size_t at = 0; at < words.size(); at += 2) {
        const Word* word = nullptr;
        for (const Word& each : kWords) {
            if (each.name == words[at]) word = &each;
        }
        if (word == nullptr) throw std::invalid_argument(std::string(words[at]) + " is unknown");
        if (at + 1 == words.size())
            throw std::invalid_argument(words[at] + std::string(" is bare"));
        word->set(options, words[at + 1]);
    }
    return options;
}

/// A body of 16 MiB that is not held in memory.
brick::Response stream(const brick::Request&) {
    return brick::Response(200, "application/octet-stream")
        .stream([left = 256](std::string& out) mutable {
            out.append(64 * 1024, 'x');
            return --left > 0;
        });
}

brick::Response broken(const brick::Request&) {
    return brick::Response(200, "text/plain").stream([is_first = true](std::string& out) mutable {
        if (!is_first) throw std::runtime_error("the source has run dry");
        is_first = false;
        out = "half a body";
        return true;
    });
}

void add_routes(brick::Server& server) {
    server.get("/", brick::Fixed(200, "text/plain", "Hello, World!"))
        .get("/half-a-second",
             [](const brick::Request&) {
                 return brick::Response(200, "text/plain", "late")
                     .pace({.hold = std::chrono::milliseconds(500)});
             })
        .get("/big",
             [](const brick::Request&) {
                 return brick::Response(200, "text/plain", std::string(1024 * 1024, 'x'));
             })
        .get("/stream", stream)
        .get("/broken", broken)
        .get("/socket",
             brick::WebSocket([](const brick::WebSocket::Message& message,
                                 brick::WebSocket::Replies& replies) { replies.send(message); }))
        .post("/echo", [](const brick::Request& request) {
            return brick::Response(200, "text/plain", std::string(request.body));
        });
}

}  // namespace

int main(int argc, char** argv) try {
    brick::Server server(options_of({argv + 1, static_cast<std::size_t>(argc - 1)}));
    add_routes(server);
    server.stop_on_signal();
    std::printf("http://127.0.0.1:%u/ by %s\n", unsigned{server.port()},
                server.io() == brick::Io::uring ? "io_uring" : "epoll");
    std::fflush(stdout);  // The parent reads from a pipe.
    server.run_until_signal();
} catch (const std::exception& error) {
    std::fprintf(stderr, "brick-besieged: %s\n", error.what());
    return 1;
}
