/// The files of the table, and the functions with which they are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "case.hpp"

namespace brick::conformance {

using namespace std::string_literals;  // "..."s: a case may hold zero bytes.
using Cases = std::vector<Case>;
using Answers = std::vector<Answer>;

/// The answer to `GET /`.
[[nodiscard]] Answer hello();
/// The answer to `POST /echo`: 200 and this body, which the server must have received.
[[nodiscard]] Answer echo(std::string body);
/// The head alone, as for HEAD.
[[nodiscard]] Answer bare(int status, std::vector<std::string> has = {},
                          std::vector<std::string> lacks = {});

/// `GET /` with a Host and these fields, each with its CRLF.
[[nodiscard]] std::string get(std::string_view fields = "");
/// `POST /echo` with a Host, these fields and this body.
[[nodiscard]] std::string post(std::string_view fields, std::string_view body = "");
/// `POST /echo` with a chunked body: its chunks, last chunk and trailers are given verbatim.
[[nodiscard]] std::string chunks(std::string_view body);
/// `text` repeated this many times.
[[nodiscard]] std::string times(std::size_t count, std::string_view text);

/// The server answers with this status, and closes.
[[nodiscard]] Case refused(std::string id, std::string why, std::string bytes, int status = 400);
/// The server answers, and the connection stays open.
[[nodiscard]] Case kept(std::string id, std::string why, std::string bytes, Answers answers);
/// The server answers, and the connection closes.
[[nodiscard]] Case closed(std::string id, std::string why, std::string bytes, Answers answers);
/// The client breaks off within a message, after this many answers to whole ones.
[[nodiscard]] Case cut(std::string id, std::string why, std::string bytes, Answers answers = {});

[[nodiscard]] Cases request_line();
[[nodiscard]] Cases targets();
[[nodiscard]] Cases host();
[[nodiscard]] Cases fields();
[[nodiscard]] Cases content_length();
[[nodiscard]] Cases transfer_encoding();
[[nodiscard]] Cases chunk_lines();
[[nodiscard]] Cases trailers();
[[nodiscard]] Cases methods();
[[nodiscard]] Cases answers();
[[nodiscard]] Cases connection();
[[nodiscard]] Cases pipelining();
[[nodiscard]] Cases expect();
[[nodiscard]] Cases http_1_0();
[[nodiscard]] Cases limits();
[[nodiscard]] Cases smuggling();
[[nodiscard]] Cases broken_off();

}  // namespace brick::conformance
