/// A reactor on io_uring: one system call a turn submits everything and waits.
#pragma once

#include <memory>
#include <vector>

#include "net/loop.hpp"
#include "net/uring_ring.hpp"

namespace brick::net {

template <class Talk>
class Uring final : public Loop<Talk> {
public:
    using Base = Loop<Talk>;
    using typename Base::Service;
    using typename Base::Session;

    Uring(const Options& options, Listener listener, Service& service,
          std::atomic<std::size_t>& open);

    void run() override;

private:
    // The kind of work that a completion ends.
    enum class Operation : std::uint8_t { accept, waiting, receive, send, cancel, timer, stop };
    static constexpr std::size_t kMostSentBytes = 1U << 30U;
    static constexpr std::chrono::milliseconds kHalfClosedGap{10};
    static constexpr std::chrono::seconds kPatience{1};  // The time given to the kernel at the end.

    void settle(Session& session) override;
    void on_accept(Descriptor connection) override;

    void turn();
    void end_all();
    void abandon() noexcept;
    void handle(const io_uring_cqe& completion);
    void accepted(const io_uring_cqe& completion);
    void received(Session* session, const io_uring_cqe& completion);
    void take_bytes(Session& session, const io_uring_cqe& completion);
    void take_end(Session& session, int result);
    void sent(Session* session, int result);
    void accept_waiting();

    void accept_more();
    void receive_more(Session& session);
    void send_more(Session& session);
    void cancel_receive(Session& session);
    void finish(Session& session);
    void start_teardown(Session& session);
    void half_close(Session& session);
    void look_for_ends();
    void look_for_all_ends();
    void look_for_end(Ticket ticket);
    void watch(Operation operation, int fd);
    void set_timer();
    void queue(Session& session);
    void run_queue();

    [[nodiscard]] static std::uint64_t tagged(Operation operation, Ticket ticket) noexcept;
    static void tag(io_uring_sqe& entry, Operation operation, Ticket ticket) noexcept;

    // The ring belongs to the running thread, so it is made there.
    std::unique_ptr<Ring> ring_;
    std::unique_ptr<ReceiveBuffers> buffers_;
    std::vector<Ticket> queued_;       // Connections for which this turn has news.
    std::vector<Ticket> turn_;         // Scratch.
    std::vector<Ticket> half_closed_;  // Since the last check for clients' ends.
    std::vector<Ticket> half_closed_before_;
    Moment next_look_ = Moment::max();
    __kernel_timespec timer_{};
    Moment timer_due_ = Moment::max();
    bool is_accepting_ = false;
    bool is_watching_ = false;  // Whether the listener is polled, for want of descriptors.
};

}  // namespace brick::net

#include "net/uring_members.hpp"  // IWYU pragma: keep
