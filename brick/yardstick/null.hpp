/// The least that a server can do: what any other is measured against.
#pragma once

#include "options.hpp"

namespace yardstick {

/// Answers whatever arrives with fixed bytes, on the library's own reactors: bytes that come
/// together are one request. Serves until SIGINT or SIGTERM. Throws std::system_error.
void run_null(const Options& options);

}  // namespace yardstick
