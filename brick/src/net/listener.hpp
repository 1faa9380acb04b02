/// The socket that a thread accepts from.
#pragma once

#include <cstdint>
#include <vector>

#include <brick/options.hpp>

namespace brick::net {

/// A file descriptor that is closed when this is destroyed.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) noexcept : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    ~Descriptor() { reset(); }

    [[nodiscard]] int get() const noexcept { return fd_; }
    [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
    int release() noexcept {
        const int fd = fd_;
        fd_ = -1;
        return fd;
    }
    void reset(int fd = -1) noexcept;

private:
    int fd_ = -1;
};

/// Listens at an address at which other threads listen, too: the kernel spreads connections over
/// them. Accepted connections have TCP_NODELAY.
class Listener {
public:
    /// A server's first listener finds out whether the address is free. Throws std::system_error
    /// with the address in its text.
    Listener(const Options& options, std::uint16_t port, bool is_first);

    [[nodiscard]] int fd() const noexcept { return socket_.get(); }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    /// The next waiting connection; `flags` are those of accept4. An empty one with errno: EAGAIN
    /// if none waits, else the resource that accept lacks (EMFILE, ENFILE, ENOBUFS, ENOMEM).
    [[nodiscard]] Descriptor accept(int flags) noexcept;

    /// When descriptors have run out: uses the reserved one for the next waiting connection,
    /// refuses it with 503 and closes it. False with errno, as above, if none waits or it cannot be
    /// accepted.
    [[nodiscard]] bool refuse_one() noexcept;

    /// Stops listening; waiting connections are lost. The address is free at once, even while a
    /// ring still holds the socket.
    void close() noexcept;

private:
    Descriptor socket_;
    Descriptor reserve_;
    std::uint16_t port_ = 0;
};

/// A listener for each of `options.threads`, at least one, all at the port of the first one. Throws
/// as they do.
[[nodiscard]] std::vector<Listener> listen_all(const Options& options);

/// Breaks a connection off with a reset, whatever is unsent: its client must not take the received
/// part for the whole. The descriptor stays open; waiting threads get an event.
void break_off(const Descriptor& connection) noexcept;

/// Answers a connection without a place with 503 and closes it, without waiting.
void refuse(Descriptor connection) noexcept;

}  // namespace brick::net
