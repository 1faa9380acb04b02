/// Compares the echo of a WebSocket with the RFC read plainly: any bytes, in pieces of any size, to
/// a client that takes the echo in pieces.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ws/echo_plainly.hpp"
#include "ws/socket.hpp"

/// The first byte is the size of the pieces, the second the longest message in 64 bytes; the rest
/// is what the client sends.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 2, size - 2};
    const std::size_t piece_bytes = data[0] + 1U;
    const std::size_t limit = data[1] * std::size_t{64};
    brick::ws::testing::Socket client({.message_bytes = limit, .unsent_bytes = 300});
    std::string taken;
    for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
        client.gives(bytes.substr(at, piece_bytes));
        taken += client.takes(piece_bytes);
    }
    taken += client.takes();
    if (taken != brick::ws::testing::echo_plainly(bytes, limit)) std::abort();
    return 0;
}
