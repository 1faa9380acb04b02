// The table itself, and its cases against the brick with each kind of I/O.

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <cstring>
#include <regex>
#include <set>
#include <system_error>
#include <thread>

#include "case.hpp"
#include "runner.hpp"
#include "service.hpp"

namespace brick::conformance {
namespace {

TEST(Table, EachCaseHasAnIdOfItsOwnThatNamesASection) {
    const std::regex id("(3986|9110|9112)-[0-9C]+(\\.[0-9]+)*(-[a-z0-9.]+)+");
    std::set<std::string> ids;
    for (const auto& each : table()) {
        EXPECT_TRUE(std::regex_match(each.id, id)) << each.id;
        EXPECT_TRUE(ids.insert(each.id).second) << each.id << " is there twice";
        EXPECT_TRUE(each.why.ends_with('.')) << each.id;
        EXPECT_FALSE(each.bytes.empty()) << each.id;
        EXPECT_TRUE(each.after == After::cut || !each.answers.empty()) << each.id;
    }
    EXPECT_GE(ids.size(), 200U);
    EXPECT_EQ(table().front().section(), "RFC 9112, 2.3");
}

Address loopback(std::uint16_t port) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Address address;
    std::memcpy(&address.storage, &in, sizeof in);
    address.bytes = sizeof in;
    return address;
}

/// All cases in all ways.
std::vector<Job> all_jobs() {
    std::vector<Job> jobs;
    for (const auto& each : table()) {
        for (const auto way : {Way::whole, Way::bytes, Way::splits}) {
            for (auto& cuts : connections(each.bytes.size(), way)) {
                jobs.push_back({&each, way, std::move(cuts)});
            }
        }
    }
    return jobs;
}

// The brick answers soon, even on a busy machine: this timeout is reached only if it never does.
constexpr std::chrono::seconds kPatience(120);

void hold_against(Server& server) {
    std::thread serving([&] { server.run(); });
    std::set<std::string> failed;
    try {
        run(
            loopback(server.port()), all_jobs(),
            [&](const Job& job, const Outcome& outcome) {
                if (outcome.fault.empty() || !failed.insert(job.of->id).second) return;
                ADD_FAILURE() << job.of->id << ": " << outcome.fault << " (got " << outcome.text()
                              << "; " << job.cuts.size() << " cuts"
                              << (job.cuts.size() == 1 ? " at " + std::to_string(job.cuts[0]) : "")
                              << ')';
            },
            kPatience);
    } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
    }
    server.stop();
    serving.join();
}

class Conformance : public testing::TestWithParam<Io> {};

TEST_P(Conformance, TheBrickAnswersTheWholeTableAsExpected) {
    Options options;
    options.port = 0;
    options.io = GetParam();
    Server server(options);
    serve(server);
    try {
        server.listen();
    } catch (const std::system_error& error) {
        if (GetParam() != Io::uring) throw;
        GTEST_SKIP() << error.what();
    }
    hold_against(server);
}

INSTANTIATE_TEST_SUITE_P(By, Conformance, testing::Values(Io::epoll, Io::uring),
                         [](const auto& of) { return of.param == Io::epoll ? "epoll" : "uring"; });

TEST(Conformance, AServerWithOtherLimitsIsFoundOut) {
    Options options;
    options.port = 0;
    options.limits.fields = 50;
    Server server(options);
    serve(server);
    server.listen();
    std::thread serving([&] { server.run(); });
    std::vector<Job> jobs;
    for (const auto& each : table()) {
        if (each.id == "9110-5.4-hundred-fields") jobs.push_back({&each, Way::whole, {}});
    }
    std::string fault;
    run(
        loopback(server.port()), jobs, [&](const Job&, const Outcome& got) { fault = got.fault; },
        kPatience);
    server.stop();
    serving.join();
    EXPECT_EQ(fault, "answer 1 is 431 and not 200");
}

}  // namespace
}  // namespace brick::conformance
