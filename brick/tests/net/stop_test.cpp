// How a server stops, and the addresses where it cannot listen.
#include <gtest/gtest.h>

#include <csignal>
#include <vector>

#include "net/running.hpp"

namespace brick::testing {
namespace {

class Stop : public OnBoth {};
class Start : public OnBoth {};

TEST_P(Stop, ClosesWhatIsIdle) {
    Running running(options());
    TcpClient client = running.client();
    client.sends("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_NE(client.receives(), "");
    EXPECT_EQ(running.stops(), "");
    EXPECT_EQ(client.receives(), "");
    EXPECT_EQ(client.error(), 0);
}

TEST_P(Stop, AnswersAllThatIsInFlight) {
    Running running(options());
    std::vector<TcpClient> clients;
    for (int client = 0; client < 50; ++client) {
        clients.push_back(running.client(4096));
        clients.back().sends("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    std::vector<TcpClient> posting;
    for (int client = 0; client < 20; ++client) {
        posting.push_back(running.client());
        posting.back().sends("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n12");
    }
    // The answer to a late client shows that all of them were seen.
    EXPECT_EQ(body_of(running.answer_to(kLastGet)), "hello");
    running.server().stop();
    while (TcpClient().connects(running.server().port())) std::this_thread::yield();
    for (TcpClient& client : posting) client.sends("34");
    for (TcpClient& client : posting) {
        const std::string answer = client.receives_all();
        EXPECT_EQ(body_of(answer), "1234");
        EXPECT_EQ(occurrences(answer, "Connection: close\r\n"), 1U);
    }
    for (TcpClient& client : clients) {
        EXPECT_EQ(body_of(client.receives_all()).size(), kBigBytes);
    }
    EXPECT_EQ(running.stops(), "");
}

TEST_P(Stop, HeedsASignalThatComesBeforeItRuns) {
    for (const int signal : {SIGTERM, SIGINT}) {
        Options idle = options();
        idle.port = 0;
        Server server(idle);
        server.stop_on_signal();
        EXPECT_NE(server.port(), 0);
        raise(signal);
        server.run_until_signal();
        struct sigaction now {};
        sigaction(signal, nullptr, &now);
        EXPECT_EQ(now.sa_handler, SIG_DFL);
    }
}

TEST_P(Stop, AnswersWhoWaitsToBeAccepted) {
    Options waiting = options();
    waiting.port = 0;
    Server server(waiting);
    add_every_route([&](auto... route) { server.route(std::move(route)...); });
    server.listen();
    std::vector<TcpClient> clients;
    for (int client = 0; client < 10; ++client) {
        clients.emplace_back(server.port());
        clients.back().sends("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    server.stop();
    server.run();
    for (TcpClient& client : clients) EXPECT_EQ(body_of(client.receives_all()), "hello");
}

TEST_P(Stop, CutsOffWhoIsStuckAndTakesNobodyNew) {
    Running running(options({.stop_timeout = std::chrono::seconds(1)}, {.send_buffer_bytes = 1}));
    TcpClient reader = running.client(1);
    reader.sends("GET /long-stream HTTP/1.1\r\nHost: a\r\n\r\n");
    TcpClient writer = running.client();
    writer.sends("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n12");
    EXPECT_EQ(body_of(running.answer_to(kLastGet)), "hello");
    const std::uint16_t port = running.server().port();
    running.server().stop();
    while (TcpClient().connects(port) && !running.is_over()) std::this_thread::yield();
    EXPECT_FALSE(running.is_over()) << "two are stuck, and yet nobody new is taken";
    const int armed = armed_at_the_end();
    EXPECT_EQ(running.stops(), "");
    EXPECT_EQ(armed_at_the_end(), armed) << "the kernel may use what is freed";
}

TEST_P(Stop, ComesFromAnyThreadMoreThanOnce) {
    Options three = options();
    three.threads = 3;
    Running running(three);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] { running.server().stop(); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(running.stops(), "");
}

TEST_P(Stop, FreesTheAddressForTheNext) {
    Options fixed = options();
    {
        Running running(fixed);
        fixed.port = running.server().port();
        EXPECT_EQ(body_of(running.answer_to(kLastGet)), "hello");
    }
    Server next(fixed);
    next.listen();
    EXPECT_EQ(next.port(), fixed.port);
}

std::string what_listen_says(const Options& options) {
    Server server(options);
    try {
        server.listen();
    } catch (const std::system_error& error) {
        return error.what();
    }
    return "";
}

TEST_P(Start, FailsWhereThePortIsTaken) {
    for (const unsigned first : {1U, 2U}) {
        for (const unsigned second : {1U, 2U}) {
            Options taken = options();
            taken.threads = first;
            Running running(taken);
            taken.threads = second;
            taken.port = running.server().port();
            EXPECT_EQ(what_listen_says(taken),
                      "can't listen at 127.0.0.1:" + std::to_string(taken.port) +
                          ": Address already in use");
        }
    }
}

TEST_P(Start, FailsWhereTheHostIsNoAddress) {
    Options nowhere = options();
    nowhere.host = "localhost";
    nowhere.port = 1234;
    EXPECT_EQ(what_listen_says(nowhere),
              "can't listen at localhost:1234: not an IPv4 or IPv6 address: Invalid argument");
    nowhere.host = "192.0.2.1";
    EXPECT_EQ(what_listen_says(nowhere),
              "can't listen at 192.0.2.1:1234: Cannot assign requested address");
}

INSTANTIATE_TEST_SUITE_P(, Stop, ::testing::Values(Io::epoll, Io::uring), name_of);
INSTANTIATE_TEST_SUITE_P(, Start, ::testing::Values(Io::epoll, Io::uring), name_of);

}  // namespace
}  // namespace brick::testing
