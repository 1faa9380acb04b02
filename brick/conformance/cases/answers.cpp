// RFC 9110, 6, 8, 14 and 15, RFC 9112, 6: the form of answers, and wishes that have no effect.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

std::string ask(std::string_view path, std::string_view method = "GET",
                std::string_view fields = "") {
    return std::string(method) + ' ' + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" +
           std::string(fields) + "\r\n";
}

}  // namespace

Cases answers() {
    return {
        kept("9110-6.6.1-date", "An answer has its Date.", get(),
             {{.status = 200, .has = {"Date"}}}),
        kept("9110-8.6-empty", "An answer with an empty body says so.", ask("/empty"),
             {{.status = 200, .body = "", .has = {"Content-Length: 0"}}}),
        kept("9110-8.6-head-empty", "And says the same to HEAD.", ask("/empty", "HEAD"),
             {bare(200, {"Content-Length: 0"})}),
        kept("9112-6.3-no-content", "204 has no body, and no length.", ask("/no-content"),
             {{.status = 204, .lacks = {"Content-Length", "Transfer-Encoding"}}}),
        kept("9112-6.3-no-content-head", "204 to HEAD.", ask("/no-content", "HEAD"),
             {bare(204, {}, {"Content-Length", "Transfer-Encoding"})}),
        kept("9112-6.3-not-modified", "304 has no body.", ask("/not-modified"),
             {{.status = 304, .lacks = {"Transfer-Encoding"}}}),
        kept("9112-6.3-not-modified-head", "304 to HEAD.", ask("/not-modified", "HEAD"),
             {bare(304, {}, {"Transfer-Encoding"})}),
        kept("9112-6.1-stream", "An answer whose length nobody knows is chunked.", ask("/stream"),
             {{.status = 200,
               .body = "one two three",
               .has = {"Transfer-Encoding: chunked"},
               .lacks = {"Content-Length"}}}),
        kept("9112-6.1-stream-head", "HEAD of it has no chunks.", ask("/stream", "HEAD"),
             {bare(200, {}, {"Content-Length"})}),
        kept(
            "9112-6.2-big", "A large answer comes whole.", ask("/big"),
            {{.status = 200, .body = times(1024 * 1024, "x"), .has = {"Content-Length: 1048576"}}}),
        kept("9112-6.2-big-head", "HEAD of a large answer.", ask("/big", "HEAD"),
             {bare(200, {"Content-Length: 1048576"})}),
        kept("9110-9.3.2-head-then-get", "What follows HEAD begins where its head ends.",
             ask("/big", "HEAD") + ask("/") + ask("/stream", "HEAD") + ask("/hello/x"),
             {bare(200), hello(), bare(200), echo("x")}),
        kept("9112-6.3-bodiless-then-get", "What follows 204 and 304 begins where they end.",
             ask("/no-content") + ask("/not-modified") + ask("/"),
             {{.status = 204}, {.status = 304}, hello()}),
        kept("9110-14.2-range", "A range of what has none: all of it.",
             ask("/", "GET", "Range: bytes=0-3\r\n"), {hello()}),
        kept("9110-12.5.3-encoding", "A coding that the server hasn't: it sends none.",
             ask("/", "GET", "Accept-Encoding: gzip, br\r\n"),
             {{.status = 200, .body = "Hello, World!", .lacks = {"Content-Encoding"}}}),
        kept("9110-13.1.3-modified-since", "A condition on what has no date is passed over.",
             ask("/", "GET", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), {hello()}),
        kept("9110-7.8-upgrade-h2c", "An upgrade to HTTP/2 is passed over.",
             ask("/", "GET",
                 "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                 "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n"),
             {hello()}),
        kept("9110-7.8-upgrade-websocket", "An upgrade to WebSocket is passed over.",
             ask("/", "GET",
                 "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"),
             {hello()}),
    };
}

}  // namespace brick::conformance
