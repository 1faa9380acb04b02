/// The settings of a server: where it listens, on how many threads, and its limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace brick {

/// How the server waits for the kernel. `automatic` selects io_uring if a probe finds every
/// required feature, and epoll elsewhere; the other two are demands that `Server::listen` refuses
/// if it cannot meet them.
enum class Io : std::uint8_t { automatic, epoll, uring };

/// The limits beyond which the server refuses a client. Sizes are bytes, the same for every
/// connection; each refusal closes the connection.
struct Limits {
    std::size_t request_line_bytes = 8 * 1024;  ///< Longer: 414, or 501 for the method.
    std::size_t head_bytes = 16 * 1024;         ///< Request line, fields and trailers. Longer: 431.
    std::size_t fields = 100;                   ///< Header fields, at most 100. More: 431.
    std::size_t body_bytes = 1024 * 1024;  ///< A body that is gathered for a handler. Longer: 413.
    std::uint64_t streamed_bytes = 1ULL << 30;  ///< A body that goes to a `Sink`. Longer: 413.
    std::size_t message_bytes = 1024 * 1024;    ///< A WebSocket's message. Longer: close 1009.
    std::size_t unsent_bytes =
        256 * 1024;                    ///< A client that leaves more answers unread isn't read.
    std::size_t connections = 65'536;  ///< Of all threads together. More: 503.

    std::chrono::seconds head_timeout{10};  ///< From a head's first byte to its last. Later: 408.
    std::chrono::seconds body_timeout{30};  ///< Between two pieces of a body or a WebSocket's
                                            ///< message. Later: 408, or close 1008.
    std::chrono::seconds idle_timeout{60};  ///< Between two requests. Then closed without a word;
                                            ///< a WebSocket by 1001.
    std::chrono::seconds send_timeout{30};  ///< A client that takes no byte for so long is cut off.
    std::chrono::seconds linger_timeout{2};  ///< After a refusal: input is dropped for so long.
    std::chrono::seconds stop_timeout{10};   ///< After `stop`: what isn't finished then is cut off.
};

/// Sizes of memory that the server shares with the kernel. The defaults are right except for tests
/// and for long messages.
struct Tuning {
    int backlog = 4096;              ///< Connections that wait to be accepted.
    int send_buffer_bytes = 0;       ///< SO_SNDBUF of each connection; 0 leaves the system's.
    unsigned receive_buffers = 256;  ///< io_uring: buffers a thread; a power of two.
    unsigned receive_bytes = 2048;   ///< io_uring: bytes of each.
    unsigned submissions = 512;      ///< io_uring: entries of the submission queue.
    unsigned completions = 4096;     ///< io_uring: entries of the completion queue.
};

struct Options {
    std::string host = "127.0.0.1";  ///< An IPv4 or IPv6 address.
    std::uint16_t port = 8080;       ///< 0 takes a free one: `Server::port` tells which.
    unsigned threads = 1;            ///< Reactors, each with its own listener and connections.
    Io io = Io::automatic;
    Limits limits{};
    Tuning tuning{};
};

}  // namespace brick
