// RFC 9110, 15.5 and RFC 9112, 3 and 7.1: a server's own limits. The brick's are 8 KiB for a
// request line, 16 KiB for a head, 100 fields, 1 MiB for a gathered body, 1 GiB for a streamed one.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

std::string chunk(std::size_t bytes) {
    std::string size;
    for (std::size_t rest = bytes; rest != 0; rest /= 16) {
        size.insert(size.begin(), "0123456789abcdef"[rest % 16]);
    }
    return size + "\r\n" + times(bytes, "x") + "\r\n";
}

std::string upload(std::string_view fields, std::string_view body = "") {
    return "POST /upload HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n" +
           std::string(body);
}

Cases heads() {
    return {
        kept("9112-3-long-target", "A target of 8,000 bytes, which all should bear.",
             "GET /hello/" + times(7993, "x") + " HTTP/1.1\r\nHost: a\r\n\r\n",
             {echo(times(7993, "x"))}),
        refused("9110-15.5.15-target", "A target of 9 KiB.",
                "GET /hello/" + times(9 * kKiB, "x") + " HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        refused("9110-15.5.15-endless-target", "A target that doesn't end.",
                "GET /" + times(9 * kKiB, "x"), 414),
        kept("9112-3-long-method", "A method of 8,000 bytes: nobody knows it.",
             times(8000, "M") + " / HTTP/1.1\r\nHost: a\r\n\r\n", {{.status = 501}}),
        refused("9112-3-longer-method", "A method of 9 KiB: nor that.",
                times(9 * kKiB, "M") + " / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        refused("9112-3-endless-method", "A method that doesn't end.", times(9 * kKiB, "M"), 501),
        kept("9110-5.4-hundred-fields", "100 fields.", get(times(99, "X: y\r\n")), {hello()}),
        refused("9110-5.4-more-fields", "101 fields.", get(times(100, "X: y\r\n")), 431),
        kept("9110-5.4-long-field", "A field of 12 KiB.",
             get("X: " + times(12 * kKiB, "y") + "\r\n"), {hello()}),
        refused("9110-5.4-longer-field", "A field of 17 KiB.",
                get("X: " + times(17 * kKiB, "y") + "\r\n"), 431),
        refused("9110-5.4-endless-field", "A field that doesn't end.",
                "GET / HTTP/1.1\r\nHost: a\r\nX: " + times(17 * kKiB, "y"), 431),
        refused("9110-5.4-endless-name", "A field's name that doesn't end.",
                "GET / HTTP/1.1\r\nHost: a\r\n" + times(17 * kKiB, "y"), 431),
        refused("9110-5.4-many-long-fields", "17 KiB of fields, none of them long.",
                get(times(34, "X: " + times(507, "y") + "\r\n")), 431),
        refused("9112-2.2-empty-lines", "Empty lines without end.", times(600, "\r\n")),
    };
}

Cases bodies() {
    const std::string mib = times(kMiB, "x");
    return {
        kept("9110-15.5.14-body", "A body of 1 MiB.", post("Content-Length: 1048576\r\n", mib),
             {echo(mib)}),
        kept("9110-15.5.14-chunked-body", "A chunked body of 1 MiB.",
             chunks(chunk(kMiB / 2) + chunk(kMiB / 2) + "0\r\n\r\n"), {echo(mib)}),
        refused("9110-15.5.14-length", "A length of 1 MiB and a byte: refused before the body.",
                post("Content-Length: 1048577\r\n"), 413),
        refused("9110-15.5.14-huge-length", "A length of 2^63 - 1.",
                post("Content-Length: 9223372036854775807\r\n", "hello"), 413),
        refused("9110-15.5.14-largest-length", "A length of 2^64 - 1.",
                post("Content-Length: 18446744073709551615\r\n", "hello"), 413),
        refused("9110-15.5.14-chunk", "A chunk of 1 MiB and a byte: refused before its data.",
                chunks("100001\r\n"), 413),
        refused("9110-15.5.14-chunks", "Chunks of 1 MiB and a byte together.",
                chunks(chunk(kMiB) + "1\r\n"), 413),
        refused("9110-15.5.14-huge-chunk", "A chunk of 2^63 - 1 bytes.",
                chunks("7fffffffffffffff\r\nhello"), 413),
        kept("9110-15.5.14-upload", "A body of 2 MiB, taken piece by piece.",
             upload("Content-Length: 2097152\r\n", times(2, mib)), {echo("2097152")}),
        kept("9110-15.5.14-chunked-upload", "A chunked body of 2 MiB, taken piece by piece.",
             upload("Transfer-Encoding: chunked\r\n", times(2, chunk(kMiB)) + "0\r\n\r\n"),
             {echo("2097152")}),
        refused("9110-15.5.14-upload-length", "A length of 1 GiB and a byte, to be streamed.",
                upload("Content-Length: 1073741825\r\n"), 413),
        kept("9112-7.1-many-chunks", "A thousand chunks of a byte.",
             chunks(times(1000, "1\r\nx\r\n") + "0\r\n\r\n"), {echo(times(1000, "x"))}),
        refused("9112-7.1.1-long", "An extension of 17 KiB.",
                chunks("5;" + times(17 * kKiB, "x") + "\r\nhello\r\n0\r\n\r\n"), 431),
        refused("9112-7.1.1-many", "Extensions of 17 KiB, spread over chunks.",
                chunks(times(1100, "1;aaaaaaaaaaaaaaa\r\nx\r\n") + "0\r\n\r\n"), 431),
        refused("9112-7.1-endless-size", "A size of 17 KiB of zeros.",
                chunks(times(17 * kKiB, "0") + "\r\n\r\n")),
        refused("9110-5.4-long-trailer", "A trailer of 17 KiB.",
                chunks("0\r\nX: " + times(17 * kKiB, "y") + "\r\n\r\n"), 431),
        refused("9110-5.4-many-trailers", "17 KiB of trailers, none of them long.",
                chunks("0\r\n" + times(34, "X: " + times(507, "y") + "\r\n") + "\r\n"), 431),
    };
}

}  // namespace

Cases limits() {
    Cases all = heads();
    const Cases more = bodies();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace brick::conformance
