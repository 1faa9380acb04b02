//! The process's limits: its open files, its cores, and the end of its parent.

use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::num::NonZeroU64;

/// Descriptors for everything that is not a connection.
const SPARE: u64 = 32;

/// Raises the limit of open files as far as an unprivileged process can.
pub fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    // If that fails, the old limit stands, and `check_open_files` reports it.
    let _ = setrlimit(Resource::Nofile, raised);
}

/// Whether `connections` connections of each of `targets` targets can be open at a time.
///
/// In close mode a socket may wait for the server's FIN while the next one is open already.
pub fn check_open_files(targets: usize, connections: usize, close: bool) -> Result<(), String> {
    let Some(limit) = getrlimit(Resource::Nofile).current else { return Ok(()) };
    let each = connections.saturating_mul(if close { 2 } else { 1 });
    // Of all targets in close mode, only the one that is loaded at the moment has connections.
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

/// Pins the thread to cores; leaves it unpinned if none are named.
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

/// Lets the process die with its parent: there is no load without a driver.
pub fn die_with_parent() {
    // This fails only for signals that do not exist.
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
}

/// Makes the thread's sleeps end on time, instead of up to 50 µs late.
pub fn wake_on_time() {
    // If that fails, sleeps end late, and the send lag shows it.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
}

/// Whether the machine has a single core, so that the generator shares it with the server.
pub fn single_core() -> bool {
    // `available_parallelism` answers another question: a process may be pinned to one of several
    // cores. Without the file the number is unknown, and most machines have several.
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online");
    online.is_ok_and(|cores| cores.trim() == "0")
}

/// Turns an error about a `key` into one about the flag of that name.
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
