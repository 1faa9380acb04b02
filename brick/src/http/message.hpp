/// The state that a connection needs only between the first and the last byte of a message.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <brick/response.hpp>

#include "http/chunked.hpp"
#include "ws/endpoint.hpp"

namespace brick::http {

/// A request whose body is being received.
struct Incoming {
    std::string head;    // As received: it is parsed again when the body is complete.
    std::string body{};  // The bytes gathered for a handler.
    std::unique_ptr<Sink> sink{};
    std::optional<Chunked> chunked{};
    std::uint64_t left = 0;      // Of Content-Length.
    std::uint64_t received = 0;  // Of data.
    std::uint64_t limit_bytes = 0;
    bool is_dropped = false;  // The body is not needed.
};

/// An answer whose body is being sent.
struct Outgoing {
    Source source{};
    std::optional<std::uint64_t> left{};  // Of Content-Length.
    bool is_chunked = false;
    Pace pace;
    std::size_t ahead = 0;  // Bytes of earlier answers, which have no pace.
    std::optional<std::chrono::nanoseconds> pause{};  // Asked of the reactor, but not yet taken.
    bool is_pausing = false;

    /// Sending stops for this long; a length of 0 is no pause.
    void pause_for(std::chrono::nanoseconds length) noexcept {
        if (length.count() <= 0) return;
        pause = length;
        is_pausing = true;
    }
};

struct Message {
    std::string input;  // Waiting bytes: part of a head, or input while none is taken.
    std::optional<Incoming> incoming;
    std::optional<Outgoing> outgoing;
    std::unique_ptr<ws::Endpoint> socket;  // From the upgrade on.

    [[nodiscard]] bool is_empty() const noexcept {
        return input.empty() && !incoming && !outgoing && !socket;
    }
};

}  // namespace brick::http
