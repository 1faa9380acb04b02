#include "net/running.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace brick::net {
namespace {

std::atomic<const Reactors*> signalled{nullptr};

void on_signal(int /*signal*/) {
    const int error = errno;
    if (const Reactors* reactors = signalled.load()) stop_all(*reactors);
    errno = error;
}

}  // namespace

void run_all(const Reactors& reactors) {
    std::exception_ptr failure;
    std::once_flag first;
    const auto serve = [&](Reactor& reactor) {
        try {
            reactor.run();
        } catch (...) {
            std::call_once(first, [&] { failure = std::current_exception(); });
            stop_all(reactors);
        }
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (std::size_t at = 1; at < reactors.size(); ++at) {
                threads.emplace_back(serve, std::ref(*reactors[at]));
            }
        } catch (...) {
            stop_all(reactors);  // Running threads are awaited.
            throw;
        }
        serve(*reactors.front());
    }
    if (failure) std::rethrow_exception(failure);
}

void stop_all(const Reactors& reactors) noexcept {
    for (const auto& reactor : reactors) reactor->stop();
}

StopSignals::StopSignals(const Reactors& reactors) {
    signalled.store(&reactors);
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
}

StopSignals::~StopSignals() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
    signalled.store(nullptr);
}

}  // namespace brick::net
