#include "report.hpp"

#include <cstdio>
#include <string_view>

namespace brick::conformance {
namespace {

std::string quoted(std::string_view text) {
    std::string json = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
            json += c;
        } else {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", byte);
            json += escape;
        }
    }
    return json + '"';
}

std::string_view word(End end) {
    return end == End::open ? "open" : end == End::closed ? "closed" : "reset";
}

Outcome wanted(const Case& of) {
    Outcome outcome;
    if (of.goes_on == Continue::awaited) outcome.statuses.push_back(100);
    for (const auto& answer : of.answers) outcome.statuses.push_back(answer.status);
    outcome.end = of.after == After::keep ? End::open : End::closed;
    return outcome;
}

void write(std::ostream& out, const Outcome& outcome) {
    out << R"({"statuses": [)";
    for (std::size_t i = 0; i < outcome.statuses.size(); ++i) {
        out << (i == 0 ? "" : ", ") << outcome.statuses[i];
    }
    out << R"(], "end": ")" << word(outcome.end) << R"(", "fault": )" << quoted(outcome.fault)
        << '}';
}

void write_about(std::ostream& out, const Case& of) {
    out << R"({"id": )" << quoted(of.id) << R"(, "section": )" << quoted(of.section())
        << R"(, "why": )" << quoted(of.why);
}

}  // namespace

std::string expected(const Case& of) { return wanted(of).text(); }

void write_text(std::ostream& out, const std::vector<Result>& results) {
    std::size_t failed = 0;
    std::size_t tries = 0;
    for (const auto& result : results) {
        tries += result.tries;
        if (result.failures == 0) continue;
        ++failed;
        out << result.of->id << ": " << result.wrong.fault << " (expected " << expected(*result.of)
            << "; got " << result.wrong.text() << "; sent " << result.way << "; " << result.failures
            << " of " << result.tries << " tries)\n";
    }
    out << results.size() - failed << " of " << results.size() << " cases as expected, in " << tries
        << " tries\n";
}

void write_json(std::ostream& out, const std::string& server, const std::vector<Result>& results) {
    out << R"({"server": )" << quoted(server) << ", \"cases\": [";
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto& result = results[i];
        out << (i == 0 ? "\n" : ",\n");
        write_about(out, *result.of);
        out << R"(, "tries": )" << result.tries << R"(, "failures": )" << result.failures
            << R"(, "expected": )";
        write(out, wanted(*result.of));
        out << R"(, "got": )";
        write(out, result.first);
        out << '}';
    }
    out << "\n]}\n";
}

void write_table(std::ostream& out, const std::vector<const Case*>& cases) {
    out << "{\"cases\": [";
    for (std::size_t i = 0; i < cases.size(); ++i) {
        out << (i == 0 ? "\n" : ",\n");
        write_about(out, *cases[i]);
        out << R"(, "bytes": )" << quoted(cases[i]->bytes) << R"(, "expected": )";
        write(out, wanted(*cases[i]));
        out << '}';
    }
    out << "\n]}\n";
}

}  // namespace brick::conformance
