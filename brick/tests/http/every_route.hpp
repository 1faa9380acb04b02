/// One route of each kind, for tests and fuzzers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <brick/server.hpp>

#include "http/routes.hpp"

namespace brick::testing {

inline constexpr std::size_t kBigBytes = 100'000;

/// Counts its bytes. After `most` bytes the rest is refused.
class Counter : public Sink {
public:
    explicit Counter(std::size_t most) : most_(most) {}

    bool receive(std::string_view bytes) override {
        count_ += bytes.size();
        return count_ <= most_;
    }

    Response finish() override {
        if (count_ > most_) return Response(403, "", "enough");
        return Response(200, "", std::to_string(count_) + " bytes");
    }

private:
    std::size_t most_;
    std::size_t count_ = 0;
};

/// Throws when bytes arrive, or when `finish` is called.
class Thrower : public Sink {
public:
    explicit Thrower(bool at_bytes) : at_bytes_(at_bytes) {}

    bool receive(std::string_view /*bytes*/) override {
        if (at_bytes_) throw std::runtime_error("no bytes, please");
        return true;
    }
    Response finish() override { throw std::runtime_error("no answer"); }

private:
    bool at_bytes_;
};

/// Gives `piece` this many times; then it ends, or throws.
inline Source repeat(std::string piece, int times, bool throws = false) {
    return [piece = std::move(piece), left = times, throws](std::string& out) mutable {
        if (left == 0 && throws) throw std::runtime_error("nothing left");
        if (left == 0) return false;
        out += piece;
        return --left > 0 || throws;
    };
}

/// Refuses, and then breaks off in its answer.
class Breaker : public Sink {
public:
    bool receive(std::string_view /*bytes*/) override { return false; }
    Response finish() override { return Response(200).stream(repeat("piece", 1, true)); }
};

inline Handler streams(std::string piece, int times, std::optional<std::uint64_t> length = {}) {
    return [=](const Request&) { return Response(200).stream(repeat(piece, times), length); };
}

/// Calls `add` with the method, the pattern and the answer of each.
template <class Add>
void add_every_route(Add&& add) {
    using std::chrono::milliseconds;
    const auto get = [&](std::string_view path, Answer answer) {
        add("GET", path, std::move(answer));
    };
    get("/", Fixed(200, "text/plain", "hello"));
    get("/close", Fixed(Response(200, "", "bye").close()));
    get("/big",
        Handler([](const Request&) { return Response(200, "", std::string(kBigBytes, 'b')); }));
    get("/named/{name}", Handler([](const Request& request) {
            return Response(200, "", std::string(request.param("name")));
        }));
    get("/204", Handler([](const Request&) { return Response(204, "", "not sent"); }));
    get("/205", Handler([](const Request&) { return Response(205, "", "not sent"); }));
    get("/304", Handler([](const Request&) { return Response(304); }));
    get("/throws", Handler([](const Request&) -> Response { throw std::runtime_error("no"); }));
    get("/stream", streams("piece", 2));
    get("/long-stream", streams(std::string(10'000, 's'), 30));
    get("/ticks", Handler([](const Request&) {
            return Response(200).stream([left = 3](std::string& out) mutable -> Next {
                if (left == 0) return false;
                out = left == 2 ? "" : "tick";  // A pause does not end the answer.
                --left;
                return milliseconds(2);
            });
        }));
    get("/sized", streams("piece", 2, 10));
    get("/too-short", streams("piece", 2, 11));
    get("/too-long", streams("piece", 2, 9));
    get("/breaks-off",
        Handler([](const Request&) { return Response(200).stream(repeat("piece", 2, true)); }));
    get("/held", Handler([](const Request&) {
            return Response(200, "", "late").pace({.hold = milliseconds(3)});
        }));
    get("/pieces", Handler([](const Request&) {
            return Response(200, "", "drop by drop")
                .pace({.piece_bytes = 5, .gap = milliseconds(2)});
        }));
    get("/streamed-pieces", Handler([](const Request&) {
            return Response(200).stream(repeat("piece", 2)).pace({.piece_bytes = 50});
        }));
    const Handler echo = [](const Request& request) {
        return Response(200, "", std::string(request.body));
    };
    add("POST", "/echo", echo);
    get("/echo", echo);
    using Message = WebSocket::Message;
    using Replies = WebSocket::Replies;
    get("/socket",
        WebSocket([](const Message& message, Replies& replies) { replies.send(message); }));
    get("/socket-thrice", WebSocket([](const Message& message, Replies& replies) {
            replies.send(message);
            replies.send({"and", WebSocket::Kind::binary});
            replies.send(message);
            replies.close(1001);
            replies.send(message);
        }));
    get("/socket-throws", WebSocket([](const Message& message, Replies& replies) {
            if (message.data == "code") replies.close(1005);
            throw std::runtime_error("no");
        }));
    const auto put = [&](std::string_view path, auto sink) {
        add("PUT", path, Opener([sink](const Request&) { return sink(); }));
    };
    put("/sink", [] { return std::make_unique<Counter>(1U << 30U); });
    put("/refuses", [] { return std::make_unique<Counter>(4); });
    put("/throws-at-bytes", [] { return std::make_unique<Thrower>(true); });
    put("/throws-at-end", [] { return std::make_unique<Thrower>(false); });
    put("/refuses-and-breaks-off", [] { return std::make_unique<Breaker>(); });
    put("/opens-nothing", [] { return std::unique_ptr<Sink>(); });
}

inline const http::Routes& every_route() {
    static const http::Routes routes = [] {
        http::Routes all;
        add_every_route([&](auto... route) { all.add(std::move(route)...); });
        return all;
    }();
    return routes;
}

}  // namespace brick::testing
