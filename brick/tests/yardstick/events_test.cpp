#include "events.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <vector>

namespace yardstick {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Played {
    std::string body;
    std::vector<std::string> pieces;
    std::vector<std::chrono::nanoseconds> at;  ///< Of each piece, since the beginning.
};

/// Plays a stream to its end like the library: each piece when it is due.
Played played(std::string_view query, bool is_chat = false) {
    Played found;
    const Clock::time_point began = Clock::now();
    const brick::Source source = play(parse_script(query, is_chat), 0ms);
    for (brick::Next next = true; next.has_more;) {
        std::string piece;
        next = source(piece);
        if (!piece.empty()) {
            found.body += piece;
            found.pieces.push_back(piece);
            found.at.push_back(Clock::now() - began);
        }
        const Clock::time_point due = Clock::now() + next.wait;
        while (Clock::now() < due) {
        }
    }
    return found;
}

std::string event(std::string_view id, std::string_view text) {
    return "id: " + std::string(id) + "\ndata: " + std::string(text) + "\n\n";
}

const std::string k1 = event("1", "1 1");
const std::string k2 = event("2", "2 2");
const std::string k3 = event("3", "3 3");

TEST(Events, EachIsNumberedAndHasItsBytes) {
    EXPECT_EQ(played("events=3&bytes=3&gap=0ms").body, k1 + k2 + k3);
    EXPECT_EQ(played("events=1&bytes=0").body, event("1", ""));
}

TEST(Events, NoneIsEarly) {
    const Played stream = played("events=5&bytes=3&first=20ms&gap=10ms");
    std::ptrdiff_t last = 0;
    for (std::size_t n = 0; n < stream.pieces.size(); ++n) {
        last += std::ranges::count(stream.pieces[n], ':') / 2;
        EXPECT_GE(stream.at[n], 20ms + (last - 1) * 10ms);
    }
    EXPECT_EQ(last, 5);
}

TEST(Events, ThoseThatAreLateComeTogetherAndWaitsDoNotAddUp) {
    const brick::Source source = play(parse_script("events=5&bytes=3&gap=10ms", false), 0ms);
    std::this_thread::sleep_for(20ms);
    std::string out;
    static_cast<void>(source(out));
    EXPECT_TRUE(out.starts_with(k1 + k2 + k3));
}

TEST(Events, JitterIsTheSeeds) {
    const auto wait = [](std::string_view seed) {
        const std::string query = "gap=60s&jitter=60s&seed=" + std::string(seed);
        std::string out;
        return play(parse_script(query, false), 0ms)(out).wait;
    };
    const auto six = wait("6");
    EXPECT_LE(six, 120s);
    EXPECT_LT(std::chrono::abs(six - wait("6")), 1s);
    EXPECT_GT(std::chrono::abs(six - wait("9")), 2s);
}

TEST(Events, ClumpsLeaveWhenTheirLastIsDue) {
    const Played stream = played("events=5&bytes=3&gap=5ms&clump=2");
    const std::vector<std::string> whole = {k1 + k2, k1 + k2 + k3 + event("4", "4 4"), stream.body};
    std::string body;
    for (const std::string& piece : stream.pieces) {
        body += piece;
        EXPECT_NE(std::ranges::find(whole, body), whole.end());
    }
    EXPECT_EQ(stream.body, whole[1] + event("5", "5 5"));
    EXPECT_GE(stream.at[0], 5ms);
}

TEST(Events, LiesConcernTheEventThatIsNamed) {
    const auto body = [](std::string_view lie) {
        return played("events=3&bytes=3&gap=0ms&at=2&lie=" + std::string(lie)).body;
    };
    EXPECT_EQ(body("stop"), k1);
    EXPECT_EQ(body("twice"), k1 + k2 + k2 + k3);
    EXPECT_EQ(body("drop"), k1 + k3);
    EXPECT_EQ(body("swap"), k1 + k3 + k2);
    EXPECT_EQ(body("alter"), k1 + event("2", "2 !") + k3);
    EXPECT_EQ(body("half"), k1 + event("2", "2 \xE2") + k3);
    EXPECT_EQ(body("comments"), ": nothing yet\n\n: nothing yet\n\n: nothing yet\n\n");
}

TEST(Events, AResetComesAfterTheEventsBeforeItEvenIfAllAreLate) {
    const brick::Source source =
        play(parse_script("events=3&bytes=3&gap=0ms&lie=reset&at=3", false), 0ms);
    std::string out;
    EXPECT_TRUE(source(out).has_more);
    EXPECT_EQ(out, k1 + k2);
    std::string more;
    EXPECT_THROW(source(more), std::runtime_error);
}

TEST(Events, OneThatHangsNeitherEndsNorSaysMore) {
    const brick::Source source = play(parse_script("events=3&gap=0ms&lie=hang&at=1", false), 0ms);
    std::string out;
    for (int times = 0; times < 2; ++times) EXPECT_GE(source(out).wait, 1s);
    EXPECT_EQ(out, "");
}

TEST(Chat, IsAsOpenAiStreamsIt) {
    const std::string head =
        R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,)"
        R"("model":"scripted","choices":[{"index":0,"delta":{)";
    EXPECT_EQ(played("events=2&bytes=2&gap=0ms", true).body,
              head + R"("role":"assistant","content":"1 "},"finish_reason":null}]})" + "\n\n" +
                  head + R"("content":"2 "},"finish_reason":null}]})" + "\n\n" + head +
                  R"(},"finish_reason":"stop"}]})" + "\n\ndata: [DONE]\n\n");
}

TEST(Script, ARefusalNamesTheParameter) {
    const auto refusal = [](std::string_view query) -> std::string {
        try {
            (void)parse_script(query, false);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "nothing was refused";
    };
    for (const std::string_view name : {"events=0", "bytes=x", "first=5", "gap=", "jitter=1",
                                        "seed=x", "clump=0", "lie=none", "at=0", "type=%x"}) {
        EXPECT_TRUE(refusal(name).starts_with(name.substr(0, name.find('=')))) << name;
    }
    EXPECT_EQ(refusal("evnts=3"), "evnts: there is no such parameter; see brick-yardstick --help");
    for (const char* const query : {"events", "jitter=11ms", "at=3"}) {
        EXPECT_NE(refusal(query), "nothing was refused") << query;
    }
    EXPECT_EQ(refusal("type=text%2Fplain&"), "nothing was refused");
}

}  // namespace
}  // namespace yardstick
