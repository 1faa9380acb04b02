#include "net/faults.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <string>
#include <utility>

#if BRICK_HAS_URING
#include <liburing.h>
#endif

namespace brick::testing {
namespace {

thread_local bool fails_here = false;
std::atomic<int> calls_left{0};
std::atomic<int> error_given{0};
std::atomic<const char*> call_name{""};
std::atomic<int> armed{0};

#if BRICK_HAS_URING
// This uses the kernel's list of requests that wait for a socket.
int count_armed(int ring) {
    std::ifstream lines("/proc/self/fdinfo/" + std::to_string(ring));
    const std::string send = "op=" + std::to_string(IORING_OP_SEND) + ",";
    const std::string receive = "op=" + std::to_string(IORING_OP_RECV) + ",";
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
        count += line.find(send) != std::string::npos || line.find(receive) != std::string::npos;
    }
    return count;
}
#endif

bool fails(const char* name) noexcept {
    if (!fails_here || std::string_view(name) != call_name.load()) return false;
    const int left = calls_left.load();
    if (left == 0 || (left > 0 && calls_left.fetch_sub(1) != 1)) return false;
    errno = error_given.load();
    return true;
}

}  // namespace

void fail_on_this_thread() noexcept { fails_here = true; }

void fail_call(std::string_view name, int nth, int error) noexcept {
    calls_left = 0;
    call_name = name.data();
    error_given = error;
    calls_left = nth;
}

void fail_every_call(std::string_view name, int error) noexcept { fail_call(name, -1, error); }

int armed_at_the_end() noexcept { return armed.load(); }

bool has_failed() noexcept { return calls_left.load() == 0; }

}  // namespace brick::testing

using brick::testing::fails;

// The linker turns each call of f into one of __wrap_f, and __real_f into f.
#define WRAP(result, name, parameters, arguments)           \
    extern "C" result __real_##name parameters;             \
    extern "C" result __wrap_##name parameters {            \
        return fails(#name) ? -1 : __real_##name arguments; \
    }
#define WRAP_URING(name, parameters, arguments)                 \
    extern "C" int __real_##name parameters;                    \
    extern "C" int __wrap_##name parameters {                   \
        return fails(#name) ? -errno : __real_##name arguments; \
    }

WRAP(int, socket, (int family, int type, int protocol), (family, type, protocol))
WRAP(int, bind, (int fd, const sockaddr* address, socklen_t size), (fd, address, size))
WRAP(int, listen, (int fd, int backlog), (fd, backlog))
WRAP(int, accept4, (int fd, sockaddr* from, socklen_t* size, int flags), (fd, from, size, flags))
WRAP(ssize_t, recv, (int fd, void* bytes, size_t size, int flags), (fd, bytes, size, flags))
WRAP(ssize_t, send, (int fd, const void* bytes, size_t size, int flags), (fd, bytes, size, flags))
WRAP(int, shutdown, (int fd, int how), (fd, how))
WRAP(int, eventfd, (unsigned count, int flags), (count, flags))
WRAP(int, epoll_create1, (int flags), (flags))
WRAP(int, epoll_ctl, (int fd, int what, int of, epoll_event* event), (fd, what, of, event))
WRAP(int, epoll_wait, (int fd, epoll_event* events, int most, int ms), (fd, events, most, ms))
WRAP(int, timerfd_create, (int clock, int flags), (clock, flags))
WRAP(int, timerfd_settime, (int fd, int flags, const itimerspec* due, itimerspec* old),
     (fd, flags, due, old))

#if BRICK_HAS_URING
WRAP_URING(io_uring_queue_init_params, (unsigned entries, io_uring* ring, io_uring_params* given),
           (entries, ring, given))
WRAP_URING(io_uring_register_buf_ring, (io_uring * ring, io_uring_buf_reg* given, unsigned flags),
           (ring, given, flags))
extern "C" void __real_io_uring_queue_exit(io_uring* ring);
extern "C" void __wrap_io_uring_queue_exit(io_uring* ring) {
    brick::testing::armed += brick::testing::count_armed(ring->ring_fd);
    __real_io_uring_queue_exit(ring);
}
WRAP_URING(io_uring_submit, (io_uring * ring), (ring))
WRAP_URING(io_uring_submit_and_wait, (io_uring * ring, unsigned count), (ring, count))
#endif
