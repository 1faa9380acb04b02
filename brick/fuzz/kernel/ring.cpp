#include "kernel/ring.hpp"

#include <poll.h>
#include <sanitizer/asan_interface.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace brick::fuzz {
namespace {

constexpr std::uint32_t kReadable = EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP;
constexpr std::uint32_t kWritable = EPOLLOUT | EPOLLERR | EPOLLHUP;

void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

Ring::Ring(Kernel& beneath, io_uring& ring, const io_uring_params& params, unsigned submissions)
    : kernel_(beneath), ring_(ring), submissions_(submissions), completions_(params.cq_entries) {
    ring = {};
    ring.flags = params.flags;
    ring.sq.khead = &submission_head_;
    ring.sq.sqes = submissions_.data();
    ring.sq.ring_entries = submissions;
    ring.sq.ring_mask = submissions - 1;
    ring.cq.khead = &completion_head_;
    ring.cq.ktail = &completion_tail_;
    ring.cq.cqes = completions_.data();
    ring.cq.ring_entries = params.cq_entries;
    ring.cq.ring_mask = params.cq_entries - 1;
    ring.sq.ring_ptr = this;
    kernel_.when_closing = [this](int fd) { close(fd); };
}

Ring::~Ring() {
    kernel_.when_closing = nullptr;
    // A kernel may still work on these when the ring is gone, and the memory that they name is
    // about to be freed.
    require(std::none_of(works_.begin(), works_.end(), [](const Work& work) {
        return work.entry.opcode == IORING_OP_SEND || work.entry.opcode == IORING_OP_RECV;
    }));
    if (buffers_ != nullptr) drop_buffers();
}

int Ring::enter(bool wait) {
    kernel_.turn();
    const int error = kernel_.fails(Kernel::Call::ring_enter) ? errno : 0;
    if (error == EBUSY) return -EBUSY;
    flush();
    take_buffers();
    unsigned left = ring_.sq.sqe_tail - submission_head_;
    if (error == EAGAIN) left /= 2;  // No memory for the others.
    const unsigned count = left;
    for (; left > 0; --left) take(submissions_[submission_head_++ & ring_.sq.ring_mask]);
    if (error != 0 && count == 0) return -error;
    if (!wait || error != 0) return static_cast<int>(count);
    go_on();
    while (completion_head_ == completion_tail_) {
        kernel_.idle();
        go_on();
    }
    return static_cast<int>(count);
}

int Ring::use_buffers(const io_uring_buf_reg& registration) {
    require(buffers_ == nullptr && registration.bgid == 0);
    buffers_ = static_cast<io_uring_buf_ring*>(pointer(registration.ring_addr));
    buffer_count_ = registration.ring_entries;
    return 0;
}

int Ring::drop_buffers() {
    for (const io_uring_buf& buffer : free_) {
        ASAN_UNPOISON_MEMORY_REGION(pointer(buffer.addr), buffer.len);
    }
    free_.clear();
    buffers_ = nullptr;
    return 0;
}

// The buffers that the reactor gave back. If one came twice, two connections would share it.
void Ring::take_buffers() {
    if (buffers_ == nullptr) return;
    for (; buffer_tail_ != buffers_->tail; ++buffer_tail_) {
        const io_uring_buf buffer = buffers_->bufs[buffer_tail_ & (buffer_count_ - 1)];
        require(std::none_of(free_.begin(), free_.end(),
                             [&](const io_uring_buf& other) { return other.bid == buffer.bid; }));
        ASAN_POISON_MEMORY_REGION(pointer(buffer.addr), buffer.len);
        free_.push_back(buffer);
    }
}

void Ring::take(const io_uring_sqe& entry) {
    Work work{.entry = entry};
    if (entry.opcode == IORING_OP_TIMEOUT) {
        require(entry.timeout_flags == IORING_TIMEOUT_ABS);
        const auto* due = static_cast<const __kernel_timespec*>(pointer(entry.addr));
        work.due_ns = due->tv_sec * 1'000'000'000 + due->tv_nsec;
    }
    if (!advance(work)) {
        work.is_new = false;
        works_.push_back(work);
    }
}

void Ring::go_on() {
    works_.remove_if([this](Work& work) { return advance(work); });
}

// A process that closes a socket with pending work still holds it, and does not see how the work
// ends. A listener is shut before.
void Ring::close(int fd) {
    works_.remove_if([this, fd](const Work& work) {
        const int opcode = work.entry.opcode;
        if (work.entry.fd != fd || opcode == IORING_OP_TIMEOUT) return false;
        if (opcode == IORING_OP_ACCEPT) return complete(work, -EINVAL);
        require(opcode == IORING_OP_POLL_ADD);
        return complete(work, POLLIN | POLLHUP);
    });
}

bool Ring::advance(Work& work) {
    switch (work.entry.opcode) {
        case IORING_OP_ACCEPT:
            return accept(work);
        case IORING_OP_RECV:
            return receive(work);
        case IORING_OP_SEND:
            return send(work);
        case IORING_OP_POLL_ADD:
            return poll(work);
        case IORING_OP_TIMEOUT:
            return kernel_.now_ns() >= work.due_ns && complete(work, -ETIME);
        case IORING_OP_ASYNC_CANCEL:
            return cancel(work);
        default:
            require(false);
            return true;
    }
}

// The descriptor is taken before a client is searched for, so a lack of descriptors is reported at
// once.
bool Ring::accept(Work& work) {
    while (work.is_new || is_ready(work.entry.fd, kReadable)) {
        const int fd = kernel_.accept();
        if (fd < 0) return errno != EAGAIN && complete(work, -errno);
        if (!complete_one(work, fd, 0)) return true;
    }
    return false;
}

// So is the buffer.
bool Ring::receive(Work& work) {
    const io_uring_sqe& entry = work.entry;
    require((entry.flags & IOSQE_BUFFER_SELECT) != 0 && entry.buf_group == 0);
    while (work.is_new || is_ready(entry.fd, kReadable)) {
        if (free_.empty()) return complete(work, -ENOBUFS);
        const io_uring_buf buffer = free_.front();
        ASAN_UNPOISON_MEMORY_REGION(pointer(buffer.addr), buffer.len);
        const long got =
            kernel_.recv(entry.fd, static_cast<char*>(pointer(buffer.addr)), buffer.len);
        if (got <= 0) {
            ASAN_POISON_MEMORY_REGION(pointer(buffer.addr), buffer.len);
            if (got == 0) return complete(work, 0);
            return errno != EAGAIN && complete(work, -errno);
        }
        free_.pop_front();
        const unsigned flags = IORING_CQE_F_BUFFER | unsigned{buffer.bid}
                                                         << IORING_CQE_BUFFER_SHIFT;
        const bool is_multishot = (entry.ioprio & IORING_RECV_MULTISHOT) != 0;
        if (!is_multishot) return complete(work, static_cast<int>(got), flags);
        if (!complete_one(work, static_cast<int>(got), flags)) return true;
    }
    return false;
}

bool Ring::send(Work& work) {
    const io_uring_sqe& entry = work.entry;
    if (!work.is_new && !is_ready(entry.fd, kWritable)) return false;
    const std::string_view bytes{static_cast<const char*>(pointer(entry.addr)), entry.len};
    const long sent = kernel_.send(entry.fd, bytes, static_cast<int>(entry.msg_flags));
    if (sent < 0) return errno != EAGAIN && complete(work, -errno);
    return complete(work, static_cast<int>(sent));
}

bool Ring::poll(Work& work) {
    const std::uint32_t events = kernel_.ready(work.entry.fd) & work.entry.poll32_events;
    return events != 0 && complete(work, static_cast<int>(events));
}

bool Ring::cancel(const Work& work) {
    const auto is_meant = [&](const Work& other) {
        return other.entry.user_data == work.entry.addr;
    };
    const auto found = std::find_if(works_.begin(), works_.end(), is_meant);
    if (found == works_.end()) return complete(work, -ENOENT);
    complete(*found, -ECANCELED);
    works_.erase(found);
    return complete(work, 0);
}

bool Ring::complete_one(const Work& work, int result, unsigned flags) {
    const bool has_more = has_room() && !kernel_.fails(Kernel::Call::multishot);
    complete(work, result, has_more ? flags | IORING_CQE_F_MORE : flags);
    return has_more;
}

bool Ring::complete(const Work& work, int result, unsigned flags) {
    overflow_.push_back({.user_data = work.entry.user_data, .res = result, .flags = flags});
    flush();
    return true;
}

void Ring::flush() {
    for (; has_room() && !overflow_.empty(); overflow_.pop_front()) {
        completions_[completion_tail_++ & ring_.cq.ring_mask] = overflow_.front();
    }
}

bool Ring::is_ready(int fd, std::uint32_t events) const {
    return (kernel_.ready(fd) & events) != 0;
}

bool Ring::has_room() const { return completion_tail_ - completion_head_ < ring_.cq.ring_entries; }

}  // namespace brick::fuzz
