/// The null server, which does as little as a server can: others are compared with it.
#pragma once

#include "options.hpp"

namespace yardstick {

/// Answers any input with fixed bytes, on the library's own reactors: bytes that arrive together
/// are one request. Serves until SIGINT or SIGTERM. Throws std::system_error.
void run_null(const Options& options);

}  // namespace yardstick
