#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <cstdarg>
#include <cstdint>

#include "kernel/kernel.hpp"

// The linker turns each call of f into one of __wrap_f, and __real_f into f. Calls of libFuzzer and
// the sanitizers go to the real kernel.
using brick::fuzz::kernel;
using brick::fuzz::Kernel;
using Kind = Kernel::Kind;

namespace {

bool is_ours(int fd) { return kernel != nullptr && fd >= Kernel::kFirstFd; }

}  // namespace

extern "C" {
int __real_open(const char* path, int flags, ...);
int __real_close(int fd);
ssize_t __real_write(int fd, const void* bytes, size_t size);
std::int64_t __real__ZNSt6chrono3_V212steady_clock3nowEv();

int __wrap_socket(int, int, int) { return kernel->open(Kind::listener); }
int __wrap_setsockopt(int, int, int, const void*, socklen_t) { return 0; }
int __wrap_bind(int, const sockaddr*, socklen_t) { return 0; }
int __wrap_listen(int, int) { return 0; }
int __wrap_getsockname(int, sockaddr*, socklen_t*) { return 0; }
int __wrap_eventfd(unsigned, int) { return kernel->open(Kind::event); }
int __wrap_epoll_create1(int) { return kernel->open(Kind::epoll); }
int __wrap_timerfd_create(int, int) { return kernel->open(Kind::timer); }

int __wrap_open(const char* path, int flags, ...) {
    if (kernel != nullptr) return kernel->open(Kind::file);
    va_list more;
    va_start(more, flags);
    const int mode = va_arg(more, int);
    va_end(more);
    return __real_open(path, flags, mode);
}
int __wrap_close(int fd) { return is_ours(fd) ? kernel->close(fd) : __real_close(fd); }
ssize_t __wrap_write(int fd, const void* bytes, size_t size) {
    if (!is_ours(fd)) return __real_write(fd, bytes, size);
    kernel->signal(fd);
    return static_cast<ssize_t>(size);
}
int __wrap_accept4(int, sockaddr*, socklen_t*, int) { return kernel->accept(); }
ssize_t __wrap_recv(int fd, void* bytes, size_t size, int) {
    return kernel->recv(fd, static_cast<char*>(bytes), size);
}
ssize_t __wrap_send(int fd, const void* bytes, size_t size, int flags) {
    return kernel->send(fd, {static_cast<const char*>(bytes), size}, flags);
}
int __wrap_shutdown(int fd, int how) { return kernel->shut(fd, how); }
int __wrap_connect(int fd, const sockaddr*, socklen_t) { return kernel->break_off(fd); }
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    void* const out = va_arg(more, void*);
    va_end(more);
    if (!is_ours(fd)) return __real_ioctl(fd, request, out);
    *static_cast<int*>(out) = kernel->unread(fd);
    return 0;
}
int __wrap_epoll_ctl(int, int what, int fd, epoll_event* event) {
    return kernel->control(what, fd, event);
}
int __wrap_epoll_wait(int, epoll_event* events, int most, int wait_ms) {
    return kernel->wait(events, most, wait_ms < 0);
}
int __wrap_timerfd_settime(int, int, const itimerspec* due, itimerspec*) {
    return kernel->set_timer(due->it_value.tv_sec * 1'000'000'000 + due->it_value.tv_nsec);
}
std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
    return kernel != nullptr ? kernel->now_ns() : __real__ZNSt6chrono3_V212steady_clock3nowEv();
}
}
