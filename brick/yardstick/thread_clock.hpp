/// The CPU time of a thread.
#pragma once

#include <chrono>

namespace yardstick {

std::chrono::nanoseconds thread_cpu_time();

/// What a look at it costs: it is a system call.
[[nodiscard]] std::chrono::nanoseconds cost_of_a_look();

}  // namespace yardstick
