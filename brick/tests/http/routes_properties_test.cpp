// Random routes and paths, compared with a matcher without a trie.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "http/route_finds.hpp"
#include "http/routes.hpp"

namespace brick::http {
namespace {

using namespace testing;

// The rules again: all patterns are tried, and the best of the matching ones wins.

std::vector<std::string> split(const std::string& path) {
    std::vector<std::string> segments;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at + 1), path.size());
        segments.push_back(path.substr(at + 1, end - at - 1));
        at = end;
    }
    return segments;
}

/// The path's rank under the pattern, a letter for each segment: literal a, name b, rest c. Empty:
/// no match. The least rank in the order of letters is the best.
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

            // The pattern with the values instead of its names gives the path again.
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
