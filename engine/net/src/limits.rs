//! What the process may use: open files, cores; and when it has to die.

use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::num::NonZeroU64;

/// Descriptors for all that is not a connection.
const SPARE: u64 = 32;

/// Raises the number of files that may be open as far as an ordinary process can.
pub fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    // If that fails the old limit stands, and `check_open_files` speaks of it.
    let _ = setrlimit(Resource::Nofile, raised);
}

/// Whether `connections` connections of each of `targets` targets can be open at a time.
///
/// In close mode a socket may wait for the server's FIN while the next one is open already.
pub fn check_open_files(targets: usize, connections: usize, close: bool) -> Result<(), String> {
    let Some(limit) = getrlimit(Resource::Nofile).current else { return Ok(()) };
    let each = connections.saturating_mul(if close { 2 } else { 1 });
    // Of all targets in close mode, only the one whose turn it is has connections.
    let open = if close { each } else { each.saturating_mul(targets) };
    let needed = (open as u64).saturating_add(SPARE + targets as u64);
    if needed <= limit {
        return Ok(());
    }
    Err(format!(
        "`connections` is {connections}: with {targets} target(s) that needs {needed} open files, \
         but this process may have {limit} (ulimit -Hn)"
    ))
}

/// Pins the thread to cores, or leaves it where it is if there are none named.
pub fn pin(cpus: &[usize]) -> Result<(), String> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu >= CpuSet::MAX_CPU {
            return Err(format!("`cpus` names core {cpu}, but cores go up to {}", CpuSet::MAX_CPU));
        }
        set.set(cpu);
    }
    sched_setaffinity(None, &set).map_err(|errno| {
        let words = crate::errors::system_words(errno);
        format!("`cpus` is {cpus:?}, but the system does not let us run there: {words}")
    })
}

/// Dies with the process that started this one: no load without a driver.
pub fn die_with_parent() {
    // Only fails for signals that do not exist.
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
}

/// Lets the thread's sleeps end on time, instead of up to 50 µs late.
pub fn wake_on_time() {
    // If that fails sleeps end late, and the send lag shows it.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
}

/// Whether the machine has a single core, so that we share it with the server.
pub fn single_core() -> bool {
    // Not what `available_parallelism` says: being pinned to one of several is another matter.
    // Without the file there is no telling, and most machines have several.
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online");
    online.is_ok_and(|cores| cores.trim() == "0")
}

/// A complaint about a `key`, as one about the flag of that name.
pub fn as_flag(wrong: &str) -> String {
    wrong.replacen('`', "--", 1).replacen('`', "", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_about_a_key_names_the_flag() {
        assert_eq!(as_flag("`cpus` is [9], but `x`"), "--cpus is [9], but `x`");
    }
}
