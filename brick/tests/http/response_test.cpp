// Permitted answers of a handler, and the errors for all others.
#include <brick/response.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace brick {
namespace {

/// The text of the std::invalid_argument that `act` throws; empty if it throws none.
template <typename Act>
std::string complaint(Act act) {
    try {
        act();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

std::string complaint_of_field(const std::string& name, const std::string& value) {
    return complaint([&] { Response().field(name, value); });
}

TEST(Response, IsAnEmpty200ByDefault) {
    const Response response;
    EXPECT_EQ(response.status(), 200);
    EXPECT_EQ(response.fields(), "");
    EXPECT_EQ(response.body(), "");
    EXPECT_FALSE(response.closes());
    EXPECT_FALSE(response.streams());
    EXPECT_EQ(response.length_bytes(), std::nullopt);
}

TEST(Response, HasATypeAndABody) {
    const Response response(404, "text/plain", "no such thing\n");
    EXPECT_EQ(response.status(), 404);
    EXPECT_EQ(response.fields(), "Content-Type: text/plain\r\n");
    EXPECT_EQ(response.body(), "no such thing\n");
}

TEST(Response, HasAFinalStatus) {
    for (const int status : {200, 204, 299, 304, 404, 599}) {
        EXPECT_EQ(Response(status).status(), status);
    }
    for (const int status : {-200, 0, 99, 100, 101, 199, 600, 1200}) {
        EXPECT_EQ(complaint([=] { Response{status}; }),
                  "response status " + std::to_string(status) + ": a final status is 200 to 599");
    }
}

TEST(ResponseField, ComesInOrderAndMayComeTwice) {
    Response response(200, "text/html");
    response.field("Set-Cookie", "a=1").field("Set-Cookie", "b=2").field("X-Empty", "");
    EXPECT_EQ(response.fields(),
              "Content-Type: text/html\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Empty: \r\n");
}

TEST(ResponseField, MayHaveTabsAndBytesFrom0x80) {
    Response response;
    response.field("X-Text", "a\tb \xc3\xa4");
    EXPECT_EQ(response.fields(), "X-Text: a\tb \xc3\xa4\r\n");
}

TEST(ResponseField, NamesATokenOrIsRefused) {
    for (const char* name : {"", " ", "A B", "A:", "A\r\n", "A\t", "\xc3\xa4", "(A)"}) {
        EXPECT_EQ(complaint_of_field(name, "value"),
                  "response field \"" + std::string(name) +
                      "\": a name is a token, such as Cache-Control");
    }
}

TEST(ResponseField, CannotEndItsLine) {
    for (const std::string& value :
         {std::string("a\r\nSet-Cookie: b"), std::string("a\nb"), std::string("a\rb"),
          std::string("a\0b", 3), std::string("a\x7f"), std::string("\x1b[1m")}) {
        EXPECT_EQ(complaint_of_field("Location", value),
                  "response field \"Location\": a value has no control characters but tabs, so "
                  "neither CR nor LF");
    }
    EXPECT_NE(complaint([] { Response{200, "text/plain\r\nX: y"}; }), "");
}

TEST(ResponseField, ThatIsTheServersIsRefused) {
    for (const char* name : {"Content-Length", "content-length", "TRANSFER-ENCODING", "Connection",
                             "Date", "Keep-Alive", "Trailer", "Upgrade"}) {
        EXPECT_EQ(complaint_of_field(name, "1"),
                  "response field \"" + std::string(name) +
                      "\": the server writes this field itself; leave it out");
    }
    EXPECT_EQ(complaint_of_field("Content-Lengths", "1"), "");
}

TEST(ResponseField, ThatWasRefusedLeavesTheOthersAsTheyWere) {
    Response response;
    response.field("A", "1");
    EXPECT_THROW(response.field("B", "\n"), std::invalid_argument);
    EXPECT_EQ(response.fields(), "A: 1\r\n");
}

TEST(ResponseStream, TakesThePlaceOfTheBody) {
    Response response(200, {}, "whole");
    response.stream([](std::string&) { return false; }, 7);
    EXPECT_TRUE(response.streams());
    EXPECT_EQ(response.body(), "");
    EXPECT_EQ(response.length_bytes(), 7U);
    response.body("whole again");
    EXPECT_FALSE(response.streams());
    EXPECT_EQ(response.length_bytes(), std::nullopt);
    EXPECT_EQ(response.body(), "whole again");
}

TEST(ResponseStream, GivesItsSourceAwayOnce) {
    Response response;
    response.stream([](std::string& out) {
        out += "piece";
        return false;
    });
    const Source source = response.take_source();
    EXPECT_FALSE(response.streams());
    EXPECT_FALSE(response.take_source());
    std::string out;
    EXPECT_FALSE(source(out).has_more);
    EXPECT_EQ(out, "piece");
}

TEST(ResponseStream, NeedsASource) {
    EXPECT_EQ(complaint([] { Response().stream(Source()); }),
              "response stream: the source is an empty function");
}

TEST(Response, ClosesAndPacesWhenAsked) {
    using namespace std::chrono_literals;
    Response response;
    response.close().pace({.hold = 5ms, .piece_bytes = 1, .gap = 2ms});
    EXPECT_TRUE(response.closes());
    EXPECT_EQ(response.pace().hold, 5ms);
    EXPECT_EQ(response.pace().piece_bytes, 1U);
    EXPECT_EQ(response.pace().gap, 2ms);
}

}  // namespace
}  // namespace brick
