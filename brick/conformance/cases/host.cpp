// RFC 9112, 3.2 and RFC 3986, 3.2: Host, without which a request's site is unknown.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

/// `GET /` with this Host line, or lines.
std::string with(std::string_view lines) {
    return "GET / HTTP/1.1\r\n" + std::string(lines) + "\r\n\r\n";
}

}  // namespace

Cases host() {
    return {
        refused("9112-3.2-host-missing", "No Host.", "GET / HTTP/1.1\r\n\r\n"),
        refused("9112-3.2-host-missing-with-fields", "Other fields, but no Host.",
                with("Accept: */*")),
        refused("9112-3.2-host-twice", "Host twice.", with("Host: a\r\nHost: a")),
        refused("9112-3.2-hosts-differ", "Two Hosts that differ: two servers take two sites.",
                with("Host: a\r\nHost: b")),
        refused("9112-3.2-hosts-apart", "Two Hosts with a field between, in other letters.",
                with("Host: a\r\nAccept: */*\r\nhost: b")),
        refused("9112-3.2-host-list", "A list of hosts.", with("Host: a, b")),
        refused("9110-7.2-host-user-info", "User information in Host.", with("Host: user@a")),
        refused("9110-7.2-host-path", "A path in Host.", with("Host: a/b")),
        refused("9110-7.2-host-query", "A query in Host.", with("Host: a?b")),
        refused("9110-7.2-host-fragment", "A fragment in Host.", with("Host: a#b")),
        refused("9110-7.2-host-scheme", "A scheme in Host.", with("Host: http://a")),
        refused("9110-7.2-host-space", "A space within Host.", with("Host: a b")),
        refused("9110-7.2-host-backslash", "A backslash in Host.", with("Host: a\\b")),
        refused("9110-7.2-host-quotes", "Quotes in Host.", with("Host: \"a\"")),
        refused("3986-3.2.2-host-high-byte", "A byte over 0x7f in Host.", with("Host: \xc3\xa9")),
        refused("3986-3.2.3-host-port-letter", "A port that is no number.", with("Host: a:x")),
        refused("3986-3.2.3-host-port-large", "A port over 65535.", with("Host: a:65536")),
        refused("9112-3.3-host-empty", "An empty Host: no target of http is without a host.",
                with("Host:")),
        refused("3986-3.2.2-host-port-alone", "A port without a host.", with("Host: :80")),
        refused("3986-3.2.3-host-port-sign", "A port with a sign.", with("Host: a:-1")),
        refused("3986-3.2.3-host-two-ports", "Two ports.", with("Host: a:80:80")),
        refused("3986-3.2.2-host-bare-ipv6", "An IPv6 address without brackets.",
                with("Host: ::1")),
        refused("3986-3.2.2-host-open-bracket", "A bracket that isn't closed.", with("Host: [::1")),
        refused("3986-3.2.2-host-behind-bracket", "Letters behind the bracket.",
                with("Host: [::1]a")),
        kept("9110-7.2-host-port", "Host with a port.", with("Host: a:80"), {hello()}),
        kept("3986-3.2.3-host-empty-port", "Host with a colon and no port.", with("Host: a:"),
             {hello()}),
        kept("3986-3.2.2-host-ipv4", "An IPv4 address.", with("Host: 127.0.0.1:80"), {hello()}),
        kept("3986-3.2.2-host-ipv6", "An IPv6 address.", with("Host: [::1]"), {hello()}),
        kept("3986-3.2.2-host-ipv6-port", "An IPv6 address with a port.", with("Host: [::1]:80"),
             {hello()}),
        kept("3986-3.2.2-host-marks", "A registered name's other characters.",
             with("Host: a-b_c.d~e"), {hello()}),
        kept("9112-3.2-host-last", "Host needn't be the first field.",
             with("Accept: */*\r\nUser-Agent: x\r\nHost: a"), {hello()}),
        kept("9110-5.1-host-letters", "The name of Host in capitals.", with("HOST: a"), {hello()}),
        kept("9110-5.5-host-white-space", "White space around the value.", with("Host:\t a \t"),
             {hello()}),
    };
}

}  // namespace brick::conformance
