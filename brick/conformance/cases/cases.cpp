#include "cases/cases.hpp"

#include <iterator>
#include <utility>

namespace brick::conformance {

Answer hello() { return {.status = 200, .body = "Hello, World!"}; }

Answer echo(std::string body) { return {.status = 200, .body = std::move(body)}; }

Answer bare(int status, std::vector<std::string> has, std::vector<std::string> lacks) {
    return {.status = status, .to_head = true, .has = std::move(has), .lacks = std::move(lacks)};
}

std::string get(std::string_view fields) {
    return "GET / HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

std::string post(std::string_view fields, std::string_view body) {
    return "POST /echo HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

std::string chunks(std::string_view body) { return post("Transfer-Encoding: chunked\r\n", body); }

std::string times(std::size_t count, std::string_view text) {
    std::string all;
    all.reserve(count * text.size());
    for (std::size_t i = 0; i < count; ++i) all += text;
    return all;
}

Case refused(std::string id, std::string why, std::string bytes, int status) {
    return closed(std::move(id), std::move(why), std::move(bytes), {{.status = status}});
}

Case kept(std::string id, std::string why, std::string bytes, Answers answers) {
    return {.id = std::move(id),
            .why = std::move(why),
            .bytes = std::move(bytes),
            .answers = std::move(answers)};
}

Case closed(std::string id, std::string why, std::string bytes, Answers answers) {
    Case made = kept(std::move(id), std::move(why), std::move(bytes), std::move(answers));
    made.after = After::close;
    return made;
}

Case cut(std::string id, std::string why, std::string bytes, Answers answers) {
    Case made = kept(std::move(id), std::move(why), std::move(bytes), std::move(answers));
    made.after = After::cut;
    return made;
}

std::string Case::section() const {
    const auto rfc = id.find('-');
    const auto end = id.find('-', rfc + 1);
    return "RFC " + id.substr(0, rfc) + ", " + id.substr(rfc + 1, end - rfc - 1);
}

const std::vector<Case>& table() {
    static const std::vector<Case> all = [] {
        std::vector<Case> cases;
        for (auto* part : {request_line, targets, host, fields, content_length, transfer_encoding,
                           chunk_lines, trailers, methods, answers, connection, pipelining, expect,
                           http_1_0, limits, smuggling, broken_off}) {
            auto more = part();
            cases.insert(cases.end(), std::make_move_iterator(more.begin()),
                         std::make_move_iterator(more.end()));
        }
        return cases;
    }();
    return all;
}

}  // namespace brick::conformance
