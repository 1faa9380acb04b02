/// The opening handshake (RFC 6455, 4.2).
#pragma once

#include <string>

#include "http/head.hpp"

namespace brick::ws {

/// The answer to a request for a WebSocket.
struct Upgrade {
    int status = 101;    // Or 400 or 426.
    std::string fields;  // As they are sent, each with its CRLF.
};

[[nodiscard]] Upgrade upgrade(const http::Head& head);

}  // namespace brick::ws
