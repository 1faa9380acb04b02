// However the network cuts what a client sends and takes, the client gets the same bytes.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "http/client.hpp"

namespace brick::testing {
namespace {

const Limits kLimits{.request_line_bytes = 60, .head_bytes = 200, .fields = 4, .body_bytes = 20,
                     .unsent_bytes = 500};

std::vector<std::string> inputs() {
    const std::string hello(kGet);
    return {
        hello + hello + hello,
        get("/stream") + get("/sized") + get("/204") + get("/throws") + hello,
        "\r\n" + hello + "\r\n" + hello,
        head("POST /echo", 5) + "12345" + hello,
        head("POST /echo", 0) + chunked("POST /echo", "3\r\nabc\r\n1;x\r\nd\r\n0\r\nA: b\r\n\r\n") + hello,
        chunked("PUT /sink", "a\r\n0123456789\r\n0\r\n\r\n") + head("PUT /sink", 3) + "abc" + hello,
        head("POST /nowhere", 4) + "1234" + head("POST /", 4) + "1234" + get("/nowhere") + hello,
        "HEAD / HTTP/1.1\r\nHost: a\r\n\r\nHEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n" + hello,
        "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /stream HTTP/1.0\r\n\r\n" + hello,
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\nBREW / HTTP/1.1\r\nHost: a\r\n\r\n" + hello,
        hello + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + hello,
        hello + "nonsense\r\n" + hello,
        hello + "GET /" + std::string(100, 'a') + " HTTP/1.1\r\n" + hello,
        hello + "GET / HTTP/1.1\r\nHost: a\r\nA: " + std::string(300, 'a') + "\r\n\r\n" + hello,
        "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + head("POST /echo", 21) + std::string(21, 'x'),
        chunked("POST /echo", "f\r\n0123456789abcde\r\n6\r\n012345\r\n0\r\n\r\n") + hello,
        chunked("POST /echo", "2\r\nab\r\n7fffffffffffffff\r\nxxx"),
        chunked("POST /echo", "3\r\nabcX") + hello,
        chunked("POST /echo", "ffffffffffffffffff\r\n") + hello,
        chunked("POST /echo", "fffg\r\n") + hello,
        get("/big") + head("POST /echo", 3) + "abc" + get("/long-stream") + hello,
        head("PUT /throws-at-end", 2) + "ab" + hello,
        get("/pieces") + get("/held") + hello,
    };
}

/// Takes all there is, by amounts that `next_bytes` says, and lets all pauses pass.
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
    for (const std::string& input : inputs()) {
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
    for (const std::string& input : inputs()) {
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
    for (const std::string& input : inputs()) {
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
