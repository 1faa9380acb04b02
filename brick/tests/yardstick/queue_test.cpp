#include "queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace yardstick {
namespace {

using namespace std::chrono_literals;
constexpr Queue::Clock::time_point kStart{1h};

/// Service times: each request arrives long after the one before is done.
std::vector<double> service_times_ms(std::uint64_t seed, std::size_t n) {
    Queue queue(1ms, seed);
    std::vector<double> times;
    for (std::size_t i = 0; i < n; ++i) {
        const auto done = queue.joined(kStart + i * 1s);
        times.push_back(std::chrono::duration<double, std::milli>(done).count());
    }
    return times;
}

TEST(Queue, ServiceTimesAreExponential) {
    constexpr std::size_t kTimes = 20'000;
    std::vector<double> times = service_times_ms(7, kTimes);
    std::sort(times.begin(), times.end());
    double furthest = 0;  // The Kolmogorov–Smirnov distance from 1 - exp(-t / mean).
    for (std::size_t i = 0; i < kTimes; ++i) {
        const double expected = 1 - std::exp(-times[i]);
        const double below = static_cast<double>(i) / kTimes;
        furthest = std::max(furthest, std::abs(expected - below));
    }
    EXPECT_LT(furthest, 1.95 / std::sqrt(kTimes));  // By chance one seed in a thousand exceeds it.
}

TEST(Queue, ASeedGivesTheSameTimesAgainAndAnotherSeedOthers) {
    EXPECT_EQ(service_times_ms(7, 100), service_times_ms(7, 100));
    EXPECT_NE(service_times_ms(7, 100), service_times_ms(8, 100));
}

TEST(Queue, WhoComesLaterWaitsForAllBefore) {
    const std::vector<double> alone_ms = service_times_ms(7, 10);
    Queue queue(1ms, 7);
    double sum_ms = 0;
    for (const double service_ms : alone_ms) {
        sum_ms += service_ms;
        const std::chrono::duration<double, std::milli> done = queue.joined(kStart);
        EXPECT_NEAR(done.count(), sum_ms, 1e-5);
    }
}

TEST(Queue, TheMeanTimeInTheQueueIsTheorys) {
    // M/M/1 at half load: 1 / (mu - lambda) = 2 ms. Arrivals of a seeded Poisson process.
    Queue queue(1ms, 7);
    std::mt19937_64 random(1);
    std::exponential_distribution<double> gap_ms(0.5);
    constexpr int kRequests = 200'000;
    double now_ms = 0;
    double sum_ms = 0;
    for (int i = 0; i < kRequests; ++i) {
        now_ms += gap_ms(random);
        const auto at = kStart + std::chrono::nanoseconds(std::llround(now_ms * 1e6));
        sum_ms += std::chrono::duration<double, std::milli>(queue.joined(at)).count();
    }
    // Five standard errors. Waits are correlated: at half load, n of them count as sd 6 / sqrt(n).
    EXPECT_NEAR(sum_ms / kRequests, 2.0, 5 * 6 / std::sqrt(kRequests));
}

}  // namespace
}  // namespace yardstick
