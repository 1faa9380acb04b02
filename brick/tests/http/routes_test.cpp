// Which route answers, and the answers when there is none.
#include "http/routes.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "http/route_finds.hpp"

namespace brick::http {
namespace {

using namespace std::string_literals;
using namespace testing;

std::string got(const Routes& routes, std::string_view path) { return found(routes, "GET", path); }

TEST(Routes, AreFoundByTheirExactPath) {
    const Routes routes = gets({"/", "/a", "/a/", "/a/b", "/a//b"});
    for (const char* path : {"/", "/a", "/a/", "/a/b", "/a//b"}) {
        EXPECT_EQ(got(routes, path), "GET "s + path);
    }
    for (const char* path : {"//", "/A", "/ab", "/a/b/", "/b", "/a/c", "/%61", "a", "/a/b/c"}) {
        EXPECT_EQ(got(routes, path), "404") << path;
    }
}

TEST(Routes, GiveANameOneSegmentThatIsNotEmpty) {
    const Routes routes = gets({"/users/{id}", "/users/{id}/files/{file}"});
    EXPECT_EQ(got(routes, "/users/ann"), "GET /users/{id} id=ann");
    EXPECT_EQ(got(routes, "/users/7/files/x.txt"), "GET /users/{id}/files/{file} id=7 file=x.txt");
    for (const char* path : {"/users", "/users/", "/users/a/", "/users//files/b", "/users/a/files/",
                             "/users/a/files", "/users/a/files/b/c"}) {
        EXPECT_EQ(got(routes, path), "404") << path;
    }
}

TEST(Routes, LeaveValuesAsTheyWereSent) {
    EXPECT_EQ(got(gets({"/{x}"}), "/a%2Fb+c%zz"), "GET /{x} x=a%2Fb+c%zz");
}

TEST(Routes, GiveTheLastNameAllTheRest) {
    const Routes routes = gets({"/files/{path...}"});
    EXPECT_EQ(got(routes, "/files/a"), "GET /files/{path...} path=a");
    EXPECT_EQ(got(routes, "/files/a/b//c/"), "GET /files/{path...} path=a/b//c/");
    EXPECT_EQ(got(routes, "/files/"), "GET /files/{path...} path=") << "the rest may be empty";
    EXPECT_EQ(got(routes, "/files"), "404") << "but its slash is there";
    EXPECT_EQ(got(gets({"/{all...}"}), "/"), "GET /{all...} all=");
}

TEST(Routes, PreferALiteralToANameAndANameToTheRest) {
    const Routes routes = gets({"/{rest...}", "/{name}", "/a", "/{name}/b", "/a/{name}"});
    EXPECT_EQ(got(routes, "/a"), "GET /a");
    EXPECT_EQ(got(routes, "/x"), "GET /{name} name=x");
    EXPECT_EQ(got(routes, "/"), "GET /{rest...} rest=");
    EXPECT_EQ(got(routes, "/a/b"), "GET /a/{name} name=b") << "the first difference decides";
    EXPECT_EQ(got(routes, "/x/b"), "GET /{name}/b name=x");
    EXPECT_EQ(got(routes, "/x/c"), "GET /{rest...} rest=x/c");
}

TEST(Routes, GoBackFromALiteralThatLeadsNowhere) {
    const Routes routes = gets({"/a/{x}/c", "/a/b/d", "/{rest...}"});
    EXPECT_EQ(got(routes, "/a/b/c"), "GET /a/{x}/c x=b");
    EXPECT_EQ(got(routes, "/a/b/d"), "GET /a/b/d");
    EXPECT_EQ(got(routes, "/a/x/d"), "GET /{rest...} rest=a/x/d");
}

TEST(Routes, KeepTheNamesOfEachRoute) {
    Routes routes;
    add(routes, "GET", "/{user}");
    add(routes, "PUT", "/{id}");
    add(routes, "GET", "/{group}/x");
    EXPECT_EQ(found(routes, "GET", "/7"), "GET /{user} user=7");
    EXPECT_EQ(found(routes, "PUT", "/7"), "PUT /{id} id=7");
    EXPECT_EQ(found(routes, "GET", "/7/x"), "GET /{group}/x group=7");
}

TEST(Routes, TakeAsManyNamesAsFit) {
    std::string pattern;
    std::string path;
    for (std::size_t at = 0; at < kMostParams; ++at) {
        pattern += "/{n" + std::to_string(at) + "}";
        path += "/" + std::to_string(at);
    }
    const Routes routes = gets({pattern});
    Match match;
    routes.find("GET", path, match);
    ASSERT_EQ(match.param_count, kMostParams);
    EXPECT_EQ(match.params.back().name, "n15");
    EXPECT_EQ(match.params.back().value, "15");
}

TEST(Routes, AnswerHeadFromGetUnlessThereIsHead) {
    Routes routes = gets({"/a", "/b", "/c/{x}"});
    add(routes, "HEAD", "/b");
    EXPECT_EQ(found(routes, "HEAD", "/a"), "GET /a");
    EXPECT_EQ(found(routes, "HEAD", "/b"), "HEAD /b");
    EXPECT_EQ(found(routes, "HEAD", "/c/1"), "GET /c/{x} x=1");
    EXPECT_EQ(found(routes, "GET", "/b"), "GET /b");
}

TEST(Routes, SayWhatIsAllowedWhereTheMethodIsNot) {
    Routes routes;
    add(routes, "PUT", "/a");
    EXPECT_EQ(found(routes, "GET", "/a"), "405 OPTIONS, PUT");
    EXPECT_EQ(found(routes, "HEAD", "/a"), "405 OPTIONS, PUT");
    add(routes, "GET", "/a");
    EXPECT_EQ(found(routes, "POST", "/a"), "405 GET, HEAD, OPTIONS, PUT");
    EXPECT_EQ(found(routes, "TRACE", "/a"), "405 GET, HEAD, OPTIONS, PUT");
    EXPECT_EQ(found(routes, "OPTIONS", "/a"), "405 GET, HEAD, OPTIONS, PUT")
        << "the caller makes a 204 of it";
    add(routes, "OPTIONS", "/a");
    EXPECT_EQ(found(routes, "OPTIONS", "/a"), "OPTIONS /a");
}

TEST(Routes, ChooseByThePathFirst) {
    Routes routes;
    add(routes, "GET", "/a/b");
    add(routes, "POST", "/a/{x}");
    EXPECT_EQ(found(routes, "POST", "/a/b"), "405 GET, HEAD, OPTIONS");
    EXPECT_EQ(found(routes, "POST", "/a/c"), "POST /a/{x} x=c");
}

TEST(Routes, AllowForTheWholeServerWhatAnyRouteHas) {
    EXPECT_EQ(found(Routes(), "OPTIONS", "*"), "405 OPTIONS");
    Routes routes = gets({"/a"});
    add(routes, "DELETE", "/b");
    add(routes, "BREW", "/b/{x}");
    EXPECT_EQ(found(routes, "OPTIONS", "*"), "405 BREW, DELETE, GET, HEAD, OPTIONS");
    EXPECT_EQ(found(routes, "CONNECT", ""), "405 BREW, DELETE, GET, HEAD, OPTIONS");
}

TEST(Routes, KnowTheMethodsOfTheRfcsAndTheirOwn) {
    Routes routes = gets({"/a"});
    EXPECT_EQ(found(routes, "BREW", "/a"), "501");
    EXPECT_EQ(found(routes, "BREW", "/b"), "501");
    EXPECT_EQ(found(routes, "get", "/a"), "501") << "methods have their case";
    for (const char* method :
         {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}) {
        EXPECT_EQ(found(routes, method, "/b"), "404") << method;
    }
    add(routes, "BREW", "/c");
    EXPECT_EQ(found(routes, "BREW", "/a"), "405 GET, HEAD, OPTIONS");
    EXPECT_EQ(found(routes, "BREW", "/c"), "BREW /c");
}

TEST(Routes, ForgetTheLastRequest) {
    const Routes routes = gets({"/{x}"});
    Match match;
    routes.find("GET", "/1", match);
    routes.find("BREW", "/1", match);
    EXPECT_EQ(match.answer, nullptr);
    EXPECT_EQ(match.param_count, 0U);
    routes.find("GET", "/2", match);
    EXPECT_TRUE(match.method_known);
    EXPECT_EQ(match.allow, "");
    EXPECT_EQ(match.params[0].value, "2");
}

TEST(Routes, LeadToHandlersAndOpenersToo) {
    Routes routes;
    routes.add("GET", "/", [](const Request&) { return Response(201); });
    routes.add("POST", "/", [](const Request&) -> std::unique_ptr<Sink> { return nullptr; });
    Match match;
    routes.find("GET", "/", match);
    EXPECT_EQ(std::get<Handler>(*match.answer)(Request{}).status(), 201);
    routes.find("POST", "/", match);
    EXPECT_EQ(std::get<Opener>(*match.answer)(Request{}), nullptr);
}

}  // namespace
}  // namespace brick::http
