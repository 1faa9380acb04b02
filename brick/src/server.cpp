#include <brick/server.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "apart.hpp"
#include "http/conversation.hpp"
#include "http/routes.hpp"
#include "http/service.hpp"
#include "net/reactors.hpp"
#include "net/running.hpp"

namespace brick {

struct Server::State {
    explicit State(Options given) : options(std::move(given)) {
        if (options.threads == 0) options.threads = 1;
    }

    // All reactors write it, with each connection, so it has its own cache lines.
    alignas(kApart) std::atomic<std::size_t> open{0};
    alignas(kApart) Options options;
    http::Routes routes;
    Io io = Io::automatic;
    std::uint16_t port = 0;
    std::vector<std::unique_ptr<http::Service>> services;
    net::Reactors reactors;
    std::unique_ptr<net::StopSignals> signals;  // They end before the reactors that they stop.
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
    std::vector<net::Listener> listeners = net::listen_all(state.options);
    const std::uint16_t port = listeners.front().port();
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
    net::run_all(state_->reactors);
}

void Server::stop_on_signal() {
    if (state_->reactors.empty()) listen();
    if (!state_->signals) {
        state_->signals = std::make_unique<net::StopSignals>(state_->reactors);
    }
}

void Server::run_until_signal() {
    stop_on_signal();
    const std::unique_ptr<net::StopSignals> signals = std::move(state_->signals);
    run();
}

void Server::stop() noexcept { net::stop_all(state_->reactors); }

}  // namespace brick
