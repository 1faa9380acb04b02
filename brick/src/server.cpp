#include <brick/server.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "http/conversation.hpp"
#include "http/routes.hpp"
#include "http/service.hpp"
#include "net/reactors.hpp"

namespace brick {
namespace {

// The server that a signal stops: only one can have the process's signals.
std::atomic<Server*> signalled{nullptr};

void on_signal(int /*signal*/) {
    const int error = errno;
    if (Server* server = signalled.load()) server->stop();
    errno = error;
}

// SIGINT and SIGTERM, as long as it lives.
class Signals {
public:
    explicit Signals(Server& server) {
        signalled.store(&server);
        struct sigaction action {};
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        sigaction(SIGINT, &action, &interrupt_);
        sigaction(SIGTERM, &action, &terminate_);
    }
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;
    ~Signals() {
        sigaction(SIGINT, &interrupt_, nullptr);
        sigaction(SIGTERM, &terminate_, nullptr);
        signalled.store(nullptr);
    }

private:
    struct sigaction interrupt_ {};
    struct sigaction terminate_ {};
};

}  // namespace

struct Server::State {
    explicit State(Options given) : options(std::move(given)) {
        if (options.threads == 0) options.threads = 1;
    }

    Options options;
    http::Routes routes;
    Io io = Io::automatic;
    std::uint16_t port = 0;
    std::atomic<std::size_t> open{0};
    std::vector<std::unique_ptr<http::Service>> services;
    std::vector<std::unique_ptr<net::Reactor>> reactors;
};

Server::Server(Options options) : state_(std::make_unique<State>(std::move(options))) {}

Server::~Server() = default;

Server& Server::route(std::string_view method, std::string_view pattern, Answer answer) {
    state_->routes.add(method, pattern, std::move(answer));
    return *this;
}

Server& Server::get(std::string_view pattern, Answer answer) {
    return route("GET", pattern, std::move(answer));
}

Server& Server::post(std::string_view pattern, Answer answer) {
    return route("POST", pattern, std::move(answer));
}

Server& Server::put(std::string_view pattern, Answer answer) {
    return route("PUT", pattern, std::move(answer));
}

Server& Server::patch(std::string_view pattern, Answer answer) {
    return route("PATCH", pattern, std::move(answer));
}

Server& Server::del(std::string_view pattern, Answer answer) {
    return route("DELETE", pattern, std::move(answer));
}

void Server::listen() {
    State& state = *state_;
    const Io io = net::chosen_io(state.options.io);
    std::vector<net::Listener> listeners;
    std::uint16_t port = state.options.port;
    for (unsigned thread = 0; thread < state.options.threads; ++thread) {
        listeners.emplace_back(state.options, port, thread == 0);
        port = listeners.back().port();
    }
    for (net::Listener& listener : listeners) {
        state.services.push_back(
            std::make_unique<http::Service>(state.routes, state.options.limits));
        state.reactors.push_back(net::make_reactor<http::Conversation>(
            io, state.options, std::move(listener), *state.services.back(), state.open));
    }
    state.io = io;
    state.port = port;
}

std::uint16_t Server::port() const noexcept { return state_->port; }

Io Server::io() const noexcept { return state_->io; }

std::size_t Server::connections() const noexcept { return state_->open.load(); }

void Server::run() {
    if (state_->reactors.empty()) listen();
    std::exception_ptr failure;
    std::once_flag first;
    const auto serve = [&](net::Reactor& reactor) {
        try {
            reactor.run();
        } catch (...) {
            std::call_once(first, [&] { failure = std::current_exception(); });
            stop();
        }
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (std::size_t at = 1; at < state_->reactors.size(); ++at) {
                threads.emplace_back(serve, std::ref(*state_->reactors[at]));
            }
        } catch (...) {
            stop();  // Those that run already are waited for.
            throw;
        }
        serve(*state_->reactors.front());
    }
    if (failure) std::rethrow_exception(failure);
}

void Server::run_until_signal() {
    if (state_->reactors.empty()) listen();
    const Signals signals(*this);
    run();
}

void Server::stop() noexcept {
    for (const auto& reactor : state_->reactors) reactor->stop();
}

}  // namespace brick
