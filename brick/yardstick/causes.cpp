#include "causes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "thread_clock.hpp"

namespace yardstick {

#define PLANTED [[gnu::noinline]]

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kAllocation = 256;

/// Each loop waits for the last one's result and touches no memory, so that all cost the same.
PLANTED void arithmetic(std::uint64_t loops) {
    std::uint64_t x = loops;
    for (std::uint64_t i = 0; i < loops; ++i) {
        x = x * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        __asm__ volatile("" : "+r"(x));  // No compiler may omit or fold it.
    }
}

PLANTED void call(std::uint64_t calls) {
    for (std::uint64_t i = 0; i < calls; ++i) syscall(SYS_getppid);
}

PLANTED void allocate(std::uint64_t allocations) {
    thread_local std::vector<void*> held;
    for (std::uint64_t i = 0; i < allocations; ++i) held.push_back(std::malloc(kAllocation));
    for (void* each : held) std::free(each);
    held.clear();
}

PLANTED void copy(std::size_t bytes) {
    thread_local std::string from;
    thread_local std::string to;
    from.resize(bytes, 'x');
    to.resize(bytes);
    std::memcpy(to.data(), from.data(), bytes);
    __asm__ volatile("" : : "r"(to.data()) : "memory");
}

PLANTED void fault(std::size_t bytes) {
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return;
    madvise(pages, bytes, MADV_NOHUGEPAGE);
    for (std::size_t at = 0; at < bytes; at += kPage) static_cast<volatile char*>(pages)[at] = 1;
    munmap(pages, bytes);
}

}  // namespace

/// A thread that holds the lock for a time, and releases it for as long.
struct Planted::Rival {
    std::mutex lock;
    std::jthread thread;

    explicit Rival(std::chrono::nanoseconds time)
        : thread([this, time](const std::stop_token& stop) {
              while (!stop.stop_requested()) {
                  {
                      const std::lock_guard held(lock);
                      std::this_thread::sleep_for(time);
                  }
                  std::this_thread::sleep_for(time);
              }
          }) {}
};

bool Causes::any() const noexcept {
    return loops + calls + allocations + copy_bytes + fault_bytes + log_bytes > 0 ||
           sleep.count() > 0 || lock.count() > 0;
}

Planted::Planted(const Causes& causes) : causes_(causes) {
    if (causes.log_bytes > 0) {
        log_ = open(causes.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (log_ < 0) throw std::system_error(errno, std::generic_category(), causes.log);
        line_ = std::string(causes.log_bytes - 1, '.') + "\n";
    }
    if (causes.lock.count() > 0) rival_ = std::make_unique<Rival>(causes.lock);
}

Planted::~Planted() {
    if (log_ >= 0) close(log_);
    if (causes_.clock.empty()) return;
    const std::int64_t requests = requests_;
    std::ofstream(causes_.clock) << "{\"requests\": " << requests << ", \"ns_per_request\": "
                                 << spent_ns_ / std::max<std::int64_t>(requests, 1) << "}\n";
}

void Planted::pass() {
    if (causes_.clock.empty()) return spend();
    // Two successive readings show what one takes. The first reading of a request finds caches that
    // others left cold, and takes longer than the two that are subtracted from each other.
    thread_cpu_time();
    const std::chrono::nanoseconds before = thread_cpu_time();
    const std::chrono::nanoseconds begin = thread_cpu_time();
    spend();
    const auto spent = (thread_cpu_time() - begin) - (begin - before);
    ++requests_;
    spent_ns_ += spent.count();
}

void Planted::spend() {
    if (rival_) const std::lock_guard held(rival_->lock);
    if (causes_.loops > 0) arithmetic(causes_.loops);
    if (causes_.calls > 0) call(causes_.calls);
    if (causes_.allocations > 0) allocate(causes_.allocations);
    if (causes_.copy_bytes > 0) copy(causes_.copy_bytes);
    if (causes_.fault_bytes > 0) fault(causes_.fault_bytes);
    if (log_ >= 0) write_log();
    if (causes_.sleep.count() > 0) std::this_thread::sleep_for(causes_.sleep);
}

/// Failed writes are lost: a full disk stops no server.
PLANTED void Planted::write_log() {
    [[maybe_unused]] const ssize_t written = write(log_, line_.data(), line_.size());
}

}  // namespace yardstick
