/// The members of `Epoll`.
#pragma once

#include <sys/socket.h>
#include <sys/timerfd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "net/epoll.hpp"

namespace brick::net {

template <class Talk>
Epoll<Talk>::Epoll(const Options& options, Listener listener, Service& service,
                   std::atomic<std::size_t>& open)
    : Base(options, std::move(listener), SOCK_NONBLOCK, service, open),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
    if (!epoll_) throw std::system_error(errno, std::system_category(), "epoll_create1");
    if (!timer_) throw std::system_error(errno, std::system_category(), "timerfd_create");
    if (!watch(this->listener_.fd(), EPOLLIN, {kListener, 0}) ||
        !watch(this->stop_signal_.get(), EPOLLIN, {kStop, 0}) ||
        !watch(timer_.get(), EPOLLIN | EPOLLET, {kTimer, 0})) {
        throw std::system_error(errno, std::system_category(), "epoll_ctl");
    }
}

template <class Talk>
void Epoll<Talk>::run() {
    while (!this->is_done()) {
        set_timer();
        const int wait_ms = queued_.empty() ? -1 : 0;
        const int count =
            epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), wait_ms);
        if (count < 0 && errno != EINTR) {
            throw std::system_error(errno, std::system_category(), "epoll_wait");
        }
        this->look_at_the_clock();
        turn_.swap(queued_);
        for (int at = 0; at < count; ++at) handle(events_[static_cast<std::size_t>(at)]);
        for (const Ticket ticket : turn_) {
            if (Session* session = this->sessions_.find(ticket)) {
                session->is_queued = false;
                serve(*session);
            }
        }
        turn_.clear();
        if (this->now_ >= this->next_time()) this->on_time();
    }
}

template <class Talk>
void Epoll<Talk>::handle(const epoll_event& event) {
    const std::uint64_t data = event.data.u64;  // A copy: the event is packed, so it isn't aligned.
    const auto ticket = std::bit_cast<Ticket>(data);
    if (ticket.slot == kListener) {
        if (!this->is_stopping_ && !this->accept_some()) pause_accepting();
        return;
    }
    if (ticket.slot == kStop) {
        epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, this->stop_signal_.get(), nullptr);
        return this->begin_to_stop();
    }
    if (ticket.slot == kTimer) return;  // It is checked after each turn.
    Session* session = this->sessions_.find(ticket);
    if (session == nullptr) return;
    if ((event.events & (EPOLLIN | EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0) {
        session->is_readable = true;
    }
    if ((event.events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0) session->is_hung_up = true;
    if ((event.events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0) session->is_writable = true;
    if (!session->is_queued) serve(*session);
}

// Until a second has passed: the resource that accept lacks is not available now.
template <class Talk>
void Epoll<Talk>::pause_accepting() {
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, this->listener_.fd(), nullptr);
    is_accepting_ = false;
}

template <class Talk>
void Epoll<Talk>::on_accept(Descriptor connection) {
    const int fd = connection.get();
    Session* session = this->admit(std::move(connection));
    if (session == nullptr) return;
    const Ticket ticket = session->ticket;
    session->is_readable = true;
    serve(*session);
    // Many connections end with their first answer: then epoll never gets to know them.
    session = this->sessions_.find(ticket);
    if (session == nullptr) return;
    // The system may have no room for one more: the connection is closed.
    if (!watch(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, ticket)) remove(*session);
}

template <class Talk>
void Epoll<Talk>::serve(Session& session) {
    int reads = 0;
    do {
        if (!write_some(session)) return;
        if (session.talk->end() != Talk::End::open) return finish(session);
        if (!session.is_readable || !session.talk->is_reading(this->service_)) return;
        if (++reads > kReads) return queue(session);
    } while (read_some(session));
}

template <class Talk>
void Epoll<Talk>::settle(Session& session) {
    if (!session.is_queued) serve(session);
}

// Returns false if the connection is gone.
template <class Talk>
bool Epoll<Talk>::read_some(Session& session) {
    const ssize_t count = recv(session.socket.get(), bytes_.get(), kReadBytes, 0);
    if (count > 0) {
        const auto bytes = static_cast<std::size_t>(count);
        // A short read means that the socket is empty, except for the end, which has no further
        // edge.
        if (bytes < kReadBytes && !session.is_hung_up) session.is_readable = false;
        session.talk->receive(this->service_, {bytes_.get(), bytes});
        return true;
    }
    if (count < 0 && errno == EINTR) return true;
    session.is_readable = false;
    if (count < 0 && errno == EAGAIN) return true;
    if (count == 0) {
        session.talk->input_ended(this->service_);
        return true;
    }
    remove(session);
    return false;
}

// Sends as much as there is room for. Returns false if the connection is gone.
template <class Talk>
bool Epoll<Talk>::write_some(Session& session) {
    for (int writes = 0; session.is_writable; ++writes) {
        const std::string_view bytes = session.talk->next_send();
        if (bytes.empty()) break;
        if (writes == kWrites) {
            queue(session);
            break;
        }
        const ssize_t count = send(session.socket.get(), bytes.data(), bytes.size(),
                                   this->send_flags(session) | MSG_DONTWAIT);
        if (count < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN) {
                session.is_writable = false;
                break;
            }
            remove(session);
            return false;
        }
        if (static_cast<std::size_t>(count) < bytes.size()) session.is_writable = false;
        session.talk->sent(this->service_, static_cast<std::size_t>(count));
    }
    this->note_pause(session);
    return true;
}

// All is sent: closes, or shuts our side and waits for the client's end.
template <class Talk>
void Epoll<Talk>::finish(Session& session) {
    if (session.talk->end() == Talk::End::abort) break_off(session.socket);
    if (session.talk->end() != Talk::End::linger) return remove(session);
    if (!std::exchange(session.is_shut, true)) shutdown(session.socket.get(), SHUT_WR);
    for (int reads = 0; session.is_readable; ++reads) {
        if (reads == kReads) return queue(session);
        if (!read_some(session)) return;
        if (session.talk->end() != Talk::End::linger) return remove(session);
    }
}

template <class Talk>
void Epoll<Talk>::remove(Session& session) noexcept {
    this->sessions_.remove(session, this->service_);
}

// Returns false with errno.
template <class Talk>
bool Epoll<Talk>::watch(int fd, std::uint32_t events, Ticket ticket) noexcept {
    epoll_event event{};
    event.events = events;
    event.data.u64 = std::bit_cast<std::uint64_t>(ticket);
    return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

template <class Talk>
void Epoll<Talk>::set_timer() {
    if (!is_accepting_ && !this->is_stopping_ && this->now_ >= timer_due_) {
        is_accepting_ = watch(this->listener_.fd(), EPOLLIN, {kListener, 0});
    }
    const Moment due = this->next_time();
    if (due == timer_due_) return;
    timer_due_ = due;
    const auto since_boot = due.time_since_epoch();
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
    itimerspec when{};
    when.it_value.tv_sec = whole.count();
    when.it_value.tv_nsec = static_cast<long>((since_boot - whole).count());
    timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

template <class Talk>
void Epoll<Talk>::queue(Session& session) {
    if (!std::exchange(session.is_queued, true)) queued_.push_back(session.ticket);
}

}  // namespace brick::net
