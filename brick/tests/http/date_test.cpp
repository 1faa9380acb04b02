// The Date of every answer, against the C library's.
#include "http/date.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <string>

namespace brick::http {
namespace {

constexpr std::time_t kEndOf9999 = 253'402'300'799;

std::string rendered(std::time_t now) {
    Date date;
    date.set(now);
    return std::string(date.text());
}

std::string by_strftime(std::time_t now) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::string text(64, '\0');
    text.resize(std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts));
    return text;
}

TEST(Date, IsAnImfFixdate) {
    EXPECT_EQ(rendered(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");  // The RFC's example.
}

TEST(Date, IsADateBeforeItIsSet) { EXPECT_EQ(Date().text(), "Thu, 01 Jan 1970 00:00:00 GMT"); }

TEST(Date, KnowsLeapDays) {
    EXPECT_EQ(rendered(951'782'400), "Tue, 29 Feb 2000 00:00:00 GMT");
    EXPECT_EQ(rendered(1'709'251'199), "Thu, 29 Feb 2024 23:59:59 GMT");
    EXPECT_EQ(rendered(1'709'251'200), "Fri, 01 Mar 2024 00:00:00 GMT");
    EXPECT_EQ(rendered(4'107'542'400), "Mon, 01 Mar 2100 00:00:00 GMT");
}

TEST(Date, FollowsTheTimeInBothDirections) {
    Date date;
    for (const std::time_t now : {100, 100, 101, 100, 99}) {
        date.set(now);
        EXPECT_EQ(date.text(), by_strftime(now));
    }
}

TEST(Date, StaysWithinWhatCanBeWritten) {
    EXPECT_EQ(rendered(-1), rendered(0));
    EXPECT_EQ(rendered(kEndOf9999), "Fri, 31 Dec 9999 23:59:59 GMT");
    EXPECT_EQ(rendered(kEndOf9999 + 1), rendered(kEndOf9999));
}

TEST(Date, IsTheOneOfStrftimeOnEveryDayOfFourCenturies) {
    constexpr std::time_t kDay = 86'400;
    constexpr std::time_t kDays = 400 * 366L;
    for (std::time_t day = 0; day < kDays; ++day) {
        const std::time_t now = day * kDay + day % kDay;
        ASSERT_EQ(rendered(now), by_strftime(now)) << now;
    }
}

TEST(Date, IsTheOneOfStrftimeAtAnyTime) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<std::time_t> times(0, kEndOf9999);
    for (int round = 0; round < 20'000; ++round) {
        const std::time_t now = times(random);
        ASSERT_EQ(rendered(now), by_strftime(now)) << now;
    }
}

}  // namespace
}  // namespace brick::http
