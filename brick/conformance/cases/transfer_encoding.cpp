// RFC 9112, 6.1 and 7: which codings frame a body, and which are refused.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

constexpr std::string_view kBody = "5\r\nhello\r\n0\r\n\r\n";

/// `POST /echo` with these fields and a chunked body.
std::string with(std::string_view fields) { return post(fields, kBody); }

/// The same with this Transfer-Encoding, verbatim.
std::string coded(std::string_view value) {
    return with("Transfer-Encoding: " + std::string(value) + "\r\n");
}

Cases accepted() {
    return {
        kept("9112-6.1-chunked", "A chunked body.", coded("chunked"), {echo("hello")}),
        kept("9112-7-letters", "A coding's letters have no case.", coded("Chunked"),
             {echo("hello")}),
        kept("9110-5.1-coding-letters", "Nor have the field's name's.",
             with("TRANSFER-ENCODING: chunked\r\n"), {echo("hello")}),
        kept("9110-5.5-coding-white-space", "White space around the coding.",
             coded("\t chunked \t"), {echo("hello")}),
        kept("9112-6.1-get", "A chunked GET: its body is read, and counts for nothing.",
             "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(kBody),
             {hello()}),
        kept("9112-6.1-sink", "A chunked body for a handler that takes it piece by piece.",
             "POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                 std::string(kBody),
             {echo("5")}),
        kept("9110-5.6.1.2-coding-empty-elements", "Empty elements of the list, to be borne.",
             coded(", chunked,"), {echo("hello")}),
        kept("9112-7.4-te", "TE speaks of the answer, not of the request.",
             post("TE: trailers, chunked\r\nConnection: TE\r\n"), {echo("")}),
        kept("9110-5.1-coding-underscore", "Transfer_Encoding is another field.",
             post("Transfer_Encoding: chunked\r\nContent-Length: 5\r\n", "hello"), {echo("hello")}),
    };
}

Cases codings() {
    return {
        refused("9112-6.1-gzip-chunked", "A coding that the server hasn't, under chunked.",
                coded("gzip, chunked"), 501),
        refused("9112-6.1-deflate-chunked-lines", "The same in two fields.",
                with("Transfer-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n"), 501),
        refused("9112-6.1-identity-chunked", "identity, which was taken out of HTTP.",
                coded("identity, chunked"), 501),
        refused("9112-6.3-gzip", "A coding, and not chunked: the body has no end.", coded("gzip")),
        refused("9112-6.3-identity", "identity alone.", coded("identity")),
        refused("9112-6.3-xchunked", "A coding that ends like chunked.", coded("xchunked")),
        refused("9112-6.3-chunkedx", "A coding that begins like chunked.", coded("chunkedx")),
        refused("9112-6.3-chunked-gzip", "chunked isn't last: the body has no end.",
                coded("chunked, gzip")),
        refused("9112-6.3-chunked-identity", "chunked before identity.",
                coded("chunked, identity")),
        refused("9112-6.3-chunked-lines-gzip", "chunked isn't last, in two fields.",
                with("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n")),
        refused("9112-6.1-chunked-twice", "chunked twice in a list.", coded("chunked, chunked")),
        refused("9112-6.1-chunked-twice-lines", "chunked twice, in two fields.",
                with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")),
        refused("9112-6.1-http-1.0", "A coding in HTTP/1.0, which has none.",
                "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(kBody)),
        refused("9112-7-parameter", "chunked has no parameters.", coded("chunked;a=b")),
        refused("9112-7-quotes", "chunked in quotes.", coded("\"chunked\"")),
        refused("9112-7-empty", "An empty Transfer-Encoding.", coded("")),
        refused("9112-7-only-comma", "A list of nothing.", coded(",")),
        refused("9112-7-two-words", "Two words without a comma.", coded("chunked chunked")),
        refused("9112-7-inner-space", "A space within the word.", coded("chun ked")),
        refused("9112-7-vertical-tab", "A vertical tab before the word.", coded("\vchunked")),
        refused("9112-7-form-feed", "A form feed behind the word.", coded("chunked\f")),
        refused("9112-7-nul", "A zero byte behind the word.", coded("chunked\0"s)),
        refused("9112-7-high-byte", "A byte over 0x7f before the word.",
                coded("\xff"
                      "chunked")),
        refused("9112-5.1-coding-space-colon", "Transfer-Encoding with a space before its colon.",
                with("Transfer-Encoding : chunked\r\n")),
        refused("9112-5-coding-inner-space", "Transfer Encoding in two words.",
                with("Transfer Encoding: chunked\r\n")),
        refused("9112-5.2-coding-folded", "A folded Transfer-Encoding.",
                with("Transfer-Encoding:\r\n chunked\r\n")),
        refused("9112-2.2-coding-bare-lf", "Transfer-Encoding behind a bare LF.",
                with("X: y\nTransfer-Encoding: chunked\r\n")),
        refused("9110-5.5-coding-bare-cr", "Transfer-Encoding behind a bare CR.",
                with("X: y\rTransfer-Encoding: chunked\r\n")),
    };
}

}  // namespace

Cases transfer_encoding() {
    Cases all = accepted();
    const Cases more = codings();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace brick::conformance
