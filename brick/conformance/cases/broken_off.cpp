// RFC 9112, 8: messages that end too soon. The client closes its half; the server must not take any
// of them for a whole request.
#include "cases/cases.hpp"

namespace brick::conformance {

Cases broken_off() {
    return {
        cut("9112-8-crlf", "An empty line and no request.", "\r\n"),
        cut("9112-8-method", "A method.", "GET"),
        cut("9112-8-request-line", "A request line.", "GET / HTTP/1.1\r\n"),
        cut("9112-8-no-empty-line", "A head without its empty line.",
            "GET / HTTP/1.1\r\nHost: a\r\n"),
        cut("9112-8-half-crlf", "A head without its last byte.", "GET / HTTP/1.1\r\nHost: a\r\n\r"),
        cut("9112-8-no-body", "A length, and no body.", post("Content-Length: 5\r\n")),
        cut("9112-8-half-body", "Half a body.", post("Content-Length: 5\r\n", "he")),
        cut("9112-8-upload", "Half a body that is taken piece by piece.",
            "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe"),
        cut("9112-8-no-chunk", "A chunked body without a chunk.", chunks("")),
        cut("9112-8-size", "Half a chunk's size line.", chunks("5\r")),
        cut("9112-8-chunk", "Half a chunk.", chunks("5\r\nhe")),
        cut("9112-8-no-last-chunk", "A chunked body without its last chunk.",
            chunks("5\r\nhello\r\n")),
        cut("9112-8-no-last-crlf", "A last chunk without the CRLF behind it.",
            chunks("5\r\nhello\r\n0\r\n")),
        cut("9112-8-half-last-crlf", "A last chunk without the last byte.",
            chunks("5\r\nhello\r\n0\r\n\r")),
        cut("9112-8-trailer", "Half a trailer.", chunks("5\r\nhello\r\n0\r\nX: y")),
        cut("9112-8-second", "A whole request and half of another.", get() + "GET / HT", {hello()}),
        cut("9112-8-second-body", "A whole request and one without its body.",
            get() + post("Content-Length: 5\r\n", "he"), {hello()}),
        cut("9112-9.6-half-closed", "A whole request: it is answered, though no other can come.",
            get(), {hello()}),
        cut("9112-9.6-half-closed-pipelined", "Several whole requests before the client's end.",
            get() + chunks("5\r\nhello\r\n0\r\n\r\n") + get(), {hello(), echo("hello"), hello()}),
    };
}

}  // namespace brick::conformance
