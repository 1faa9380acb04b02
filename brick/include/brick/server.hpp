/// The server: routes, and threads that serve them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <variant>

#include <brick/options.hpp>
#include <brick/request.hpp>
#include <brick/response.hpp>
#include <brick/websocket.hpp>

namespace brick {

/// Answers a request whose body, if any, has been received completely.
using Handler = std::function<Response(const Request&)>;

/// Opens a sink for a request whose body is still to come.
using Opener = std::function<std::unique_ptr<Sink>(const Request&)>;

/// The target of a route.
using Answer = std::variant<Fixed, Handler, Opener, WebSocket>;

/// An HTTP server.
///
/// Routes are set first, then `listen`, then `run`. Each thread is a reactor with its own
/// connections, so handlers of different connections run at the same time and must protect their
/// shared data. A handler that blocks delays the other connections of its thread. If a handler
/// throws, the answer is 500.
///
/// A GET route answers HEAD too. A path whose routes have other methods is answered with 405 and
/// Allow, OPTIONS with 204 and Allow, a path without any route with 404.
class Server {
public:
    explicit Server(Options options = {});
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    /// `pattern` is a path as it is sent; a segment `{name}` matches any one segment that is not
    /// empty, a last segment `{name...}` all the rest, even if empty. A literal segment wins over a
    /// name, and `{name}` over `{name...}`; names are at most 16. Throws std::invalid_argument,
    /// whose text describes a valid one, for an invalid pattern, method or answer, or a duplicate
    /// route.
    Server& route(std::string_view method, std::string_view pattern, Answer answer);

    Server& get(std::string_view pattern, Answer answer);
    Server& post(std::string_view pattern, Answer answer);
    Server& put(std::string_view pattern, Answer answer);
    Server& patch(std::string_view pattern, Answer answer);
    Server& del(std::string_view pattern, Answer answer);

    /// Binds the address: connections queue from now on. Throws std::system_error with the address
    /// in its text, or, for an Io that this machine does not support, with the missing feature.
    void listen();

    /// The port that `listen` bound.
    [[nodiscard]] std::uint16_t port() const noexcept;

    /// How the server waits: epoll or uring, never automatic. Valid after `listen`.
    [[nodiscard]] Io io() const noexcept;

    /// The number of open connections, of all threads.
    [[nodiscard]] std::size_t connections() const noexcept;

    /// Serves on `Options::threads` threads, the caller's among them, until `stop`. Calls `listen`
    /// first if needed. Throws std::system_error when a thread cannot go on.
    void run();

    /// From now on SIGINT and SIGTERM stop it, as `stop` does, though it does not run yet: for
    /// programs that announce their address before `run_until_signal`. Calls `listen` first if
    /// needed. Only for one server of a process at a time.
    void stop_on_signal();

    /// `run`, and SIGINT and SIGTERM stop it. Their handlers are as before when it returns.
    void run_until_signal();

    /// Asks `run` to end: no new connections, idle ones close, requests in flight are answered with
    /// `Connection: close`. May be called from any thread or signal handler, and more than once.
    void stop() noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace brick
