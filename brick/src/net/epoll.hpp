/// A reactor on epoll: edge-triggered, one registration a connection.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <memory>
#include <vector>

#include "net/loop.hpp"

namespace brick::net {

template <class Talk>
class Epoll final : public Loop<Talk> {
public:
    using Base = Loop<Talk>;
    using typename Base::Service;
    using typename Base::Session;

    Epoll(const Options& options, Listener listener, Service& service,
          std::atomic<std::size_t>& open);

    void run() override;

private:
    // The work for one connection in one turn: others wait meanwhile.
    static constexpr int kReads = 4;
    static constexpr int kWrites = 16;
    static constexpr std::size_t kReadBytes = 16 * 1024;

    // The sources of events besides sessions.
    static constexpr std::uint32_t kListener = UINT32_MAX;
    static constexpr std::uint32_t kStop = UINT32_MAX - 1;
    static constexpr std::uint32_t kTimer = UINT32_MAX - 2;

    void settle(Session& session) override;
    void on_accept(Descriptor connection) override;

    void handle(const epoll_event& event);
    void pause_accepting();
    void serve(Session& session);
    bool read_some(Session& session);
    bool write_some(Session& session);
    void finish(Session& session);
    void remove(Session& session) noexcept;
    [[nodiscard]] bool watch(int fd, std::uint32_t events, Ticket ticket) noexcept;
    void set_timer();
    void queue(Session& session);

    Descriptor epoll_;
    Descriptor timer_;
    Moment timer_due_ = Moment::max();
    std::vector<Ticket> queued_;  // Connections with more work than their share of a turn.
    std::vector<Ticket> turn_;    // Scratch.
    std::array<epoll_event, 256> events_;
    std::unique_ptr<char[]> bytes_ = std::make_unique_for_overwrite<char[]>(kReadBytes);
    bool is_accepting_ = true;
};

}  // namespace brick::net

#include "net/epoll_members.hpp"  // IWYU pragma: keep
