/// A server's reactors at work: a thread for each, until they are told to stop.
#pragma once

#include <csignal>
#include <memory>
#include <vector>

#include "net/reactor.hpp"

namespace brick::net {

using Reactors = std::vector<std::unique_ptr<Reactor>>;

/// Serves on a thread for each of the reactors, the first of them this one, until all are over. If
/// one fails, the others are stopped and awaited; then its exception is thrown.
void run_all(const Reactors& reactors);

/// May be called from any thread or signal handler.
void stop_all(const Reactors& reactors) noexcept;

/// While it lives, SIGINT and SIGTERM stop these reactors. Only one may live at a time, because a
/// process has its signals only once.
class StopSignals {
public:
    explicit StopSignals(const Reactors& reactors);
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    ~StopSignals();

private:
    struct sigaction interrupt_ {};
    struct sigaction terminate_ {};
};

}  // namespace brick::net
