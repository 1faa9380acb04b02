// Calls that fail: the server refuses a connection or goes on; it never hangs, nor leaks anything.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <vector>

#include "net/running.hpp"

#if BRICK_HAS_URING
#include "net/uring_ring.hpp"
#endif

namespace brick::testing {
namespace {

class Faults : public OnBoth {};

struct Fault {
    const char* call;
    int error;
    Io io = Io::automatic;  // Both kinds.
};

constexpr Fault kFaults[] = {
    {"accept4", EMFILE, Io::epoll},
    {"accept4", ENFILE, Io::epoll},
    {"accept4", ENOMEM, Io::epoll},
    {"accept4", EINTR, Io::epoll},
    {"accept4", ECONNABORTED, Io::epoll},
    {"recv", EINTR, Io::epoll},
    {"recv", ENOMEM, Io::epoll},
    {"recv", ECONNRESET, Io::epoll},
    {"send", EINTR, Io::epoll},
    {"send", ENOMEM, Io::epoll},
    {"send", EPIPE, Io::epoll},
    {"epoll_ctl", ENOSPC, Io::epoll},
    {"epoll_ctl", ENOMEM, Io::epoll},
    {"epoll_wait", EINTR, Io::epoll},
    {"io_uring_submit", EINTR, Io::uring},
    {"io_uring_submit", EBUSY, Io::uring},
    {"io_uring_submit", EAGAIN, Io::uring},
    {"io_uring_submit_and_wait", EINTR, Io::uring},
    {"io_uring_submit_and_wait", EBUSY, Io::uring},
    {"io_uring_submit_and_wait", EAGAIN, Io::uring},
};

/// One exchange of each kind, and some at once. A client's bytes may be cut short by the fault.
void exchange(const Running& running) {
    std::vector<TcpClient> crowd;
    for (int client = 0; client < 8; ++client) crowd.push_back(running.client());
    for (TcpClient& client : crowd) client.sends(kLastGet);
    for (TcpClient& client : crowd) client.receives_all();
    running.answer_to("GET /big HTTP/1.1\r\nHost: a\r\n\r\n" + kLastGet);
    running.answer_to("nonsense\r\n");
    TcpClient client = running.client();
    client.sends("PUT /sink HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc");
    client.sends("\r\n0\r\n\r\n");
    static_cast<void>(client.receives());
    client.sends("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
    client.half_closes();
    client.receives_all();
}

/// Whether a new client is answered eventually.
bool serves(const Running& running) {
    using std::chrono::steady_clock;
    const auto limit = steady_clock::now() + std::chrono::seconds(20);
    while (steady_clock::now() < limit && !running.is_over()) {
        if (body_of(running.answer_to(kLastGet)) == "hello") return true;
    }
    return false;
}

TEST_P(Faults, OfTheNthCallAreSurvived) {
    for (const Fault& fault : kFaults) {
        if (fault.io != Io::automatic && fault.io != GetParam()) continue;
        SCOPED_TRACE(std::string(fault.call) + " fails with " + std::to_string(fault.error));
        Running running(options({}, {.submissions = 4, .completions = 16}));
        int nth = 0;
        do {
            fail_call(fault.call, ++nth, fault.error);
            exchange(running);
            ASSERT_TRUE(serves(running)) << "call " << nth;
        } while (has_failed() && nth < 50);
        fail_call("", 0, 0);
        EXPECT_GT(nth, 1) << "it was never called";
        EXPECT_EQ(running.stops(), "");
    }
}

#if BRICK_HAS_URING
// Completions have to be taken, or memory has to be free again, before the kernel takes more.
TEST(RingFaults, WhileTheKernelTakesNothingEntriesWait) {
    for (const int error : {EBUSY, EAGAIN}) {
        std::thread thread([&] {
            constexpr unsigned kEntries = 20;
            fail_on_this_thread();
            net::Ring ring({.submissions = 4, .completions = 64});
            fail_every_call("io_uring_submit", error);
            for (unsigned number = 0; number < kEntries; ++number) {
                io_uring_sqe& entry = ring.entry();
                io_uring_prep_nop(&entry);
                io_uring_sqe_set_data64(&entry, number);
            }
            ring.enter(true);
            EXPECT_TRUE(ring.take().empty());
            fail_call("", 0, 0);
            unsigned taken = 0;
            while (taken < kEntries) {
                ring.enter(true);
                for (const io_uring_cqe& completion : ring.take()) {
                    EXPECT_EQ(completion.user_data, taken++);
                }
            }
        });
        thread.join();
    }
}
#endif

TEST_P(Faults, AtTheStartAreTold) {
    const bool is_epoll = GetParam() == Io::epoll;
    const std::vector<std::string_view> calls =
        is_epoll ? std::vector<std::string_view>{"socket",        "bind",          "listen",
                                                 "eventfd",       "epoll_create1", "epoll_ctl",
                                                 "timerfd_create"}
                 : std::vector<std::string_view>{"socket",
                                                 "bind",
                                                 "listen",
                                                 "eventfd",
                                                 "io_uring_queue_init_params",
                                                 "io_uring_register_buf_ring"};
    for (const std::string_view call : calls) {
        SCOPED_TRACE(call);
        std::thread starter([&] {
            fail_on_this_thread();
            Options wanted = options();
            wanted.port = 0;
            wanted.threads = 2;
            for (int nth = 1; nth < 20; ++nth) {
                fail_call(call, nth, ENOMEM);
                try {
                    Server server(wanted);
                    server.listen();
                } catch (const std::system_error& error) {
                    EXPECT_EQ(error.code().value(), ENOMEM) << error.what();
                    EXPECT_TRUE(has_failed());
                    continue;
                }
                EXPECT_FALSE(has_failed()) << "call " << nth << " failed, and nobody said so";
                EXPECT_GT(nth, 1);
                break;
            }
            fail_call("", 0, 0);
        });
        starter.join();
    }
}

TEST_P(Faults, OfAFullDescriptorTableRefuseConnectionsUntilThereIsRoom) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit few = before;
    few.rlim_cur = 200;  // A ring uses the limit from the time of its accept.
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    Running running(options());
    ASSERT_EQ(body_of(running.answer_to(kLastGet)), "hello");
    std::vector<TcpClient> clients(20);
    std::vector<net::Descriptor> others;
    for (int fd = dup(0); fd >= 0; fd = dup(0)) others.emplace_back(fd);
    others.resize(others.size() - 5);
    int served = 0;
    int refused = 0;
    for (TcpClient& client : clients) {
        ASSERT_TRUE(client.connects(running.server().port()));
        client.sends("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    for (TcpClient& client : clients) {
        const std::string answer = client.receives();
        served += answer.starts_with("HTTP/1.1 200 ");
        refused += answer.starts_with("HTTP/1.1 503 ");
    }
    EXPECT_GT(served, 0);
    EXPECT_GT(refused, 0);
    EXPECT_EQ(served + refused, 20);
    clients.clear();
    others.clear();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_TRUE(serves(running));
}

void ignore(int /*signal*/) {}

TEST_P(Faults, OfASignalEvery100usAreSurvived) {
    struct sigaction action {};
    struct sigaction previous {};
    action.sa_handler = ignore;  // Without SA_RESTART.
    sigaction(SIGUSR1, &action, &previous);
    {
        Running running(options());
        std::atomic<bool> is_over{false};
        std::thread storm([&] {
            while (!is_over) {
                pthread_kill(running.thread().native_handle(), SIGUSR1);
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            }
        });
        for (int time = 0; time < 20; ++time) exchange(running);
        const std::string body(1 << 20, 'e');
        EXPECT_EQ(body_of(running.answer_to(
                      "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " +
                      std::to_string(body.size()) + "\r\n\r\n" + body)),
                  body);
        is_over = true;
        storm.join();
    }
    sigaction(SIGUSR1, &previous, nullptr);
}

INSTANTIATE_TEST_SUITE_P(, Faults, ::testing::Values(Io::epoll, Io::uring), name_of);

}  // namespace
}  // namespace brick::testing
