//! What people see while they wait, and their Ctrl-C.

use crate::clock::{MS, S};
use crate::pace::Window;
use crate::slice::{Watch, Wish};
use crate::tally::Tally;
use std::io::{IsTerminal, Write, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Between two updates of the line.
const EVERY_NS: u64 = 200 * MS;

/// How long answers are waited for after an interruption.
const PATIENCE_NS: u64 = S;

/// A line on the terminal, renewed in place. None if standard error is no terminal.
#[derive(Debug)]
pub struct Progress {
    interrupted: Arc<AtomicBool>,
    leave_at_ns: u64,
    shown: bool,
    /// When to renew the line; 0 before the window.
    next_ns: u64,
    /// When that was done last, and how many requests there were.
    last: (u64, u64),
}

impl Progress {
    /// `interrupted` becomes true when the user has had enough.
    #[must_use]
    pub fn new(interrupted: Arc<AtomicBool>) -> Self {
        let next_ns = if stderr().is_terminal() { 0 } else { u64::MAX };
        Self { interrupted, leave_at_ns: u64::MAX, shown: false, next_ns, last: (0, 0) }
    }

    /// Whether the user has had enough.
    #[must_use]
    pub fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.shown {
            let _ = write!(stderr(), "\r{:70}\r", "");
        }
    }

    fn show(&mut self, now_ns: u64, window: &Window, tally: &Tally) {
        let seconds = |ns: u64| ns as f64 / S as f64;
        let done = seconds(window.overlap_ns(0, now_ns));
        let all = seconds(window.end_ns - window.start_ns);
        let (then_ns, requests) = self.last;
        let rate = (tally.requests - requests) as f64 / seconds(now_ns - then_ns);
        let errors: u64 = tally.errors.occurred().values().sum();
        let line = format!("{done:.1} s of {all:.1} s, {rate:.0} requests/s, {errors} errors");
        // A terminal that has gone away is no reason to stop measuring.
        let _ = write!(stderr(), "\r{line:70}");
        self.shown = true;
    }
}

impl Watch for Progress {
    fn look(&mut self, now_ns: u64, window: &Window, tally: &Tally) -> Wish {
        if now_ns >= self.next_ns && window.holds(now_ns) {
            if self.next_ns > 0 {
                self.show(now_ns, window, tally);
            }
            self.next_ns = now_ns + EVERY_NS;
            self.last = (now_ns, tally.requests);
        }
        if !self.interrupted() {
            return Wish::GoOn;
        }
        self.leave_at_ns = self.leave_at_ns.min(now_ns + PATIENCE_NS);
        if now_ns < self.leave_at_ns { Wish::Drain } else { Wish::Leave }
    }
}
