#include "units.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace yardstick {
namespace {

using namespace std::chrono_literals;

TEST(Units, DurationsAreANumberAndAUnit) {
    EXPECT_EQ(duration("5ns"), 5ns);
    EXPECT_EQ(duration("5us"), 5us);
    EXPECT_EQ(duration("1.5ms"), 1500us);
    EXPECT_EQ(duration("0s"), 0s);
    EXPECT_EQ(duration("3600s"), 1h);
}

TEST(Units, SizesAreBytesOrANumberAndAUnit) {
    EXPECT_EQ(size_bytes("0"), 0U);
    EXPECT_EQ(size_bytes("13"), 13U);
    EXPECT_EQ(size_bytes("13B"), 13U);
    EXPECT_EQ(size_bytes("0.5KiB"), 512U);
    EXPECT_EQ(size_bytes("1MiB"), 1'048'576U);
}

TEST(Units, WhatIsNoDurationIsRefused) {
    for (const char* const text : {"", "5", "ms", "5 ms", "-5ms", "-0ms", "5msx", "5m", "0x5ms",
                                   "nanms", "infms", "1e400ms", "3601s"}) {
        EXPECT_THROW((void)duration(text), std::invalid_argument) << text;
    }
}

TEST(Units, WhatIsNoSizeIsRefused) {
    for (const char* const text : {"", "x", "5K", "5KB", "-1", "1.5", "0.3KiB", "1025MiB", "nan"}) {
        EXPECT_THROW((void)size_bytes(text), std::invalid_argument) << text;
    }
}

TEST(Units, NumbersKeepTheirRange) {
    EXPECT_EQ(number("1", 1, 3), 1U);
    EXPECT_EQ(number("3", 1, 3), 3U);
    for (const char* const text : {"0", "4", "", "x", "2x", "-1", "99999999999999999999"}) {
        EXPECT_THROW((void)number(text, 1, 3), std::invalid_argument) << text;
    }
}

TEST(Units, ARefusalSaysWhatWouldBeRight) {
    try {
        (void)duration("5");
        FAIL() << "5 is no duration";
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(),
                     "\"5\" is no duration; it takes a number and ns, us, ms or s, like 5ms");
    }
}

}  // namespace
}  // namespace yardstick
