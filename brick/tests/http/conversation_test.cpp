// A client's answers to successive requests: RFC 9112, sections 6 and 9.
#include "http/conversation.hpp"

#include <gtest/gtest.h>

#include "http/client.hpp"

namespace brick::testing {
namespace {

using http::End;

TEST(Conversation, AnswersRequestAfterRequest) {
    Client client;
    for (int time = 0; time < 3; ++time) EXPECT_EQ(client.says(kGet), kHello);
    EXPECT_EQ(client.end(), End::open);
}

TEST(Conversation, AnswersPipelinedRequestsInTheirOrder) {
    Client client;
    EXPECT_EQ(
        client.says(get("/named/one") + get("/stream") + std::string(kGet) + get("/named/two")),
        ok("one") +
            answer("200 OK", "Transfer-Encoding: chunked\r\n",
                   "5\r\npiece\r\n5\r\npiece\r\n0\r\n\r\n") +
            kHello + ok("two"));
}

TEST(Conversation, WaitsForTheRestOfAHead) {
    Client client;
    EXPECT_EQ(client.says(kGet.substr(0, 20)), "");
    EXPECT_EQ(client.says(kGet.substr(20)), kHello);
}

TEST(Conversation, ClosesBehindTheAnswerWhenTheClientAsksForIt) {
    Client client;
    EXPECT_EQ(
        client.says("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
        answer("200 OK", "Content-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n",
               "hello"));
    EXPECT_EQ(client.end(), End::linger);
}

TEST(Conversation, ClosesBehindTheAnswerWhenTheAnswerSaysSo) {
    Client client;
    EXPECT_EQ(client.says(get("/close")),
              answer("200 OK", "Content-Length: 3\r\nConnection: close\r\n", "bye"));
    EXPECT_EQ(client.end(), End::linger);
}

TEST(Conversation, LingersWhenTheClientHadMoreToSayThanIsAnswered) {
    Client client;
    EXPECT_EQ(occurrences(client.says(get("/close") + std::string(kGet)), "HTTP/1.1"), 1U);
    EXPECT_EQ(client.end(), End::linger);
}

TEST(Conversation, AnswersHeadWithTheHeadOfGet) {
    Client client;
    EXPECT_EQ(client.says("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"),
              answer("200 OK", "Content-Type: text/plain\r\nContent-Length: 5\r\n"));
    EXPECT_EQ(client.says("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n"),
              answer("200 OK", "Transfer-Encoding: chunked\r\n"));
    EXPECT_EQ(client.says("HEAD /sized HTTP/1.1\r\nHost: a\r\n\r\n"),
              answer("200 OK", "Content-Length: 10\r\n"));
    EXPECT_EQ(client.says(kGet), kHello) << "and with a body again";
}

TEST(Conversation, SendsNoBodyWhereAStatusHasNone) {
    Client client;
    EXPECT_EQ(client.says(get("/204")), answer("204 No Content", ""));
    EXPECT_EQ(client.says(get("/205")), answer("205 Reset Content", "Content-Length: 0\r\n"));
    EXPECT_EQ(client.says(get("/304")), answer("304 Not Modified", ""));
    EXPECT_EQ(client.says(kGet), kHello);
}

TEST(Conversation, ClosesBehindHttp10) {
    Client client;
    EXPECT_EQ(
        client.says("GET / HTTP/1.0\r\n\r\n"),
        answer("200 OK", "Content-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n",
               "hello"));
    EXPECT_EQ(client.end(), End::linger);
}

TEST(Conversation, KeepsHttp10OpenWhenItIsAsked) {
    Client client;
    const std::string request = "GET /named/x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    const std::string expected =
        answer("200 OK", "Content-Length: 1\r\nConnection: keep-alive\r\n", "x");
    EXPECT_EQ(client.says(request), expected);
    EXPECT_EQ(client.says(request), expected);
    EXPECT_EQ(client.end(), End::open);
}

TEST(Conversation, AnswersWhatHasNoRoute) {
    Client client;
    const auto plain = [](std::string_view status, std::string_view allow) {
        return answer(status,
                      "Content-Type: text/plain\r\n" + std::string(allow) +
                          "Content-Length: " + std::to_string(status.size() + 1) + "\r\n",
                      std::string(status) + "\n");
    };
    EXPECT_EQ(client.says(get("/nowhere")), plain("404 Not Found", ""));
    EXPECT_EQ(client.says("PUT / HTTP/1.1\r\nHost: a\r\n\r\n"),
              plain("405 Method Not Allowed", "Allow: GET, HEAD, OPTIONS\r\n"));
    EXPECT_EQ(client.says("BREW / HTTP/1.1\r\nHost: a\r\n\r\n"), plain("501 Not Implemented", ""));
    EXPECT_EQ(client.says("OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n"),
              answer("204 No Content", "Allow: GET, HEAD, OPTIONS\r\n"));
    EXPECT_EQ(client.says("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
              answer("204 No Content", "Allow: GET, HEAD, OPTIONS, POST, PUT\r\n"));
    EXPECT_EQ(client.end(), End::open);
}

TEST(Conversation, AnswersAHandlerThatThrowsWith500AndGoesOn) {
    Client client;
    EXPECT_TRUE(client.says(get("/throws")).starts_with("HTTP/1.1 500 Internal Server Error\r\n"));
    EXPECT_EQ(client.says(kGet), kHello);
}

TEST(Conversation, RefusesAndLingers) {
    Client client;
    EXPECT_EQ(client.says("GET / HTTP/1.1\r\n\r\n"), refusal("400 Bad Request"));
    EXPECT_EQ(client.end(), End::linger);
    EXPECT_EQ(client.says(kGet), "") << "what follows is dropped";
    EXPECT_TRUE(client.is_read());
    client.half_closes();
    EXPECT_EQ(client.end(), End::close);
}

TEST(Conversation, RefusesWhatFollowsAHeadOrA204WithABody) {
    for (const std::string_view first :
         {"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /204 HTTP/1.1\r\nHost: a\r\n\r\n"}) {
        Client client;
        client.says(first);
        EXPECT_EQ(client.says("nonsense\r\n"), refusal("400 Bad Request"));
    }
}

TEST(Conversation, AnswersWhatCameBeforeARefusal) {
    Client client;
    EXPECT_EQ(client.says(std::string(kGet) + "nonsense\r\n" + std::string(kGet)),
              kHello + refusal("400 Bad Request"));
}

TEST(Conversation, ClosesAnIdleConnectionThatTheClientEnds) {
    Client client;
    client.says(kGet);
    client.half_closes();
    EXPECT_EQ(client.end(), End::close);
}

TEST(Conversation, AnswersAHalfClosedClient) {
    Client client;
    client.gives(std::string(kGet) + std::string(kGet));
    client.half_closes();
    EXPECT_EQ(client.end(), End::open);
    EXPECT_FALSE(client.is_read());
    EXPECT_EQ(client.takes(), kHello + kHello);
    EXPECT_EQ(client.end(), End::close);
}

TEST(Conversation, DoesNotLingerForAHalfClosedClient) {
    Client client;
    client.gives(get("/big") + "nonsense\r\n");
    client.half_closes();
    EXPECT_TRUE(client.takes().ends_with(refusal("400 Bad Request")));
    EXPECT_EQ(client.end(), End::close);
}

TEST(Conversation, DropsAHeadThatTheClientDoesNotFinish) {
    Client client;
    client.gives(kGet.substr(0, 10));
    client.half_closes();
    EXPECT_EQ(client.takes(), "");
    EXPECT_EQ(client.end(), End::close);
}

TEST(Conversation, ClosesWhatIsIdleWhenTheServerStops) {
    Client client;
    client.says(kGet);
    client.service.stopping = true;
    client.talk.stop(client.service);
    EXPECT_EQ(client.end(), End::close);
}

TEST(Conversation, SaysCloseToEachRequestThatIsAnsweredAfterAStop) {
    for (const std::string_view begun : {"GET / HT", "POST /echo HTTP/1.1\r\nHost: a\r\nConten",
                                         "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
                                         "\r\n1"}) {
        Client client;
        client.says(begun);
        client.service.stopping = true;
        client.talk.stop(client.service);
        EXPECT_EQ(client.end(), End::open) << "a request in flight";
        const std::string rest = begun.starts_with("GET") ? "TP/1.1\r\nHost: a\r\n\r\n"
                                 : begun.ends_with("1")   ? "2"
                                                          : "t-Length: 2\r\n\r\n12";
        EXPECT_EQ(occurrences(client.says(rest), "Connection: close\r\n"), 1U) << begun;
        EXPECT_EQ(client.end(), End::linger);
    }
}

TEST(Conversation, LetsAnAnswerOutWhenTheServerStops) {
    Client client;
    client.gives(get("/big"));
    client.service.stopping = true;
    client.talk.stop(client.service);
    EXPECT_EQ(client.end(), End::open);
    EXPECT_EQ(client.takes(), ok(std::string(kBigBytes, 'b')));
    EXPECT_EQ(client.end(), End::close);
}

}  // namespace
}  // namespace brick::testing
