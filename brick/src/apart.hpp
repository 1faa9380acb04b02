#pragma once

#include <cstddef>

namespace brick {

/// What one thread writes lies so far from what another does: two cache lines, which are fetched as
/// a pair.
inline constexpr std::size_t kApart = 128;

}  // namespace brick
