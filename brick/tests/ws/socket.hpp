/// A client that has upgraded to a WebSocket of `every_route`.
#pragma once

#include <string>
#include <string_view>

#include "http/client.hpp"
#include "ws/frames.hpp"

namespace brick::ws::testing {

// RFC 6455, 1.2.
inline constexpr std::string_view kKey = "dGhlIHNhbXBsZSBub25jZQ==";
inline constexpr std::string_view kAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

inline std::string upgrade_to(std::string_view path) {
    return "GET " + std::string(path) +
           " HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " +
           std::string(kKey) + "\r\n\r\n";
}

inline const std::string kUpgraded =
    "HTTP/1.1 101 Switching Protocols\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nUpgrade: "
    "websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
    std::string(kAccept) + "\r\n\r\n";

struct Socket : brick::testing::Client {
    explicit Socket(Limits wanted = {}, std::string_view path = "/socket") : Client(wanted) {
        greeting = says(upgrade_to(path));
    }

    std::string greeting;
};

}  // namespace brick::ws::testing
