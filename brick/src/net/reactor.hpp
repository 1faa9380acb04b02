/// A thread that serves connections, whatever it waits with.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <memory>

#include <brick/options.hpp>

#include "apart.hpp"
#include "net/listener.hpp"
#include "net/sessions.hpp"
#include "net/timers.hpp"

namespace brick::net {

/// Waits with epoll or io_uring for connections, bytes, room and time, and tells the conversations.
/// `Talk` is `http::Conversation` or has its public members.
class alignas(kApart) Reactor {
public:
    Reactor() = default;
    Reactor(const Reactor&) = delete;
    Reactor& operator=(const Reactor&) = delete;
    virtual ~Reactor() = default;

    /// Serves until all is over after `stop`. Throws std::system_error when it can't go on.
    virtual void run() = 0;

    /// From any thread or signal handler.
    virtual void stop() noexcept = 0;
};

/// What both kinds of reactor have: sessions and what happens to them by time.
template <class Talk>
class Loop : public Reactor {
public:
    using Service = typename Talk::Service;

    /// `accept_flags` are accept4's, for each connection.
    Loop(const Options& options, Listener listener, int accept_flags, Service& service,
         std::atomic<std::size_t>& open);
    ~Loop() override;

    void stop() noexcept final;

protected:
    using Session = net::Session<Talk>;

    /// The kind of reactor sends, reads, pauses or closes as the conversation now wants.
    virtual void settle(Session& session) = 0;

    /// Admits a new connection and serves it.
    virtual void on_accept(Descriptor connection) = 0;

    /// The session of a new connection; null where there is no place and it was refused.
    [[nodiscard]] Session* admit(Descriptor connection);

    /// Whether there is no place for another.
    [[nodiscard]] bool is_full() const noexcept {
        return sessions_.open() >= options_.limits.connections;
    }

    /// Takes some of those who wait, or refuses them where descriptors have run out. False: what is
    /// missing can't be had now.
    [[nodiscard]] bool accept_some();

    /// Once a turn, before events are handled.
    void look_at_the_clock();

    /// Once a second and when a pause ends.
    void on_time();

    /// For `send`: the last bytes wait for the shutdown or close behind them, and leave with the
    /// end in one segment.
    [[nodiscard]] static int send_flags(const Session& session) noexcept {
        return session.talk->is_ending() ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL;
    }

    /// A pause that the conversation asks for is noted.
    void note_pause(Session& session);

    /// What `stop` asked for, on the reactor's own thread: accepts what waits already, and listens
    /// no more. What is idle closes a little later: who is about to ask is still answered.
    void begin_to_stop();

    /// All is over.
    [[nodiscard]] bool is_done() const noexcept {
        return is_stopping_ && (sessions_.count() == 0 || now_ >= stop_limit_);
    }

    /// When `on_time` is due next.
    [[nodiscard]] Moment next_time() const noexcept;

    const Options& options_;
    Listener listener_;
    const int accept_flags_;
    Service& service_;
    Sessions<Talk> sessions_;
    Timers timers_;
    Descriptor stop_signal_;
    Moment now_;
    bool is_stopping_ = false;

private:
    static constexpr std::chrono::milliseconds kClosingGap{100};

    void close_idle();
    void give_back_memory();

    Moment start_;
    Moment next_second_;
    Moment next_closing_ = Moment::max();  // Of idle connections, while it stops.
    Moment stop_limit_ = Moment::max();
    std::time_t date_ = 0;
};

}  // namespace brick::net
