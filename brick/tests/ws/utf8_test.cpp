// UTF-8 as it comes, against a decoder by numbers.
#include "ws/utf8.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "ws/echo_plainly.hpp"

namespace brick::ws {
namespace {

using testing::is_utf8_plainly;

void expect_agreement(const std::string& text, std::size_t cut) {
    Utf8 utf8;
    const bool is_start = utf8.take(text.substr(0, cut)) && utf8.take(text.substr(cut));
    ASSERT_EQ(is_start, is_utf8_plainly(text, false)) << ::testing::PrintToString(text);
    ASSERT_EQ(is_start && utf8.is_whole(), is_utf8_plainly(text, true))
        << ::testing::PrintToString(text);
}

TEST(Utf8, IsJudgedAsByNumbersForAnyThreeBytes) {
    for (unsigned two = 0; two < 1U << 16U; ++two) {
        for (const char third : {'\0', '\x7f', '\x80', '\xbf', '\xc0', '\xff'}) {
            expect_agreement({static_cast<char>(two >> 8U), static_cast<char>(two), third}, 1);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(Utf8, IsJudgedAsByNumbersForCharactersOfFourBytes) {
    for (unsigned first = 0xf0; first <= 0xf8; ++first) {
        for (unsigned rest = 0; rest < 1U << 18U; rest += 61) {
            const std::string text{static_cast<char>(first), static_cast<char>(0x80U | rest >> 12U),
                                   static_cast<char>(0x80U | (rest >> 6U & 63U)),
                                   static_cast<char>(0x80U | (rest & 63U))};
            expect_agreement(text, 2);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(Utf8, OfAnyLengthIsJudgedAsByNumbers) {
    std::mt19937 random(1);
    constexpr std::string_view kPieces[] = {"a",
                                            "bcdefghijklmnopqrstuvwxyz0123456789",
                                            "\xc3\xb6",
                                            "\xe2\x82\xac",
                                            "\xf0\x9f\x8e\x89",
                                            "\xf4\x8f\xbf\xbf"};
    for (int time = 0; time < 20'000; ++time) {
        std::string text;
        for (std::size_t left = random() % 12; left > 0; --left) text += kPieces[random() % 6];
        if (!text.empty() && random() % 2 == 0) {
            text[random() % text.size()] = static_cast<char>(random());
        }
        expect_agreement(text, random() % (text.size() + 1));
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace brick::ws
