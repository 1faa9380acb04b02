#include "net/uring_ring.hpp"

#include <poll.h>
#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace brick::net {
namespace {

constexpr int kRestMs = 1;

[[noreturn]] void fail(int error, const char* what) {
    throw std::system_error(error, std::system_category(), what);
}

}  // namespace

// A kernel with DEFER_TASKRUN (6.1) has all other features: multishot receive, rings of buffers.
Ring::Ring(const Tuning& tuning) {
    io_uring_params params{};
    params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE |
                   IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CLAMP;
    params.cq_entries = tuning.completions;
    if (const int error = io_uring_queue_init_params(tuning.submissions, &ring_, &params)) {
        fail(-error, "io_uring");
    }
    io_uring_ring_dontfork(&ring_);
    io_uring_register_ring_fd(&ring_);  // If this fails, calls are a little slower.
}

Ring::~Ring() { io_uring_queue_exit(&ring_); }

io_uring_sqe& Ring::entry() {
    if (waiting_.empty()) {
        if (io_uring_sqe* entry = io_uring_get_sqe(&ring_)) return *entry;
        submit(false);
        if (io_uring_sqe* entry = io_uring_get_sqe(&ring_)) return *entry;
    }
    return waiting_.emplace_back();
}

void Ring::enter(bool wait) {
    while (!waiting_.empty()) {
        io_uring_sqe* entry = io_uring_get_sqe(&ring_);
        if (entry == nullptr) {
            submit(false);
            entry = io_uring_get_sqe(&ring_);
            if (entry == nullptr) return;  // The kernel takes no more for now.
        }
        *entry = waiting_.front();
        waiting_.pop_front();
    }
    submit(wait);
}

void Ring::submit(bool wait) {
    const int result = wait ? io_uring_submit_and_wait(&ring_, 1) : io_uring_submit(&ring_);
    // Busy: completions have to be taken first. Again: no memory now, and none at once.
    if (result == -EAGAIN) poll(nullptr, 0, kRestMs);
    if (result >= 0 || result == -EINTR || result == -EBUSY || result == -EAGAIN) return;
    fail(-result, "io_uring_enter");
}

std::span<const io_uring_cqe> Ring::take() noexcept {
    unsigned head = 0;
    unsigned count = 0;
    const io_uring_cqe* completion = nullptr;
    io_uring_for_each_cqe(&ring_, head, completion) {
        if (count == kTaken) break;
        taken_[count++] = *completion;
    }
    io_uring_cq_advance(&ring_, count);
    return {taken_.data(), count};
}

ReceiveBuffers::ReceiveBuffers(Ring& ring, const Tuning& tuning)
    : ring_(ring), count_(tuning.receive_buffers), bytes_(tuning.receive_bytes) {
    const std::size_t head_bytes = count_ * sizeof(io_uring_buf);
    mapped_bytes_ = head_bytes + count_ * bytes_;
    void* memory =
        mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    buffers_ = static_cast<io_uring_buf_ring*>(memory);
    memory_ = static_cast<char*>(memory) + head_bytes;
    io_uring_buf_reg registration{};
    registration.ring_addr = reinterpret_cast<std::uintptr_t>(memory);
    registration.ring_entries = count_;
    registration.bgid = kGroup;
    if (const int error = io_uring_register_buf_ring(&ring_.raw(), &registration, 0)) {
        munmap(memory, mapped_bytes_);
        fail(-error, "io_uring's ring of buffers");
    }
    io_uring_buf_ring_init(buffers_);
    for (unsigned id = 0; id < count_; ++id) give_back(static_cast<std::uint16_t>(id));
}

ReceiveBuffers::~ReceiveBuffers() {
    io_uring_unregister_buf_ring(&ring_.raw(), kGroup);
    munmap(buffers_, mapped_bytes_);
}

void ReceiveBuffers::give_back(std::uint16_t id) noexcept {
    io_uring_buf_ring_add(buffers_, memory_ + id * bytes_, static_cast<unsigned>(bytes_), id,
                          io_uring_buf_ring_mask(count_), 0);
    io_uring_buf_ring_advance(buffers_, 1);
}

void probe_uring() {
    Tuning smallest;
    smallest.submissions = 4;
    smallest.completions = 8;
    smallest.receive_buffers = 2;
    smallest.receive_bytes = 64;
    Ring ring(smallest);
    const ReceiveBuffers buffers(ring, smallest);
}

}  // namespace brick::net
