/// The members of `Loop`.
#pragma once

#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "net/reactor.hpp"

namespace brick::net {

template <class Talk>
Loop<Talk>::Loop(const Options& options, Listener listener, int accept_flags, Service& service,
                 std::atomic<std::size_t>& open)
    : options_(options),
      listener_(std::move(listener)),
      accept_flags_(accept_flags),
      service_(service),
      sessions_(open),
      stop_signal_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      now_(std::chrono::steady_clock::now()),
      start_(now_),
      next_second_(now_ + std::chrono::seconds(1)) {
    if (!stop_signal_) throw std::system_error(errno, std::system_category(), "eventfd");
}

template <class Talk>
Loop<Talk>::~Loop() {
    sessions_.each([this](Session& session) {
        if (session.talk->end() == Talk::End::open) break_off(session.socket);
        sessions_.remove(session, service_);
    });
}

template <class Talk>
void Loop<Talk>::stop() noexcept {
    const std::uint64_t one = 1;
    static_cast<void>(write(stop_signal_.get(), &one, sizeof one));
}

template <class Talk>
auto Loop<Talk>::admit(Descriptor connection) -> Session* {
    if (is_full()) {
        refuse(std::move(connection));
        return nullptr;
    }
    try {
        return &sessions_.add(std::move(connection), service_);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

template <class Talk>
bool Loop<Talk>::accept_some() {
    constexpr int kMost = 64;  // In one turn: others wait meanwhile.
    for (int count = 0; count < kMost; ++count) {
        if (Descriptor connection = listener_.accept(accept_flags_)) {
            on_accept(std::move(connection));
        } else if (errno != EAGAIN && listener_.refuse_one()) {
            continue;
        } else {
            return errno == EAGAIN;
        }
    }
    return true;
}

template <class Talk>
void Loop<Talk>::look_at_the_clock() {
    now_ = std::chrono::steady_clock::now();
    timespec wall{};
    clock_gettime(CLOCK_REALTIME_COARSE, &wall);
    if (wall.tv_sec == date_) return;
    date_ = wall.tv_sec;
    service_.date.set(date_);
}

template <class Talk>
void Loop<Talk>::on_time() {
    while (const auto due = timers_.take(now_)) {
        if (Session* session = sessions_.find(*due)) {
            session->talk->paused(service_);
            settle(*session);
        }
    }
    if (now_ >= next_closing_) close_idle();
    if (now_ < next_second_) return;
    next_second_ = now_ + std::chrono::seconds(1);
    service_.now_s = static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::seconds>(now_ - start_).count());
    // Deadlines are swept, not queued: a sweep each second costs less than a timer for each
    // request.
    sessions_.each([this](Session& session) {
        if (session.talk->expire(service_)) settle(session);
    });
    service_.pool.trim();
    if (sessions_.trim() > 1) give_back_memory();
}

// A peak is over, and no connection is left. The heap would keep the memory of its messages.
template <class Talk>
void Loop<Talk>::give_back_memory() {
    service_.pool.trim();
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

template <class Talk>
void Loop<Talk>::note_pause(Session& session) {
    if (const auto pause = session.talk->take_pause()) {
        timers_.add(std::chrono::steady_clock::now() + *pause, session.ticket);
    }
}

template <class Talk>
void Loop<Talk>::begin_to_stop() {
    if (is_stopping_) return;
    is_stopping_ = true;
    service_.stopping = true;
    stop_limit_ = now_ + options_.limits.stop_timeout;
    for (int left = options_.tuning.backlog; left > 0; --left) {
        Descriptor connection = listener_.accept(accept_flags_);
        if (!connection) break;
        on_accept(std::move(connection));
    }
    listener_.close();
    next_closing_ = now_ + kClosingGap;
}

template <class Talk>
void Loop<Talk>::close_idle() {
    next_closing_ = now_ + kClosingGap;
    sessions_.each([this](Session& session) {
        int unread = 0;
        if (ioctl(session.socket.get(), FIONREAD, &unread) == 0 && unread > 0) return;
        session.talk->stop(service_);
        settle(session);
    });
}

template <class Talk>
Moment Loop<Talk>::next_time() const noexcept {
    const Moment known = std::min(next_second_, next_closing_);
    return std::min(timers_.next().value_or(known), known);
}

}  // namespace brick::net
