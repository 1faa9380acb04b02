// Bodies of requests: RFC 9112, sections 6 and 7; Expect: RFC 9110, 10.1.1.
#include <gtest/gtest.h>

#include "http/client.hpp"

namespace brick::testing {
namespace {

using http::End;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string expecting(std::string_view line, std::size_t length) {
    std::string request = head(line, length);
    return request.insert(request.size() - 2, "Expect: 100-continue\r\n");
}

TEST(RequestBody, IsGatheredForAHandler) {
    Client client;
    EXPECT_EQ(client.says(head("POST /echo", 5) + "whole"), ok("whole"));
    client.says(head("POST /echo", 6));
    client.says("in p");
    EXPECT_EQ(client.says("ieGET"), ok("in pie")) << "and what follows is the next request";
    EXPECT_EQ(client.says(" / HTTP/1.1\r\nHost: a\r\n\r\n"), kHello);
}

TEST(RequestBody, IsGatheredFromItsChunks) {
    Client client;
    EXPECT_EQ(client.says(chunked("POST /echo", "3;a=b\r\none\r\n2\r\nto\r\n0\r\nT: x\r\n\r\n")),
              ok("oneto"));
    EXPECT_EQ(client.says(chunked("POST /echo", "0\r\n\r\n") + std::string(kGet)), ok("") + kHello);
}

TEST(RequestBody, GoesToASink) {
    Client client;
    EXPECT_EQ(client.says(head("PUT /sink", 7) + "1234567"), ok("7 bytes"));
    EXPECT_EQ(client.says(head("PUT /sink", 0)), ok("0 bytes"));
    EXPECT_EQ(client.says(chunked("PUT /sink", "3\r\none\r\n2\r\nto\r\n0\r\n\r\n")), ok("5 bytes"));
    EXPECT_EQ(client.end(), End::open);
}

TEST(RequestBody, MayBeLongerForASinkThanForAHandler) {
    Client client({.body_bytes = 4, .streamed_bytes = 6});
    EXPECT_EQ(client.says(head("PUT /sink", 6) + "123456"), ok("6 bytes"));
    EXPECT_EQ(client.says(head("PUT /sink", 7)), refusal("413 Content Too Large"));
    EXPECT_EQ(client.end(), End::linger);
}

TEST(RequestBody, IsDroppedWhereNobodyWantsIt) {
    Client client;
    EXPECT_TRUE(client.says(head("POST /nowhere", 3) + "abc").starts_with("HTTP/1.1 404 "));
    client.gives(head("POST /", 3));
    EXPECT_TRUE(client.says("abc").starts_with("HTTP/1.1 405 "));
    EXPECT_TRUE(client.says(chunked("POST /", "1\r\na\r\n0\r\n\r\n")).starts_with("HTTP/1.1 405 "));
    EXPECT_EQ(client.says(kGet), kHello);
}

TEST(RequestBody, ThatNobodyWantsClosesWhenItIsTooLong) {
    Client client({.body_bytes = 4});
    const std::string answer = client.says(head("POST /nowhere", 5));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 404 "));
    EXPECT_EQ(occurrences(answer, "Connection: close\r\n"), 1U);
    EXPECT_EQ(client.end(), End::linger);
}

TEST(RequestBody, IsRefusedAsSoonAsItIsKnownToBeTooLong) {
    const std::string too_long = refusal("413 Content Too Large");
    EXPECT_EQ(Client({.body_bytes = 4}).says(head("POST /echo", 5)), too_long);
    EXPECT_EQ(Client({.body_bytes = 4}).says(chunked("POST /echo", "5\r\n")), too_long);
    EXPECT_EQ(Client({.body_bytes = 4}).says(chunked("POST /echo", "3\r\nabc\r\n2\r\n")), too_long);
}

TEST(RequestBody, IsRefusedWhenItsChunksTogetherOverflow) {
    Client client({.body_bytes = 100});
    EXPECT_EQ(client.says(chunked("POST /echo", "2\r\nab\r\n7fffffffffffffff\r\nc")),
              refusal("413 Content Too Large"));
}

TEST(RequestBody, IsRefusedWhenItsChunksAreMalformed) {
    Client client;
    EXPECT_EQ(client.says(chunked("POST /echo", "x\r\n")), refusal("400 Bad Request"));
    EXPECT_EQ(client.end(), End::linger);
}

TEST(RequestBody, IsRefusedWhenItsTrailersAreTooLong) {
    Client client({.request_line_bytes = 100, .head_bytes = 100});
    EXPECT_EQ(client.says(chunked("POST /echo", "0\r\nA: " + std::string(100, 'x'))),
              refusal("431 Request Header Fields Too Large"));
}

TEST(RequestBody, WithoutItsEndIsNotAnswered) {
    Client client;
    client.gives(head("POST /echo", 5) + "1234");
    client.half_closes();
    EXPECT_EQ(client.takes(), "");
    EXPECT_EQ(client.end(), End::close);
}

TEST(RequestBody, ThatCameBeforeTheEndIsAnsweredThoughTheClientReadsLate) {
    Client client({.unsent_bytes = 1000});
    client.gives(get("/big") + head("POST /echo", 4) + "12");
    client.gives("34");
    client.half_closes();
    EXPECT_EQ(client.takes(), ok(std::string(kBigBytes, 'b')) + ok("1234"));
    EXPECT_EQ(client.end(), End::close);
}

TEST(RequestHead, HasItsLimits) {
    const Limits limits{.request_line_bytes = 50, .head_bytes = 100, .fields = 2};
    EXPECT_EQ(Client(limits).says("GET /" + std::string(60, 'a')), refusal("414 URI Too Long"));
    EXPECT_EQ(Client(limits).says(std::string(60, 'M')), refusal("501 Not Implemented"));
    const std::string too_large = refusal("431 Request Header Fields Too Large");
    EXPECT_EQ(Client(limits).says("GET / HTTP/1.1\r\nHost: a\r\nA: " + std::string(100, 'a')),
              too_large);
    EXPECT_EQ(Client(limits).says("GET / HTTP/1.1\r\nHost: a\r\nA: a\r\nB: b\r\n\r\n"), too_large);
}

TEST(RequestHead, IsBoundByTheShorterLimitByteByByteToo) {
    Client client({.request_line_bytes = 8000, .head_bytes = 100});
    for (const char byte : "GET /" + std::string(100, 'a')) client.gives({&byte, 1});
    EXPECT_EQ(client.takes(), refusal("414 URI Too Long"));
}

TEST(Expect, IsAnsweredWith100WhileNoByteOfTheBodyHasCome) {
    Client client;
    EXPECT_EQ(client.says(expecting("POST /echo", 2)), kContinue);
    EXPECT_EQ(client.says("ab"), ok("ab"));
    EXPECT_EQ(client.says(expecting("PUT /sink", 2)), kContinue);
    EXPECT_EQ(client.says("ab"), ok("2 bytes"));
}

TEST(Expect, IsNotAnsweredWith100OnceTheBodyComes) {
    Client client;
    EXPECT_EQ(client.says(expecting("POST /echo", 2) + "a"), "");
    EXPECT_EQ(client.says("b"), ok("ab"));
    EXPECT_EQ(client.says(expecting("POST /echo", 0)), ok(""));
}

TEST(Expect, IsAnsweredWithTheFinalStatusWhereTheBodyIsNotWanted) {
    EXPECT_EQ(Client({.body_bytes = 1}).says(expecting("POST /echo", 2)),
              refusal("413 Content Too Large"));
    for (const auto& [line, status] :
         {std::pair{"POST /nowhere", "HTTP/1.1 404 "}, std::pair{"POST /", "HTTP/1.1 405 "}}) {
        Client client;
        const std::string answer = client.says(expecting(line, 2));
        EXPECT_TRUE(answer.starts_with(status));
        EXPECT_EQ(occurrences(answer, "Connection: close\r\n"), 1U);
        EXPECT_EQ(client.end(), End::linger);
    }
}

TEST(Expect, OfAnythingElseIsRefused) {
    Client client;
    EXPECT_EQ(client.says("GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n"),
              refusal("417 Expectation Failed"));
}

TEST(Expect, FromHttp10IsIgnored) {
    Client client;
    EXPECT_EQ(
        client.says("POST /echo HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"),
        "");
}

TEST(Sink, ThatRefusesGivesItsAnswerAtOnceAndTheConnectionCloses) {
    Client client;
    client.gives(head("PUT /refuses", 1000));
    EXPECT_EQ(client.says("12345"),
              answer("403 Forbidden", "Content-Length: 6\r\nConnection: close\r\n", "enough"));
    EXPECT_EQ(client.end(), End::linger);
}

TEST(Sink, ThatThrowsIsAnsweredWith500) {
    Client client;
    EXPECT_TRUE(client.says(head("PUT /throws-at-end", 1) + "a").starts_with("HTTP/1.1 500 "));
    EXPECT_EQ(client.says(kGet), kHello);
    EXPECT_EQ(client.says(head("PUT /throws-at-bytes", 9) + "a"),
              refusal("500 Internal Server Error"));
    EXPECT_EQ(client.end(), End::linger);
}

TEST(Sink, ThatIsNotThereIsAnsweredWith500) {
    EXPECT_TRUE(Client().says(head("PUT /opens-nothing", 1)).starts_with("HTTP/1.1 500 "));
    EXPECT_TRUE(Client().says(head("PUT /opens-nothing", 0)).starts_with("HTTP/1.1 500 "));
}

}  // namespace
}  // namespace brick::testing
