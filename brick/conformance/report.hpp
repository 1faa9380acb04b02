/// The table, and what a server made of it, in words and in JSON.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "exchange.hpp"

namespace brick::conformance {

/// What a case's jobs brought.
struct Result {
    const Case* of = nullptr;
    Outcome first{};    ///< Of the first try.
    Outcome wrong{};    ///< Of the first try that failed.
    std::string way{};  ///< How that one was sent: "split at 17".
    std::size_t tries = 0;
    std::size_t failures = 0;
};

/// "400, closed": what the case expects, in the words of Outcome::text.
[[nodiscard]] std::string expected(const Case& of);

/// A line for each case that failed, and a last one that counts.
void write_text(std::ostream& out, const std::vector<Result>& results);

/// {"server": …, "cases": [{"id", "section", "why", "ok", "expected", "got", …}]}.
void write_json(std::ostream& out, const std::string& server, const std::vector<Result>& results);

/// The cases themselves, as JSON; a byte from 0x80 is \u0080 and so on.
void write_table(std::ostream& out, const std::vector<const Case*>& cases);

}  // namespace brick::conformance
