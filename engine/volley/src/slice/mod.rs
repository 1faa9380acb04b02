//! One slice: reopen, ramp, window, stop sending, drain. Afterwards nothing is in flight.

mod control;
mod run;

pub(crate) use control::{Control, Live};
pub(crate) use run::{Part, open, run};

use crate::pace::{Pace, Window};
use crate::tally::Tally;

/// How long to load, and how.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Loaded, but not counted.
    pub ramp_ns: u64,
    /// The window; `None`: until `requests` are done.
    pub duration_ns: Option<u64>,
    /// Behind the ramp, no more requests than these are sent, all threads together.
    pub requests: Option<u64>,
    /// When requests are sent.
    pub pace: Pace,
    /// Whether intervals are kept.
    pub intervals: bool,
}

/// What a slice found.
#[derive(Debug)]
pub struct Outcome {
    /// The counted time.
    pub window: Window,
    /// When nothing was in flight any more.
    pub drained_ns: u64,
    /// The threads' CPU time within the window.
    pub cpu_ns: u64,
    /// How many threads there were.
    pub threads: usize,
    /// The counts.
    pub tally: Tally,
}

impl Outcome {
    /// Length of the window.
    #[must_use]
    pub fn duration_ns(&self) -> u64 {
        self.window.end_ns - self.window.start_ns
    }

    /// Share of the window that the threads did not spend waiting for the kernel.
    #[must_use]
    pub fn busy(&self) -> f64 {
        let window_ns = self.duration_ns().max(1) as f64 * self.threads.max(1) as f64;
        (1.0 - self.tally.waited_ns as f64 / window_ns).clamp(0.0, 1.0)
    }
}

/// What a watcher wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// As planned.
    GoOn,
    /// Nothing more is to be sent: the window ends now.
    Drain,
    /// Not even answers are to be waited for.
    Leave,
}

impl Plan {
    /// The counted time, for a ramp that begins at `begin_ns`.
    pub(crate) fn window(&self, begin_ns: u64) -> Window {
        let start_ns = begin_ns.saturating_add(self.ramp_ns);
        let end_ns = start_ns.saturating_add(self.duration_ns.unwrap_or(u64::MAX));
        Window { start_ns, end_ns }
    }
}
