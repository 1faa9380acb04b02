/// A server that stops now and then, as for a garbage collection.
#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

namespace yardstick {

/// Windows in time, the same for all threads: a request within one sleeps until it ends. For any
/// number of threads.
class Stalls {
public:
    /// Each `every` from now on ends with a window of `stall`. `log` gets a line of JSON for each
    /// sleep; empty: no log. Throws std::system_error if it cannot be written.
    Stalls(std::chrono::nanoseconds stall, std::chrono::nanoseconds every, const std::string& log);

    /// Sleeps if the present moment is within a window.
    void pass();

private:
    using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC.

    struct Close {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };

    std::chrono::nanoseconds stall_;
    std::chrono::nanoseconds every_;
    Clock::time_point began_ = Clock::now();
    std::unique_ptr<std::FILE, Close> log_;
};

}  // namespace yardstick
