// The limits of a client's time and memory.
#include <gtest/gtest.h>

#include "http/client.hpp"
#include "net/sessions.hpp"

namespace brick::testing {
namespace {

using http::End;

static_assert(sizeof(net::Session<http::Conversation>) <= 256, "what an idle connection may take");

constexpr std::uint32_t kHeadSeconds = 10;
constexpr std::uint32_t kBodySeconds = 30;
constexpr std::uint32_t kIdleSeconds = 60;
constexpr std::uint32_t kSendSeconds = 30;
constexpr std::uint32_t kLingerSeconds = 2;

TEST(Deadline, OfAnIdleConnectionClosesItWithoutAWord) {
    for (const bool used : {false, true}) {
        Client client;
        client.waits(5);
        if (used) client.says(kGet);
        EXPECT_FALSE(client.waits(kIdleSeconds - (used ? 0 : 5)));
        EXPECT_TRUE(client.waits(1));
        EXPECT_EQ(client.takes(), "");
        EXPECT_EQ(client.end(), End::close);
    }
}

TEST(Deadline, OfAHeadIsNotExtendedByItsBytes) {
    Client client;
    client.waits(30);
    client.gives("GET / HTTP/1.1\r\n");
    for (std::uint32_t second = 0; second < kHeadSeconds; ++second) {
        EXPECT_FALSE(client.waits(1));
        client.gives("X: y\r\n");
    }
    EXPECT_TRUE(client.waits(1));
    EXPECT_EQ(client.takes(), refusal("408 Request Timeout"));
    EXPECT_EQ(client.end(), End::linger);
}

TEST(Deadline, OfTheNextHeadBeginsAnew) {
    Client client;
    client.says(kGet.substr(0, 5));
    EXPECT_FALSE(client.waits(kHeadSeconds));
    EXPECT_EQ(client.says(std::string(kGet.substr(5)) + "GET /"), kHello);
    EXPECT_FALSE(client.waits(kHeadSeconds));
    EXPECT_TRUE(client.waits(1));
}

TEST(Deadline, OfABodyIsExtendedByItsBytes) {
    Client client;
    client.gives(head("POST /echo", 3));
    for (int piece = 0; piece < 2; ++piece) {
        EXPECT_FALSE(client.waits(kBodySeconds));
        client.gives("a");
    }
    EXPECT_FALSE(client.waits(kBodySeconds));
    EXPECT_TRUE(client.waits(1));
    EXPECT_EQ(client.takes(), refusal("408 Request Timeout"));
}

TEST(Deadline, OfAClientThatReadsNothingIsNotExtendedByItsBytes) {
    Client client;
    client.gives(get("/big"));
    EXPECT_FALSE(client.waits(kSendSeconds));
    client.gives(kGet);
    EXPECT_TRUE(client.waits(1));
    EXPECT_EQ(client.end(), End::abort);
}

TEST(Deadline, OfAClientThatReadsALittleBeginsAnew) {
    Client client;
    client.gives(get("/big"));
    for (int time = 0; time < 3; ++time) {
        EXPECT_FALSE(client.waits(kSendSeconds));
        client.takes(10);
    }
}

TEST(Deadline, OfLingeringIsNotExtendedByItsBytes) {
    Client client;
    client.says("nonsense\r\n");
    EXPECT_FALSE(client.waits(kLingerSeconds));
    client.gives("more nonsense");
    EXPECT_TRUE(client.waits(1));
    EXPECT_EQ(client.end(), End::close);
}

TEST(Deadline, DoesNotPassDuringAPauseNorAtItsEnd) {
    Client client;
    client.gives(get("/held"));
    EXPECT_FALSE(client.waits(1000));
    client.talk.paused(client.service);
    EXPECT_FALSE(client.waits(kSendSeconds)) << "from now on the client is waited for";
    EXPECT_TRUE(client.waits(1));
    EXPECT_EQ(client.end(), End::abort);
}

TEST(Memory, OfAClientThatSendsAheadIsBound) {
    Client client({.unsent_bytes = 1000});
    client.gives(get("/big"));
    std::size_t given = 0;
    while (client.is_read() && given < 1'000'000) {
        client.gives(kGet);
        given += kGet.size();
    }
    EXPECT_LT(given, 20'000U);
}

// Chunks are counted by the allocations of taking them.
TEST(Memory, OfAnIdleConnectionIsItsOwnObjectOnly) {
    Client client;
    client.says(get("/stream") + get("/big") + head("POST /echo", 3) + "abc");
    client.service.pool.trim();
    client.service.pool.trim();
    char* const chunk = client.service.pool.take();
    client.service.pool.give(chunk);
    EXPECT_EQ(client.says(kGet), kHello);
    EXPECT_EQ(client.service.pool.take(), chunk) << "it was lent, and it is back";
    client.service.pool.give(chunk);
}

}  // namespace
}  // namespace brick::testing
