// RFC 9112, 5 and RFC 9110, 5: field lines.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

/// `GET /` with a Host and these bytes before the empty line, verbatim.
std::string with(std::string_view lines) { return get(lines); }

Cases names() {
    return {
        kept("9110-5.6.2-all-marks", "All that a name may be made of.",
             with("!#$%&'*+-.^_`|~09azAZ: x\r\n"), {hello()}),
        kept("9110-5.1-unknown", "A field that nobody knows.", with("X-Y: z\r\nX-Y: z\r\n"),
             {hello()}),
        refused("9112-5.1-space-before-colon",
                "A space before the colon: peers differ on whose field it is.", with("X : y\r\n")),
        refused("9112-5.1-tab-before-colon", "A tab before the colon.", with("X\t: y\r\n")),
        refused("9112-5-no-colon", "A line without a colon.", with("X\r\n")),
        refused("9112-5-empty-name", "A colon without a name.", with(": x\r\n")),
        refused("9112-5-inner-space", "A space within a name.", with("X Y: z\r\n")),
        refused("9110-5.6.2-paren", "A parenthesis in a name.", with("X(Y: z\r\n")),
        refused("9110-5.6.2-slash", "A slash in a name.", with("X/Y: z\r\n")),
        refused("9110-5.6.2-equals", "An equals sign in a name.", with("X=Y: z\r\n")),
        refused("9110-5.6.2-bracket", "A bracket in a name.", with("X[]: z\r\n")),
        refused("9110-5.6.2-quote", "A quote in a name.", with("\"X\": z\r\n")),
        refused("9110-5.6.2-comma", "A comma in a name.", with("X,Y: z\r\n")),
        refused("9110-5.6.2-high-byte", "A byte over 0x7f in a name.", with("X\xe9: z\r\n")),
        refused("9110-5.6.2-nul", "A zero byte in a name.", with("X\0: z\r\n"s)),
        refused("9110-5.6.2-control", "A control character in a name.", with("X\x01: z\r\n")),
        refused("9110-5.6.2-del", "DEL in a name.", with("X\x7f: z\r\n")),
    };
}

Cases values() {
    return {
        kept("9110-5.5-empty-value", "An empty value.", with("X:\r\n"), {hello()}),
        kept("9110-5.5-white-space", "White space around a value.", with("X: \t y \t\r\n"),
             {hello()}),
        kept("9110-5.5-inner-tab", "A tab within a value.", with("X: a\tb\r\n"), {hello()}),
        kept("9110-5.5-high-bytes", "Bytes over 0x7f in a value.", with("X: \x80\xc3\xa9\xff\r\n"),
             {hello()}),
        kept("9110-5.5-colons", "Colons in a value.", with("X: a:b: c\r\n"), {hello()}),
        refused("9110-5.5-nul", "A zero byte in a value.", with("X: a\0b\r\n"s)),
        refused("9110-5.5-bare-cr", "A bare CR in a value: to some a line's end.",
                with("X: a\rb\r\n")),
        refused("9110-5.5-cr-cr-lf", "CR CR LF ends a field line.", with("X: a\r\r\n")),
        refused("9110-5.5-soh", "A control character in a value: 0x01.", with("X: a\x01\r\n")),
        refused("9110-5.5-backspace", "A control character in a value: backspace.",
                with("X: a\bb\r\n")),
        refused("9110-5.5-vertical-tab", "A control character in a value: vertical tab.",
                with("X: a\vb\r\n")),
        refused("9110-5.5-form-feed", "A control character in a value: form feed.",
                with("X: a\fb\r\n")),
        refused("9110-5.5-escape", "A control character in a value: escape.",
                with("X: a\x1b[0m\r\n")),
        refused("9110-5.5-del", "A control character in a value: DEL.", with("X: a\x7f\r\n")),
    };
}

Cases lines() {
    return {
        refused("9112-2.2-bare-lf", "A bare LF ends a field line.", with("X: y\n")),
        refused("9112-2.2-lf-cr", "LF CR ends a field line.", with("X: y\n\r")),
        refused("9112-2.2-empty-line-lf", "A bare LF for the empty line.",
                "GET / HTTP/1.1\r\nHost: a\r\n\n"),
        refused("9112-2.2-only-lf", "Bare LFs everywhere.", "GET / HTTP/1.1\nHost: a\n\n"),
        refused("9112-2.2-cr-before-empty-line", "A bare CR before the empty line.", with("\r")),
        refused("9112-2.2-space-before-fields", "White space before the first field.",
                "GET / HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n"),
        refused("9112-2.2-tab-before-fields", "A tab before the first field.",
                "GET / HTTP/1.1\r\n\tX: y\r\nHost: a\r\n\r\n"),
        refused("9112-2.2-folded-host", "White space before Host as the first field.",
                "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
        refused("9112-5.2-fold-space", "A value folded with a space.", with("X: a\r\n b\r\n")),
        refused("9112-5.2-fold-tab", "A value folded with a tab.", with("X: a\r\n\tb\r\n")),
        refused("9112-5.2-fold-empty", "A line of white space only.", with("X: a\r\n \r\n")),
        refused("9112-5.2-fold-host", "A folded Host.", "GET / HTTP/1.1\r\nHost:\r\n a\r\n\r\n"),
    };
}

}  // namespace

Cases fields() {
    Cases all = names();
    for (auto& more : {values(), lines()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace brick::conformance
