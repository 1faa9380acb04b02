/// The part of a kernel that a reactor needs, in memory: sockets of any number of clients, epoll
/// with edges, a timer and a clock; kernel/ring.hpp has its io_uring. kernel/calls.cpp and
/// kernel/ring_calls.cpp replace the calls with it by the linker's --wrap.
#pragma once

#include <sys/epoll.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace brick::fuzz {

/// Aborts the program, by which a fuzzer reports a finding.
void require(bool holds);

class Kernel {
public:
    static constexpr int kFirstFd = 1'000'000;  // Above those of the real kernel.

    /// A connection on the client's side; it exists as long as the kernel.
    struct Peer {
        std::string unread;         // By the server.
        std::string got;            // By the client.
        std::size_t in_flight = 0;  // Sent by the server, not yet got.
        std::size_t window = 1000;  // Of what may be in flight.
        bool has_ended = false;     // The client's side.
        bool is_reset = false;      // By either.
        std::string corked;         // Sent with MSG_MORE: it leaves with the next, or the end.
        bool is_closed = false;     // By the server, or its sending side.
        bool is_unheard = false;    // The server's receiving side is shut.
    };

    /// All calls up to its end go to this kernel. There is one at a time.
    Kernel();
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    ~Kernel();

    /// Called while the server waits and nothing has happened: causes an event.
    std::function<void()> when_idle;

    // The actions of clients.
    Peer& connect();
    void send(Peer& peer, std::string_view bytes);
    void get(Peer& peer, std::size_t bytes);
    void end(Peer& peer);
    void reset(Peer& peer);

    void pass(std::int64_t ns) { now_ns_ += ns; }
    [[nodiscard]] std::int64_t now_ns() const { return now_ns_; }

    /// The next call of this kind fails.
    enum class Call { accept, recv, send, epoll_ctl, epoll_wait, multishot, ring_enter };
    void fail(Call call, int error) { faults_[call] = error; }

    /// Whether this call fails; errno is set. For io_uring's multishots: whether this is the last.
    bool fails(Call call);

    /// Called with each descriptor before it is closed.
    std::function<void(int fd)> when_closing;

    /// Allows no descriptors beyond those that are open now, or any number.
    void fill_table(bool is_full) { most_ = is_full ? things_.size() : SIZE_MAX; }

    [[nodiscard]] std::deque<Peer>& peers() { return peers_; }

    // System calls: they return the result, or -1 and errno.
    enum class Kind { listener, connection, epoll, timer, event, file };
    int open(Kind kind);
    int close(int fd);
    int accept();
    long recv(int fd, char* bytes, std::size_t size);
    long send(int fd, std::string_view bytes, int flags);
    int shut(int fd, int how);
    int break_off(int fd);
    int unread(int fd);
    int control(int what, int fd, const epoll_event* event);
    int wait(epoll_event* events, int most, bool is_blocking);
    int set_timer(std::int64_t due_ns);
    void signal(int fd);

    /// The result of poll for it.
    [[nodiscard]] std::uint32_t ready(int fd) const { return state(things_.at(fd)); }

    /// The server asks for events. If it does so too often without progress, it spins.
    void turn();

    /// The server waits: causes an event.
    void idle();

private:
    struct Thing {
        Kind kind;
        Peer* peer = nullptr;
        std::uint32_t watched = 0;  // By epoll_ctl; 0: not at all.
        std::uint64_t data = 0;
        bool has_edge = false;
        bool wants_room = false;  // A send was cut short.
        bool is_signalled = false;
    };

    Thing& thing(int fd, Kind kind);
    Thing* of(const Peer& peer);
    void edge(const Peer& peer);
    [[nodiscard]] std::uint32_t state(const Thing& thing) const;
    int collect(epoll_event* events, int most);

    std::map<int, Thing> things_;
    std::deque<Peer> peers_;
    std::deque<Peer*> waiting_;  // To be accepted.
    std::map<Call, int> faults_;
    std::size_t most_ = SIZE_MAX;
    int next_fd_;
    std::int64_t now_ns_ = 1'000'000'000;
    std::int64_t due_ns_ = INT64_MAX;
    int turns_ = 0;  // The turns without progress.
};

/// The existing kernel, or null.
extern Kernel* kernel;

}  // namespace brick::fuzz
