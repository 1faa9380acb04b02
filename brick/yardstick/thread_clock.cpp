#include "thread_clock.hpp"

#include <ctime>

namespace yardstick {

std::chrono::nanoseconds thread_cpu_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::chrono::nanoseconds cost_of_a_look() {
    static const std::chrono::nanoseconds cost = [] {
        constexpr int kLooks = 1000;
        const std::chrono::nanoseconds begin = thread_cpu_time();
        for (int look = 1; look < kLooks; ++look) thread_cpu_time();
        return (thread_cpu_time() - begin) / kLooks;
    }();
    return cost;
}

}  // namespace yardstick
