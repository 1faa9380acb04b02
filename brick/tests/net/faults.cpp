#include "net/faults.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <atomic>
#include <cerrno>
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

bool fails(const char* name) noexcept {
    if (!fails_here || std::string_view(name) != call_name.load()) return false;
    if (calls_left.load() == 0 || calls_left.fetch_sub(1) != 1) return false;
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
WRAP_URING(io_uring_submit, (io_uring * ring), (ring))
WRAP_URING(io_uring_submit_and_wait, (io_uring * ring, unsigned count), (ring, count))
#endif
