/// System calls of a server's thread that fail when a test requires it, by the linker's --wrap.
#pragma once

#include <string_view>

namespace brick::testing {

/// Only this thread's calls fail: the test's own client is not affected.
void fail_on_this_thread() noexcept;

/// The `nth` call of `name` from now on fails with `error`; 0 cancels this.
void fail_call(std::string_view name, int nth, int error) noexcept;

/// All calls of `name` fail from now on.
void fail_every_call(std::string_view name, int error) noexcept;

/// Sends and receives that were still armed when a ring was given up, for all rings so far.
[[nodiscard]] int armed_at_the_end() noexcept;

/// Whether the call that was to fail has been made.
[[nodiscard]] bool has_failed() noexcept;

}  // namespace brick::testing
