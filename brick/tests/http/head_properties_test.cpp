/// Properties of every head: tested with the table's heads, and with mutants of them.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "http/head.hpp"
#include "http/head_cases.hpp"
#include "http/head_plainly.hpp"

namespace brick::http {
namespace {

/// Memory whose last byte is followed by an inaccessible page.
class Guarded {
public:
    Guarded() {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        bytes_ = 4 * page;
        void* const memory = mmap(nullptr, bytes_ + page, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED ||
            mprotect(static_cast<char*>(memory) + bytes_, page, PROT_NONE)) {
            throw std::bad_alloc();
        }
        memory_ = static_cast<char*>(memory);
        whole_ = bytes_ + page;
    }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    ~Guarded() { munmap(memory_, whole_); }

    /// A copy of `text`, at most 4 pages, that ends where the page begins.
    std::string_view copy(std::string_view text) {
        char* const start = memory_ + bytes_ - text.size();
        std::memcpy(start, text.data(), text.size());
        return {start, text.size()};
    }

private:
    char* memory_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t whole_ = 0;
};

bool same(std::string_view one, std::string_view other) { return one == other; }

/// All results of the two parsers must be equal.
void expect_agreement(std::string_view bytes, const Limits& limits) {
    static Head fast;
    static Head plain;
    const Parsed one = parse_head(bytes, limits, fast);
    const Parsed other = testing::parse_head_plainly(bytes, limits, plain);
    ASSERT_EQ(one.consumed, other.consumed) << bytes;
    ASSERT_EQ(one.refusal, other.refusal) << bytes;
    if (one.consumed == 0) {
        return;
    }
    EXPECT_EQ(fast.method, plain.method) << bytes;
    EXPECT_EQ(fast.target, plain.target) << bytes;
    EXPECT_EQ(fast.path, plain.path) << bytes;
    EXPECT_EQ(fast.query, plain.query) << bytes;
    EXPECT_EQ(fast.form, plain.form) << bytes;
    EXPECT_EQ(fast.framing, plain.framing) << bytes;
    EXPECT_EQ(fast.length, plain.length) << bytes;
    EXPECT_EQ(fast.minor, plain.minor) << bytes;
    EXPECT_EQ(fast.keeps_alive, plain.keeps_alive) << bytes;
    EXPECT_EQ(fast.expects_continue, plain.expects_continue) << bytes;
    EXPECT_TRUE(std::ranges::equal(fast.all_fields(), plain.all_fields(),
                                   [](const Field& a, const Field& b) {
                                       return same(a.name, b.name) && same(a.value, b.value);
                                   }))
        << bytes;
}

TEST(EveryHead, IsReadWithinItsBytes) {
    Guarded guarded;
    Head head;
    for (const auto& one : testing::head_cases()) {
        const std::string_view bytes = one.bytes;
        for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
            const Parsed there = parse_head(guarded.copy(bytes.substr(0, cut)), {}, head);
            EXPECT_LE(there.consumed, cut) << one.name;
        }
    }
}

TEST(EveryHead, HasOneVerdictHoweverMuchOfItCame) {
    Head head;
    for (const auto& one : testing::head_cases()) {
        SCOPED_TRACE(one.name);
        const std::string_view bytes = one.bytes;
        const Parsed whole = parse_head(bytes, {}, head);
        bool is_decided = false;
        for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
            const Parsed part = parse_head(bytes.substr(0, cut), {}, head);
            is_decided = is_decided || part.refusal != 0 || part.consumed != 0;
            EXPECT_EQ(part.refusal, is_decided ? whole.refusal : 0) << cut;
            EXPECT_EQ(part.consumed, is_decided ? whole.consumed : 0) << cut;
        }
        EXPECT_TRUE(is_decided);
        const Parsed more = parse_head(one.bytes + "GET / HTTP/1.1\r\n\r\n", {}, head);
        EXPECT_EQ(more.refusal, whole.refusal);
        EXPECT_EQ(more.consumed, whole.consumed);
    }
}

TEST(EveryHead, IsDecidedOnlyWhereALineEnds) {
    Head head;
    for (const auto& one : testing::head_cases()) {
        for (std::size_t cut = 1; cut <= one.bytes.size(); ++cut) {
            if (one.bytes[cut - 1] == '\n') {
                continue;
            }
            const std::string_view part = std::string_view(one.bytes).substr(0, cut);
            const std::size_t line_end = part.rfind('\n') + 1;  // 0 if there is none.
            EXPECT_EQ(parse_head(part, {}, head).refusal,
                      parse_head(part.substr(0, line_end), {}, head).refusal)
                << one.name << ", its first " << cut << " bytes";
        }
    }
}

TEST(EveryHead, IsTheSameToThePlainParserHoweverMuchOfItCame) {
    for (const auto& one : testing::head_cases()) {
        SCOPED_TRACE(one.name);
        for (std::size_t cut = 0; cut <= one.bytes.size(); ++cut) {
            expect_agreement(std::string_view(one.bytes).substr(0, cut), {});
        }
    }
}

TEST(EveryHead, IsTheSameToThePlainParserUnderNarrowLimits) {
    for (const auto& one : testing::head_cases()) {
        SCOPED_TRACE(one.name);
        for (std::size_t bytes = 2; bytes <= one.bytes.size() + 1; ++bytes) {
            Limits limits;
            limits.head_bytes = bytes;
            expect_agreement(one.bytes, limits);
            limits.request_line_bytes = bytes / 2;
            expect_agreement(one.bytes, limits);
            limits = Limits{.request_line_bytes = bytes, .fields = bytes % 4};
            expect_agreement(one.bytes, limits);
        }
    }
}

/// Heads that differ from the table's by a few bytes, or are two of them spliced.
class Mutants {
    std::size_t below(std::size_t bound) { return random_() % std::max<std::size_t>(bound, 1); }

    template <typename Range>
    const auto& pick(const Range& range) {
        return range[below(range.size())];
    }

public:
    std::string next() {
        std::string bytes = pick(cases_).bytes;
        const std::string& other = pick(cases_).bytes;
        if (below(4) == 0) {
            bytes = bytes.substr(0, below(bytes.size())) + other.substr(below(other.size()));
        }
        for (std::size_t change = below(4); change > 0 && !bytes.empty(); --change) {
            const std::size_t at = below(bytes.size());
            const char byte = below(2) == 0 ? static_cast<char>(below(256)) : pick(kMarks);
            switch (below(4)) {
                case 0:
                    bytes.erase(at, 1 + below(3));
                    break;
                case 1:
                    bytes.insert(at, 1 + below(20), byte);
                    break;
                default:
                    bytes[at] = byte;
            }
        }
        return bytes;
    }

private:
    static constexpr std::string_view kMarks = "\r\n\t :/?%*[].,;=\"\\@#-+0aH\x7f";
    std::mt19937 random_{20'260'601};  // NOLINT: the same ones each time.
    std::vector<testing::HeadCase> cases_ = testing::head_cases();
};

TEST(EveryHead, IsTheSameToThePlainParserWhenItIsAMutant) {
    Mutants mutants;
    const std::string_view behind = "\r\n\r\n";
    for (int n = 0; n < 100'000 && !::testing::Test::HasFailure(); ++n) {
        const std::string bytes = mutants.next();
        expect_agreement(bytes, {});
        expect_agreement(bytes + std::string(behind), {});
    }
}

}  // namespace
}  // namespace brick::http
