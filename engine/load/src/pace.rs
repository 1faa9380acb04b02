//! When requests are sent: one thread's view of a slice's window and of its pace.

use crate::pool::Share;
use crate::schedule::{Arrivals, Process, Profile};
use volley_net::clock::MS;

/// A slice's counted time, on `CLOCK_MONOTONIC`. The ramp precedes it, the drain follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The end of the ramp.
    pub start_ns: u64,
    /// The end; no request is due from here on.
    pub end_ns: u64,
}

impl Window {
    /// A window in which nothing is counted or sent: connections are only opened.
    pub const CLOSED: Self = Self { start_ns: 0, end_ns: 0 };

    /// Whether this moment is in the window.
    #[inline]
    pub fn holds(&self, at_ns: u64) -> bool {
        self.start_ns <= at_ns && at_ns < self.end_ns
    }

    /// How much of a stretch of time lies in the window.
    pub fn overlap_ns(&self, from_ns: u64, to_ns: u64) -> u64 {
        to_ns.min(self.end_ns).saturating_sub(from_ns.max(self.start_ns))
    }

    /// The share of that stretch in the window, from 0 to 1; for a moment, whether it is in the
    /// window.
    #[inline]
    pub fn share(&self, from_ns: u64, to_ns: u64) -> f64 {
        let (within_ns, lasted_ns) = (self.overlap_ns(from_ns, to_ns), to_ns - from_ns);
        if within_ns < lasted_ns {
            within_ns as f64 / lasted_ns as f64
        } else {
            f64::from(u8::from(lasted_ns > 0 || self.holds(to_ns)))
        }
    }
}

/// When requests are sent.
#[derive(Debug, Clone)]
pub enum Pace {
    /// A connection sends its next request when an answer is complete, on all connections.
    Closed,
    /// The same, on a number of connections that changes, from the ramp on.
    Stages(Profile),
    /// Requests are sent when they are due, regardless of the answers (open loop).
    Open(Process),
}

/// When one thread sends its next request.
#[derive(Debug)]
pub(crate) enum Pacer {
    /// Whenever an answer is complete.
    Closed,
    /// The same, on the connections below the level of this thread's share.
    Stages { profile: Profile, share: Share, begin_ns: u64 },
    /// By the schedule.
    Open { arrivals: Arrivals, begin_ns: u64 },
}

impl Pacer {
    /// `connections`: the number of all threads. `begin_ns`: the start of the ramp.
    pub(crate) fn new(pace: &Pace, share: Share, connections: usize, begin_ns: u64) -> Self {
        match pace {
            Pace::Closed => Self::Closed,
            Pace::Stages(profile) => Self::Stages { profile: profile.clone(), share, begin_ns },
            Pace::Open(process) => {
                let arrivals = Arrivals::new(process, share.thread, share.threads, connections);
                Self::Open { arrivals, begin_ns }
            }
        }
    }

    /// How many of this thread's connections are in use at a moment.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "levels are ≥ 0")]
    pub(crate) fn limit(&self, now_ns: u64) -> usize {
        match self {
            Self::Closed | Self::Open { .. } => usize::MAX,
            Self::Stages { profile, share, begin_ns } => {
                let level = profile.level(now_ns.saturating_sub(*begin_ns)).round();
                usize::try_from(share.of(level as u64)).unwrap_or(usize::MAX)
            }
        }
    }

    /// When the next request is due, in open loop.
    #[inline]
    pub(crate) fn next_arrival_ns(&self) -> Option<u64> {
        match self {
            Self::Open { arrivals, begin_ns } => Some(begin_ns.saturating_add(arrivals.next_ns())),
            _ => None,
        }
    }

    /// Takes the next due request.
    #[inline]
    pub(crate) fn take_arrival(&mut self) {
        if let Self::Open { arrivals, .. } = self {
            arrivals.advance();
        }
    }
}

/// How long a connection pauses before it is opened again, after `failures` in a row.
///
/// The first failure of an established connection costs no pause. A server that refuses
/// connections, or closes each at once, would keep the generator spinning: pauses double from 1 ms
/// to 100 ms.
pub fn pause_ns(failures: u32, to_connect: bool) -> u64 {
    let doublings = match (failures, to_connect) {
        (0, _) | (1, false) => return 0,
        (_, true) => failures - 1,
        (_, false) => failures - 2,
    };
    (MS << doublings.min(7)).min(100 * MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_holds_its_start_but_not_its_end() {
        let window = Window { start_ns: 10, end_ns: 20 };
        let held: Vec<u64> = (0..30).filter(|&at| window.holds(at)).collect();
        assert_eq!(held, (10..20).collect::<Vec<_>>());
        let overlaps = [(0, 5), (5, 12), (12, 15), (15, 30), (0, 30), (25, 30)]
            .map(|(from, to)| window.overlap_ns(from, to));
        assert_eq!(overlaps, [0, 2, 3, 5, 10, 0]);
        for (from, to, share) in [
            (0, 5, 0.0),
            (5, 13, 0.375),
            (12, 15, 1.0),
            (10, 20, 1.0),
            (15, 35, 0.25),
            (25, 30, 0.0),
            (12, 12, 1.0),
            (20, 20, 0.0),
        ] {
            assert!((window.share(from, to) - share).abs() < 1e-12, "from {from} to {to}");
        }
        assert!(!Window::CLOSED.holds(0));
    }

    #[test]
    fn pauses_double_up_to_100_ms() {
        let pauses =
            |to_connect| [0, 1, 2, 3, 7, 8, 9, 99].map(|n| pause_ns(n, to_connect) / 1_000_000);
        assert_eq!(pauses(true), [0, 1, 2, 4, 64, 100, 100, 100]);
        assert_eq!(pauses(false), [0, 0, 1, 2, 32, 64, 100, 100]);
    }
}
