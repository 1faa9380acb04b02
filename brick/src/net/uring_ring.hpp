/// io_uring, as far as a reactor needs it.
#pragma once

#include <liburing.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>

#include <brick/options.hpp>

namespace brick::net {

/// A ring of one thread: made, used and destroyed in it.
class Ring {
public:
    /// Throws std::system_error if the kernel lacks a required feature.
    explicit Ring(const Tuning& tuning);
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring();

    /// An entry to fill in before the next call. If the queue is full, its entries are submitted
    /// first. If the kernel takes none, the entry waits for the next `enter`.
    [[nodiscard]] io_uring_sqe& entry();

    /// Submits everything and waits for a completion; without `wait`, only collects completions.
    void enter(bool wait);

    /// Takes the next available completions, 128 at most; their places in the queue are free again.
    [[nodiscard]] std::span<const io_uring_cqe> take() noexcept;

    [[nodiscard]] io_uring& raw() noexcept { return ring_; }

private:
    // With a larger number, a turn's first answers would wait longer for its last.
    static constexpr unsigned kTaken = 128;

    void submit(bool wait);

    io_uring ring_{};
    std::deque<io_uring_sqe> waiting_;  // For room in the queue, which is full as long as any wait.
    std::array<io_uring_cqe, kTaken> taken_{};
};

/// Memory that the kernel receives into: the next buffer, for any connection.
class ReceiveBuffers {
public:
    static constexpr std::uint16_t kGroup = 0;

    /// Throws std::system_error if the kernel has no rings of buffers, std::bad_alloc.
    ReceiveBuffers(Ring& ring, const Tuning& tuning);
    ReceiveBuffers(const ReceiveBuffers&) = delete;
    ReceiveBuffers& operator=(const ReceiveBuffers&) = delete;
    ~ReceiveBuffers();

    [[nodiscard]] std::string_view bytes(std::uint16_t id, std::size_t count) const noexcept {
        return {memory_ + id * bytes_, count};
    }

    /// Gives the buffer back to the kernel.
    void give_back(std::uint16_t id) noexcept;

private:
    Ring& ring_;
    unsigned count_;
    std::size_t bytes_;
    std::size_t mapped_bytes_;
    io_uring_buf_ring* buffers_;
    char* memory_;
};

/// Whether this kernel allows rings with everything that is needed; throws as Ring does if not.
void probe_uring();

}  // namespace brick::net
