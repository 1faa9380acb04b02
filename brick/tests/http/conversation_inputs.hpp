/// Clients' inputs, for tests of splits and as seeds of fuzzers: routes are `every_route`'s.
#pragma once

#include <string>
#include <vector>

#include "http/client.hpp"
#include "ws/socket.hpp"

namespace brick::testing {

inline std::vector<std::string> conversation_inputs() {
    const std::string hello(kGet);
    return {
        hello + hello + hello,
        get("/stream") + get("/sized") + get("/204") + get("/throws") + hello,
        "\r\n" + hello + "\r\n" + hello,
        head("POST /echo", 5) + "12345" + hello,
        head("POST /echo", 0) + chunked("POST /echo", "3\r\nabc\r\n1;x\r\nd\r\n0\r\nA: b\r\n\r\n") +
            hello,
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
        get("/socket") + hello,
        hello + ws::testing::upgrade_to("/socket") + ws::testing::frame(1, "Hello") +
            ws::testing::fragment(2, std::string(130, 'b')) + ws::testing::frame(9, "ping") +
            ws::testing::frame(0, "end") + ws::testing::frame(2, std::string(600, 'b')) +
            ws::testing::frame(8, "") + hello,
        ws::testing::upgrade_to("/socket-thrice") + ws::testing::frame(1, "Hello") + hello,
    };
}

}  // namespace brick::testing
