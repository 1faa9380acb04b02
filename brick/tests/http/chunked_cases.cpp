#include "http/chunked_cases.hpp"

using namespace std::string_literals;

namespace brick::http::testing {
namespace {

/// A chunk with an extension and the last chunk.
std::string extended(const std::string& extension) {
    return "1" + extension + "\r\na\r\n0\r\n\r\n";
}

std::string trailed(const std::string& trailers) { return "1\r\na\r\n0\r\n" + trailers + "\r\n"; }

}  // namespace

std::vector<ChunkedCase> chunked_cases() {
    return {
        {"nothing", "0\r\n\r\n", ""},
        {"one chunk", "5\r\nhello\r\n0\r\n\r\n", "hello"},
        {"three chunks", "1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n0\r\n\r\n", "abcdef"},
        {"data of line ends", "4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"},
        {"data of a last chunk", "5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"},
        {"small digits", "a\r\n0123456789\r\n0\r\n\r\n", "0123456789"},
        {"capital digits", "A\r\n0123456789\r\n0\r\n\r\n", "0123456789"},
        {"sixteen digits", "0000000000000001\r\na\r\n0000000000000000\r\n\r\n", "a"},
        {"an extension", extended(";b"), "a"},
        {"an extension of the last chunk", "0;b=c\r\n\r\n", ""},
        {"extensions with values", extended(";b=c;d=\"e f\";g"), "a"},
        {"blanks in extensions", extended(" ; b\t= c ;d ; e = \"f\" ;g"), "a"},
        {"quoted marks", extended(";b=\"\\\"\\\\;\xff\t=\""), "a"},
        {"an empty string", extended(";b=\"\""), "a"},
        {"a trailer", trailed("B: c\r\n"), "a"},
        {"trailers", trailed("B:\r\nC: d\te\xff \r\n"), "a"},
        {"trailers that mean nothing here",
         trailed("Content-Length: 5\r\nTransfer-Encoding: chunked\r\nHost: b\r\n"), "a"},

        {"no size", "\r\n", "", 400},
        {"no size but an extension", ";a\r\n", "", 400},
        {"a size of letters", "g\r\n", "", 400},
        {"a size with a letter behind", "1g\r\n", "", 400},
        {"a signed size", "+1\r\na\r\n", "", 400},
        {"a negative size", "-1\r\na\r\n", "", 400},
        {"a size with 0x", "0x1\r\na\r\n", "", 400},
        {"a size with an underscore", "1_0\r\n", "", 400},
        {"a size in quotes", "\"1\"\r\na\r\n", "", 400},
        {"a space before the size", " 1\r\na\r\n", "", 400},
        {"a space behind the size", "1 \r\na\r\n", "", 400},
        {"a tab behind the size", "1\t\r\na\r\n", "", 400},
        {"a space within the size", "1 0\r\n", "", 400},
        {"seventeen digits", "00000000000000001\r\na\r\n", "", 400},
        {"a size that overflows", "10000000000000001\r\na\r\n", "", 400},
        {"a size of 2^63", "8000000000000000\r\na\r\n", "", 400},
        {"the greatest size of 64 bits", "ffffffffffffffff\r\na\r\n", "", 400},
        {"a bare LF behind the size", "1\na\r\n0\r\n\r\n", "", 400},
        {"a bare CR behind the size", "1\ra\r\n0\r\n\r\n", "", 400},
        {"two CRs behind the size", "1\r\r\na\r\n", "", 400},
        {"a NUL behind the size", "1\0\r\na\r\n"s, "", 400},
        {"less data than its size", "3\r\na\r\n0\r\n\r\n", "a\r\n", 400},
        {"more data than its size", "1\r\nab\r\n0\r\n\r\n", "a", 400},
        {"no line end behind data", "1\r\na0\r\n\r\n", "a", 400},
        {"a bare LF behind data", "1\r\na\n0\r\n\r\n", "a", 400},
        {"a bare CR behind data", "1\r\na\r0\r\n\r\n", "a", 400},
        {"an empty line behind data", "1\r\na\r\n\r\n0\r\n\r\n", "a", 400},
        {"a bare LF behind the last size", "0\n\r\n", "", 400},
        {"a bare LF at the end", "0\r\n\n", "", 400},
        {"a bare CR at the end", "0\r\n\r0", "", 400},
        {"an extension without a name", extended(";"), "", 400},
        {"an extension of a value only", extended(";=b"), "", 400},
        {"an extension without its value", extended(";b="), "", 400},
        {"an extension without its semicolon", extended(" b"), "", 400},
        {"blanks behind an extension", extended(";b "), "", 400},
        {"blanks behind a value", extended(";b=c "), "", 400},
        {"blanks behind a string", extended(";b=\"c\" "), "", 400},
        {"two names", extended(";b c"), "", 400},
        {"two values", extended(";b=c=d"), "", 400},
        {"text behind a string", extended(";b=\"c\"d"), "", 400},
        {"a string without its end", extended(";b=\"c"), "", 400},
        {"a line end in a string", extended(";b=\"\r\n\""), "", 400},
        {"a quoted line end", extended(";b=\"\\\r\n\""), "", 400},
        {"a control in a string", extended(";b=\"\x01\""), "", 400},
        {"a NUL in an extension", extended(";b\0"s), "", 400},
        {"a bare LF in an extension", extended(";b\nc"), "", 400},
        {"a bare CR in an extension", extended(";b\rc"), "", 400},
        {"a byte from 0x80 in an extension", extended(";\xc3\xa4"), "", 400},
        {"a trailer with a space before its colon", trailed("B : c\r\n"), "a", 400},
        {"a trailer without a colon", trailed("B\r\n"), "a", 400},
        {"a trailer without a name", trailed(": b\r\n"), "a", 400},
        {"a space before a trailer", trailed(" B: c\r\n"), "a", 400},
        {"a folded trailer", trailed("B: c\r\n d\r\n"), "a", 400},
        {"a NUL in a trailer", trailed("B: \0\r\n"s), "a", 400},
        {"a control in a trailer", trailed("B: \x0c\r\n"), "a", 400},
        {"DEL in a trailer", trailed("B: \x7f\r\n"), "a", 400},
        {"a bare LF behind a trailer", trailed("B: c\n"), "a", 400},
        {"a bare CR in a trailer", trailed("B: c\rD: e\r\n"), "a", 400},
        {"the next request for a trailer", trailed("GET / HTTP/1.1\r\n"), "a", 400},
        {"a trailer of 65 bytes", trailed("B:" + std::string(63, 'c') + "\r\n"), "a", 431},
        {"trailers of 65 bytes",
         trailed("B:" + std::string(30, 'c') + "\r\nD:" + std::string(31, 'e') + "\r\n"), "a", 431},
        {"an extension of 65 bytes", extended(";" + std::string(64, 'b')), "", 431},
        {"extensions and a trailer of 65 bytes",
         "1;" + std::string(31, 'b') + "\r\na\r\n0;" + std::string(30, 'b') + "\r\nB:\r\n", "a",
         431},
        {"blanks without end", "1" + std::string(65, ' '), "", 431},
    };
}

}  // namespace brick::http::testing
