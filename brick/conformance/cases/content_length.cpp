// RFC 9112, 6.2 and 6.3, RFC 9110, 8.6: bodies with a given length.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

/// `POST /echo` with this Content-Length, verbatim, and a body of five bytes.
std::string length(std::string_view value) {
    return post("Content-Length: " + std::string(value) + "\r\n", "hello");
}

Cases accepted() {
    const std::string like_a_request = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";
    std::string all_bytes;
    for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
    return {
        kept("9112-6.2-body", "A body with its length.", length("5"), {echo("hello")}),
        kept("9112-6.2-zero", "An empty body with its length.", post("Content-Length: 0\r\n"),
             {echo("")}),
        kept("9112-6.3-no-length", "A POST without a length has no body.", post(""), {echo("")}),
        kept("9112-6.2-every-byte", "A body of every byte there is.",
             post("Content-Length: 256\r\n", all_bytes), {echo(all_bytes)}),
        kept("9112-6.2-like-a-request", "A body that looks like a request.",
             post("Content-Length: " + std::to_string(like_a_request.size()) + "\r\n",
                  like_a_request),
             {echo(like_a_request)}),
        kept("9110-8.6-white-space", "White space around the length.", length(" \t5 \t"),
             {echo("hello")}),
        kept("9110-8.6-letters", "The field's name in other letters.",
             post("CONTENT-length: 5\r\n", "hello"), {echo("hello")}),
        kept("9110-9.3.1-get-with-body", "A GET with a body: it is read, and counts for nothing.",
             "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", {hello()}),
        kept("9112-6.2-sink", "A body for a handler that takes it piece by piece.",
             "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", {echo("5")}),
        kept("9112-6.2-not-found", "The body of a request that has no route is read, too.",
             "POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
             {{.status = 404}}),
        kept("9110-5.1-underscore", "Content_Length is another field, and means nothing.",
             post("Content_Length: 5\r\n"), {echo("")}),
    };
}

Cases numbers() {
    return {
        refused("9110-8.6-plus", "A length with a plus sign.", length("+5")),
        refused("9110-8.6-minus", "A length with a minus sign.", length("-5")),
        refused("9110-8.6-minus-zero", "A length of minus zero.", length("-0")),
        refused("9110-8.6-hex", "A length with 0x.", length("0x5")),
        refused("9110-8.6-hex-digit", "A length with a hexadecimal digit.", length("a")),
        refused("9110-8.6-underscore", "A length with an underscore.", length("0_5")),
        refused("9110-8.6-point", "A length with a point.", length("5.0")),
        refused("9110-8.6-exponent", "A length with an exponent.", length("5e0")),
        refused("9110-8.6-inner-space", "A length with a space within.", length("0 5")),
        refused("9110-8.6-semicolon", "A length with a parameter.", length("5;a=b")),
        refused("9110-8.6-quotes", "A length in quotes.", length("\"5\"")),
        refused("9110-8.6-empty-length", "An empty length.", length("")),
        refused("9110-8.6-word", "A length in words.", length("five")),
        refused("9110-8.6-nul", "A zero byte behind the length.", length("5\0"s)),
        refused("9110-8.6-vertical-tab", "A vertical tab before the length.", length("\v5")),
        refused("9110-8.6-two-to-the-64", "A length of 2^64: zero to who forgets the carry.",
                length("18446744073709551616")),
        refused("9110-8.6-two-to-the-64-and-five", "A length of 2^64 + 5.",
                length("18446744073709551621")),
        refused("9110-8.6-forty-digits", "A length of forty digits.", length(times(40, "9"))),
    };
}

Cases several() {
    return {
        refused("9112-6.3-list-same", "A list of lengths that agree.", length("5, 5")),
        refused("9112-6.3-list-differs", "A list of lengths that differ.", length("5, 6")),
        refused("9112-6.3-list-comma", "A length and a comma.", length("5,")),
        refused("9112-6.3-twice", "Content-Length twice, the same.",
                post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello")),
        refused("9112-6.3-twice-differs", "Two lengths: one server takes the first, one the last.",
                post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello!")),
        refused("9112-6.3-twice-apart", "Two lengths with a field between, in other letters.",
                post("Content-Length: 0\r\nX: y\r\ncontent-length: 5\r\n", "hello")),
        refused("9112-6.3-length-and-coding", "A length and a coding.",
                post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
        refused("9112-6.3-coding-and-length", "A coding and a length, the other way round.",
                post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")),
        refused("9112-6.3-bad-length-and-coding", "A length that is none, and a coding.",
                post("Transfer-Encoding: chunked\r\nContent-Length: x\r\n", "0\r\n\r\n")),
    };
}

}  // namespace

Cases content_length() {
    Cases all = accepted();
    for (auto& more : {numbers(), several()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace brick::conformance
