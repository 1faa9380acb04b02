/// brick-conformance: tests a server with the table.

#include <netdb.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "report.hpp"
#include "runner.hpp"

namespace {

using namespace brick::conformance;

constexpr std::string_view kUsage =
    "usage: brick-conformance HOST:PORT [--only ID-PREFIX] [--ways whole,bytes,splits] [--json]\n"
    "       brick-conformance --list [--only ID-PREFIX]\n"
    "\n"
    "Holds a server against the table of cases; README.md says what the server must serve.\n"
    "  --only ID-PREFIX  cases whose id begins so, as 9112-7\n"
    "  --ways LIST       whole: a message at once; bytes: byte by byte; splits: in two pieces, "
    "cut\n"
    "                    at each point, a connection each. Of messages over 512 bytes the first\n"
    "                    192, the last 64 and 128 points in between. All three if not given.\n"
    "  --json            what the server did, case by case, as JSON\n"
    "  --list            the cases themselves, as JSON\n"
    "Status: 0 all as expected, 1 differences, 2 the words or the server can't be used.\n";

struct Asked {
    std::string server;
    std::string only;
    std::vector<Way> ways{Way::whole, Way::bytes, Way::splits};
    bool json = false;
    bool list = false;
};

std::vector<Way> parse_ways(std::string_view text) {
    std::vector<Way> ways;
    while (true) {
        const auto comma = text.find(',');
        const auto word = text.substr(0, comma);
        if (word == "whole")
            ways.push_back(Way::whole);
        else if (word == "bytes")
            ways.push_back(Way::bytes);
        else if (word == "splits")
            ways.push_back(Way::splits);
        else
            throw std::invalid_argument("--ways: '" + std::string(word) +
                                        "' is none of whole, bytes, splits");
        if (comma == text.npos) return ways;
        text.remove_prefix(comma + 1);
    }
}

Asked parse(const std::vector<std::string>& words) {
    Asked asked;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto& word = words[i];
        const auto value = [&] {
            if (i + 1 == words.size()) throw std::invalid_argument(word + " wants a value");
            return words[++i];
        };
        if (word == "--only")
            asked.only = value();
        else if (word == "--ways")
            asked.ways = parse_ways(value());
        else if (word == "--json")
            asked.json = true;
        else if (word == "--list")
            asked.list = true;
        else if (word.starts_with("-"))
            throw std::invalid_argument("unknown option: " + word);
        else if (asked.server.empty())
            asked.server = word;
        else
            throw std::invalid_argument("one HOST:PORT only, not also " + word);
    }
    if (asked.server.empty() && !asked.list) throw std::invalid_argument("HOST:PORT is missing");
    return asked;
}

Address resolve(const std::string& server) {
    const auto colon = server.rfind(':');
    if (colon == server.npos) throw std::invalid_argument(server + " is no HOST:PORT");
    auto host = server.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const int error = getaddrinfo(host.c_str(), server.c_str() + colon + 1, &hints, &found)) {
        throw std::invalid_argument(server + ": " + gai_strerror(error));
    }
    Address address;
    std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
    address.bytes = found->ai_addrlen;
    freeaddrinfo(found);
    return address;
}

std::vector<const Case*> chosen(const std::string& only) {
    std::vector<const Case*> cases;
    for (const auto& each : table()) {
        if (each.id.starts_with(only)) cases.push_back(&each);
    }
    if (cases.empty()) throw std::invalid_argument("no case's id begins with " + only);
    return cases;
}

std::string name(const Job& job) {
    if (job.way == Way::whole) return "whole";
    if (job.way == Way::bytes) return "byte by byte";
    return "split at " + std::to_string(job.cuts.front());
}

/// A case that failed in one way is not tried in the next: for a server that deviates, each of the
/// splits would wait until its timeout.
std::vector<Result> run_all(const Address& server, const std::vector<const Case*>& cases,
                            const std::vector<Way>& ways) {
    std::map<const Case*, Result> results;
    for (const auto way : ways) {
        std::vector<Job> jobs;
        for (const auto* each : cases) {
            if (results[each].failures > 0) continue;
            for (auto& cuts : connections(each->bytes.size(), way)) {
                jobs.push_back({each, way, std::move(cuts)});
            }
        }
        run(server, jobs, [&](const Job& job, const Outcome& outcome) {
            auto& result = results[job.of];
            if (++result.tries == 1) result.first = outcome;
            if (outcome.fault.empty()) return;
            if (++result.failures == 1) {
                result.way = name(job);
                result.wrong = outcome;
            }
        });
    }
    std::vector<Result> in_order;
    for (const auto* each : cases) {
        results[each].of = each;
        in_order.push_back(std::move(results[each]));
    }
    return in_order;
}

int run_asked(const Asked& asked) {
    const auto cases = chosen(asked.only);
    if (asked.list) {
        write_table(std::cout, cases);
        return 0;
    }
    const auto results = run_all(resolve(asked.server), cases, asked.ways);
    if (asked.json)
        write_json(std::cout, asked.server, results);
    else
        write_text(std::cout, results);
    return std::any_of(results.begin(), results.end(), [](const Result& r) { return r.failures; })
               ? 1
               : 0;
}

}  // namespace

int main(int count, char** words) {
    try {
        return run_asked(parse({words + 1, words + count}));
    } catch (const std::invalid_argument& error) {
        std::cerr << "brick-conformance: " << error.what() << "\n\n" << kUsage;
    } catch (const std::exception& error) {
        std::cerr << "brick-conformance: " << error.what() << '\n';
    }
    return 2;
}
