// However the network cuts a client's input and output, the client gets the same bytes.
#include <gtest/gtest.h>

#include <random>

#include "http/client.hpp"
#include "http/conversation_inputs.hpp"

namespace brick::testing {
namespace {

const Limits kLimits{.request_line_bytes = 60,
                     .head_bytes = 200,
                     .fields = 5,
                     .body_bytes = 20,
                     .unsent_bytes = 500};

/// Takes all output, in the amounts of `next_bytes`, and lets all pauses pass.
template <class Amount>
std::string take(Client& client, Amount&& next_bytes) {
    std::string taken;
    while (true) {
        const std::string piece = client.takes(next_bytes());
        taken += piece;
        const bool paused = client.talk.take_pause().has_value();
        if (paused) client.talk.paused(client.service);
        if (piece.empty() && !paused) return taken;
    }
}

std::string all_of(Client& client) {
    return take(client, [] { return std::string::npos; });
}

std::string whole(std::string_view input) {
    Client client(kLimits);
    client.gives(input);
    return all_of(client);
}

TEST(Splits, OfTheInputChangeNothing) {
    for (const std::string& input : conversation_inputs()) {
        SCOPED_TRACE(input.substr(0, 200));
        const std::string expected = whole(input);
        ASSERT_TRUE(expected.starts_with("HTTP/1.1 "));
        for (std::size_t at = 1; at < input.size(); ++at) {
            Client client(kLimits);
            std::string taken;
            for (const auto& piece : {input.substr(0, at), input.substr(at)}) {
                client.gives(piece);
                taken += all_of(client);
            }
            ASSERT_EQ(taken, expected) << "cut at " << at;
        }
    }
}

TEST(Splits, ByteByByteChangeNothing) {
    for (const std::string& input : conversation_inputs()) {
        SCOPED_TRACE(input.substr(0, 200));
        Client client(kLimits);
        Client late(kLimits);
        std::string taken;
        for (const char byte : input) {
            client.gives({&byte, 1});
            late.gives({&byte, 1});
            taken += all_of(client);
        }
        EXPECT_EQ(taken, whole(input));
        EXPECT_EQ(all_of(late), whole(input)) << "taken when all was given";
    }
}

TEST(Splits, OfTheOutputChangeNothing) {
    std::mt19937 random(1);
    for (const std::string& input : conversation_inputs()) {
        SCOPED_TRACE(input.substr(0, 200));
        const std::string expected = whole(input);
        for (int time = 0; time < 10; ++time) {
            Client client(kLimits);
            const std::size_t most = std::size_t{1} << (random() % 13);
            const auto amount = [&] { return 1 + random() % most; };
            std::string taken;
            for (std::size_t at = 0; at < input.size();) {
                const std::size_t bytes = 1 + random() % 100;
                client.gives(std::string_view(input).substr(at, bytes));
                at += bytes;
                taken += client.takes(amount());
            }
            taken += take(client, amount);
            ASSERT_EQ(taken, expected);
        }
    }
}

}  // namespace
}  // namespace brick::testing
