/// The socket that a thread accepts from.
#pragma once

#include <cstdint>
#include <vector>

#include <brick/options.hpp>

namespace brick::net {

/// A file descriptor that is closed with its owner.
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

/// Listens at an address that other threads listen at, too: the kernel spreads connections over
/// them. What it accepts has TCP_NODELAY.
class Listener {
public:
    /// The first of a server finds out whether the address is free. Throws std::system_error with
    /// the address in its text.
    Listener(const Options& options, std::uint16_t port, bool is_first);

    [[nodiscard]] int fd() const noexcept { return socket_.get(); }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    /// The next connection that waits, with `flags` as accept4 takes them. An empty one with errno:
    /// EAGAIN if none waits, else what accept wants for (EMFILE, ENFILE, ENOBUFS, ENOMEM).
    [[nodiscard]] Descriptor accept(int flags) noexcept;

    /// Where descriptors have run out: spends the reserved one on the next connection that waits,
    /// tells it so and closes it. False with errno, as above, if none waits or it can't be had.
    [[nodiscard]] bool refuse_one() noexcept;

    /// No more connections; those that wait are lost. The address is free at once, even while a
    /// ring still holds the socket.
    void close() noexcept;

private:
    Descriptor socket_;
    Descriptor reserve_;
    std::uint16_t port_ = 0;
};

/// A listener for each of `options.threads`, one at least, all at the port that the first has got.
/// Throws as they do.
[[nodiscard]] std::vector<Listener> listen_all(const Options& options);

/// Breaks a connection off with a reset, whatever is unsent: its client must not take what has come
/// for the whole. The descriptor stays open; who waits on it is told.
void break_off(const Descriptor& connection) noexcept;

/// Answers a connection that there is no place for with 503 and closes it, without waiting.
void refuse(Descriptor connection) noexcept;

}  // namespace brick::net
