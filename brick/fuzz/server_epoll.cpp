// The whole server on epoll over a kernel in memory.
#include "net/epoll.hpp"

#include <cerrno>
#include <cstdint>
#include <utility>

#include "http/conversation.hpp"
#include "script.hpp"

namespace brick::fuzz {
namespace {

const Subject kEpoll{
    .reactor = [](const Options& options, net::Listener listener, http::Service& service,
                  std::atomic<std::size_t>& open) -> std::unique_ptr<net::Reactor> {
        return std::make_unique<net::Epoll<http::Conversation>>(options, std::move(listener),
                                                                service, open);
    },
    .fail =
        [](Kernel& kernel, unsigned kind, unsigned choice) {
            if (kind == 0) {
                kernel.fail(Kernel::Call::epoll_ctl, choice % 2 == 0 ? ENOMEM : ENOSPC);
            } else {
                kernel.fail(Kernel::Call::epoll_wait, EINTR);
            }
        }};

}  // namespace
}  // namespace brick::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    brick::fuzz::Script(brick::fuzz::kEpoll, {reinterpret_cast<const char*>(data), size}).play();
    return 0;
}
