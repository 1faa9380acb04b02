//! When a run was disturbed, by the kernel's counters, not the generator's.

use std::fs;
use std::process::{Command, Stdio};
use volley_load::pace::Window;
use volley_net::clock::{MS, now_ns};

/// Generator and server were disturbed if they waited longer than this for a core...
const WAIT_NS: u64 = MS;

/// ...and than this part of the time. Some microseconds pass at each of its thousands of wake-ups.
const WAIT_PART: u64 = 20;

/// A stretch of time in which generator or server could not run.
type Stretch = (u64, u64);

/// Lets this thread, and the threads and processes that it starts, run before all others, where the
/// system allows it.
pub(crate) fn take_precedence() {
    let thread = rustix::thread::gettid().to_string();
    let mut chrt = Command::new("chrt");
    chrt.args(["--rr", "--pid", "1", &thread]).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = chrt.status();
}

/// Samples the kernel's counters.
#[derive(Debug)]
pub(crate) struct Weather {
    server: u32,
    last: Counters,
    disturbed: Vec<Stretch>,
}

#[derive(Debug, Clone, Copy)]
struct Counters {
    at_ns: u64,
    /// How long the threads of both were ready to run but did not, because others ran.
    waited_ns: u64,
    /// Ticks in which the host ran others on this machine's cores.
    stolen: u64,
}

impl Weather {
    /// `server`: its process.
    pub(crate) fn begin(server: u32) -> Self {
        Self { server, last: Counters::read(server), disturbed: Vec::new() }
    }

    pub(crate) fn look(&mut self) {
        let (before, now) = (self.last, Counters::read(self.server));
        let bearable_ns = WAIT_NS + (now.at_ns - before.at_ns) / WAIT_PART;
        if now.waited_ns - before.waited_ns > bearable_ns || now.stolen > before.stolen {
            self.disturbed.push((before.at_ns, now.at_ns));
        }
        self.last = now;
    }

    /// All stretches, at the end.
    pub(crate) fn disturbed(mut self) -> Vec<Stretch> {
        self.look();
        self.disturbed
    }
}

impl Counters {
    fn read(server: u32) -> Self {
        let waited_ns = waited_ns("self", "load ") + waited_ns(&server.to_string(), "");
        Self { at_ns: now_ns(), waited_ns, stolen: stolen() }
    }
}

/// The sum of the second number of `schedstat` (ns on a run queue), which most kernels have, over
/// the threads of a process whose names begin with `name`.
fn waited_ns(process: &str, name: &str) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).unwrap().flatten();
    // Threads may be gone by now.
    let is_asked = |comm: String| comm.starts_with(name);
    let asked = tasks
        .map(|task| task.path())
        .filter(|task| fs::read_to_string(task.join("comm")).is_ok_and(is_asked));
    let statistics = asked.filter_map(|task| fs::read_to_string(task.join("schedstat")).ok());
    statistics.map(|text| text.split(' ').nth(1).unwrap().parse::<u64>().unwrap()).sum()
}

/// The eighth number of the first line: all cores together.
fn stolen() -> u64 {
    let stat = fs::read_to_string("/proc/stat").unwrap();
    stat.split_whitespace().nth(8).unwrap().parse().unwrap()
}

/// How far a disturbance reaches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    /// A request that was due this long before may still wait for its answer.
    pub(crate) before_ns: u64,
    /// Delayed work is made up for within this many times the delay, since there is spare
    /// capacity...
    pub(crate) recovery: f64,
    /// ...and within this much more, since there is not spare capacity at every moment.
    pub(crate) after_ns: u64,
}

/// The share of a window in which due requests may meet a disturbance.
pub(crate) fn share(disturbed: &[Stretch], window: Window, reach: Reach) -> f64 {
    let mut disturbed = disturbed.to_vec();
    disturbed.sort_unstable();
    // The ends of the known stretches, and of the recovery from them.
    let (mut known_ns, mut recovered_ns) = (0, 0);
    // The end of the counted time, and its length.
    let (mut counted_ns, mut sum_ns) = (0, 0);
    for (from_ns, to_ns) in disturbed {
        let lost_ns = to_ns.saturating_sub(from_ns.max(known_ns));
        known_ns = known_ns.max(to_ns);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is > 0")]
        let recovery_ns = (lost_ns as f64 * reach.recovery) as u64;
        recovered_ns = recovered_ns.max(to_ns) + recovery_ns;
        let (since_ns, until_ns) = (from_ns - reach.before_ns, recovered_ns + reach.after_ns);
        sum_ns += window.overlap_ns(since_ns.max(counted_ns), until_ns.max(counted_ns));
        counted_ns = counted_ns.max(until_ns);
    }
    sum_ns as f64 / (window.end_ns - window.start_ns) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window { start_ns: 1000, end_ns: 2000 };

    fn percent(disturbed: &[Stretch], recovery: f64) -> f64 {
        let reach = Reach { before_ns: 10, recovery, after_ns: 40 };
        (100.0 * share(disturbed, WINDOW, reach)).round()
    }

    #[test]
    fn a_moment_is_disturbed_once_and_only_within_the_window() {
        let found = [
            percent(&[], 0.0),
            percent(&[(1500, 1550)], 0.0),
            percent(&[(1500, 1550), (1480, 1500), (1520, 1530)], 0.0),
            percent(&[(100, 960), (980, 1000), (1990, 5000), (3000, 4000)], 0.0),
        ];
        assert_eq!(format!("{found:?}"), "[0.0, 10.0, 12.0, 6.0]");
    }

    #[test]
    fn what_was_put_off_adds_up() {
        let found = [
            percent(&[(1500, 1550)], 3.0),
            percent(&[(1500, 1550), (1500, 1550)], 3.0),
            percent(&[(1500, 1550), (1600, 1650)], 3.0),
            percent(&[(1100, 1110), (1500, 1550)], 3.0),
            percent(&[(1500, 1900)], 3.0),
        ];
        assert_eq!(format!("{found:?}"), "[25.0, 25.0, 40.0, 34.0, 51.0]");
    }
}
