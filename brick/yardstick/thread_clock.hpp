/// The CPU time of a thread.
#pragma once

#include <chrono>
#include <ctime>

namespace yardstick {

inline std::chrono::nanoseconds thread_cpu_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace yardstick
