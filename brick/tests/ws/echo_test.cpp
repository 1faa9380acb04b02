// However the network cuts a client's frames and the server's, the echo is the RFC's.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "ws/echo_inputs.hpp"
#include "ws/echo_plainly.hpp"
#include "ws/socket.hpp"

namespace brick::ws::testing {
namespace {

const Limits kLimits{.message_bytes = kEchoLimit};

TEST(Echo, OfTheTableIsTheRfcs) {
    for (const std::string& input : echo_inputs()) {
        Socket client(kLimits);
        EXPECT_EQ(client.says(input), echo_plainly(input, kEchoLimit));
    }
}

TEST(Echo, OfTheTableIsTheSameByteByByte) {
    for (const std::string& input : echo_inputs()) {
        Socket client(kLimits);
        Socket late(kLimits);
        std::string taken;
        for (const char byte : input) {
            taken += client.says({&byte, 1});
            late.gives({&byte, 1});
        }
        ASSERT_EQ(taken, echo_plainly(input, kEchoLimit));
        ASSERT_EQ(late.takes(), taken) << "taken when all was given";
    }
}

/// Frames at random: most of them are right, and most texts are UTF-8.
std::string any_frames(std::mt19937& random, std::size_t limit) {
    constexpr std::string_view kPieces[] = {"a", "plain text, 32 bytes and a few ", "\xc3\xb6",
                                            "\xe2\x82\xac", "\xf0\x9f\x8e\x89"};
    const auto one_in = [&](unsigned of) { return random() % of == 0; };
    std::string input;
    bool is_open = false;
    for (std::size_t left = 1 + random() % 12; left > 0; --left) {
        std::string payload;
        while (!one_in(4)) payload += kPieces[random() % 5];
        if (one_in(6)) payload.resize(random() % (limit + limit / 8), 'x');
        if (one_in(40) && !payload.empty()) {
            payload[random() % payload.size()] = static_cast<char>(random());
        }
        auto opcode = static_cast<unsigned>(is_open ? 0 : 1 + random() % 2);
        const bool is_control = one_in(3);
        if (is_control) {
            opcode = one_in(12) ? kClose : one_in(2) ? kPing : kPong;
            if (opcode == kClose)
                payload = closing(1000 + static_cast<unsigned>(random() % 20)) + payload;
            if (!one_in(30)) payload.resize(std::min<std::size_t>(payload.size(), 125));
        }
        if (one_in(60)) opcode = static_cast<unsigned>(random() % 16);
        const bool is_final = is_control ? !one_in(60) : one_in(2);
        if (!is_control) is_open = !is_final;
        input += frame(
            opcode, payload,
            {.is_final = is_final, .is_masked = !one_in(200), .reserved = one_in(200) ? 1U : 0U});
    }
    return input;
}

TEST(Echo, OfAnyFramesInAnyPiecesIsTheRfcs) {
    std::mt19937 random(1);
    for (int time = 0; time < 4'000; ++time) {
        const std::size_t limit = 1 + random() % 3000;
        const std::string input = any_frames(random, limit);
        const std::string expected = echo_plainly(input, limit);
        // What is unsent stops reading.
        Socket client({.message_bytes = limit, .unsent_bytes = 1 + random() % 2000});
        const std::size_t most = std::size_t{1} << random() % 13;
        std::string taken;
        for (std::size_t at = 0; at < input.size();) {
            const std::size_t bytes = 1 + random() % most;
            client.gives(std::string_view(input).substr(at, bytes));
            at += bytes;
            taken += client.takes(random() % most);
        }
        taken += client.takes();
        ASSERT_EQ(::testing::PrintToString(taken), ::testing::PrintToString(expected)) << time;
    }
}

}  // namespace
}  // namespace brick::ws::testing
