#include "kernel.hpp"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>

namespace brick::fuzz {
namespace {

constexpr int kFirstFd = 1'000'000;  // Above those of the real kernel.
constexpr int kMostTurns = 100;

Kernel* kernel = nullptr;

int failed(int error) {
    errno = error;
    return -1;
}

}  // namespace

void require(bool holds) {
    if (!holds) std::abort();
}

Kernel::Kernel() : next_fd_(kFirstFd) { kernel = this; }

Kernel::~Kernel() {
    kernel = nullptr;
    require(things_.empty());  // Each was closed.
}

Kernel::Peer& Kernel::connect() {
    peers_.emplace_back();
    waiting_.push_back(&peers_.back());
    return peers_.back();
}

void Kernel::send(Peer& peer, std::string_view bytes) {
    if (peer.has_ended || peer.is_reset || bytes.empty()) return;
    peer.unread += bytes;
    edge(peer);
}

void Kernel::get(Peer& peer, std::size_t bytes) {
    peer.in_flight -= std::min(bytes, peer.in_flight);
    Thing* thing = of(peer);
    if (thing != nullptr && thing->wants_room && peer.in_flight < peer.window) {
        thing->wants_room = false;
        thing->has_edge = true;
    }
}

void Kernel::end(Peer& peer) {
    if (peer.has_ended || peer.is_reset) return;
    peer.has_ended = true;
    edge(peer);
}

void Kernel::reset(Peer& peer) {
    peer.is_reset = true;
    peer.unread.clear();
    edge(peer);
}

int Kernel::open(Kind kind) {
    if (things_.size() >= most_) return failed(EMFILE);
    things_[next_fd_] = {.kind = kind};
    return next_fd_++;
}

int Kernel::close(int fd) {
    const auto found = things_.find(fd);
    require(found != things_.end());  // Closed once.
    if (Peer* peer = found->second.peer) {
        peer->is_reset = peer->is_reset || !peer->unread.empty();
        peer->is_closed = true;
    }
    things_.erase(found);
    return 0;
}

int Kernel::accept() {
    if (fails(Call::accept)) return -1;
    if (things_.size() >= most_) return failed(EMFILE);  // Whether somebody waits or not.
    if (waiting_.empty()) return failed(EAGAIN);
    turns_ = 0;
    const int fd = open(Kind::connection);
    things_[fd].peer = waiting_.front();
    waiting_.pop_front();
    return fd;
}

long Kernel::recv(int fd, char* bytes, std::size_t size) {
    Peer& peer = *thing(fd, Kind::connection).peer;
    if (fails(Call::recv)) return -1;
    turns_ = 0;
    if (peer.is_reset) return failed(ECONNRESET);
    if (peer.unread.empty()) return peer.has_ended ? 0 : failed(EAGAIN);
    const std::size_t count = std::min(size, peer.unread.size());
    std::copy_n(peer.unread.data(), count, bytes);
    peer.unread.erase(0, count);
    return static_cast<long>(count);
}

long Kernel::send(int fd, std::string_view bytes) {
    Thing& socket = thing(fd, Kind::connection);
    Peer& peer = *socket.peer;
    if (fails(Call::send)) return -1;
    require(!bytes.empty());
    turns_ = 0;
    if (peer.is_reset || peer.is_closed) return failed(EPIPE);
    const std::size_t count = std::min(bytes.size(), peer.window - peer.in_flight);
    socket.wants_room = count < bytes.size();
    if (count == 0) return failed(EAGAIN);
    peer.got += bytes.substr(0, count);
    peer.in_flight += count;
    return static_cast<long>(count);
}

int Kernel::shut(int fd) {
    const auto found = things_.find(fd);
    require(found != things_.end());
    if (found->second.peer != nullptr) found->second.peer->is_closed = true;
    return 0;
}

int Kernel::break_off(int fd) {
    thing(fd, Kind::connection).peer->is_reset = true;
    return 0;
}

int Kernel::unread(int fd) {
    return static_cast<int>(thing(fd, Kind::connection).peer->unread.size());
}

int Kernel::control(int what, int fd, const epoll_event* event) {
    const auto found = things_.find(fd);
    require(found != things_.end());
    if (what == EPOLL_CTL_DEL) {
        require(found->second.watched != 0);
        found->second.watched = 0;
        return 0;
    }
    if (fails(Call::epoll_ctl)) return -1;
    require(found->second.watched == 0);
    found->second.watched = event->events;
    found->second.data = event->data.u64;
    found->second.has_edge = true;
    return 0;
}

int Kernel::wait(epoll_event* events, int most, bool is_blocking) {
    require(++turns_ < kMostTurns);  // It doesn't spin.
    if (fails(Call::epoll_wait)) return -1;
    int count = collect(events, most);
    while (count == 0 && is_blocking) {
        turns_ = 0;
        when_idle();
        count = collect(events, most);
    }
    return count;
}

int Kernel::set_timer(std::int64_t due_ns) {
    due_ns_ = due_ns;
    return 0;
}

void Kernel::signal(int fd) { thing(fd, Kind::event).is_signalled = true; }

Kernel::Thing& Kernel::thing(int fd, Kind kind) {
    const auto found = things_.find(fd);
    require(found != things_.end() && found->second.kind == kind);
    return found->second;
}

Kernel::Thing* Kernel::of(const Peer& peer) {
    for (auto& [fd, thing] : things_) {
        if (thing.peer == &peer) return &thing;
    }
    return nullptr;
}

void Kernel::edge(const Peer& peer) {
    if (Thing* thing = of(peer)) thing->has_edge = true;
}

std::uint32_t Kernel::state(const Thing& thing) const {
    std::uint32_t events = 0;
    switch (thing.kind) {
        case Kind::listener:
            return waiting_.empty() ? 0 : EPOLLIN;
        case Kind::event:
            return thing.is_signalled ? EPOLLIN : 0;
        case Kind::timer:
            return now_ns_ >= due_ns_ ? EPOLLIN : 0;
        case Kind::connection:
            if (!thing.peer->unread.empty()) events |= EPOLLIN;
            if (thing.peer->has_ended) events |= EPOLLIN | EPOLLRDHUP;
            if (thing.peer->is_reset) events |= EPOLLIN | EPOLLERR | EPOLLHUP | EPOLLRDHUP;
            if (thing.peer->in_flight < thing.peer->window) events |= EPOLLOUT;
            return events;
        default:
            return 0;
    }
}

int Kernel::collect(epoll_event* events, int most) {
    int count = 0;
    for (auto& [fd, thing] : things_) {
        if (thing.watched == 0 || count == most) continue;
        const bool is_edged = (thing.watched & EPOLLET) != 0 && thing.kind != Kind::timer;
        if (is_edged && !thing.has_edge) continue;
        const std::uint32_t now = state(thing) & (thing.watched | EPOLLERR | EPOLLHUP);
        if (now == 0) continue;
        thing.has_edge = false;
        if (thing.kind == Kind::timer) due_ns_ = INT64_MAX;  // Its edge.
        events[count].events = now;
        events[count++].data.u64 = thing.data;
    }
    return count;
}

bool Kernel::fails(Call call) {
    const auto found = faults_.find(call);
    if (found == faults_.end()) return false;
    errno = found->second;
    faults_.erase(found);
    return true;
}

}  // namespace brick::fuzz

// The linker turns each call of f into one of __wrap_f, and __real_f into f. What isn't the
// reactor's, libFuzzer's and the sanitizers' own calls, goes to the real kernel.
using brick::fuzz::kernel;
using Kind = brick::fuzz::Kernel::Kind;

namespace {
bool is_ours(int fd) { return kernel != nullptr && fd >= brick::fuzz::kFirstFd; }
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
ssize_t __wrap_send(int fd, const void* bytes, size_t size, int) {
    return kernel->send(fd, {static_cast<const char*>(bytes), size});
}
int __wrap_shutdown(int fd, int) { return kernel->shut(fd); }
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
