/// The kernel's side of an io_uring, in memory: submitted requests are carried out as sockets and
/// clock of a `Kernel` allow, and complete while the reactor waits. kernel/ring_calls.cpp replaces
/// liburing's calls with it.
#pragma once

#include <liburing.h>

#include <cstdint>
#include <deque>
#include <list>
#include <vector>

#include "kernel/kernel.hpp"

namespace brick::fuzz {

class Ring {
public:
    /// `ring` is set up as liburing does, with queues of these sizes: powers of two.
    Ring(Kernel& beneath, io_uring& ring, const io_uring_params& params, unsigned submissions);
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring();

    /// Takes the submitted entries and, if a completion is awaited, goes on until there is one.
    /// Returns the same as liburing: how many entries were taken, or -errno.
    int enter(bool wait);

    /// Only one group of buffers is known. Its buffers are not the reactor's: AddressSanitizer sees
    /// reads there.
    int use_buffers(const io_uring_buf_reg& registration);
    int drop_buffers();

private:
    // Submitted work that is not over.
    struct Work {
        io_uring_sqe entry;
        std::int64_t due_ns = 0;  // The time of a timeout.
        bool is_new = true;
    };

    void take(const io_uring_sqe& entry);
    void go_on();
    void close(int fd);

    // Each of these returns whether the work is over.
    bool advance(Work& work);
    bool accept(Work& work);
    bool receive(Work& work);
    bool send(Work& work);
    bool poll(Work& work);
    bool cancel(const Work& work);

    // Adds a multishot's completion; returns false if it is the last.
    bool complete_one(const Work& work, int result, unsigned flags);
    bool complete(const Work& work, int result, unsigned flags = 0);
    void post(const io_uring_cqe& completion);
    void flush();

    [[nodiscard]] bool is_ready(int fd, std::uint32_t events) const;
    [[nodiscard]] bool has_room() const;
    void take_buffers();

    Kernel& kernel_;
    io_uring& ring_;
    std::vector<io_uring_sqe> submissions_;
    std::vector<io_uring_cqe> completions_;
    unsigned submission_head_ = 0;
    unsigned completion_head_ = 0, completion_tail_ = 0;
    std::deque<io_uring_cqe> overflow_;
    std::list<Work> works_;

    io_uring_buf_ring* buffers_ = nullptr;
    unsigned buffer_count_ = 0;
    std::uint16_t buffer_tail_ = 0;  // The buffers before it were taken from the reactor.
    std::deque<io_uring_buf> free_;  // The kernel's buffers.
};

}  // namespace brick::fuzz
