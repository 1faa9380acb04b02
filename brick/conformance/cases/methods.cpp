// RFC 9110, 9 and 15.5: methods, known and unknown, routed and not.
#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

std::string ask(std::string_view method, std::string_view path = "/") {
    return std::string(method) + ' ' + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

/// 405 with all methods of the path.
Answer not_allowed(std::string_view methods) {
    return {.status = 405, .has = {"Allow: " + std::string(methods)}};
}

}  // namespace

Cases methods() {
    const std::string of_get = "GET, HEAD, OPTIONS";
    return {
        kept("9110-9.3.2-head", "HEAD is answered as GET is, without the body.", ask("HEAD"),
             {bare(200, {"Content-Length: 13"})}),
        kept("9110-9.3.2-head-not-found", "HEAD of a path that isn't there.",
             ask("HEAD", "/nowhere"), {bare(404)}),
        kept("9110-9.3.2-head-not-allowed", "HEAD of a path that has no GET.", ask("HEAD", "/echo"),
             {bare(405, {"Allow: OPTIONS, POST"})}),
        kept("9110-9.3.7-options", "OPTIONS of a path.", ask("OPTIONS"),
             {{.status = 204, .has = {"Allow: " + of_get}, .lacks = {"Content-Length"}}}),
        kept("9110-9.3.7-options-post", "OPTIONS of a path that only has POST.",
             ask("OPTIONS", "/echo"), {{.status = 204, .has = {"Allow: OPTIONS, POST"}}}),
        kept("9110-9.3.7-options-body", "OPTIONS with a body: it is read.",
             "OPTIONS / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", {{.status = 204}}),
        kept("9110-9.3.7-options-not-found", "OPTIONS of a path that isn't there.",
             ask("OPTIONS", "/nowhere"), {{.status = 404}}),
        kept("9110-15.5.6-post", "POST to a path that hasn't it.", ask("POST"),
             {not_allowed(of_get)}),
        kept("9110-15.5.6-put", "PUT to a path that hasn't it.", ask("PUT"), {not_allowed(of_get)}),
        kept("9110-15.5.6-delete", "DELETE of a path that hasn't it.", ask("DELETE"),
             {not_allowed(of_get)}),
        kept("9110-15.5.6-patch", "PATCH of a path that hasn't it.", ask("PATCH"),
             {not_allowed(of_get)}),
        kept("9110-15.5.6-trace", "TRACE shows secrets to scripts: never.", ask("TRACE"),
             {not_allowed(of_get)}),
        kept("9110-15.5.6-get", "GET of a path that only has POST.", ask("GET", "/echo"),
             {not_allowed("OPTIONS, POST")}),
        kept("9110-15.5.6-body", "The body of a method that isn't allowed is read.",
             "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", {not_allowed(of_get)}),
        kept("9110-15.5.5-not-found", "A path that isn't there.", ask("GET", "/nowhere"),
             {{.status = 404, .has = {"Content-Length", "Date"}}}),
        kept("9110-15.5.5-longer", "A path that goes on behind one that is there.",
             ask("GET", "/empty/x"), {{.status = 404}}),
        kept("9110-15.5.5-letters", "A path's letters have a case.", ask("GET", "/Empty"),
             {{.status = 404}}),
        kept("9110-15.5.5-empty-parameter", "A path's parameter isn't empty.",
             ask("GET", "/hello/"), {{.status = 404}}),
        kept("9110-9.1-unknown", "A method that nobody knows.", ask("FOO"), {{.status = 501}}),
        kept("9110-9.1-lower-case", "get is another method than GET.", ask("get"),
             {{.status = 501}}),
        kept("9110-9.1-longer", "A method that begins like GET.", ask("GETS"), {{.status = 501}}),
        kept("9110-9.1-shorter", "A method that GET begins with.", ask("GE"), {{.status = 501}}),
        kept("9110-9.1-marks", "A method of a token's other characters.", ask("!#$%&'*+-.^_`|~"),
             {{.status = 501}}),
        kept("9110-9.1-propfind", "A method of another RFC.", ask("PROPFIND"), {{.status = 501}}),
        kept("9110-9.1-unknown-body", "The body of an unknown method is read.",
             "FOO / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", {{.status = 501}}),
    };
}

}  // namespace brick::conformance
