#include "net/listener.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace brick::net {
namespace {

constexpr std::string_view kBusy =
    "HTTP/1.1 503 Service Unavailable\r\n"
    "Content-Type: text/plain\r\n"
    "Content-Length: 24\r\n"
    "Connection: close\r\n"
    "\r\n"
    "503 Service Unavailable\n";

std::string shown(const std::string& host, std::uint16_t port) {
    const bool is_v6 = host.find(':') != std::string::npos;
    return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::system_category(), what);
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses addresses(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
        errno = EINVAL;
        fail("can't listen at " + shown(host, port) + ": not an IPv4 or IPv6 address");
    }
    return {found, &freeaddrinfo};
}

void set(int fd, int level, int option, int value) {
    if (setsockopt(fd, level, option, &value, sizeof value) != 0) fail("can't set up a socket");
}

// Among sockets that share an address, a foreign process that shares it too would go unnoticed.
void require_free(const addrinfo& address, const std::string& where) {
    const Descriptor probe(socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!probe) fail(where);
    set(probe.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (bind(probe.get(), address.ai_addr, address.ai_addrlen) != 0) fail(where);
}

Descriptor reserved() noexcept { return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

void Descriptor::reset(int fd) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
}

Listener::Listener(const Options& options, std::uint16_t port, bool is_first)
    : reserve_(reserved()) {
    const Addresses found = addresses(options.host, port);
    const std::string where = "can't listen at " + shown(options.host, port);
    socket_.reset(socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket_) fail(where);
    set(fd(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (options.threads > 1) {
        if (is_first) require_free(*found, where);
        set(fd(), SOL_SOCKET, SO_REUSEPORT, 1);
    }
    set(fd(), IPPROTO_TCP, TCP_NODELAY, 1);  // Connections inherit it, and the next one.
    if (const int bytes = options.tuning.send_buffer_bytes; bytes > 0) {
        set(fd(), SOL_SOCKET, SO_SNDBUF, bytes);
    }
    if (bind(fd(), found->ai_addr, found->ai_addrlen) != 0) fail(where);
    if (listen(fd(), options.tuning.backlog) != 0) fail(where);
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    if (getsockname(fd(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) fail(where);
    // The port is at the same place in both kinds of address.
    port_ = ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
}

Descriptor Listener::accept(int flags) noexcept {
    while (true) {
        const int accepted = accept4(fd(), nullptr, nullptr, flags | SOCK_CLOEXEC);
        // Errors of a connection that is gone already are not the listener's.
        if (accepted >= 0 || (errno != EINTR && errno != ECONNABORTED && errno != EPROTO)) {
            return Descriptor(accepted);
        }
    }
}

bool Listener::refuse_one() noexcept {
    if (!reserve_) reserve_ = reserved();
    if (!reserve_) return false;
    reserve_.reset();
    Descriptor connection = accept(SOCK_NONBLOCK);
    const int error = errno;
    const bool is_there = static_cast<bool>(connection);
    refuse(std::move(connection));
    reserve_ = reserved();
    errno = error;
    return is_there;
}

void Listener::close() noexcept {
    if (socket_) shutdown(fd(), SHUT_RD);
    socket_.reset();
}

std::vector<Listener> listen_all(const Options& options) {
    std::vector<Listener> listeners;
    listeners.emplace_back(options, options.port, true);
    while (listeners.size() < options.threads) {
        listeners.emplace_back(options, listeners.front().port(), false);
    }
    return listeners;
}

void break_off(const Descriptor& connection) noexcept {
    sockaddr nowhere{};
    nowhere.sa_family = AF_UNSPEC;
    static_cast<void>(connect(connection.get(), &nowhere, sizeof nowhere));
}

void refuse(Descriptor connection) noexcept {
    if (!connection) return;
    const int fd = connection.get();
    static_cast<void>(send(fd, kBusy.data(), kBusy.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    shutdown(fd, SHUT_WR);
    // If it were closed with unread input, the answer might not arrive: received bytes are read.
    char unread[16 * 1024];
    static_cast<void>(recv(fd, unread, sizeof unread, MSG_DONTWAIT));
}

}  // namespace brick::net
