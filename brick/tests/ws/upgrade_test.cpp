// The opening handshake.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "ws/sha1.hpp"
#include "ws/socket.hpp"

namespace brick::ws::testing {
namespace {

using http::End;

std::string hex_sha1(std::string_view text) {
    std::string hex;
    for (const unsigned char byte : sha1(text)) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", unsigned{byte});
        hex += digits;
    }
    return hex;
}

// RFC 3174, 7.3, and texts around the length of a block.
TEST(Sha1, HasTheKnownDigests) {
    EXPECT_EQ(hex_sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    EXPECT_EQ(hex_sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    EXPECT_EQ(hex_sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    EXPECT_EQ(hex_sha1(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    EXPECT_EQ(hex_sha1(std::string(64, 'a')), "0098ba824b5c16427bd7a1122a5a442a25ec644d");
}

// RFC 4648, 10.
TEST(Base64, HasTheKnownTexts) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

std::string changed(std::string_view what, std::string_view to) {
    std::string request = upgrade_to("/socket");
    request.replace(request.find(what), what.size(), to);
    return request;
}

TEST(Upgrade, IsAnsweredWithTheKeysDigest) { EXPECT_EQ(Socket().greeting, kUpgraded); }

TEST(Upgrade, MayBringFramesAlong) {
    Socket client;
    brick::testing::Client other;
    EXPECT_EQ(other.says(upgrade_to("/socket") + frame(kText, "early")),
              kUpgraded + reply(kText, "early"));
}

TEST(Upgrade, DeclinesExtensionsAndSubprotocols) {
    brick::testing::Client client;
    EXPECT_EQ(client.says(changed("Host: a",
                                  "Host: a\r\nSec-WebSocket-Protocol: chat\r\n"
                                  "Sec-WebSocket-Extensions: permessage-deflate")),
              kUpgraded);
}

TEST(Upgrade, IsRequired) {
    const std::string required = brick::testing::answer(
        "426 Upgrade Required",
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nContent-Length: 0\r\nConnection: "
        "close\r\n");
    for (const std::string& request :
         {changed("Upgrade: WebSocket", "Upgrade: h2c"),
          changed("Upgrade: WebSocket", "Upgrade: websockets"),
          changed("keep-alive, Upgrade", "keep-alive"), changed("Version: 13", "Version: 8"),
          changed("Version: 13", "Version: 13\r\nSec-WebSocket-Version: 8"),
          changed("HTTP/1.1", "HTTP/1.0"), changed("GET", "HEAD"),
          brick::testing::get("/socket")}) {
        brick::testing::Client client;
        EXPECT_EQ(client.says(request), required) << request;
        EXPECT_EQ(client.end(), End::linger);
    }
}

TEST(Upgrade, TakesOneKeyOfSixteenBytes) {
    const std::string key(kKey);
    for (const std::string& other : {key.substr(4), key + "\r\nSec-WebSocket-Key: " + key,
                                     "=" + key.substr(1), key.substr(0, 22), std::string()}) {
        brick::testing::Client client;
        EXPECT_EQ(client.says(changed(key, other)), brick::testing::refusal("400 Bad Request"))
            << other;
    }
}

TEST(Upgrade, IsNotForOtherMethods) {
    brick::testing::Client client;
    EXPECT_TRUE(client.says(changed("GET", "POST")).starts_with("HTTP/1.1 405 "));
}

}  // namespace
}  // namespace brick::ws::testing
