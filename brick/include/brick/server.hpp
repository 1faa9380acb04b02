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

namespace brick {

/// Answers a request whose body, if any, has come whole.
using Handler = std::function<Response(const Request&)>;

/// Opens a sink for a request whose body is still to come.
using Opener = std::function<std::unique_ptr<Sink>(const Request&)>;

/// What a route leads to.
using Answer = std::variant<Fixed, Handler, Opener>;

/// An HTTP server.
///
/// Routes are set first, then `listen`, then `run`. Each thread is a reactor with connections of
/// its own, so handlers of different connections run at the same time: what they share is theirs
/// to guard. A handler that blocks holds up the other connections of its thread. One that throws
/// is answered with 500.
///
/// A GET route answers HEAD too. A path whose routes have other methods is answered with 405 and
/// Allow, OPTIONS with 204 and Allow, a path without any route with 404.
class Server {
public:
    explicit Server(Options options = {});
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    /// `pattern` is a path as it is sent; a segment `{name}` matches any one segment that isn't
    /// empty, a last segment `{name...}` all the rest, be it empty. A literal segment wins over a
    /// name, and `{name}` over `{name...}`; names are at most 16. Throws std::invalid_argument,
    /// which says what would be right, for a pattern, method or answer that can't be, or a route
    /// that is there twice.
    Server& route(std::string_view method, std::string_view pattern, Answer answer);

    Server& get(std::string_view pattern, Answer answer);
    Server& post(std::string_view pattern, Answer answer);
    Server& put(std::string_view pattern, Answer answer);
    Server& patch(std::string_view pattern, Answer answer);
    Server& del(std::string_view pattern, Answer answer);

    /// Binds the address: connections queue from now on. Throws std::system_error, its text with
    /// the address; or, for an Io that this machine hasn't, with what is missing.
    void listen();

    /// The port that `listen` bound.
    [[nodiscard]] std::uint16_t port() const noexcept;

    /// How the server waits: epoll or uring, never automatic. Known after `listen`.
    [[nodiscard]] Io io() const noexcept;

    /// Connections that are open now, of all threads.
    [[nodiscard]] std::size_t connections() const noexcept;

    /// Serves on `Options::threads` threads, the caller's among them, until `stop`. Listens first
    /// if nobody did. Throws std::system_error when a thread can't go on.
    void run();

    /// From now on SIGINT and SIGTERM stop it, as `stop` does, though it doesn't run yet: for those
    /// who tell where it listens before `run_until_signal`. Listens first if nobody did. One server
    /// of a process at a time.
    void stop_on_signal();

    /// `run`, and SIGINT and SIGTERM stop it. Their handlers are as before when it returns.
    void run_until_signal();

    /// Asks `run` to end: no new connections, idle ones close, requests in flight are answered
    /// with `Connection: close`. From any thread or signal handler, and more than once.
    void stop() noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace brick
