#include "kernel/kernel.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace brick::fuzz {
namespace {

constexpr int kMostTurns = 100;

int failed(int error) {
    errno = error;
    return -1;
}

}  // namespace

Kernel* kernel = nullptr;

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
    peer.corked.clear();
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
    if (when_closing) when_closing(fd);
    if (Peer* peer = found->second.peer) {
        peer->got += std::exchange(peer->corked, {});
        peer->is_reset = peer->is_reset || !peer->unread.empty();
        peer->is_closed = true;
    }
    things_.erase(found);
    return 0;
}

int Kernel::accept() {
    if (fails(Call::accept)) return -1;
    if (things_.size() >= most_) return failed(EMFILE);  // Whether a client waits or not.
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
    if (peer.is_reset) return failed(ECONNRESET);
    if (peer.unread.empty()) return peer.has_ended || peer.is_unheard ? 0 : failed(EAGAIN);
    turns_ = 0;
    const std::size_t count = std::min(size, peer.unread.size());
    std::copy_n(peer.unread.data(), count, bytes);
    peer.unread.erase(0, count);
    return static_cast<long>(count);
}

long Kernel::send(int fd, std::string_view bytes, int flags) {
    require((flags & MSG_NOSIGNAL) != 0);
    Thing& socket = thing(fd, Kind::connection);
    Peer& peer = *socket.peer;
    if (fails(Call::send)) return -1;
    require(!bytes.empty());
    turns_ = 0;
    if (peer.is_reset || peer.is_closed) return failed(EPIPE);
    const std::size_t count = std::min(bytes.size(), peer.window - peer.in_flight);
    socket.wants_room = count < bytes.size();
    if (count == 0) return failed(EAGAIN);
    peer.corked += bytes.substr(0, count);
    if ((flags & MSG_MORE) == 0) peer.got += std::exchange(peer.corked, {});
    peer.in_flight += count;
    return static_cast<long>(count);
}

int Kernel::shut(int fd, int how) {
    const auto found = things_.find(fd);
    require(found != things_.end());
    if (Peer* peer = found->second.peer) {
        peer->is_unheard = peer->is_unheard || how != SHUT_WR;
        if (how == SHUT_RD) return 0;
        peer->got += std::exchange(peer->corked, {});
        peer->is_closed = true;
    }
    return 0;
}

int Kernel::break_off(int fd) {
    Peer& peer = *thing(fd, Kind::connection).peer;
    peer.corked.clear();
    peer.is_reset = true;
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
    turn();
    if (fails(Call::epoll_wait)) return -1;
    int count = collect(events, most);
    while (count == 0 && is_blocking) {
        idle();
        count = collect(events, most);
    }
    return count;
}

int Kernel::set_timer(std::int64_t due_ns) {
    due_ns_ = due_ns;
    return 0;
}

void Kernel::signal(int fd) { thing(fd, Kind::event).is_signalled = true; }

void Kernel::turn() { require(++turns_ < kMostTurns); }

void Kernel::idle() {
    turns_ = 0;
    when_idle();
}

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
            return waiting_.empty() ? 0U : EPOLLIN;
        case Kind::event:
            return thing.is_signalled ? EPOLLIN : 0U;
        case Kind::timer:
            return now_ns_ >= due_ns_ ? EPOLLIN : 0U;
        case Kind::connection:
            if (!thing.peer->unread.empty()) events |= EPOLLIN;
            if (thing.peer->has_ended || thing.peer->is_unheard) events |= EPOLLIN | EPOLLRDHUP;
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
