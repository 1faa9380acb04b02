// RFC 9112, 11.1 and 11.2: published attacks, each with the request that it smuggles. The answer is
// one refusal: a server that answers twice has seen a request that was not sent.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

constexpr std::string_view kSmuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
static_assert(kSmuggled.size() == 35);  // 0x23, in the lengths below.

/// Fields that one reader takes for chunked and another does not. The length covers the body by
/// that length: the last chunk and the smuggled request.
std::string disguised(std::string_view fields) {
    const std::string body = "0\r\n\r\n" + std::string(kSmuggled);
    return post("Content-Length: " + std::to_string(body.size()) + "\r\n" + std::string(fields),
                body);
}

/// A reader of chunks sees the smuggled request in the first one; a reader of the preceding length
/// sees it as a request.
std::string hidden(std::string_view fields) {
    return post("Content-Length: 4\r\n" + std::string(fields),
                "23\r\n" + std::string(kSmuggled) + "\r\n0\r\n\r\n");
}

/// A chunked body and the smuggled request after it.
std::string behind(std::string_view body) {
    return chunks(std::string(body) + std::string(kSmuggled));
}

Cases disguises() {
    return {
        refused("9112-11.2-cl-te", "CL.TE: a length, and chunks that end sooner.",
                disguised("Transfer-Encoding: chunked\r\n")),
        refused("9112-11.2-te-cl", "TE.CL: chunks, and a length that ends sooner.",
                hidden("Transfer-Encoding: chunked\r\n")),
        refused("9112-11.2-te-te", "TE.TE: chunked, and something else.",
                disguised("Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n")),
        refused("9112-11.2-te-space-colon", "A space before the colon of Transfer-Encoding.",
                disguised("Transfer-Encoding : chunked\r\n")),
        refused("9112-11.2-te-vertical-tab", "A vertical tab before chunked.",
                disguised("Transfer-Encoding: \vchunked\r\n")),
        refused("9112-11.2-te-xchunked", "xchunked.", disguised("Transfer-Encoding: xchunked\r\n")),
        refused("9112-11.2-te-tab", "A tab before chunked.",
                disguised("Transfer-Encoding:\tchunked\r\n")),
        refused("9112-11.2-te-folded", "Transfer-Encoding on two lines.",
                disguised("Transfer-Encoding:\r\n chunked\r\n")),
        refused("9112-11.2-te-hidden-line", "Transfer-Encoding as another field's second line.",
                disguised("X: y\r\n Transfer-Encoding: chunked\r\n")),
        refused("9112-11.2-te-bare-lf", "Transfer-Encoding behind a bare LF.",
                disguised("X: y\nTransfer-Encoding: chunked\r\n")),
        refused("9112-11.2-te-bare-cr", "Transfer-Encoding behind a bare CR.",
                disguised("X: y\rTransfer-Encoding: chunked\r\n")),
        refused("9112-11.2-te-nul", "A zero byte in Transfer-Encoding's name.",
                disguised("Transfer-Encoding\0: chunked\r\n"s)),
        refused("9112-11.2-te-identity", "chunked, identity.",
                disguised("Transfer-Encoding: chunked, identity\r\n")),
        refused("9112-11.2-te-identity-first", "identity, chunked.",
                disguised("Transfer-Encoding: identity, chunked\r\n")),
        refused("9112-11.2-te-quoted", "\"chunked\".",
                disguised("Transfer-Encoding: \"chunked\"\r\n")),
        refused("9112-11.2-te-empty", "An empty Transfer-Encoding.",
                disguised("Transfer-Encoding:\r\n")),
        refused("9112-11.2-te-cow", "cow.", disguised("Transfer-Encoding: cow\r\n")),
        refused("9112-11.2-te-high-space", "A no-break space before chunked.",
                disguised("Transfer-Encoding: \xa0"
                          "chunked\r\n")),
        refused("9112-11.2-te-old", "Transfer-Encoding in HTTP/1.0.",
                "POST /echo HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 5\r\n"
                "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
                    std::string(kSmuggled)),
    };
}

Cases lengths() {
    const std::string both = "Content-Length: 0\r\nContent-Length: 35\r\n";
    return {
        refused("9112-11.2-cl-cl", "CL.CL: two lengths.", post(both, kSmuggled)),
        refused("9112-11.2-cl-list", "A list of two lengths.",
                post("Content-Length: 0, 35\r\n", kSmuggled)),
        refused("9112-11.2-cl-plus", "A length with a plus sign.",
                post("Content-Length: +35\r\n", kSmuggled)),
        refused("9112-11.2-cl-space-colon", "A space before the colon of Content-Length.",
                post("Content-Length : 35\r\n", kSmuggled)),
        refused("9112-11.2-cl-overflow", "A length of 2^64.",
                post("Content-Length: 18446744073709551616\r\n", kSmuggled)),
        refused("9112-11.2-cl-nul", "A length with a zero byte.",
                post("Content-Length: 0\0"
                     "35\r\n"s,
                     kSmuggled)),
        refused("9112-11.2-cl-bare-cr", "A length behind a bare CR.",
                post("X: y\rContent-Length: 35\r\n", kSmuggled)),
        refused("9112-11.2-host-cr", "A second Host behind a bare CR.", get("X: y\rHost: b\r\n")),
        kept("9112-11.2-get-body", "A GET's body isn't the next request.",
             get("Content-Length: 35\r\n") + std::string(kSmuggled), {hello()}),
    };
}

Cases chunked_bodies() {
    return {
        refused("9112-11.2-ext-lf", "A bare LF in an extension, and a chunk within it.",
                behind("2;\nxx\r\n0\r\n\r\n")),
        refused("9112-11.2-ext-lf-size", "A bare LF in an extension, and a size behind it.",
                chunks("5;\n0\r\n\r\n" + std::string(kSmuggled))),
        refused("9112-11.2-ext-cr", "A bare CR in an extension, and a size behind it.",
                chunks("5;\r0\r\n\r\n" + std::string(kSmuggled))),
        refused("9112-11.2-size-lf", "A bare LF behind the last size.", behind("0\n\n")),
        refused("9112-11.2-size-0x", "A size with 0x, which is 0 to some.", behind("0x5\r\n\r\n")),
        refused("9112-11.2-size-underscore", "A size with an underscore.", behind("1_0\r\n\r\n")),
        refused("9112-11.2-size-wrap", "A size of 2^64, which is 0 to some.",
                behind("10000000000000000\r\n\r\n")),
        refused("9112-11.2-size-wrap-32", "A size of 2^32: too large for most, 0 to some.",
                behind("100000000\r\n\r\n"), 413),
        refused("9112-11.2-size-nul", "A size with a zero byte.", behind("0\0\r\n\r\n"s)),
        refused("9112-11.2-data-spill", "Data that is longer than its size, by two bytes.",
                behind("1\r\nxyz0\r\n\r\n")),
        refused("9112-11.2-trailer-cr", "A request behind a bare CR in the trailers.",
                chunks("0\r\nX: y\r\r\n" + std::string(kSmuggled))),
        refused("9112-11.2-trailer-lf", "A request behind a bare LF in the trailers.",
                chunks("0\r\nX: y\n\n" + std::string(kSmuggled))),
        refused("9112-11.2-trailer-request", "A request for the last CRLF.",
                chunks("0\r\n" + std::string(kSmuggled))),
    };
}

}  // namespace

Cases smuggling() {
    Cases all = disguises();
    for (auto& more : {lengths(), chunked_bodies()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

}  // namespace brick::conformance
