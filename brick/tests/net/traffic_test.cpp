// Many clients, and kernels with little room: answers stay complete and in their order.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <vector>

#include "net/running.hpp"

namespace brick::testing {
namespace {

class Traffic : public OnBoth {};

std::string post(std::string_view body) {
    return "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

/// This many clients send 10 kB each before any of them reads.
void exchange_bodies(const Running& running, int count) {
    const std::string body(10'000, 'x');
    std::vector<TcpClient> clients;
    for (int client = 0; client < count; ++client) clients.push_back(running.client());
    for (const bool is_first : {true, false}) {
        const std::string request = post(body);
        for (TcpClient& client : clients) {
            client.sends(is_first ? request.substr(0, 5000) : request.substr(5000));
        }
    }
    for (TcpClient& client : clients) {
        EXPECT_EQ(body_of(client.receives_all()).size(), body.size());
    }
}

TEST_P(Traffic, PassesARingOfFourBuffers) {
    Running running(options({}, {.receive_buffers = 4, .receive_bytes = 64}));
    exchange_bodies(running, 50);
}

TEST_P(Traffic, PassesShortQueues) {
    Running running(options({}, {.receive_buffers = 8, .submissions = 4, .completions = 16}));
    exchange_bodies(running, 100);
    // Many connections at once end, too.
    std::vector<TcpClient> clients;
    for (int client = 0; client < 100; ++client) clients.push_back(running.client());
    for (TcpClient& client : clients) client.sends(kLastGet);
    for (TcpClient& client : clients) EXPECT_EQ(body_of(client.receives_all()), "hello");
}

TEST_P(Traffic, PassesSmallSendBuffers) {
    Running running(options({}, {.send_buffer_bytes = 1}));
    TcpClient client = running.client(4096);
    const std::string body(1 << 20, 'm');
    std::thread sender([&] { client.sends(post(body)); });
    EXPECT_EQ(body_of(client.receives_all()), body);
    sender.join();
    TcpClient streamed = running.client(4096);
    streamed.sends("GET /long-stream HTTP/1.0\r\n\r\n");
    EXPECT_EQ(body_of(streamed.receives_all()), std::string(300'000, 's'));
}

TEST_P(Traffic, AnswersAThousandPipelinedRequestsThatAreReadLate) {
    Running running(options({.unsent_bytes = 10'000}, {.send_buffer_bytes = 1}));
    TcpClient client = running.client(4096);
    std::string requests;
    for (int number = 0; number < 1000; ++number) {
        requests += "GET /named/" + std::to_string(number) + " HTTP/1.1\r\nHost: a\r\n\r\n";
    }
    requests += kLastGet;
    std::thread sender([&] { EXPECT_TRUE(client.sends(requests)); });
    const std::string answers = client.receives_all();
    sender.join();
    EXPECT_EQ(occurrences(answers, "HTTP/1.1 200 OK\r\n"), 1001U);
    std::size_t at = 0;
    for (int number = 0; number < 1000; ++number) {
        const std::string body = "\r\n\r\n" + std::to_string(number) + "HTTP/1.1";
        ASSERT_NE(at = answers.find(body, at), std::string::npos) << number;
    }
}

TEST_P(Traffic, TakesTwoThousandConnectionsAtOnce) {
    Running running(options());
    std::vector<TcpClient> clients;
    for (int client = 0; client < 2000; ++client) clients.push_back(running.client());
    for (TcpClient& client : clients) ASSERT_TRUE(client.sends(kLastGet));
    for (TcpClient& client : clients) ASSERT_EQ(body_of(client.receives_all()), "hello");
}

TEST_P(Traffic, RefusesConnectionsOverTheLimitAndTakesThemAgainLater) {
    Running running(options({.connections = 2}));
    {
        std::vector<TcpClient> clients;
        for (int client = 0; client < 2; ++client) {
            clients.push_back(running.client());
            clients.back().sends("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            EXPECT_NE(clients.back().receives(), "");
        }
        EXPECT_TRUE(running.client().receives_all().starts_with("HTTP/1.1 503 "));
    }
    while (running.server().connections() > 0) std::this_thread::yield();
    EXPECT_EQ(body_of(running.answer_to(kLastGet)), "hello");
}

TEST_P(Traffic, HasItsLastAnswerAndTheEndInOneSegment) {
    Running running(options());
    for (int time = 0; time < 20; ++time) {
        TcpClient client = running.client();
        client.sends(kLastGet);
        EXPECT_TRUE(client.comes_with_the_end());
        EXPECT_EQ(body_of(client.receives_all()), "hello");
    }
}

TEST_P(Traffic, OfThoseThatHaveEndedTakesNobodysPlace) {
    Running running(options({.connections = 2}));
    for (int time = 0; time < 200; ++time) {
        TcpClient client = running.client();
        client.sends(kLastGet);
        EXPECT_EQ(body_of(client.receives_all()), "hello");
        client.half_closes();  // It counts until this is seen.
        if (GetParam() == Io::epoll) {
            while (running.server().connections() > 0) std::this_thread::yield();
        }
    }
}

TEST_P(Traffic, OfClientsThatDoNotEndIsDroppedBehindTheLastAnswer) {
    Running running(options());
    TcpClient client = running.client();
    client.sends(kLastGet);
    EXPECT_EQ(body_of(client.receives_all()), "hello");
    for (int time = 0; time < 20; ++time) {
        EXPECT_TRUE(client.sends(std::string(10'000, 'n')));
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    EXPECT_EQ(running.server().connections(), 1U);
    client.half_closes();
    while (running.server().connections() > 0) std::this_thread::yield();
}

TEST_P(Traffic, OfClientsThatResetAtRandomLeavesNothing) {
    Running running(options());
    std::mt19937 random(3);
    const std::string text = kLastGet.substr(0, kLastGet.size() - 2) + "X: y\r\n\r\n" +
                             post("abc") + "GET /big HTTP/1.1\r\nHost: a\r\n\r\n" +
                             "GET /long-stream HTTP/1.1\r\nHost: a\r\n\r\n";
    for (int time = 0; time < 500; ++time) {
        TcpClient client = running.client();
        const std::size_t from = random() % 2 == 0 ? kLastGet.size() : random() % text.size();
        client.sends(text.substr(from, random() % text.size()));
        if (random() % 2 == 0) {
            client.half_closes();  // Otherwise the server might wait for it.
            if (random() % 2 == 0) static_cast<void>(client.receives(1 + random() % 1000));
        }
        if (random() % 3 != 0) client.resets();
    }
    EXPECT_EQ(body_of(running.answer_to(kLastGet)), "hello");
    while (running.server().connections() > 0) std::this_thread::yield();
}

TEST_P(Traffic, OfHalfClosedClientsIsAnswered) {
    Running running(options());
    for (const std::string_view path : {"/big", "/long-stream", "/held", "/pieces"}) {
        TcpClient client = running.client();
        client.sends("GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n" +
                     "GET /named/last HTTP/1.1\r\nHost: a\r\n\r\n");
        client.half_closes();
        const std::string answers = client.receives_all();
        EXPECT_TRUE(answers.ends_with("\r\n\r\nlast")) << answers;
    }
}

TEST_P(Traffic, OfAStreamThatBreaksOffEndsWithAReset) {
    Running running(options());
    TcpClient client = running.client();
    client.sends("GET /breaks-off HTTP/1.0\r\n\r\n");
    client.receives_all();
    EXPECT_EQ(client.error(), ECONNRESET) << "or half a body would look like a whole one";
}

TEST_P(Traffic, GetsItsRefusalThoughMoreComes) {
    Running running(options());
    TcpClient client = running.client();
    client.sends("nonsense\r\n");
    for (int time = 0; time < 20; ++time) client.sends(std::string(10'000, 'n'));
    client.half_closes();
    EXPECT_TRUE(client.receives_all().ends_with("\r\n\r\n400 Bad Request\n"));
    EXPECT_EQ(client.error(), 0);
}

TEST_P(Traffic, IsSharedByThreads) {
    Options shared = options();
    shared.threads = 3;
    Running running(shared);
    exchange_bodies(running, 60);
}

INSTANTIATE_TEST_SUITE_P(, Traffic, ::testing::Values(Io::epoll, Io::uring), name_of);

}  // namespace
}  // namespace brick::testing
