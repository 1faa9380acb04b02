#include "stalls.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <system_error>

namespace yardstick {
namespace {

using namespace std::chrono_literals;

TEST(Stalls, WhoComesWithinAWindowLeavesAtItsEnd) {
    const auto before = std::chrono::steady_clock::now();
    Stalls stalls(99ms, 100ms, "");
    const auto latest = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() < latest + 2ms) {
    }
    stalls.pass();  // 1 ms and more after the beginning: within the window from 1 to 100 ms.
    EXPECT_GE(std::chrono::steady_clock::now() - before, 100ms);
}

TEST(Stalls, ALogThatCannotBeWrittenIsNamed) {
    try {
        const Stalls stalls(1ms, 1s, "/no/such/folder/log");
        FAIL() << "a log was opened in no folder";
    } catch (const std::system_error& error) {
        EXPECT_NE(std::string(error.what()).find("/no/such/folder/log"), std::string::npos);
        EXPECT_EQ(error.code().value(), ENOENT);
    }
}

}  // namespace
}  // namespace yardstick
