/// Causes of CPU time, planted one by one: programs that find causes are tested with them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace yardstick {

/// The cost of a request besides its answer; each function below has its own name in a profile.
struct Causes {
    std::uint64_t loops = 0;        ///< Of arithmetic.
    std::uint64_t calls = 0;        ///< Of getppid, the cheapest system call.
    std::uint64_t allocations = 0;  ///< Of 256 bytes, held together and then freed.
    std::size_t copy_bytes = 0;     ///< Copied from one buffer to another.
    std::size_t fault_bytes = 0;    ///< Mapped anew, touched page by page, and unmapped.
    std::size_t log_bytes = 0;      ///< Written to `log`.
    std::string log;
    std::chrono::nanoseconds sleep{0};
    std::chrono::nanoseconds lock{0};  ///< Another thread holds a lock so long, half of the time.
    std::string clock;  ///< Where to write what the others took per request; empty: nowhere.

    [[nodiscard]] bool any() const noexcept;
};

/// Runs the causes, on any thread.
class Planted {
public:
    /// Throws std::system_error if the log cannot be written.
    explicit Planted(const Causes& causes);
    ~Planted();
    Planted(const Planted&) = delete;
    Planted& operator=(const Planted&) = delete;

    void pass();

private:
    struct Rival;

    void spend();
    void write_log();

    Causes causes_;
    std::atomic<std::int64_t> requests_{0};
    std::atomic<std::int64_t> spent_ns_{0};
    int log_ = -1;
    std::string line_;
    std::unique_ptr<Rival> rival_;
};

}  // namespace yardstick
