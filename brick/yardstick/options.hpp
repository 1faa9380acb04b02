/// The command line of brick-yardstick.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <brick/options.hpp>

#include "causes.hpp"

namespace yardstick {

struct Options {
    std::string host = "127.0.0.1";
    std::uint16_t port = 8080;
    unsigned threads = 1;
    brick::Io io = brick::Io::automatic;
    bool quiet = false;
    bool help = false;

    bool null = false;  ///< Fixed bytes for whatever comes, without parsing.
    std::chrono::nanoseconds delay{0};
    std::chrono::nanoseconds stall{0};  ///< So long, at the end of each `every`.
    std::chrono::nanoseconds every{0};
    std::string log;  ///< A line of JSON for each stall that a request met; empty: none.
    std::uint64_t slow_every = 0;  ///< Of so many requests, one is slow; 0: none.
    std::chrono::nanoseconds slow{0};
    std::chrono::nanoseconds exponential{0};  ///< Mean of the service times; 0: no queue.
    std::optional<std::uint64_t> seed;
    std::chrono::nanoseconds busy{0};  ///< CPU time for each request.
    Causes causes;
    std::size_t header_bytes = 0;  ///< Of a header more.
    std::optional<std::size_t> body_bytes;
    std::size_t chunk_bytes = 0;  ///< 0: a body with a Content-Length.
    std::size_t piece_bytes = 0;  ///< Head and body leave in writes of so many bytes; 0: in one.
    std::chrono::nanoseconds gap{0};
};

/// The words after the program's name. Throws std::invalid_argument whose text has the wrong option
/// and its remedy.
[[nodiscard]] Options parse_options(std::span<const char* const> words);

[[nodiscard]] std::string_view help();

}  // namespace yardstick
