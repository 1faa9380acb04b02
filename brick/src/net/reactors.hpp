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

/// What `automatic` comes to on this machine. Throws std::system_error if `wanted` is uring and
/// can't be had: its text says what is missing.
[[nodiscard]] Io chosen_io(Io wanted);

/// `io` is what `chosen_io` returned. The options and the service outlive the reactor.
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
