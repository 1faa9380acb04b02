/// The table and a server's results, as text and as JSON.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "exchange.hpp"

namespace brick::conformance {

/// The results of a case's jobs.
struct Result {
    const Case* of = nullptr;
    Outcome first{};    ///< Of the first try.
    Outcome wrong{};    ///< Of the first try that failed.
    std::string way{};  ///< How that one was sent: "split at 17".
    std::size_t tries = 0;
    std::size_t failures = 0;
};

/// The case's expectation in the format of Outcome::text, such as "400, closed".
[[nodiscard]] std::string expected(const Case& of);

/// A line for each case that failed, and a last one with the counts.
void write_text(std::ostream& out, const std::vector<Result>& results);

/// {"server": …, "cases": [{"id", "section", "why", "ok", "expected", "got", …}]}.
void write_json(std::ostream& out, const std::string& server, const std::vector<Result>& results);

/// The cases themselves, as JSON; a byte from 0x80 is \u0080 and so on.
void write_table(std::ostream& out, const std::vector<const Case*>& cases);

}  // namespace brick::conformance
