// RFC 9112, 2.2, 2.3 and 3: bytes around the request line, its three parts, its version.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

/// A request whose first line is this.
std::string line(std::string_view text) { return std::string(text) + "\r\nHost: a\r\n\r\n"; }

Cases versions() {
    return {
        refused("9112-2.3-http-1.2", "HTTP/1.2: well formed, but nothing is known of it.",
                line("GET / HTTP/1.2"), 505),
        refused("9112-2.3-http-2.0", "HTTP/2.0 in the form of HTTP/1.", line("GET / HTTP/2.0"),
                505),
        refused("9112-2.3-http-3.0", "HTTP/3.0 in the form of HTTP/1.", line("GET / HTTP/3.0"),
                505),
        refused("9112-2.3-http-0.9", "HTTP/0.9 never named its version.", line("GET / HTTP/0.9"),
                505),
        refused("9112-2.3-http-2-preface", "HTTP/2's preface, whose version is 2.0.",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        refused("9112-2.3-no-version", "No version: the form of HTTP/0.9.", line("GET /")),
        refused("9112-2.3-lower-case", "The version in lower case: its letters have a case.",
                line("GET / http/1.1")),
        refused("9112-2.3-two-digits", "Two digits behind the point.", line("GET / HTTP/1.10")),
        refused("9112-2.3-leading-zero", "Two digits before the point.", line("GET / HTTP/01.1")),
        refused("9112-2.3-three-parts", "A version in three parts.", line("GET / HTTP/1.1.1")),
        refused("9112-2.3-no-minor", "No digit behind the point.", line("GET / HTTP/1.")),
        refused("9112-2.3-no-point", "No point.", line("GET / HTTP/11")),
        refused("9112-2.3-comma", "A comma for the point.", line("GET / HTTP/1,1")),
        refused("9112-2.3-letter", "A letter for a digit.", line("GET / HTTP/1.x")),
        refused("9112-2.3-sign", "A sign before the digit.", line("GET / HTTP/+1.1")),
        refused("9112-2.3-inner-space", "A space within the version.", line("GET / HTTP/ 1.1")),
        refused("9112-2.3-other-protocol", "Another protocol's name.", line("GET / HTTPS/1.1")),
        refused("9112-2.3-nul", "A zero byte behind the version.", line("GET / HTTP/1.1\0"s)),
    };
}

Cases around() {
    return {
        kept("9112-2.2-leading-crlf", "One empty line before the request: old clients send it.",
             "\r\n" + get(), {hello()}),
        kept("9112-2.2-crlf-behind-body", "An empty line behind a body that doesn't count it.",
             post("Content-Length: 5\r\n", "hello") + "\r\n" + get(), {echo("hello"), hello()}),
        refused("9112-2.2-leading-lf", "A bare LF before the request.", "\n" + get()),
        refused("9112-2.2-leading-cr", "A bare CR before the request.", "\r" + get()),
        refused("9112-2.2-leading-space", "A space before the request line.", " " + get()),
        refused("9112-2.2-tls", "A TLS handshake instead of a request.",
                "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"s),
    };
}

Cases parts() {
    return {
        kept("9112-3-plain", "The plainest request.", get(),
             {{.status = 200,
               .body = "Hello, World!",
               .has = {"Content-Length: 13"},
               .lacks = {"Transfer-Encoding", "Connection"}}}),
        refused("9112-3-two-spaces-before-target", "Two spaces before the target.",
                line("GET  / HTTP/1.1")),
        refused("9112-3-two-spaces-before-version", "Two spaces before the version.",
                line("GET /  HTTP/1.1")),
        refused("9112-3-tab-before-target", "A tab for the first space.", line("GET\t/ HTTP/1.1")),
        refused("9112-3-tab-before-version", "A tab for the second space.",
                line("GET /\tHTTP/1.1")),
        refused("9112-3-vertical-tab", "A vertical tab for a space.", line("GET /\vHTTP/1.1")),
        refused("9112-3-form-feed", "A form feed for a space.", line("GET\f/ HTTP/1.1")),
        refused("9112-3-trailing-space", "A space behind the version.", line("GET / HTTP/1.1 ")),
        refused("9112-3-fourth-part", "A fourth part.", line("GET / HTTP/1.1 x")),
        refused("9112-3-no-target", "A method and a version without a target.",
                line("GET HTTP/1.1")),
        refused("9112-3-empty-target", "Two spaces with nothing between them.",
                line("GET  HTTP/1.1")),
        refused("9112-3-no-method", "A target without a method.", line("/ HTTP/1.1")),
        refused("9112-3-space-in-target",
                "A space within the target: where it ends is anyone's guess.",
                line("GET /a b HTTP/1.1")),
        refused("9112-3-bare-lf", "A bare LF ends the request line.",
                "GET / HTTP/1.1\nHost: a\r\n\r\n"),
        refused("9112-3-bare-cr", "A bare CR for a space.", line("GET /\rHTTP/1.1")),
        refused("9112-3-cr-cr-lf", "CR CR LF ends the request line.", line("GET / HTTP/1.1\r")),
        refused("9112-3-nul-in-target", "A zero byte in the target.", line("GET /\0 HTTP/1.1"s)),
        refused("9112-3-nul-in-method", "A zero byte in the method.", line("GE\0T / HTTP/1.1"s)),
        refused("9112-3.1-paren-in-method", "A method that is no token: a parenthesis.",
                line("G(ET / HTTP/1.1")),
        refused("9112-3.1-at-in-method", "A method that is no token: an @.",
                line("G@ET / HTTP/1.1")),
        refused("9112-3.1-quoted-method", "A method that is no token: quotes.",
                line("\"GET\" / HTTP/1.1")),
        refused("9112-3.1-colon-in-method", "A method that is no token: a colon.",
                line("GET: / HTTP/1.1")),
        refused("9112-3.1-high-byte-in-method", "A method that is no token: a byte over 0x7f.",
                line("GE\x80T / HTTP/1.1")),
        refused("9112-3.1-del-in-method", "A method that is no token: DEL.",
                line("GE\x7fT / HTTP/1.1")),
    };
}

}  // namespace

Cases request_line() {
    Cases all = versions();
    for (auto& more : {around(), parts()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace brick::conformance
