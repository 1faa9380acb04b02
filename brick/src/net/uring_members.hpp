/// The members of `Uring`.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "net/uring.hpp"

namespace brick::net {

template <class Talk>
Uring<Talk>::Uring(const Options& options, Listener listener, Service& service,
                   std::atomic<std::size_t>& open)
    : Base(options, std::move(listener), 0, service, open) {}

template <class Talk>
void Uring<Talk>::run() {
    ring_ = std::make_unique<Ring>(this->options_.tuning);
    buffers_ = std::make_unique<ReceiveBuffers>(*ring_, this->options_.tuning);
    try {
        watch(Operation::stop, this->stop_signal_.get());
        accept_more();
        while (!this->is_done()) turn();
        end_all();
    } catch (...) {
        abandon();
        throw;
    }
    buffers_.reset();
    ring_.reset();
}

// One batch of completions: its sends are submitted before more is taken.
template <class Talk>
void Uring<Talk>::turn() {
    set_timer();
    ring_->enter(queued_.empty());
    this->look_at_the_clock();
    for (const io_uring_cqe& completion : ring_->take()) handle(completion);
    run_queue();
    if (this->now_ >= this->next_time()) {
        this->on_time();
        accept_more();
    }
    if (this->now_ >= next_look_) look_for_ends();
    run_queue();
}

// Remaining connections are cut off, but freed only when the kernel neither reads nor writes for
// them.
template <class Talk>
void Uring<Talk>::end_all() {
    this->sessions_.each([this](Session& session) {
        if (session.talk->end() == Talk::End::open) break_off(session.socket);
        start_teardown(session);
    });
    const Moment limit = this->now_ + kPatience;
    while (this->sessions_.count() > 0 && this->now_ < limit) turn();
    if (this->sessions_.count() > 0) abandon();
}

// Memory that the kernel may still read and write is never freed.
template <class Talk>
void Uring<Talk>::abandon() noexcept {
    if (this->sessions_.count() == 0) return;
    this->sessions_.abandon();
    static_cast<void>(buffers_.release());
    static_cast<void>(ring_.release());
}

template <class Talk>
void Uring<Talk>::handle(const io_uring_cqe& completion) {
    const std::uint64_t data = completion.user_data;
    const auto operation = static_cast<Operation>(data >> 56U);
    const Ticket ticket{static_cast<std::uint32_t>(data),
                        static_cast<std::uint32_t>(data >> 32U) & Sessions<Talk>::kGenerationMask};
    switch (operation) {
        case Operation::accept:
            return accepted(completion);
        case Operation::receive:
            return received(this->sessions_.find(ticket), completion);
        case Operation::send:
            return sent(this->sessions_.find(ticket), completion.res);
        case Operation::stop:
            return this->begin_to_stop();
        case Operation::waiting:
            return accept_waiting();
        case Operation::timer:
            this->look_at_the_clock();  // The turn may have begun before the timer was due.
            if (this->now_ >= timer_due_) timer_due_ = Moment::max();
            return;
        case Operation::cancel:
            return;  // A cancelled request reports its own end.
    }
}

template <class Talk>
void Uring<Talk>::accepted(const io_uring_cqe& completion) {
    if ((completion.flags & IORING_CQE_F_MORE) == 0) is_accepting_ = false;
    if (completion.res >= 0) {
        on_accept(Descriptor(completion.res));
        return accept_more();
    }
    switch (-completion.res) {
        case ECANCELED:
            return;
        case EMFILE:
        case ENFILE:
            look_for_all_ends();
            // If it were armed again, it would fail at once, whether a client waits or not.
            if (this->is_stopping_ || std::exchange(is_watching_, true)) return;
            return watch(Operation::waiting, this->listener_.fd());
        default:
            // A lack of memory is temporary: the next tick of the clock tries again.
            if (-completion.res != ENOMEM && -completion.res != ENOBUFS) accept_more();
    }
}

// Descriptors had run out and a client waits. If none are available now, the clock's next tick
// tries again.
template <class Talk>
void Uring<Talk>::accept_waiting() {
    is_watching_ = false;
    if (!this->is_stopping_ && this->accept_some()) accept_more();
}

template <class Talk>
void Uring<Talk>::on_accept(Descriptor connection) {
    if (this->is_full()) look_for_all_ends();
    if (Session* session = this->admit(std::move(connection))) receive_more(*session);
}

template <class Talk>
void Uring<Talk>::received(Session* session, const io_uring_cqe& completion) {
    const bool is_last = (completion.flags & IORING_CQE_F_MORE) == 0;
    if (session != nullptr && is_last) {
        session->is_receiving = false;
        session->is_cancelling = false;
    }
    if ((completion.flags & IORING_CQE_F_BUFFER) != 0) {
        const auto id = static_cast<std::uint16_t>(completion.flags >> IORING_CQE_BUFFER_SHIFT);
        if (session != nullptr && !session->is_dying && completion.res > 0) {
            session->talk->receive(this->service_,
                                   buffers_->bytes(id, static_cast<std::size_t>(completion.res)));
        }
        buffers_->give_back(id);
    }
    if (session == nullptr) return;
    if (completion.res <= 0 && !session->is_dying) take_end(*session, completion.res);
    queue(*session);
}

// The receive ended without bytes: the client's end, or a reason to receive again, or to close.
template <class Talk>
void Uring<Talk>::take_end(Session& session, int result) {
    switch (-result) {
        case ENOBUFS:  // All buffers were in use: they are back by the end of the turn.
        case ECANCELED:
        case EINTR:
        case EAGAIN:
            return;
        case 0:
            return session.talk->input_ended(this->service_);
        default:
            start_teardown(session);
    }
}

template <class Talk>
void Uring<Talk>::sent(Session* session, int result) {
    if (session == nullptr) return;
    session->is_sending = false;
    queue(*session);
    if (session->is_dying || result == -EINTR || result == -EAGAIN) return;
    if (result < 0) return start_teardown(*session);
    session->talk->sent(this->service_, static_cast<std::size_t>(result));
}

// Sends, reads or ends each connection for which a turn has news, once.
template <class Talk>
void Uring<Talk>::run_queue() {
    turn_.swap(queued_);
    for (const Ticket ticket : turn_) {
        Session* session = this->sessions_.find(ticket);
        if (session == nullptr) continue;
        session->is_queued = false;
        settle(*session);
    }
    turn_.clear();
}

template <class Talk>
void Uring<Talk>::settle(Session& session) {
    if (session.is_dying) return finish(session);
    if (!session.is_sending) send_more(session);
    this->note_pause(session);
    if (session.talk->end() == Talk::End::abort) {
        break_off(session.socket);
        return finish(session);
    }
    if (!session.is_sending && session.talk->end() != Talk::End::open) return finish(session);
    const bool is_reading = session.talk->is_reading(this->service_);
    // After the last request only the end is awaited, and only when all is sent.
    const bool is_waiting = session.is_receiving || session.talk->is_ending();
    if (is_reading && !is_waiting) receive_more(session);
    if (!is_reading && session.is_receiving && !session.is_cancelling) cancel_receive(session);
}

template <class Talk>
void Uring<Talk>::finish(Session& session) {
    if (!session.is_dying && session.talk->end() == Talk::End::linger) {
        if (!session.is_shut) return half_close(session);
        if (!session.is_receiving) receive_more(session);
        return;
    }
    if (session.is_sending || session.is_receiving) return start_teardown(session);
    this->sessions_.remove(session, this->service_);
}

// Most clients end their side when they see our end. Checking for theirs a little later costs less
// than a receive that waits for it: no completion, and no thread is woken up.
template <class Talk>
void Uring<Talk>::half_close(Session& session) {
    shutdown(session.socket.get(), SHUT_WR);
    session.is_shut = true;
    if (session.is_receiving) return;
    half_closed_.push_back(session.ticket);
    next_look_ = std::min(next_look_, this->now_ + kHalfClosedGap);
}

// Checks the connections that are shut for at least a gap; the others are checked at its end.
template <class Talk>
void Uring<Talk>::look_for_ends() {
    for (const Ticket ticket : half_closed_before_) look_for_end(ticket);
    half_closed_before_.clear();
    half_closed_before_.swap(half_closed_);
    next_look_ = half_closed_before_.empty() ? Moment::max() : this->now_ + kHalfClosedGap;
}

// Checks all of them at once, for want of room.
template <class Talk>
void Uring<Talk>::look_for_all_ends() {
    look_for_ends();
    look_for_ends();
}

template <class Talk>
void Uring<Talk>::look_for_end(Ticket ticket) {
    Session* session = this->sessions_.find(ticket);
    if (session == nullptr || session->is_dying || session->is_receiving) return;
    char dropped = 0;
    const ssize_t got = recv(session->socket.get(), &dropped, 1, MSG_DONTWAIT);
    if (got <= 0) take_end(*session, got < 0 ? -errno : 0);
    settle(*session);  // It is over, or a receive waits for the end.
}

// The kernel still holds the connection: shutting it makes the kernel release it.
template <class Talk>
void Uring<Talk>::start_teardown(Session& session) {
    if (std::exchange(session.is_dying, true)) return;
    shutdown(session.socket.get(), SHUT_RDWR);
    queue(session);
}

template <class Talk>
void Uring<Talk>::accept_more() {
    if (is_accepting_ || this->is_stopping_) return;
    io_uring_sqe& accept = ring_->entry();
    io_uring_prep_multishot_accept(&accept, this->listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    tag(accept, Operation::accept, {});
    is_accepting_ = true;
}

// The first receive is not multishot: many connections end with their first answer, and then no
// receive has to be cancelled.
template <class Talk>
void Uring<Talk>::receive_more(Session& session) {
    io_uring_sqe& receive = ring_->entry();
    if (std::exchange(session.is_new, false)) {
        io_uring_prep_recv(&receive, session.socket.get(), nullptr, 0, 0);
    } else {
        io_uring_prep_recv_multishot(&receive, session.socket.get(), nullptr, 0, 0);
    }
    receive.flags |= IOSQE_BUFFER_SELECT;
    receive.buf_group = ReceiveBuffers::kGroup;
    tag(receive, Operation::receive, session.ticket);
    session.is_receiving = true;
}

template <class Talk>
void Uring<Talk>::send_more(Session& session) {
    const std::string_view bytes = session.talk->next_send().substr(0, kMostSentBytes);
    if (bytes.empty()) return;
    io_uring_sqe& send = ring_->entry();
    // Without MSG_WAITALL, a client that reads slowly is seen to take bytes.
    io_uring_prep_send(&send, session.socket.get(), bytes.data(), bytes.size(),
                       this->send_flags(session));
    tag(send, Operation::send, session.ticket);
    session.is_sending = true;
}

template <class Talk>
void Uring<Talk>::cancel_receive(Session& session) {
    io_uring_sqe& cancel = ring_->entry();
    io_uring_prep_cancel64(&cancel, tagged(Operation::receive, session.ticket), 0);
    tag(cancel, Operation::cancel, {});
    session.is_cancelling = true;
}

template <class Talk>
void Uring<Talk>::watch(Operation operation, int fd) {
    io_uring_sqe& poll = ring_->entry();
    io_uring_prep_poll_add(&poll, fd, POLLIN);
    tag(poll, operation, {});
}

template <class Talk>
void Uring<Talk>::set_timer() {
    const Moment due = std::min(this->next_time(), next_look_);
    if (due >= timer_due_) return;
    timer_due_ = due;
    const auto since_boot = due.time_since_epoch();
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
    timer_ = {.tv_sec = whole.count(), .tv_nsec = (since_boot - whole).count()};
    io_uring_sqe& timeout = ring_->entry();
    io_uring_prep_timeout(&timeout, &timer_, 0, IORING_TIMEOUT_ABS);
    tag(timeout, Operation::timer, {});
}

template <class Talk>
void Uring<Talk>::queue(Session& session) {
    if (!std::exchange(session.is_queued, true)) queued_.push_back(session.ticket);
}

template <class Talk>
std::uint64_t Uring<Talk>::tagged(Operation operation, Ticket ticket) noexcept {
    return static_cast<std::uint64_t>(operation) << 56U |
           static_cast<std::uint64_t>(ticket.generation) << 32U | ticket.slot;
}

template <class Talk>
void Uring<Talk>::tag(io_uring_sqe& entry, Operation operation, Ticket ticket) noexcept {
    io_uring_sqe_set_data64(&entry, tagged(operation, ticket));
}

}  // namespace brick::net
