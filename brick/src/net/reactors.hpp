/// A reactor of either kind.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include <brick/options.hpp>

#include "net/epoll.hpp"
#include "net/reactor.hpp"
#if BRICK_HAS_URING
#include "net/uring.hpp"
#endif

namespace brick::net {

/// The kind that `automatic` selects on this machine. Throws std::system_error if `wanted` is uring
/// and unavailable: its text says what is missing.
[[nodiscard]] Io chosen_io(Io wanted);

/// `io` is the result of `chosen_io`. The options and the service outlive the reactor.
template <class Talk>
[[nodiscard]] std::unique_ptr<Reactor> make_reactor(Io io, const Options& options,
                                                    Listener listener,
                                                    typename Talk::Service& service,
                                                    std::atomic<std::size_t>& open) {
#if BRICK_HAS_URING
    if (io == Io::uring) {
        return std::make_unique<Uring<Talk>>(options, std::move(listener), service, open);
    }
#endif
    static_cast<void>(io);
    return std::make_unique<Epoll<Talk>>(options, std::move(listener), service, open);
}

}  // namespace brick::net
