//! Clocks, in nanoseconds. The first is read through the vDSO, without a system call.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds in a millisecond.
pub const MS: u64 = 1_000_000;

/// Nanoseconds in a second.
pub const S: u64 = 1_000_000_000;

/// `CLOCK_MONOTONIC`.
#[inline]
pub fn now_ns() -> u64 {
    read(ClockId::Monotonic)
}

/// CPU time of the calling thread, user and system.
pub fn thread_cpu_ns() -> u64 {
    read(ClockId::ThreadCPUTime)
}

/// CPU time of the process, user and system.
pub fn process_cpu_ns() -> u64 {
    read(ClockId::ProcessCPUTime)
}

#[inline]
fn read(id: ClockId) -> u64 {
    let time = clock_gettime(id);
    // None of these clocks is ever negative.
    time.tv_sec.cast_unsigned() * S + time.tv_nsec.cast_unsigned()
}
