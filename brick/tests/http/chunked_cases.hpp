/// Chunked bodies and their results: the table of the decoder's tests and of its fuzzer.
#pragma once

#include <string>
#include <vector>

namespace brick::http::testing {

struct ChunkedCase {
    std::string name;
    std::string bytes;  // A whole body, or at least one up to its bad byte.
    std::string data;   // The data before the end or the refusal.
    int refusal = 0;
};

[[nodiscard]] std::vector<ChunkedCase> chunked_cases();

}  // namespace brick::http::testing
