#pragma once

#include <cstddef>

namespace brick {

/// The distance between memory that different threads write: two cache lines, which are fetched as
/// a pair.
inline constexpr std::size_t kApart = 128;

}  // namespace brick
