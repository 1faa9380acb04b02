// RFC 9112, 3.2 and RFC 3986: the four forms of a target, and its characters.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

std::string to(std::string_view target, std::string_view method = "GET") {
    return std::string(method) + ' ' + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

Cases origin() {
    return {
        kept("9112-3.2.1-query", "A target with a query.", to("/?x=1"), {hello()}),
        kept("9112-3.2.1-empty-query", "A target with an empty query.", to("/?"), {hello()}),
        kept("9112-3.2.1-query-marks", "A query may hold ? and /.", to("/?a?b/c"), {hello()}),
        kept("3986-3.3-marks", "All that a segment may hold besides letters and digits.",
             to("/hello/-._~!$&'()*+,;=:@"), {echo("-._~!$&'()*+,;=:@")}),
        kept("3986-2.1-percent", "A percent-encoded byte reaches the handler as it came.",
             to("/hello/a%20b"), {echo("a%20b")}),
        kept("3986-2.1-percent-slash", "An encoded slash doesn't part segments.",
             to("/hello/a%2fb"), {echo("a%2fb")}),
        kept("3986-2.1-percent-crlf", "Encoded CR and LF are no line's end.", to("/hello/a%0d%0ab"),
             {echo("a%0d%0ab")}),
        kept("3986-3.3-dots", "Dot segments are the handler's: the target isn't rewritten.",
             to("/hello/.."), {echo("..")}),
        kept("3986-3.3-empty-segment", "An empty segment is one: another path.", to("//"),
             {{.status = 404}}),
        refused("9112-3.2-relative", "A target without its slash.", to("hello")),
        refused("9112-3.2-dot", "A relative target.", to("./hello")),
        refused("9112-3.2-query-only", "A query without a path.", to("?x")),
        refused("9112-3.2-fragment", "A fragment: it never leaves the client.", to("/#x")),
        refused("3986-2-high-byte", "A byte over 0x7f in the target.", to("/hello/\xc3\xa9")),
        refused("3986-2-del", "DEL in the target.", to("/hello/a\x7f")),
        refused("3986-2-quote", "A quote in the target.", to("/hello/\"a\"")),
        refused("3986-2-angle", "Angle brackets in the target.", to("/hello/<a>")),
        refused("3986-2.1-percent-letter", "A percent sign without two digits in the path.",
                to("/hello/a%2x")),
        refused("3986-2.1-percent-end", "A percent sign at the path's end.", to("/hello/a%")),
        refused("3986-2-control", "A control character in the target.", to("/hello/a\x01")),
    };
}

Cases absolute() {
    return {
        kept("9112-3.2.2-absolute", "An absolute target, as proxies are sent it.", to("http://a/"),
             {hello()}),
        kept("9112-3.2.2-path", "An absolute target with a path and a query.",
             to("http://a:80/hello/x?y"), {echo("x")}),
        kept("9112-3.2.2-no-path", "An absolute target without a path means /.", to("http://a"),
             {hello()}),
        kept("9112-3.2.2-no-path-query", "An absolute target with a query only.", to("http://a?x"),
             {hello()}),
        kept("3986-3.1-scheme-case", "A scheme's letters have no case.", to("HTTP://a/"),
             {hello()}),
        kept("3986-3.2.2-ipv6", "An IPv6 address as a target's host.", to("http://[::1]:80/"),
             {hello()}),
        kept("9112-3.2.2-other-host",
             "A Host that differs from the absolute target: the target's counts.",
             "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", {hello()}),
        refused("9112-3.2.2-without-host", "An absolute target doesn't replace Host.",
                "GET http://a/ HTTP/1.1\r\n\r\n"),
        refused("9110-4.2.1-empty-host", "An absolute target with an empty host.", to("http:///")),
        refused("9110-4.2.1-only-scheme", "A scheme and nothing else.", to("http://")),
        refused("9110-4.2.4-user-info",
                "User information in the target: it serves to mislead readers.",
                to("http://user@a/")),
        refused("3986-3.2.3-port", "A port that is no number.", to("http://a:x/")),
        refused("3986-3.2.2-open-bracket", "A bracket that isn't closed.", to("http://[::1/")),
        refused("9112-3.2.2-fragment", "A fragment in an absolute target.", to("http://a/#x")),
        refused("9112-3.2.2-one-slash", "One slash behind the scheme.", to("http:/a")),
    };
}

Cases others() {
    return {
        kept("9112-3.2.4-asterisk", "OPTIONS * asks about the server.", to("*", "OPTIONS"),
             {{.status = 204, .has = {"Allow"}, .lacks = {"Content-Length"}}}),
        refused("9112-3.2.4-asterisk-get", "* with another method than OPTIONS.", to("*")),
        refused("9112-3.2.4-two-asterisks", "** is no form of a target.", to("**", "OPTIONS")),
        refused("9112-3.2.4-asterisk-path", "*/x is no form of a target.", to("*/x", "OPTIONS")),
        kept("9112-3.2.4-absolute-asterisk", "OPTIONS http://a asks the same through a proxy.",
             to("http://a", "OPTIONS"), {{.status = 204, .has = {"Allow"}}}),
        kept("9110-9.3.6-connect", "CONNECT: this is no proxy.", to("a:80", "CONNECT"),
             {{.status = 501}}),
        refused("9110-4.2-other-scheme", "A scheme that isn't HTTP's.", to("ftp://a/")),
        refused("9112-3.2.3-authority-get", "host:port is CONNECT's form of a target.", to("a:80")),
        refused("9112-3.2.3-connect-path", "CONNECT has no path.", to("/", "CONNECT")),
        refused("9112-3.2.3-connect-no-port", "CONNECT without a port.", to("a", "CONNECT")),
    };
}

}  // namespace

Cases targets() {
    Cases all = origin();
    for (auto& more : {absolute(), others()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace brick::conformance
