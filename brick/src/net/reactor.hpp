/// A thread that serves connections, with either kind of waiting.
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

/// Waits with epoll or io_uring for connections, bytes, room and time, and calls the conversations.
/// `Talk` is `http::Conversation` or has its public members.
class alignas(kApart) Reactor {
public:
    Reactor() = default;
    Reactor(const Reactor&) = delete;
    Reactor& operator=(const Reactor&) = delete;
    virtual ~Reactor() = default;

    /// Serves until all is over after `stop`. Throws std::system_error when it cannot go on.
    virtual void run() = 0;

    /// May be called from any thread or signal handler.
    virtual void stop() noexcept = 0;
};

/// The common part of both kinds of reactor: sessions, and their events by time.
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

    /// The kind of reactor sends, reads, pauses or closes as the conversation now requires.
    virtual void settle(Session& session) = 0;

    /// Admits a new connection and serves it.
    virtual void on_accept(Descriptor connection) = 0;

    /// The session of a new connection; null if there was no place and it was refused.
    [[nodiscard]] Session* admit(Descriptor connection);

    /// Whether there is no place for another one.
    [[nodiscard]] bool is_full() const noexcept {
        return sessions_.open() >= options_.limits.connections;
    }

    /// Takes some of the waiting connections, or refuses them if descriptors have run out. False:
    /// the missing resource is not available now.
    [[nodiscard]] bool accept_some();

    /// Once a turn, before events are handled.
    void look_at_the_clock();

    /// Once a second and when a pause ends.
    void on_time();

    /// For `send`: the last bytes wait for the following shutdown or close, and leave with the end
    /// in one segment.
    [[nodiscard]] static int send_flags(const Session& session) noexcept {
        return session.talk->is_ending() ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL;
    }

    /// Notes a pause that the conversation requests.
    void note_pause(Session& session);

    /// Carries out `stop` on the reactor's own thread: accepts waiting connections, and stops
    /// listening. Idle connections close a little later: clients that are about to send a request
    /// still get an answer.
    void begin_to_stop();

    /// Whether all is over.
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
    Moment next_closing_ = Moment::max();  // The next closing of idle connections, while it stops.
    Moment stop_limit_ = Moment::max();
    std::time_t date_ = 0;
};

}  // namespace brick::net
