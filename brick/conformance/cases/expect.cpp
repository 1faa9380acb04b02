// RFC 9110, 10.1.1: Expect.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

constexpr std::string_view kExpect = "Expect: 100-continue\r\n";

/// The client sends `then` once it has the 100.
Case awaited(std::string id, std::string why, std::string head, std::string then, Answers answers) {
    Case made = kept(std::move(id), std::move(why), std::move(head), std::move(answers));
    made.goes_on = Continue::awaited;
    made.then = std::move(then);
    return made;
}

/// The client does not wait for it.
Case unawaited(Case made) {
    made.goes_on = Continue::may;
    return made;
}

std::string expecting(std::string_view path, std::string_view fields,
                      std::string_view method = "POST") {
    return std::string(method) + ' ' + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" +
           std::string(kExpect) + std::string(fields) + "\r\n";
}

}  // namespace

Cases expect() {
    const std::string five = "Content-Length: 5\r\n";
    const std::string chunked = "Transfer-Encoding: chunked\r\n";
    return {
        awaited("9110-10.1.1-length", "100 before the body.", expecting("/echo", five), "hello",
                {echo("hello")}),
        awaited("9110-10.1.1-chunked", "100 before a chunked body.", expecting("/echo", chunked),
                "5\r\nhello\r\n0\r\n\r\n", {echo("hello")}),
        awaited("9110-10.1.1-sink", "100 before a body that is taken piece by piece.",
                expecting("/upload", five), "hello", {echo("5")}),
        awaited("9110-10.1.1-letters", "Its letters have no case.",
                post("expect: 100-Continue\r\n" + five), "hello", {echo("hello")}),
        awaited("9110-10.1.1-next", "The next request may be sent with the body.",
                expecting("/echo", five), "hello" + get(), {echo("hello"), hello()}),
        unawaited(kept("9110-10.1.1-not-waited", "A client that doesn't wait for 100.",
                       expecting("/echo", five) + "hello", {echo("hello")})),
        unawaited(kept("9110-10.1.1-not-waited-chunked", "The same with chunks.",
                       expecting("/echo", chunked) + "5\r\nhello\r\n0\r\n\r\n", {echo("hello")})),
        kept("9110-10.1.1-no-body", "Without a body nobody waits for 100.", get(kExpect),
             {hello()}),
        kept("9110-10.1.1-empty-body", "Nor with an empty one.",
             post(std::string(kExpect) + "Content-Length: 0\r\n"), {echo("")}),
        refused("9110-10.1.1-too-large", "Too large a body: a final status at once.",
                expecting("/echo", "Content-Length: 1048577\r\n"), 413),
        refused("9110-10.1.1-not-found", "No such path: a final status at once.",
                expecting("/nowhere", five), 404),
        closed("9110-10.1.1-not-allowed", "No such method: a final status at once.",
               expecting("/", five, "PUT"), {{.status = 405, .has = {"Allow"}}}),
        refused("9110-10.1.1-unknown", "An expectation that nobody knows.",
                post("Expect: foo\r\n" + five, "hello"), 417),
        refused("9110-10.1.1-unknown-beside", "One that is known and one that isn't.",
                post("Expect: 100-continue, foo\r\n" + five, "hello"), 417),
        refused("9110-10.1.1-parameter", "A parameter that nobody knows.",
                post("Expect: 100-continue;a=b\r\n" + five, "hello"), 417),
        refused("9110-10.1.1-unknown-get", "An unknown expectation without a body.",
                get("Expect: foo\r\n"), 417),
        refused("9110-10.1.1-refused-head", "A head that is refused gets no 100.",
                post(std::string(kExpect) + five + chunked)),
        closed("9110-10.1.1-http-1.0", "HTTP/1.0 knows no 100.",
               "POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
               {echo("hello")}),
    };
}

}  // namespace brick::conformance
