#include "stalls.hpp"

#include <cerrno>
#include <system_error>
#include <thread>

namespace yardstick {
namespace {

long long ns(std::chrono::steady_clock::time_point time) {
    return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

}  // namespace

Stalls::Stalls(std::chrono::nanoseconds stall, std::chrono::nanoseconds every,
               const std::string& log)
    : stall_(stall), every_(every) {
    if (log.empty()) return;
    log_.reset(std::fopen(log.c_str(), "we"));
    if (!log_) {
        throw std::system_error(errno, std::generic_category(), "the log can't be written: " + log);
    }
}

void Stalls::pass() {
    const Clock::time_point now = Clock::now();
    const std::chrono::nanoseconds into = (now - began_) % every_;
    if (into < every_ - stall_) return;
    std::this_thread::sleep_until(now + (every_ - into));
    if (log_) {
        std::fprintf(log_.get(), "{\"begin_ns\":%lld,\"end_ns\":%lld}\n", ns(now),
                     ns(Clock::now()));
        std::fflush(log_.get());
    }
}

}  // namespace yardstick
