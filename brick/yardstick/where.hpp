/// Where the yardstick listens.
#pragma once

#include <cstdint>

#include <brick/options.hpp>

#include "options.hpp"

namespace yardstick {

/// The options for the library.
[[nodiscard]] brick::Options server_options(const Options& options);

/// Prints a line with the address, unless it is to be quiet.
void say_where(const Options& options, std::uint16_t port, brick::Io io);

}  // namespace yardstick
