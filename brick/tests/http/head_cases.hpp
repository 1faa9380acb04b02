/// Heads and their results: the table of the parser's tests and the seeds of its fuzzer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brick::http::testing {

struct HeadCase {
    std::string name;
    std::string bytes;  // A whole head; or one up to the line that is refused.
    int refusal = 0;    // 0: a head that may be answered.
};

/// Request lines, targets and versions.
[[nodiscard]] std::vector<HeadCase> request_line_cases();

/// Hosts and the other authorities.
[[nodiscard]] std::vector<HeadCase> authority_cases();

/// The form of fields, whatever their names.
[[nodiscard]] std::vector<HeadCase> field_cases();

/// Content-Length, Transfer-Encoding, Connection and Expect.
[[nodiscard]] std::vector<HeadCase> known_field_cases();

/// All of them.
[[nodiscard]] std::vector<HeadCase> head_cases();

}  // namespace brick::http::testing
