/// How a case's bytes are cut into pieces that reach the server separately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace brick::conformance {

enum class Way : std::uint8_t { whole, bytes, splits };

/// Offsets at which a message is cut.
using Cuts = std::vector<std::size_t>;

/// The points at which a message of this many bytes is cut: all up to 512 bytes; of longer ones the
/// first 192, the last 64 and 128 in between; of more than 64 KiB 8, 8 and 16.
[[nodiscard]] Cuts points(std::size_t bytes);

/// One entry for each connection: `whole` has one without a cut, `bytes` one with all points,
/// `splits` one for each point.
[[nodiscard]] std::vector<Cuts> connections(std::size_t bytes, Way way);

}  // namespace brick::conformance
