// The whole server on io_uring over a kernel in memory.
#include "net/uring.hpp"

#include <cerrno>
#include <cstdint>
#include <iterator>
#include <utility>

#include "http/conversation.hpp"
#include "script.hpp"

namespace brick::fuzz {
namespace {

const Subject kUring{
    .reactor = [](const Options& options, net::Listener listener, http::Service& service,
                  std::atomic<std::size_t>& open) -> std::unique_ptr<net::Reactor> {
        return std::make_unique<net::Uring<http::Conversation>>(options, std::move(listener),
                                                                service, open);
    },
    .fail =
        [](Kernel& kernel, unsigned kind, unsigned choice) {
            constexpr int kErrors[] = {EINTR, EBUSY, EAGAIN};
            if (kind == 0) {
                kernel.fail(Kernel::Call::multishot, 0);
            } else {
                kernel.fail(Kernel::Call::ring_enter, kErrors[choice % std::size(kErrors)]);
            }
        }};

}  // namespace
}  // namespace brick::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    brick::fuzz::Script(brick::fuzz::kUring, {reinterpret_cast<const char*>(data), size}).play();
    return 0;
}
