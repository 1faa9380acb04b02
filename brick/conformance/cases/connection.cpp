// RFC 9112, 9 and RFC 9110, 7.6.1: when a connection stays open.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

/// `GET /` with this Connection.
std::string with(std::string_view value) {
    return get("Connection: " + std::string(value) + "\r\n");
}

}  // namespace

Cases connection() {
    return {
        closed("9112-9.6-close", "close closes.", with("close"), {hello()}),
        closed("9110-7.6.1-close-letters", "Its letters have no case.", with("CLOSE"), {hello()}),
        closed("9110-7.6.1-close-in-list", "close in a list.", with("te, close"), {hello()}),
        closed("9110-7.6.1-close-first", "close at a list's beginning.", with("close, te"),
               {hello()}),
        closed("9110-7.6.1-close-bare-commas", "close between commas.", with(",close,"), {hello()}),
        closed("9110-7.6.1-close-tab", "close behind a tab.", with("te,\tclose"), {hello()}),
        closed("9110-7.6.1-close-second-line", "close in a second field.",
               get("Connection: keep-alive\r\nConnection: close\r\n"), {hello()}),
        closed("9112-9.3-close-wins", "close wins over keep-alive.", with("keep-alive, close"),
               {hello()}),
        closed("9112-9.6-close-post", "close with a body.",
               post("Connection: close\r\nContent-Length: 5\r\n", "hello"), {echo("hello")}),
        closed(
            "9112-9.6-close-chunked", "close with a chunked body.",
            post("Connection: close\r\nTransfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
            {echo("hello")}),
        closed("9112-9.6-close-not-found", "close of a path that isn't there.",
               "GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", {{.status = 404}}),
        closed("9112-9.6-close-head", "close with HEAD.",
               "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
               {bare(200, {"Content-Length: 13"})}),
        closed("9112-9.6-nothing-behind-close", "Nothing behind close is answered.",
               with("close") + get(), {hello()}),
        closed("9112-9.6-nobody-behind-close", "Not even looked at: this would be refused.",
               with("close") + "\n\n\n", {hello()}),
        closed("9112-9.6-close-big", "A large answer comes whole before the end.",
               "GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
               {{.status = 200, .body = times(1024 * 1024, "x")}}),
        closed("9112-9.6-close-stream", "A chunked answer, and its last chunk, before the end.",
               "GET /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
               {{.status = 200, .body = "one two three"}}),
        kept("9112-9.3-default", "HTTP/1.1 keeps a connection unless told otherwise.",
             get() + get(), {hello(), hello()}),
        kept("9112-9.3-keep-alive", "keep-alive says what is so.", with("keep-alive"), {hello()}),
        kept("9110-7.6.1-unknown", "An option that nobody knows.", with("foo"), {hello()}),
        kept("9110-7.6.1-closed", "closed isn't close.", with("closed"), {hello()}),
        kept("9110-7.6.1-x-close", "x-close isn't close.", with("x-close"), {hello()}),
        kept("9110-7.6.1-empty", "An empty Connection.", with(""), {hello()}),
        kept("9110-7.6.1-host", "An option that names Host takes nothing away.", with("host"),
             {hello()}),
        kept("9110-7.6.1-proxy-connection", "Proxy-Connection was never a standard.",
             get("Proxy-Connection: close\r\n"), {hello()}),
    };
}

}  // namespace brick::conformance
