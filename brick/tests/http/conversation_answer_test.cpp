// Answers that come in pieces: streams, back-pressure and paces.
#include <gtest/gtest.h>

#include <algorithm>

#include "http/client.hpp"

namespace brick::testing {
namespace {

using http::End;
using std::chrono::milliseconds;

TEST(Stream, IsChunked) {
    Client client;
    EXPECT_EQ(client.says(get("/stream")), answer("200 OK", "Transfer-Encoding: chunked\r\n",
                                                  "5\r\npiece\r\n5\r\npiece\r\n0\r\n\r\n"));
    EXPECT_EQ(client.says(kGet), kHello);
}

TEST(Stream, OfAKnownLengthIsNotChunked) {
    Client client;
    EXPECT_EQ(client.says(get("/sized")), ok("piecepiece"));
}

TEST(Stream, EndsWithTheConnectionInHttp10) {
    for (const std::string_view wish : {"", "Connection: keep-alive\r\n"}) {
        Client client;
        EXPECT_EQ(client.says("GET /stream HTTP/1.0\r\n" + std::string(wish) + "\r\n"),
                  answer("200 OK", "Connection: close\r\n", "piecepiece"));
        EXPECT_EQ(client.end(), End::linger);
    }
}

TEST(Stream, IsAskedForMoreOnlyWhenTheClientTakesIt) {
    Client client;
    client.gives(get("/long-stream"));
    std::size_t most_unsent = 0;
    std::size_t taken = 0;
    for (auto next = client.talk.next_send(); !next.empty(); next = client.talk.next_send()) {
        most_unsent = std::max(most_unsent, next.size());
        taken += std::min<std::size_t>(next.size(), 1000);
        client.talk.sent(client.service, std::min<std::size_t>(next.size(), 1000));
    }
    EXPECT_GT(taken, 300'000U);
    EXPECT_LT(most_unsent, 100'000U);
    EXPECT_EQ(client.says(kGet), kHello);
}

TEST(Stream, ThatThrowsCutsTheConnectionOff) {
    Client client;
    client.gives(get("/breaks-off"));
    EXPECT_EQ(client.end(), End::abort);
}

TEST(Stream, ThatLiesAboutItsLengthCutsTheConnectionOff) {
    for (const std::string_view path : {"/too-short", "/too-long"}) {
        Client client;
        client.gives(get(path));
        EXPECT_EQ(client.end(), End::abort) << path;
    }
}

TEST(Stream, ThatThrowsBehindASinkThatRefusedCutsTheConnectionOff) {
    Client client;
    client.gives(head("PUT /refuses-and-breaks-off", 2) + "1");
    EXPECT_EQ(client.end(), End::abort);
}

TEST(StreamThatWaits, SendsEachPieceWhenItIsDue) {
    Client client;
    const std::string whole =
        answer("200 OK", "Transfer-Encoding: chunked\r\n", "4\r\ntick\r\n4\r\ntick\r\n0\r\n\r\n");
    std::string taken = client.says(get("/ticks") + std::string(kGet));
    EXPECT_EQ(taken, whole.substr(0, whole.find("4\r\n", whole.find("tick"))));
    for (const std::string_view due : {"", "4\r\ntick\r\n", "0\r\n\r\n"}) {
        EXPECT_EQ(client.talk.take_pause(), milliseconds(2));
        EXPECT_EQ(client.talk.take_pause(), std::nullopt) << "told once";
        EXPECT_EQ(client.takes(), "");
        client.talk.paused(client.service);
        const std::string came = client.takes();
        EXPECT_EQ(came, due.starts_with('0') ? std::string(due) + kHello : due);
        taken += came;
    }
    EXPECT_EQ(taken, whole + kHello);
}

TEST(StreamThatWaits, HasNoDeadlineButForAClientThatTakesNothing) {
    Client client;
    client.gives(get("/ticks"));
    EXPECT_TRUE(client.waits(31)) << "what is sent has to be taken";
    Client patient;
    EXPECT_NE(patient.says(get("/ticks")), "");
    EXPECT_FALSE(patient.waits(1000));
}

TEST(StreamThatWaits, IsCutOffWhenItsClientHasGone) {
    Client client;
    EXPECT_NE(client.says(get("/ticks")), "");
    client.half_closes();
    EXPECT_EQ(client.end(), End::abort);
}

TEST(StreamThatWaits, DoesNotBeginForAClientThatHasGone) {
    Client client({.unsent_bytes = 1000});
    client.gives(get("/big") + get("/ticks"));
    client.half_closes();
    EXPECT_EQ(client.end(), End::open);
    client.takes();
    EXPECT_EQ(client.end(), End::abort);
}

TEST(BackPressure, StopsTakingRequestsThenReading) {
    Client client({.unsent_bytes = 1000});
    for (int time = 0; time < 3; ++time) client.gives(get("/big"));
    EXPECT_TRUE(client.is_read()) << "a little ahead";
    client.gives(std::string(20'000, '\n'));
    EXPECT_FALSE(client.is_read());
    EXPECT_EQ(occurrences(client.takes(10'000), "HTTP/1.1"), 1U);
    EXPECT_FALSE(client.is_read());
    EXPECT_EQ(occurrences(client.takes(), "HTTP/1.1"), 3U) << "two, and the refusal of empty lines";
}

TEST(BackPressure, EndsWhenTheClientReads) {
    Client client({.unsent_bytes = 1000});
    std::string requests;
    for (int time = 0; time < 2000; ++time) requests += kGet;
    client.gives(requests);
    EXPECT_FALSE(client.is_read());
    std::size_t most_unsent = 0;
    std::string taken;
    for (auto next = client.talk.next_send(); !next.empty(); next = client.talk.next_send()) {
        most_unsent = std::max(most_unsent, next.size());
        taken += client.takes(100);
    }
    EXPECT_EQ(occurrences(taken, kHello), 2000U);
    EXPECT_EQ(taken.size(), 2000 * kHello.size());
    EXPECT_LT(most_unsent, 2000U);
    EXPECT_TRUE(client.is_read());
}

TEST(Pace, HoldsAnAnswerBackAndWhatFollowsToo) {
    Client client;
    EXPECT_EQ(client.says(get("/held") + std::string(kGet)), "");
    EXPECT_EQ(client.talk.take_pause(), milliseconds(3));
    EXPECT_EQ(client.talk.take_pause(), std::nullopt) << "told once";
    EXPECT_EQ(client.takes(), "");
    client.talk.paused(client.service);
    EXPECT_EQ(client.takes(), ok("late") + kHello);
}

TEST(Pace, LetsGoWhatWasAnsweredBefore) {
    Client client;
    EXPECT_EQ(client.says(std::string(kGet) + get("/held")), kHello);
    EXPECT_EQ(client.talk.take_pause(), milliseconds(3));
}

TEST(Pace, SendsPieceByPiece) {
    Client client;
    client.gives(get("/pieces"));
    std::string taken;
    std::size_t pieces = 0;
    for (auto next = client.talk.next_send(); !next.empty(); next = client.talk.next_send()) {
        EXPECT_LE(next.size(), 5U);
        taken += next;
        ++pieces;
        client.talk.sent(client.service, next.size());
        EXPECT_TRUE(taken.size() == ok("drop by drop").size() || client.talk.next_send().empty());
        EXPECT_EQ(client.talk.take_pause().value_or(milliseconds(2)), milliseconds(2));
        client.talk.paused(client.service);
    }
    EXPECT_EQ(taken, ok("drop by drop"));
    EXPECT_EQ(pieces, (taken.size() + 4) / 5);
    EXPECT_EQ(client.says(kGet), kHello);
}

TEST(Pace, GathersAStreamFirst) {
    Client client;
    EXPECT_EQ(client.says(get("/streamed-pieces")),
              answer("200 OK", "Transfer-Encoding: chunked\r\n",
                     "5\r\npiece\r\n5\r\npiece\r\n0\r\n\r\n"));
    EXPECT_EQ(client.says(kGet), kHello);
}

}  // namespace
}  // namespace brick::testing
