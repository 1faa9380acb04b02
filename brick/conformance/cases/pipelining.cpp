// RFC 9112, 9.3.2: several requests before the first answer.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

std::string ask(std::string_view path, std::string_view method = "GET") {
    return std::string(method) + ' ' + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

Case numbered() {
    std::string bytes;
    Answers answers;
    for (int i = 1; i <= 40; ++i) {
        bytes += ask("/hello/" + std::to_string(i));
        answers.push_back(echo(std::to_string(i)));
    }
    return kept("9112-9.3.2-forty", "Forty requests are answered in their order.", bytes,
                std::move(answers));
}

}  // namespace

Cases pipelining() {
    const std::string sized = post("Content-Length: 5\r\n", "hello");
    const std::string chunked = chunks("5\r\nhello\r\n0\r\n\r\n");
    return {
        kept("9112-9.3.2-two", "Two requests.", get() + ask("/hello/x"), {hello(), echo("x")}),
        numbered(),
        kept("9112-9.3.2-bodies", "Bodies of both framings between requests without.",
             get() + sized + chunked + get() + sized + chunked,
             {hello(), echo("hello"), echo("hello"), hello(), echo("hello"), echo("hello")}),
        kept("9112-9.3.2-post-get", "A body's last byte and the next request's first.",
             sized + ask("/hello/x"), {echo("hello"), echo("x")}),
        kept("9112-9.3.2-chunked-get", "A last chunk and the next request.",
             chunked + ask("/hello/x"), {echo("hello"), echo("x")}),
        kept("9112-9.3.2-trailers-get", "Trailers and the next request.",
             chunks("5\r\nhello\r\n0\r\nX: y\r\n\r\n") + ask("/hello/x"),
             {echo("hello"), echo("x")}),
        kept("9112-9.3.2-not-found", "A path that isn't there doesn't end the line.",
             get() + ask("/nowhere") + get(), {hello(), {.status = 404}, hello()}),
        kept("9112-9.3.2-statuses", "Answers with and without a body, in order.",
             ask("/", "OPTIONS") + ask("/", "HEAD") + ask("/", "DELETE") + ask("/empty") +
                 ask("/no-content") + ask("/"),
             {{.status = 204}, bare(200), {.status = 405}, echo(""), {.status = 204}, hello()}),
        kept("9112-9.3.2-big", "A large answer before a small one.", ask("/big") + ask("/hello/x"),
             {{.status = 200, .body = times(1024 * 1024, "x")}, echo("x")}),
        kept("9112-9.3.2-stream", "A chunked answer before another.",
             ask("/stream") + ask("/stream") + ask("/hello/x"),
             {echo("one two three"), echo("one two three"), echo("x")}),
        kept("9112-9.3.2-upload", "A body that is taken piece by piece, and the next request.",
             "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" + sized,
             {echo("5"), echo("hello")}),
        closed("9112-9.3.2-refused-second", "The second is refused: the third isn't answered.",
               get() + "GET / HTTP/1.1\r\n\r\n" + get(), {hello(), {.status = 400}}),
        closed("9112-9.3.2-refused-last", "The last is refused, behind answers.",
               get() + sized + "x\r\n", {hello(), echo("hello"), {.status = 400}}),
        closed("9112-9.3.2-refused-chunk", "A chunk is refused, behind an answer.",
               get() + chunks("x\r\n"), {hello(), {.status = 400}}),
        closed("9112-9.3.2-close-last", "close with the last of three.",
               get() + sized + get("Connection: close\r\n"), {hello(), echo("hello"), hello()}),
        closed("9112-9.3.2-close-second", "close with the second of three.",
               get() + get("Connection: close\r\n") + sized, {hello(), hello()}),
        closed("9112-9.3.2-http-1.0-last", "HTTP/1.0 behind HTTP/1.1.",
               get() + "GET / HTTP/1.0\r\n\r\n" + get(), {hello(), hello()}),
    };
}

}  // namespace brick::conformance
