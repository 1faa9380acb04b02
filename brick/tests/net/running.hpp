/// A running server, on either kind of reactor.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "http/every_route.hpp"
#include "net/faults.hpp"
#include "net/reactors.hpp"
#include "net/tcp_client.hpp"
#include "occurrences.hpp"

namespace brick::testing {

/// Runs until it is destroyed, on a thread whose system calls may be made to fail.
class Running {
public:
    explicit Running(Options options) : server_(with_free_port(std::move(options))) {
        add_every_route([&](auto... route) { server_.route(std::move(route)...); });
        server_.listen();
        thread_ = std::thread([this] {
            fail_on_this_thread();
            try {
                server_.run();
            } catch (const std::exception& error) {
                failure_ = error.what();
            }
            is_over_ = true;
        });
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { stops(); }

    /// Calls `stop`, and waits until the server has stopped. Returns its exception, if there was
    /// one.
    std::string stops() {
        server_.stop();
        if (thread_.joinable()) thread_.join();
        return failure_;
    }

    [[nodiscard]] TcpClient client(int receive_bytes = 0) const {
        return TcpClient(server_.port(), receive_bytes);
    }

    /// The bytes that a separate client gets for `request`, until the server closes.
    std::string answer_to(std::string_view request) const {
        TcpClient one = client();
        one.sends(request);
        return one.receives_all();
    }

    [[nodiscard]] bool is_over() const { return is_over_; }
    [[nodiscard]] Server& server() { return server_; }
    [[nodiscard]] std::thread& thread() { return thread_; }

private:
    static Options with_free_port(Options options) {
        options.port = 0;
        return options;
    }

    Server server_;
    std::thread thread_;
    std::string failure_;
    std::atomic<bool> is_over_{false};
};

/// Open descriptors of this process.
inline std::ptrdiff_t open_descriptors() {
    using Entries = std::filesystem::directory_iterator;
    return std::distance(Entries("/proc/self/fd"), Entries()) - 1;
}

/// Tests of both kinds of reactor: every descriptor is closed when a test ends.
class OnBoth : public ::testing::TestWithParam<Io> {
protected:
    void SetUp() override {
        try {
            static_cast<void>(net::chosen_io(GetParam()));
        } catch (const std::system_error& error) {
            GTEST_SKIP() << error.what();
        }
        descriptors_ = open_descriptors();
    }
    void TearDown() override {
        if (!IsSkipped()) {
            EXPECT_EQ(open_descriptors(), descriptors_);
        }
    }

    /// Options for this kind of reactor.
    static Options options(Limits limits = {}, Tuning tuning = {}) {
        return {.io = GetParam(), .limits = limits, .tuning = tuning};
    }

private:
    std::ptrdiff_t descriptors_ = 0;
};

inline std::string name_of(const ::testing::TestParamInfo<Io>& info) {
    return info.param == Io::epoll ? "epoll" : "uring";
}

inline const std::string kLastGet = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/// The body behind the first head.
inline std::string body_of(const std::string& answer) {
    const std::size_t end = answer.find("\r\n\r\n");
    return end == std::string::npos ? "" : answer.substr(end + 4);
}

}  // namespace brick::testing
