/// A queue with one worker whose service times are exponential.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace yardstick {

/// First come, first served. Nothing waits in here: it computes when each request would be done.
/// For one thread.
class Queue {
public:
    using Clock = std::chrono::steady_clock;

    Queue(std::chrono::nanoseconds mean, std::uint64_t seed) noexcept;

    /// A request arrived at `now`, no earlier than the one before: returns how long after it is
    /// done.
    [[nodiscard]] std::chrono::nanoseconds joined(Clock::time_point now) noexcept;

private:
    [[nodiscard]] std::chrono::nanoseconds service_time() noexcept;

    double mean_ns_;
    std::mt19937_64 random_;
    Clock::time_point free_at_{};
};

}  // namespace yardstick
