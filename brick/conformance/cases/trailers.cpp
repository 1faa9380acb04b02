// RFC 9112, 7.1.2: the trailer section. It is checked like header fields and then dropped.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

/// A chunked body with these trailers, verbatim, before its last CRLF.
std::string with(std::string_view lines) {
    return chunks("5\r\nhello\r\n0\r\n" + std::string(lines) + "\r\n");
}

}  // namespace

Cases trailers() {
    return {
        kept("9112-7.1.2-one", "A trailer.", with("X: y\r\n"), {echo("hello")}),
        kept("9112-7.1.2-several", "Several trailers.", with("X: y\r\nZ:\r\nX: y\r\n"),
             {echo("hello")}),
        kept("9110-6.5.1-length", "A length in the trailers frames nothing.",
             with("Content-Length: 7\r\n"), {echo("hello")}),
        kept("9110-6.5.1-coding", "A coding in the trailers frames nothing.",
             with("Transfer-Encoding: chunked\r\n"), {echo("hello")}),
        kept("9110-6.5.1-host", "A second Host in the trailers names nobody.", with("Host: b\r\n"),
             {echo("hello")}),
        kept("9110-6.5.1-connection", "Connection in the trailers closes nothing.",
             with("Connection: close\r\n"), {echo("hello")}),
        refused("9112-7.1.2-bare-lf", "A bare LF ends a trailer.", with("X: y\n")),
        refused("9112-7.1.2-bare-cr", "A bare CR in a trailer.", with("X: y\rZ: w\r\n")),
        refused("9112-7.1.2-cr-cr-lf", "CR CR LF ends a trailer.", with("X: y\r\r\n")),
        refused("9112-7.1.2-only-cr", "A bare CR for a trailer.", with("\r")),
        refused("9112-7.1.2-nul", "A zero byte in a trailer.", with("X: \0\r\n"s)),
        refused("9112-7.1.2-control", "A control character in a trailer.", with("X: \x01\r\n")),
        refused("9112-7.1.2-folded", "A folded trailer.", with("X: y\r\n z\r\n")),
        refused("9112-7.1.2-space-before", "White space before the first trailer.",
                with(" X: y\r\n")),
        refused("9112-7.1.2-space-colon", "A space before a trailer's colon.", with("X : y\r\n")),
        refused("9112-7.1.2-no-colon", "A trailer without a colon.", with("X\r\n")),
        refused("9112-7.1.2-no-name", "A trailer without a name.", with(": y\r\n")),
        refused("9112-7.1.2-high-byte", "A byte over 0x7f in a trailer's name.",
                with("X\xe9: y\r\n")),
    };
}

}  // namespace brick::conformance
