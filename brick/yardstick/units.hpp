/// Durations and sizes in typed form: 5ms, 16KiB.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace yardstick {

/// "5ms", "1.5us", "20s": nanoseconds. Throws std::invalid_argument for anything else.
[[nodiscard]] std::chrono::nanoseconds duration(std::string_view text);

/// "100", "16KiB", "1MiB": bytes. Throws std::invalid_argument for anything else.
[[nodiscard]] std::size_t size_bytes(std::string_view text);

/// A whole number of `least` to `most`. Throws std::invalid_argument for anything else.
[[nodiscard]] std::uint64_t number(std::string_view text, std::uint64_t least, std::uint64_t most);

}  // namespace yardstick
