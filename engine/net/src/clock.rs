//! Clocks, in nanoseconds. The first is read through the vDSO, without a system call.

use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;
use rustix::time::{ClockId, clock_gettime};
use std::fs::File;
use std::os::unix::fs::FileExt;

thread_local! {
    /// The calling thread's file, which stays open for as long as the thread runs.
    static SCHEDSTAT: Option<File> = File::open("/proc/thread-self/schedstat").ok();
}

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

/// How long the calling thread was ready to run while others had its core. `None`: the kernel does
/// not count it (`CONFIG_SCHED_INFO`).
pub fn thread_delay_ns() -> Option<u64> {
    let mut text = [0; 64];
    let length = SCHEDSTAT.with(|file| file.as_ref()?.read_at(&mut text, 0).ok())?;
    // "CPU time, delay, turns"
    let mut fields = str::from_utf8(&text[..length]).ok()?.split_ascii_whitespace();
    let (ran, delayed) = (fields.next()?, fields.next()?);
    // A kernel that counts neither prints zeros.
    if ran == "0" { None } else { delayed.parse().ok() }
}

/// CPU time of the process, user and system.
pub fn process_cpu_ns() -> u64 {
    read(ClockId::ProcessCPUTime)
}

/// CPU time of other processes, user and system, their sum. `None`: it was asked of none, or one has
/// ended. Their time counts to this moment, also while they run.
pub fn cpu_ns_of(processes: &[i32]) -> Option<u64> {
    let of_one = |&process: &i32| {
        let time = clock_getcpuclockid(Pid::from_raw(process)).ok()?.now().ok()?;
        Some(time.tv_sec().cast_unsigned() * S + time.tv_nsec().cast_unsigned())
    };
    if processes.is_empty() { None } else { processes.iter().map(of_one).sum() }
}

#[inline]
fn read(id: ClockId) -> u64 {
    let time = clock_gettime(id);
    // None of these clocks is ever negative.
    time.tv_sec.cast_unsigned() * S + time.tv_nsec.cast_unsigned()
}
