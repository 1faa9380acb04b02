/// What a connection needs only between the first and the last byte of a message.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <brick/response.hpp>

#include "http/chunked.hpp"

namespace brick::http {

/// A request whose body is coming in.
struct Incoming {
    std::string head;    // As it came: it is parsed again when the body is whole.
    std::string body{};  // What was gathered for a handler.
    std::unique_ptr<Sink> sink{};
    std::optional<Chunked> chunked{};
    std::uint64_t left = 0;      // Of Content-Length.
    std::uint64_t received = 0;  // Of data.
    std::uint64_t limit_bytes = 0;
    bool is_dropped = false;  // Nobody wants the body.
};

/// An answer whose body is going out.
struct Outgoing {
    Source source{};
    std::optional<std::uint64_t> left{};  // Of Content-Length.
    bool is_chunked = false;
    Pace pace;
    std::size_t ahead = 0;  // Bytes of earlier answers, which no pace concerns.
    std::optional<std::chrono::nanoseconds> pause{};  // Asked of the reactor, but not yet taken.
    bool is_pausing = false;

    /// Nothing more is sent for so long; a length of 0 is no pause.
    void pause_for(std::chrono::nanoseconds length) noexcept {
        if (length.count() <= 0) return;
        pause = length;
        is_pausing = true;
    }
};

struct Message {
    std::string input;  // Bytes that wait: part of a head, or what came while nothing is taken.
    std::optional<Incoming> incoming;
    std::optional<Outgoing> outgoing;

    [[nodiscard]] bool is_empty() const noexcept { return input.empty() && !incoming && !outgoing; }
};

}  // namespace brick::http
