#include "queue.hpp"

#include <algorithm>
#include <cmath>

namespace yardstick {

Queue::Queue(std::chrono::nanoseconds mean, std::uint64_t seed) noexcept
    : mean_ns_(static_cast<double>(mean.count())), random_(seed) {}

std::chrono::nanoseconds Queue::joined(Clock::time_point now) noexcept {
    free_at_ = std::max(free_at_, now) + service_time();
    return free_at_ - now;
}

/// The inverse of the distribution; the standard's own distribution may differ by its library.
std::chrono::nanoseconds Queue::service_time() noexcept {
    const double uniform = static_cast<double>(random_() >> 11) * 0x1p-53;  // In [0, 1).
    return std::chrono::nanoseconds(std::llround(-mean_ns_ * std::log1p(-uniform)));
}

}  // namespace yardstick
