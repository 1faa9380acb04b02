//! What people see while they wait.

use crate::clock::{MS, S};
use crate::crew::Look;
use std::io::{IsTerminal, Write, stderr};

/// Between two updates of the line.
const EVERY_NS: u64 = 200 * MS;

/// A line is no longer than this.
const WIDTH: usize = 70;

/// A line on the terminal, renewed in place. None if standard error is no terminal.
#[derive(Debug)]
pub(super) struct Progress {
    /// The run ends after so many.
    requests: Option<u64>,
    shown: bool,
    /// When to renew the line; 0 before the window.
    next_ns: u64,
    /// When that was done last, and how many requests there were.
    last: (u64, u64),
}

impl Progress {
    pub(super) fn new(requests: Option<u64>) -> Self {
        let next_ns = if stderr().is_terminal() { 0 } else { u64::MAX };
        Self { requests, shown: false, next_ns, last: (0, 0) }
    }

    /// Renews the line when it is time.
    pub(super) fn show(&mut self, look: &Look<'_>) {
        if look.now_ns < self.next_ns || !look.window.holds(look.now_ns) {
            return;
        }
        if self.next_ns > 0 {
            let line = line(look, self.requests, self.last);
            // A terminal that has gone away is no reason to stop measuring.
            let _ = write!(stderr(), "\r{line:WIDTH$}");
            self.shown = true;
        }
        self.next_ns = look.now_ns + EVERY_NS;
        self.last = (look.now_ns, look.requests);
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        if self.shown {
            let _ = write!(stderr(), "\r{:WIDTH$}\r", "");
        }
    }
}

/// How far it is, and how it went since `last`, a time and the requests by then.
fn line(look: &Look<'_>, all: Option<u64>, last: (u64, u64)) -> String {
    let Look { now_ns, window, requests, errors, .. } = look;
    let seconds = |ns: u64| ns as f64 / S as f64;
    let (then_ns, before) = last;
    let rate = requests.saturating_sub(before) as f64 / seconds(now_ns - then_ns);
    let done = if let Some(all) = all {
        format!("{:.0} % of {all} requests", *requests as f64 / all as f64 * 100.0)
    } else {
        let (done, all) = (now_ns - window.start_ns, window.end_ns - window.start_ns);
        format!("{:.1} s of {:.1} s", seconds(done), seconds(all))
    };
    let line = format!("{done}, {rate:.0} requests/s, {errors} errors");
    line.chars().take(WIDTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::Window;

    /// After 3.2 s, the last 0.2 s of which brought `fresh` of the requests.
    fn shown(requests: u64, fresh: u64, all: Option<u64>) -> String {
        let window = Window { start_ns: S, end_ns: 11 * S };
        let now_ns = 4 * S + 200 * MS;
        let look = Look { now_ns, window: &window, requests, errors: 7, intervals: vec![] };
        line(&look, all, (4 * S, requests - fresh))
    }

    #[test]
    fn a_line_tells_time_or_share_rate_and_errors() {
        assert_eq!(shown(1000, 100, None), "3.2 s of 10.0 s, 500 requests/s, 7 errors");
        assert_eq!(shown(1000, 100, Some(8000)), "12 % of 8000 requests, 500 requests/s, 7 errors");
    }

    #[test]
    fn no_line_is_longer_than_70_columns() {
        assert_eq!(shown(u64::MAX, u64::MAX, Some(u64::MAX)).chars().count(), 70);
    }
}
