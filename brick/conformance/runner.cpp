#include "runner.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>

namespace brick::conformance {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kConnections = 64;
constexpr auto kPause = 1500us;  // Long enough that the server has read the last piece.
constexpr int kPatiencesInAll = 5;
constexpr auto kSettled = 100ms;  // A faulty server may show another fault within this.

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

class Socket {
public:
    explicit Socket(const Address& server)
        : fd_(socket(server.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
        if (fd_ < 0) fail("socket");
        const int on = 1;
        setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const auto* address = reinterpret_cast<const sockaddr*>(&server.storage);
        if (connect(fd_, address, server.bytes) < 0 && errno != EINPROGRESS) {
            const int error = errno;
            close(fd_);
            errno = error;
            fail("connect");
        }
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() {
        // The case is decided, so this resets: a closed port would be unusable for a minute
        // (TIME_WAIT), and a table has as many connections as there are ports.
        const linger at_once{1, 0};
        setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(fd_);
    }

    [[nodiscard]] int fd() const noexcept { return fd_; }

private:
    int fd_;
};

/// A job on its connection.
class Trial {
public:
    Trial(const Address& server, const Job& job, std::chrono::seconds patience,
          Clock::time_point now)
        : job_(job),
          exchange_(*job.of, job.cuts),
          socket_(server),
          patience_(patience),
          begun_(now),
          last_(now) {}

    [[nodiscard]] const Job& job() const noexcept { return job_; }
    [[nodiscard]] const Exchange& exchange() const noexcept { return exchange_; }
    [[nodiscard]] pollfd wanted(Clock::time_point now) const noexcept {
        const bool sends = !exchange_.to_send().empty() && now >= next_piece_;
        return {socket_.fd(), static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN), 0};
    }

    /// The time when it needs attention, whatever its socket does.
    [[nodiscard]] Clock::time_point wakes(Clock::time_point now) const noexcept {
        const bool pauses = !exchange_.to_send().empty() && now < next_piece_;
        return pauses ? std::min(next_piece_, deadline()) : deadline();
    }

    void turn(short events, Clock::time_point now) {
        if ((events & (POLLIN | POLLERR | POLLHUP)) != 0) receive(now);
        if ((events & POLLOUT) != 0 && !exchange_.done()) send(now);
        if (exchange_.half_closes() && !half_closed_ && connected_) {
            half_closed_ = true;
            shutdown(socket_.fd(), SHUT_WR);
        }
        if (exchange_.astray() && astray_ == Clock::time_point::max()) astray_ = now;
        if (!exchange_.done() && now >= deadline()) exchange_.expired();
    }

private:
    [[nodiscard]] Clock::time_point deadline() const noexcept {
        const auto by_time = std::min(begun_ + kPatiencesInAll * patience_, last_ + patience_);
        return astray_ == Clock::time_point::max() ? by_time
                                                   : std::min(by_time, astray_ + kSettled);
    }

    void send(Clock::time_point now) {
        connected_ = true;
        const auto piece = exchange_.to_send();
        const auto sent = ::send(socket_.fd(), piece.data(), piece.size(), MSG_NOSIGNAL);
        if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) exchange_.cannot_send();
        if (sent <= 0) return;
        last_ = now;
        if (exchange_.sent(static_cast<std::size_t>(sent))) next_piece_ = now + kPause;
    }

    void receive(Clock::time_point now) {
        std::array<char, 64 * 1024> buffer;
        const auto got = recv(socket_.fd(), buffer.data(), buffer.size(), 0);
        if (got > 0) {
            last_ = now;
            exchange_.received({buffer.data(), static_cast<std::size_t>(got)});
        } else if (got == 0) {
            exchange_.ended(false);
        } else if (errno != EAGAIN && errno != EINTR) {
            if (!connected_ && errno != ECONNRESET) fail("connect");
            exchange_.ended(true);
        }
    }

    const Job& job_;
    Exchange exchange_;
    Socket socket_;
    std::chrono::seconds patience_;
    Clock::time_point begun_;
    Clock::time_point last_;  // When a byte was last moved.
    Clock::time_point next_piece_{};
    Clock::time_point astray_ = Clock::time_point::max();
    bool connected_ = false;
    bool half_closed_ = false;
};

using Trials = std::vector<std::unique_ptr<Trial>>;

void turn(Trials& trials) {
    auto now = Clock::now();
    auto wakes = now + 1s;
    std::vector<pollfd> polled;
    for (const auto& trial : trials) {
        polled.push_back(trial->wanted(now));
        wakes = std::min(wakes, trial->wakes(now));
    }
    const auto wait = std::max(wakes - now, Clock::duration::zero());
    const timespec timeout{static_cast<time_t>(wait / 1s), static_cast<long>((wait % 1s) / 1ns)};
    if (ppoll(polled.data(), polled.size(), &timeout, nullptr) < 0 && errno != EINTR) fail("ppoll");
    now = Clock::now();
    for (std::size_t i = 0; i < trials.size(); ++i) trials[i]->turn(polled[i].revents, now);
}

}  // namespace

void run(const Address& server, const std::vector<Job>& jobs,
         const std::function<void(const Job&, const Outcome&)>& tell,
         std::chrono::seconds patience) {
    Trials trials;
    auto next = jobs.begin();
    while (next != jobs.end() || !trials.empty()) {
        while (next != jobs.end() && trials.size() < kConnections) {
            trials.push_back(std::make_unique<Trial>(server, *next++, patience, Clock::now()));
        }
        turn(trials);
        std::erase_if(trials, [&](const auto& trial) {
            if (trial->exchange().done()) tell(trial->job(), trial->exchange().outcome());
            return trial->exchange().done();
        });
    }
}

}  // namespace brick::conformance
