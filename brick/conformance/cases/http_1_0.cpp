// RFC 9112, 9.3 and appendix C.2: clients of HTTP/1.0.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

std::string old(std::string_view fields = "", std::string_view path = "/",
                std::string_view method = "GET") {
    return std::string(method) + ' ' + std::string(path) + " HTTP/1.0\r\n" + std::string(fields) +
           "\r\n";
}

constexpr std::string_view kKeep = "Connection: keep-alive\r\n";

Answer kept_open(std::string body) {
    return {.status = 200, .body = std::move(body), .has = {"Connection: keep-alive"}};
}

}  // namespace

Cases http_1_0() {
    return {
        closed("9112-9.3-old", "HTTP/1.0 closes unless told otherwise.", old(), {hello()}),
        closed("9112-3.2-old-host", "HTTP/1.0 with a Host.", old("Host: a\r\n"), {hello()}),
        closed("9112-9.3-old-close", "HTTP/1.0 with close.", old("Connection: close\r\n"),
               {hello()}),
        kept("9112-C.2.2-keep-alive", "HTTP/1.0 with keep-alive, which must be granted.",
             old(kKeep), {kept_open("Hello, World!")}),
        kept("9110-7.6.1-old-letters", "keep-alive's letters have no case.",
             old("Connection: Keep-Alive\r\n"), {kept_open("Hello, World!")}),
        kept("9110-7.6.1-old-list", "keep-alive in a list.", old("Connection: te, keep-alive\r\n"),
             {kept_open("Hello, World!")}),
        closed("9112-9.3-old-both", "close wins over keep-alive.",
               old("Connection: keep-alive, close\r\n"), {hello()}),
        closed("9112-9.3-old-field", "A field Keep-Alive is no option of Connection.",
               old("Keep-Alive: timeout=5\r\n"), {hello()}),
        closed("9112-C.2.2-proxy-connection", "Nor is Proxy-Connection.",
               old("Proxy-Connection: keep-alive\r\n"), {hello()}),
        kept("9112-9.3.2-old-pipelined", "Two requests with keep-alive.", old(kKeep) + old(kKeep),
             {kept_open("Hello, World!"), kept_open("Hello, World!")}),
        closed("9112-9.3.2-old-last", "keep-alive, and then not.", old(kKeep) + old() + old(),
               {kept_open("Hello, World!"), hello()}),
        closed("9112-6.1-old-stream", "HTTP/1.0 knows no chunks: the answer ends with the end.",
               old("", "/stream"),
               {{.status = 200,
                 .body = "one two three",
                 .lacks = {"Transfer-Encoding", "Content-Length"}}}),
        closed("9112-6.1-old-stream-keep-alive", "The same, though keep-alive was asked for.",
               old(kKeep, "/stream"),
               {{.status = 200,
                 .body = "one two three",
                 .lacks = {"Transfer-Encoding", "Content-Length"}}}),
        closed("9110-9.3.2-old-head", "HEAD in HTTP/1.0.", old("", "/", "HEAD"),
               {bare(200, {"Content-Length: 13"})}),
        kept("9110-9.3.2-old-head-keep-alive", "HEAD in HTTP/1.0 with keep-alive.",
             old(kKeep, "/", "HEAD"), {bare(200, {"Connection: keep-alive"})}),
        closed("9112-6.2-old-body", "A body in HTTP/1.0.",
               old("Content-Length: 5\r\n", "/echo", "POST") + "hello", {echo("hello")}),
        kept("9112-6.2-old-body-keep-alive", "A body in HTTP/1.0 with keep-alive.",
             old(std::string(kKeep) + "Content-Length: 5\r\n", "/echo", "POST") + "hello",
             {kept_open("hello")}),
        closed("9110-15.5.5-old-not-found", "A path that isn't there, in HTTP/1.0.",
               old("", "/nowhere"), {{.status = 404}}),
        kept("9110-15.5.5-old-not-found-keep-alive", "The same with keep-alive.",
             old(kKeep, "/nowhere"), {{.status = 404, .has = {"Connection: keep-alive"}}}),
        kept("9112-6.3-old-no-content", "204 in HTTP/1.0 with keep-alive.",
             old(kKeep, "/no-content"), {{.status = 204, .has = {"Connection: keep-alive"}}}),
        refused("9112-3.2-old-two-hosts", "Two Hosts in HTTP/1.0.", old("Host: a\r\nHost: a\r\n")),
        refused("9112-3.2-old-bad-host", "A bad Host in HTTP/1.0.", old("Host: a/b\r\n")),
        refused("9112-6.3-old-two-lengths", "Two lengths in HTTP/1.0.",
                old("Content-Length: 5\r\nContent-Length: 5\r\n", "/echo", "POST") + "hello"),
    };
}

}  // namespace brick::conformance
