// Routes that cannot be added, and the errors for them.
#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "http/route_finds.hpp"
#include "http/routes.hpp"

namespace brick::http {
namespace {

using namespace std::string_literals;
using namespace testing;

std::string complaint(Routes& routes, const std::string& method, const std::string& pattern,
                      Answer answer = Fixed(Response())) {
    try {
        routes.add(method, pattern, std::move(answer));
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "none";
}

std::string complaint(const std::string& pattern) {
    Routes routes;
    return complaint(routes, "GET", pattern);
}

TEST(RoutesRefuse, APatternThatIsNoPath) {
    for (const char* pattern : {"", "a/b", "*", "{x}", "http://a/b"}) {
        EXPECT_EQ(complaint(pattern), "route GET \""s + pattern + "\": a pattern begins with /");
    }
    for (const char* segment : {"a b", "a?b=c", "a#b", "a\x7f", "\xc3\xa4", "a\r\n"}) {
        EXPECT_EQ(complaint("/x/"s + segment),
                  "route GET \"/x/"s + segment +
                      "\": a pattern has no query and no character that a client must "
                      "percent-encode; write \"" +
                      segment + "\" as it is sent");
    }
}

TEST(RoutesRefuse, ANameThatIsNotAWholeSegment) {
    for (const char* segment : {"a{b}", "{b}a", "{", "}", "{a", "a}", "}{"}) {
        EXPECT_EQ(complaint("/"s + segment),
                  "route GET \"/"s + segment +
                      "\": a name takes a whole segment, as in /{id}/, unlike \"" + segment + "\"");
    }
}

TEST(RoutesRefuse, ANameThatIsNone) {
    for (const char* segment : {"{}", "{...}", "{a.b}", "{a}{b}", "{a..}", "{a b}", "{{a}}"}) {
        EXPECT_EQ(complaint("/"s + segment),
                  "route GET \"/"s + segment +
                      "\": a name is letters, digits and _, as in {id} or {path...}, not " +
                      segment);
    }
}

TEST(RoutesRefuse, TheRestBeforeTheEnd) {
    EXPECT_EQ(complaint("/{x...}/a"),
              "route GET \"/{x...}/a\": {x...} takes all the rest, so it is the last segment");
    EXPECT_NE(complaint("/{x...}/"), "none");
}

TEST(RoutesRefuse, ANameThatIsThereTwice) {
    EXPECT_EQ(complaint("/{x}/a/{x...}"),
              "route GET \"/{x}/a/{x...}\": each name once; {x} is there twice");
}

TEST(RoutesRefuse, MoreNamesThanFit) {
    std::string pattern;
    for (std::size_t at = 0; at <= kMostParams; ++at) {
        pattern += "/{n" + std::to_string(at) + "}";
    }
    EXPECT_EQ(complaint(pattern),
              "route GET \"" + pattern + "\": a pattern has at most 16 names, not 17");
}

TEST(RoutesRefuse, AMethodThatCannotBe) {
    Routes routes;
    for (const char* method : {"", "G T", "GET\r\n", "G/T"}) {
        EXPECT_EQ(complaint(routes, method, "/"),
                  "route "s + method + " \"/\": a method is a token, such as GET");
    }
    EXPECT_EQ(complaint(routes, "CONNECT", "/"),
              "route CONNECT \"/\": CONNECT asks for a host and a port, so it has no path");
}

TEST(RoutesRefuse, ARouteThatIsThereTwice) {
    Routes routes = gets({"/a", "/{x}", "/{x...}"});
    for (const char* pattern : {"/a", "/{x}", "/{y}", "/{y...}"}) {
        EXPECT_EQ(complaint(routes, "GET", pattern),
                  "route GET \""s + pattern + "\": there is such a route; each is added once");
    }
    EXPECT_EQ(complaint(routes, "PUT", "/a"), "none");
}

TEST(RoutesRefuse, AnAnswerThatCannotBeGiven) {
    Routes routes;
    EXPECT_EQ(complaint(routes, "GET", "/", Handler()),
              "route GET \"/\": the answer is an empty function; give it one that can be called");
    EXPECT_EQ(complaint(routes, "GET", "/", Opener()),
              "route GET \"/\": the answer is an empty function; give it one that can be called");
    EXPECT_EQ(complaint(routes, "GET", "/", WebSocket({})),
              "route GET \"/\": the answer is an empty function; give it one that can be called");
    const WebSocket deaf([](const WebSocket::Message&, WebSocket::Replies&) {});
    EXPECT_EQ(complaint(routes, "POST", "/", deaf),
              "route POST \"/\": a WebSocket begins with GET");
    Response streamed;
    streamed.stream([](std::string&) { return false; });
    EXPECT_EQ(complaint(routes, "GET", "/", Fixed(streamed)),
              "route GET \"/\": a fixed answer is rendered once, so it can't stream; use a "
              "handler");
}

TEST(RoutesRefuse, WithoutATrace) {
    Routes routes = gets({"/a"});
    (void)complaint(routes, "BREW", "/b/{x}", Handler());
    (void)complaint(routes, "GET", "/a");
    EXPECT_EQ(found(routes, "GET", "/a"), "GET /a");
    EXPECT_EQ(found(routes, "POST", "/a"), "405 GET, HEAD, OPTIONS");
    EXPECT_EQ(found(routes, "BREW", "/b/1"), "501");
}

}  // namespace
}  // namespace brick::http
