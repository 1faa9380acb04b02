// A reactor on io_uring over a kernel in memory, where the order of everything is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "http/conversation.hpp"
#include "kernel/kernel.hpp"
#include "net/uring.hpp"

namespace brick::testing {
namespace {

using fuzz::Kernel;

/// A server whose clients each send one request, all of them before it wakes up.
class Crowd {
public:
    /// How many answers had left when each request was handled.
    std::vector<std::ptrdiff_t> answers_before;

    explicit Crowd(std::size_t clients) {
        Options options;
        options.port = 1;
        options.tuning.receive_buffers = 1024;
        http::Routes routes;
        routes.add("GET", "/", Handler([this](const Request&) {
                       answers_before.push_back(answered());
                       return Response(204);
                   }));
        std::atomic<std::size_t> open{0};
        http::Service service(routes, options.limits);
        net::Uring<http::Conversation> reactor(options, net::Listener(options, 1, true), service,
                                               open);
        kernel_.when_idle = [&, step = 0]() mutable {
            if (step == 0) {
                for (std::size_t client = 0; client < clients; ++client) kernel_.connect();
            } else if (step == 1) {
                for (auto& peer : kernel_.peers()) {
                    kernel_.send(peer, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                }
            } else if (step == 2) {
                reactor.stop();
            } else {
                kernel_.pass(10'000'000);
            }
            ++step;
        };
        reactor.run();
    }

    [[nodiscard]] std::ptrdiff_t answered() {
        return std::count_if(kernel_.peers().begin(), kernel_.peers().end(),
                             [](const Kernel::Peer& peer) { return !peer.got.empty(); });
    }

private:
    Kernel kernel_;
};

TEST(UringTurn, SubmitsTheAnswersOfABatchBeforeItTakesAnother) {
    constexpr std::ptrdiff_t kBatch = 128;
    Crowd crowd(4 * kBatch);
    EXPECT_EQ(crowd.answered(), 4 * kBatch);
    ASSERT_EQ(crowd.answers_before.size(), 4 * kBatch);
    EXPECT_EQ(crowd.answers_before[kBatch - 1], 0);
    EXPECT_EQ(crowd.answers_before[kBatch], kBatch);
    std::ptrdiff_t handled = 0;
    for (const std::ptrdiff_t answered : crowd.answers_before) {
        EXPECT_LT(handled++ - answered, kBatch);
    }
}

}  // namespace
}  // namespace brick::testing
