// Which route answers, and what is said when none does.
#include "http/routes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace brick::http {
namespace {

using namespace std::string_literals;

/// A route whose answer has its own method and pattern for a body.
void add(Routes& routes, const std::string& method, const std::string& pattern) {
    routes.add(method, pattern, Fixed(200, "text/plain", method + " " + pattern));
}

Routes gets(std::initializer_list<std::string> patterns) {
    Routes routes;
    for (const std::string& pattern : patterns) {
        add(routes, "GET", pattern);
    }
    return routes;
}

/// The body of the route that answers; empty if none does.
std::string body(const Match& match) {
    if (match.answer == nullptr) return "";
    const auto& fixed = std::get<Rendered>(*match.answer);
    std::string bytes(fixed.bytes(Connection::silent, true), '\0');
    (void)fixed.write(bytes.data(), Connection::silent, true, Date{});
    return bytes.substr(fixed.bytes(Connection::silent, false));
}

/// What a request finds: the route and its parameters, "405 " and what is allowed, 404 or 501.
std::string found(const Routes& routes, std::string_view method, std::string_view path) {
    Match match;
    routes.find(method, path, match);
    if (!match.method_known) {
        EXPECT_EQ(match.answer, nullptr);
        return "501";
    }
    if (match.answer == nullptr) {
        EXPECT_EQ(match.param_count, 0U);
        return match.allow.empty() ? "404" : "405 " + std::string(match.allow);
    }
    EXPECT_EQ(match.allow, "");
    std::string text = body(match);
    for (std::size_t at = 0; at < match.param_count; ++at) {
        text +=
            " " + std::string(match.params[at].name) + "=" + std::string(match.params[at].value);
    }
    return text;
}

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

// The rules again, without a trie: all patterns are tried, and the best of those that match wins.

std::vector<std::string> split(const std::string& path) {
    std::vector<std::string> segments;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at + 1), path.size());
        segments.push_back(path.substr(at + 1, end - at - 1));
        at = end;
    }
    return segments;
}

/// The path's rank under the pattern, a letter a segment: literal a, name b, rest c. Empty: no
/// match. The least rank in the order of letters is the best.
std::string rank(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
    std::string rank;
    for (std::size_t at = 0; at < pattern.size(); ++at) {
        if (at == path.size()) {
            return "";
        }
        if (pattern[at].ends_with("...}")) {
            return rank + "c";
        }
        if (!pattern[at].starts_with("{")) {
            if (pattern[at] != path[at]) {
                return "";
            }
            rank += "a";
        } else if (path[at].empty()) {
            return "";
        } else {
            rank += "b";
        }
    }
    return pattern.size() == path.size() ? rank : "";
}

std::string found_plainly(const std::vector<std::string>& patterns, const std::string& path) {
    std::string best;
    std::string best_rank = "z";
    for (const std::string& pattern : patterns) {
        const std::string its = rank(split(pattern), split(path));
        if (!its.empty() && its < best_rank) {
            best = "GET " + pattern;
            best_rank = its;
        }
    }
    return best;
}

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}

    int below(int end) { return std::uniform_int_distribution(0, end - 1)(engine_); }

    std::string segment() {
        return std::array{"a", "b", "c", ""}[static_cast<std::size_t>(below(4))];
    }

    std::string path() {
        std::string path;
        for (int left = 1 + below(5); left > 0; --left) {
            path += "/" + segment();
        }
        return path;
    }

    std::string pattern() {
        std::string pattern;
        const int segments = 1 + below(4);
        for (int at = 0; at < segments; ++at) {
            const std::string name = "{n" + std::to_string(at);
            const bool last = at == segments - 1;
            const int kind = below(last ? 6 : 5);
            pattern += "/" + (kind == 5 ? name + "...}" : kind > 2 ? name + "}" : segment());
        }
        return pattern;
    }

private:
    std::mt19937 engine_;
};

TEST(Routes, FindWhatAPlainMatcherFinds) {
    Random random(1);
    int matches = 0;
    for (int round = 0; round < 300; ++round) {
        Routes routes;
        std::vector<std::string> patterns;
        for (int left = 1 + random.below(20); left > 0; --left) {
            const std::string pattern = random.pattern();
            if (std::find(patterns.begin(), patterns.end(), pattern) == patterns.end()) {
                patterns.push_back(pattern);
                add(routes, "GET", pattern);
            }
        }
        for (int left = 100; left > 0; --left) {
            const std::string path = random.path();
            Match match;
            routes.find("GET", path, match);
            const std::string wanted = found_plainly(patterns, path);
            ASSERT_EQ(body(match), wanted) << path;
            matches += wanted.empty() ? 0 : 1;

            // The pattern with the values in place of its names is the path again.
            std::string again = wanted.empty() ? path : wanted.substr(4);
            for (std::size_t at = 0; at < match.param_count; ++at) {
                const std::size_t begin = again.find("{" + std::string(match.params[at].name));
                ASSERT_NE(begin, std::string::npos);
                again.replace(begin, again.find('}', begin) + 1 - begin, match.params[at].value);
            }
            ASSERT_EQ(again, path) << wanted;
        }
    }
    EXPECT_GT(matches, 1000) << "or the patterns and paths have too little in common";
}

}  // namespace
}  // namespace brick::http
