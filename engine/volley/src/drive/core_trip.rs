//! How far apart two cores are: how long a line of the cache takes to the other one and back.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use volley_net::clock::{MS, now_ns};

/// How often the line goes there and back in a round.
const TRIPS: u32 = 100;
/// The fastest round counts, since an interrupt or another thread makes a round longer.
const ROUNDS: u32 = 4;
/// Where the other thread is kept from its core for so long, the distance stays unknown.
const PATIENCE_NS: u64 = 2 * MS;
/// One look at the clock takes as long as many looks at the line.
const LOOKS: u32 = 1000;

/// The two threads of a measurement, and the line between them.
#[derive(Debug)]
pub(super) struct Path {
    line: Line,
    /// A thread begins on its parent's core, so that one has to sleep until it has gone to its own.
    ready: Barrier,
}

/// Odd numbers are on their way to the servers' core, even ones are on their way back. Nothing else
/// shares the line.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line(AtomicU32);

impl Path {
    pub(super) fn new() -> Self {
        Self { line: Line::default(), ready: Barrier::new(2) }
    }

    /// The time of a trip from this core, in ns, while another thread calls `returns`.
    pub(super) fn trip_ns(&self) -> Option<u64> {
        self.ready.wait();
        let timed = |round: u32| {
            let began_ns = now_ns();
            (0..TRIPS).try_for_each(|trip| self.line.trip(round * TRIPS + trip))?;
            Some(now_ns() - began_ns)
        };
        let rounds_ns: Option<Vec<u64>> = (0..ROUNDS).map(timed).collect();
        let fastest_ns = rounds_ns?.into_iter().min()?;
        Some((fastest_ns / u64::from(TRIPS)).max(1))
    }

    /// Returns each trip, as far as they come.
    pub(super) fn returns(&self) {
        self.ready.wait();
        for trip in 0..ROUNDS * TRIPS {
            if self.line.arrived(2 * trip + 1).is_none() {
                return;
            }
            self.line.0.store(2 * trip + 2, Ordering::Release);
        }
    }
}

impl Line {
    fn trip(&self, trip: u32) -> Option<()> {
        self.0.store(2 * trip + 1, Ordering::Release);
        self.arrived(2 * trip + 2)
    }

    /// Neither side sleeps or pauses: both would be counted. `None`: it does not come.
    fn arrived(&self, number: u32) -> Option<()> {
        let mut patient_until_ns = None;
        loop {
            if (0..LOOKS).any(|_| self.0.load(Ordering::Acquire) == number) {
                return Some(());
            }
            let now_ns = now_ns();
            if now_ns > *patient_until_ns.get_or_insert(now_ns + PATIENCE_NS) {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Path};
    use std::thread;

    #[test]
    fn a_trip_is_timed_where_another_thread_returns_the_line() {
        let path = Path::new();
        let trip_ns = thread::scope(|threads| {
            threads.spawn(|| path.returns());
            path.trip_ns()
        });
        // `None`: both had one core.
        assert!(trip_ns.is_none_or(|trip_ns| trip_ns < 1_000_000), "{trip_ns:?}");
    }

    #[test]
    fn a_trip_ends_where_nobody_returns_the_line() {
        assert_eq!(Line::default().trip(0), None);
    }
}
