/// A client with a real socket.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace brick::testing {

/// Its calls block, for 20 s at most. EINTR is ignored: the end of a ring that a thread had made
/// interrupts the thread's waiting.
class TcpClient {
public:
    /// `receive_bytes` is SO_RCVBUF if it isn't 0.
    explicit TcpClient(std::uint16_t port, int receive_bytes = 0) : TcpClient(receive_bytes) {
        connects(port);
    }
    explicit TcpClient(int receive_bytes = 0)
        : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const timeval limit{.tv_sec = 20, .tv_usec = 0};
        setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        if (receive_bytes > 0) {
            setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
        }
    }
    TcpClient(TcpClient&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    TcpClient& operator=(TcpClient&&) = delete;
    ~TcpClient() {
        if (fd_ >= 0) ::close(fd_);
    }

    bool connects(std::uint16_t port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }

    /// Returns false if the server has closed.
    bool sends(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }

    void half_closes() { ::shutdown(fd_, SHUT_WR); }

    /// Closes with a reset.
    void resets() {
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        ::close(std::exchange(fd_, -1));
    }

    /// The next bytes, at most `most`; empty at the end. `error` is errno then, or 0.
    std::string receives(std::size_t most = 65536) {
        std::string bytes(most, '\0');
        ssize_t count = 0;
        do {
            count = ::recv(fd_, bytes.data(), bytes.size(), 0);
        } while (count < 0 && errno == EINTR);
        error_ = count < 0 ? errno : 0;
        bytes.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
        return bytes;
    }

    /// The bytes that arrive until there are this many, or the server closes.
    std::string receives_exactly(std::size_t bytes) {
        std::string all;
        while (all.size() < bytes) {
            const std::string piece = receives(bytes - all.size());
            if (piece.empty()) break;
            all += piece;
        }
        return all;
    }

    /// Waits for input; returns whether the server's end is there, too.
    [[nodiscard]] bool comes_with_the_end() const {
        pollfd event{.fd = fd_, .events = POLLIN | POLLRDHUP, .revents = 0};
        return ::poll(&event, 1, 20'000) == 1 && event.revents == (POLLIN | POLLRDHUP);
    }

    std::string receives_all() {
        std::string all;
        for (std::string piece = receives(); !piece.empty(); piece = receives()) all += piece;
        return all;
    }

    [[nodiscard]] int error() const { return error_; }

private:
    int fd_;
    int error_ = 0;
};

}  // namespace brick::testing
