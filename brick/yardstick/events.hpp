/// Streams of server-sent events whose times and faults are known.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <brick/response.hpp>

namespace yardstick {

/// What a stream does at its `at`-th event instead of sending it.
enum class Lie : std::uint8_t { none, stop, hang, reset, comments, twice, drop, swap, alter, half };

/// The parameters of one stream, from its request.
struct Script {
    std::uint64_t events = 20;
    std::size_t bytes = 16;  ///< Of each event's text.
    std::chrono::nanoseconds first{0};
    std::chrono::nanoseconds gap = std::chrono::milliseconds(10);
    std::chrono::nanoseconds jitter{0};  ///< Each gap is longer or shorter by up to so much.
    std::uint64_t seed = 1;              ///< Of the jitter.
    std::uint64_t clump = 1;             ///< So many events leave together, when the last is due.
    Lie lie = Lie::none;
    std::uint64_t at = 0;
    std::string type = "text/event-stream";
    bool is_chat = false;  ///< Events are an OpenAI-style chat completion's.
};

/// The script of a query such as `events=5&gap=20ms&lie=drop&at=3`. Throws std::invalid_argument
/// whose text has the wrong parameter and its remedy.
[[nodiscard]] Script parse_script(std::string_view query, bool is_chat);

/// The stream, whose time begins `hold` from now.
[[nodiscard]] brick::Source play(Script script, std::chrono::nanoseconds hold);

}  // namespace yardstick
