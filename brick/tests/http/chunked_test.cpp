#include "http/chunked.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "http/chunked_cases.hpp"
#include "http/chunked_plainly.hpp"

namespace brick::http {
namespace {

using State = Chunked::Step::State;
using testing::Decoded;

constexpr std::size_t kOverhead = 64;  // The table was written for this.

Decoded::End end_of(State state) {
    return state == State::done      ? Decoded::End::done
           : state == State::refused ? Decoded::End::refused
                                     : Decoded::End::more;
}

/// Gives `input` to `chunked` until it is consumed or `chunked` takes no more.
void feed(Chunked& chunked, std::string_view input, Decoded& out) {
    while (!input.empty() && out.end == Decoded::End::more) {
        const Chunked::Step step = chunked.decode(input);
        ASSERT_LE(step.consumed, input.size());
        ASSERT_TRUE(step.consumed > 0 || step.state != State::more) << "it stands still";
        out.data += step.data;
        out.consumed += step.consumed;
        out.end = end_of(step.state);
        out.refusal = step.refusal;
        input.remove_prefix(step.consumed);
    }
}

Decoded whole(std::string_view input) {
    Chunked chunked{kOverhead};
    Decoded out;
    feed(chunked, input, out);
    return out;
}

TEST(Chunked, DecidesEachCaseOfTheTable) {
    for (const auto& one : testing::chunked_cases()) {
        SCOPED_TRACE(one.name);
        const Decoded out = whole(one.bytes);
        EXPECT_EQ(out.refusal, one.refusal);
        EXPECT_EQ(out.end, one.refusal == 0 ? Decoded::End::done : Decoded::End::refused);
        EXPECT_EQ(out.data, one.data);
        if (one.refusal == 0) {
            EXPECT_EQ(out.consumed, one.bytes.size());
        }
    }
}

TEST(Chunked, DecidesTheSameByteByByteAndAtEachSplit) {
    for (const auto& one : testing::chunked_cases()) {
        SCOPED_TRACE(one.name);
        const Decoded expected = whole(one.bytes);
        Chunked slow{kOverhead};
        Decoded bytewise;
        for (std::size_t at = 0; at < one.bytes.size(); ++at) {
            feed(slow, std::string_view(one.bytes).substr(at, 1), bytewise);
        }
        EXPECT_EQ(bytewise, expected);
        for (std::size_t split = 0; split <= one.bytes.size(); ++split) {
            Chunked chunked{kOverhead};
            Decoded out;
            feed(chunked, std::string_view(one.bytes).substr(0, split), out);
            feed(chunked, std::string_view(one.bytes).substr(split), out);
            EXPECT_EQ(out, expected) << "split at " << split;
        }
    }
}

TEST(Chunked, DecidesAsTheGrammarDoes) {
    for (const auto& one : testing::chunked_cases()) {
        for (std::size_t cut = 0; cut <= one.bytes.size(); ++cut) {
            const std::string_view part = std::string_view(one.bytes).substr(0, cut);
            EXPECT_EQ(whole(part), testing::decode_plainly(part, kOverhead))
                << one.name << ", its first " << cut << " bytes";
        }
    }
}

TEST(Chunked, LeavesTheNextRequestAlone) {
    const std::string body = "1\r\na\r\n0\r\n\r\n";
    const Decoded out = whole(body + "GET / HTTP/1.1\r\n");
    EXPECT_EQ(out.end, Decoded::End::done);
    EXPECT_EQ(out.consumed, body.size());
}

TEST(Chunked, GivesDataWithinTheInput) {
    const std::string_view body = "5\r\nhello\r\n";
    Chunked chunked{kOverhead};
    const Chunked::Step step = chunked.decode(body);
    EXPECT_EQ(step.data.data(), body.data() + 3);
    EXPECT_EQ(step.data.size(), 5U);
    EXPECT_EQ(step.consumed, 8U);
}

TEST(Chunked, AnnouncesWhatAChunkHasStillToBring) {
    Chunked chunked{kOverhead};
    EXPECT_EQ(chunked.announced_bytes(), 0U);
    EXPECT_EQ(chunked.decode("7fffffffffffffff\r\n").consumed, 18U);
    EXPECT_EQ(chunked.announced_bytes(), 0x7fff'ffff'ffff'ffffU);
    EXPECT_EQ(chunked.decode("abc").data, "abc");
    EXPECT_EQ(chunked.announced_bytes(), 0x7fff'ffff'ffff'fffcU);
}

TEST(Chunked, TakesTheSizeOfEachChunkAnew) {
    Chunked chunked{kOverhead};
    EXPECT_EQ(chunked.decode("10\r\n").consumed, 4U);
    EXPECT_EQ(chunked.decode("0123456789abcdef").data.size(), 16U);
    EXPECT_EQ(chunked.decode("\r\n1\r\n").consumed, 5U);
    EXPECT_EQ(chunked.announced_bytes(), 1U);
}

TEST(Chunked, StaysAtItsEnd) {
    Chunked good{kOverhead};
    EXPECT_EQ(good.decode("0\r\n\r\n").state, State::done);
    EXPECT_EQ(good.decode("0\r\n\r\n").state, State::done);
    EXPECT_EQ(good.decode("0\r\n\r\n").consumed, 0U);
    Chunked bad{kOverhead};
    EXPECT_EQ(bad.decode("x").refusal, 400);
    EXPECT_EQ(bad.decode("0\r\n\r\n").state, State::refused);
    EXPECT_EQ(bad.decode("0\r\n\r\n").refusal, 400);
}

TEST(Chunked, BoundsWhatIsNoDataOverTheWholeBody) {
    std::string body;
    for (int chunk = 0; chunk < 32; ++chunk) {
        body += "1;b\r\na\r\n";
    }
    EXPECT_EQ(whole(body + "0\r\n\r\n").end, Decoded::End::done);
    EXPECT_EQ(whole(body + "0;b\r\n\r\n").refusal, 431);
    EXPECT_EQ(whole(body + "0\r\nB:\r\n\r\n").refusal, 431);
}

}  // namespace
}  // namespace brick::http
