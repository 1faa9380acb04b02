// RFC 9112, 7.1: chunks, their sizes and their extensions.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

/// One chunk of five bytes whose size line is this, and the last one.
std::string sized(std::string_view line) {
    return chunks(std::string(line) + "\r\nhello\r\n0\r\n\r\n");
}

Cases accepted() {
    const std::string sixteen = "0123456789abcdef";
    return {
        kept("9112-7.1-several", "A body in several chunks.",
             chunks("1\r\nh\r\n3\r\nell\r\n1\r\no\r\n0\r\n\r\n"), {echo("hello")}),
        kept("9112-7.1-empty", "A chunked body without bytes.", chunks("0\r\n\r\n"), {echo("")}),
        kept("9112-7.1-lower-hex", "A size in small letters.",
             chunks("a\r\n0123456789\r\n0\r\n\r\n"), {echo("0123456789")}),
        kept("9112-7.1-upper-hex", "A size in capitals.", chunks("A\r\n0123456789\r\n0\r\n\r\n"),
             {echo("0123456789")}),
        kept("9112-7.1-two-digits", "A size of two digits.",
             chunks("10\r\n" + sixteen + "\r\n0\r\n\r\n"), {echo(sixteen)}),
        kept("9112-7.1-leading-zeros", "Zeros before a size.", sized("0005"), {echo("hello")}),
        kept("9112-7.1-last-zeros", "A last chunk of several zeros.",
             chunks("5\r\nhello\r\n000\r\n\r\n"), {echo("hello")}),
        kept("9112-7.1-crlf-in-data", "CRLF in a chunk's data.",
             chunks("7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n"), {echo("\r\n0\r\n\r\n")}),
        kept("9112-7.1-like-a-request", "A chunk that looks like a request.",
             chunks("11\r\nGET /x HTTP/1.1\r\n\r\n0\r\n\r\n"), {echo("GET /x HTTP/1.1\r\n")}),
        kept("9112-7.1.1-name", "An extension without a value.", sized("5;a"), {echo("hello")}),
        kept("9112-7.1.1-value", "An extension with a value.", sized("5;a=b"), {echo("hello")}),
        kept("9112-7.1.1-quoted", "An extension with a quoted value.", sized("5;a=\"b; c \\\" d\""),
             {echo("hello")}),
        kept("9112-7.1.1-two", "Two extensions.", sized("5;a=b;c"), {echo("hello")}),
        kept("9112-7.1.1-white-space", "White space around an extension's marks, to be borne.",
             sized("5 ;\ta = b"), {echo("hello")}),
        kept("9112-7.1.1-last", "An extension of the last chunk.",
             chunks("5\r\nhello\r\n0;a=b\r\n\r\n"), {echo("hello")}),
    };
}

Cases sizes() {
    return {
        refused("9112-7.1-plus", "A size with a plus sign.", sized("+5")),
        refused("9112-7.1-minus", "A size with a minus sign.", sized("-5")),
        refused("9112-7.1-minus-zero", "A last chunk of minus zero.", chunks("-0\r\n\r\n")),
        refused("9112-7.1-0x", "A size with 0x.", sized("0x5")),
        refused("9112-7.1-underscore", "A size with an underscore.", sized("0_5")),
        refused("9112-7.1-comma", "A size with a comma.", sized("0,5")),
        refused("9112-7.1-letter", "A size that is no number.", sized("g")),
        refused("9112-7.1-letter-behind", "A letter behind a size.", sized("5g")),
        refused("9112-7.1-point", "A size with a point.", sized("5.0")),
        refused("9112-7.1-no-size", "A line without a size.", sized("")),
        refused("9112-7.1-only-extension", "An extension without a size.", sized(";a=b")),
        refused("9112-7.1-space-before", "A space before a size.", sized(" 5")),
        refused("9112-7.1-space-behind", "A space behind a size.", sized("5 ")),
        refused("9112-7.1-tab-behind", "A tab behind a size.", sized("5\t")),
        refused("9112-7.1-vertical-tab", "A vertical tab before a size.", sized("\v5")),
        refused("9112-7.1-nul", "A zero byte behind a size.", sized("5\0"s)),
        refused("9112-7.1-two-to-the-64", "A size of 2^64.", sized("10000000000000000")),
        refused("9112-7.1-two-to-the-64-and-five", "A size of 2^64 + 5.",
                sized("10000000000000005")),
        refused("9112-7.1-two-to-the-64-less-one", "A size of 2^64 - 1: -1 to some.",
                sized("ffffffffffffffff")),
        refused("9112-7.1-forty-digits", "A size of forty digits.", sized(times(40, "f"))),
    };
}

Cases lines() {
    return {
        refused("9112-7.1-size-lf", "A bare LF behind a size.", chunks("5\nhello\r\n0\r\n\r\n")),
        refused("9112-7.1-size-cr", "A bare CR behind a size.", chunks("5\rhello\r\n0\r\n\r\n")),
        refused("9112-7.1-size-cr-cr", "CR CR LF behind a size.", sized("5\r")),
        refused("9112-7.1-no-crlf", "No CRLF behind a chunk's data.",
                chunks("5\r\nhello0\r\n\r\n")),
        refused("9112-7.1-data-lf", "A bare LF behind a chunk's data.",
                chunks("5\r\nhello\n0\r\n\r\n")),
        refused("9112-7.1-data-cr", "A bare CR behind a chunk's data.",
                chunks("5\r\nhello\r0\r\n\r\n")),
        refused("9112-7.1-data-longer", "More data than the size says.",
                chunks("5\r\nhello!\r\n0\r\n\r\n")),
        refused("9112-7.1-data-two-other", "Two other bytes for the CRLF behind the data.",
                chunks("5\r\nhelloXX0\r\n\r\n")),
        refused("9112-7.1-last-lf", "A bare LF behind the last chunk's size.",
                chunks("5\r\nhello\r\n0\n\r\n")),
        refused("9112-7.1-end-lf", "A bare LF at the body's end.", chunks("5\r\nhello\r\n0\r\n\n")),
        refused("9112-7.1-end-missing", "A request where the body's last CRLF should be.",
                chunks("5\r\nhello\r\n0\r\n") + get()),
        refused("9112-7.1.1-lf", "A bare LF in an extension: the line's end to some.",
                chunks("5;a\nhello\r\n0\r\n\r\n")),
        refused("9112-7.1.1-lf-quoted", "A bare LF in a quoted extension.", sized("5;a=\"\n\"")),
        refused("9112-7.1.1-no-name", "A semicolon and no extension.", sized("5;")),
        refused("9112-7.1.1-no-value", "An extension with an equals sign and no value.",
                sized("5;a=")),
        refused("9112-7.1.1-open-quotes", "Quotes that aren't closed on their line.",
                sized("5;a=\"b")),
        refused("9112-7.1.1-cr", "A bare CR in an extension.", sized("5;a\rb")),
        refused("9112-7.1.1-nul", "A zero byte in an extension.", sized("5;a\0b"s)),
        refused("9112-7.1.1-control", "A control character in an extension.", sized("5;a=\x01")),
        refused("9112-7.1.1-del", "DEL in an extension.", sized("5;a=\x7f")),
    };
}

}  // namespace

Cases chunk_lines() {
    Cases all = accepted();
    for (auto& more : {sizes(), lines()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace brick::conformance
