#include "options.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace yardstick {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<const char*>;

std::string refusal(const Words& words) {
    try {
        (void)parse_options(words);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(Options, NoWordsAreAHelloServer) {
    const Options options = parse_options({});
    EXPECT_EQ(options.host, "127.0.0.1");
    EXPECT_EQ(options.port, 8080);
    EXPECT_EQ(options.threads, 1U);
    EXPECT_FALSE(options.null);
    EXPECT_FALSE(options.body_bytes);
}

TEST(Options, AValueFollowsOrIsJoined) {
    const Options options = parse_options(
        Words{"--busy", "5us", "--port=0", "--io", "epoll", "--one-byte", "--gap=1ms"});
    EXPECT_EQ(options.busy, 5us);
    EXPECT_EQ(options.port, 0);
    EXPECT_EQ(options.io, brick::Io::epoll);
    EXPECT_EQ(options.piece_bytes, 1U);
    EXPECT_EQ(options.gap, 1ms);
}

TEST(Options, CausesAddUp) {
    const Options options =
        parse_options(Words{"--calls", "2", "--copy=64KiB", "--line=100", "--to=/tmp/a log"});
    EXPECT_TRUE(options.causes.any());
    EXPECT_EQ(options.causes.calls, 2U);
    EXPECT_EQ(options.causes.copy_bytes, 65'536U);
    EXPECT_EQ(options.causes.log, "/tmp/a log");
}

TEST(Options, EveryOptionIsInTheHelp) {
    for (const char* const name :
         {"--host",        "--port",  "--threads", "--io",    "--quiet",       "--null",
          "--delay",       "--stall", "--every",   "--log",   "--slow-every",  "--slow",
          "--exponential", "--seed",  "--busy",    "--loops", "--body",        "--chunked",
          "--one-byte",    "--gap",   "--calls",   "--copy",  "--allocations", "--fault",
          "--line",        "--to",    "--sleep",   "--lock",  "--pieces",      "--header",
          "--clock"}) {
        EXPECT_NE(help().find(name), std::string_view::npos) << name;
    }
}

TEST(Options, ARefusalNamesTheOption) {
    EXPECT_EQ(refusal({"--dealy", "5ms"}), "there is no option --dealy; see --help");
    EXPECT_EQ(refusal({"--delay"}), "--delay needs a value; see --help");
    EXPECT_EQ(refusal({"--null=1"}), "--null takes no value");
    EXPECT_EQ(refusal({"--port", "65536"}),
              "--port \"65536\" is not in range; it takes a whole number from 0 to 65535");
    EXPECT_EQ(refusal({"--io", "kqueue"}),
              "--io \"kqueue\" is unknown; it takes auto, epoll or uring");
}

TEST(Options, WhatHasNoMeaningTogetherIsRefused) {
    for (const Words& words : std::vector<Words>{{"--stall", "5ms"},
                                                 {"--every", "1s"},
                                                 {"--stall", "1s", "--every", "1s"},
                                                 {"--log", "x"},
                                                 {"--slow", "5ms"},
                                                 {"--slow-every", "5"},
                                                 {"--seed", "7"},
                                                 {"--exponential", "1ms", "--threads", "2"},
                                                 {"--gap", "1ms"},
                                                 {"--clock", "x"},
                                                 {"--null", "--delay", "1ms"},
                                                 {"--null", "--loops", "1"},
                                                 {"--null", "--body", "0"}}) {
        EXPECT_NE(refusal(words), "nothing was refused") << words.front();
    }
}

}  // namespace
}  // namespace yardstick
