//! Watches a load: shows progress, writes intervals, and stops on Ctrl-C.

use super::LoadError;
use crate::cli::{CsvPlace, Output};
use crate::report::intervals::{CsvLog, HdrLog};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write, stderr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};
use volley_load::slice::Wish;
use volley_load::workers::Snapshot;
use volley_net::clock::{MS, S};
use volley_net::errors::io_words;

/// How long to wait for answers after an interruption.
const PATIENCE_NS: u64 = S;

/// Watches a load.
#[derive(Debug)]
pub(super) struct Watch {
    interrupted: Arc<AtomicBool>,
    leave_at_ns: u64,
    progress: Progress,
    records: Records,
    /// Why the records end early.
    failure: Option<io::Error>,
}

impl Watch {
    /// `interrupted` becomes true on Ctrl-C.
    pub(super) fn new(
        interrupted: Arc<AtomicBool>,
        requests: Option<u64>,
        records: Records,
    ) -> Self {
        let progress = Progress::new(requests);
        Self { interrupted, leave_at_ns: u64::MAX, progress, records, failure: None }
    }

    /// Shows and writes a snapshot, and returns whether to go on.
    pub(super) fn look(&mut self, snapshot: &Snapshot<'_>) -> Wish {
        self.progress.show(snapshot);
        if self.failure.is_none() {
            self.failure = self.records.add(snapshot).err();
        }
        if self.failure.is_none() && !self.interrupted.load(Ordering::Relaxed) {
            return Wish::GoOn;
        }
        self.leave_at_ns = self.leave_at_ns.min(snapshot.now_ns + PATIENCE_NS);
        if snapshot.now_ns < self.leave_at_ns { Wish::Drain } else { Wish::Leave }
    }

    /// Clears the progress line; fails if a record was not written.
    pub(super) fn end(self) -> Result<(), LoadError> {
        self.progress.clear();
        match self.failure {
            None => Ok(()),
            Some(error) => {
                let why = io_words(&error);
                Err(LoadError::System(format!("cannot write --csv or --hdr: {why}")))
            }
        }
    }
}

/// The time between two updates of the line.
const EVERY_NS: u64 = 200 * MS;

/// The maximum width of the line.
const WIDTH: usize = 70;

/// A line on the terminal, updated in place. There is none if standard error is not a terminal.
#[derive(Debug)]
pub(super) struct Progress {
    /// The number of requests at which the run ends.
    requests: Option<u64>,
    shown: bool,
    /// When to update the line; 0 before the window.
    next_ns: u64,
    /// When it was last updated, and how many requests there were.
    last: (u64, u64),
}

impl Progress {
    pub(super) fn new(requests: Option<u64>) -> Self {
        let next_ns = if stderr().is_terminal() { 0 } else { u64::MAX };
        Self { requests, shown: false, next_ns, last: (0, 0) }
    }

    /// Updates the line when it is due.
    pub(super) fn show(&mut self, snapshot: &Snapshot<'_>) {
        if snapshot.now_ns < self.next_ns || !snapshot.window.holds(snapshot.now_ns) {
            return;
        }
        if self.next_ns > 0 {
            let line = line(snapshot, self.requests, self.last);
            // A terminal that has gone away does not stop the measurement.
            let _ = write!(stderr(), "\r{line:WIDTH$}");
            self.shown = true;
        }
        self.next_ns = snapshot.now_ns + EVERY_NS;
        self.last = (snapshot.now_ns, snapshot.requests);
    }

    /// Clears the line.
    pub(super) fn clear(&self) {
        if self.shown {
            let _ = write!(stderr(), "\r{:WIDTH$}\r", "");
        }
    }
}

/// The progress, and the rate since `last`, a time and the requests by then.
fn line(snapshot: &Snapshot<'_>, all: Option<u64>, last: (u64, u64)) -> String {
    let Snapshot { now_ns, window, requests, errors, .. } = snapshot;
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

/// The requested files.
#[derive(Debug)]
pub(super) struct Records {
    csv: Option<CsvLog>,
    hdr: Option<HdrLog>,
}

impl Records {
    /// Creates the files. The error names the flag.
    pub(super) fn create(output: &Output) -> Result<Self, String> {
        let csv = match &output.csv {
            None => None,
            Some(CsvPlace::Stdout) => Some(CsvLog::new(Box::new(io::stdout()))),
            Some(CsvPlace::File(path)) => Some(CsvLog::new(create("--csv", path)?)),
        };
        let hdr = output.hdr.as_deref().map(|path| create("--hdr", path)).transpose()?;
        Ok(Self { csv, hdr: hdr.map(HdrLog::new) })
    }

    /// Writes the completed intervals.
    pub(super) fn add(&mut self, snapshot: &Snapshot<'_>) -> io::Result<()> {
        if snapshot.intervals.is_empty() {
            return Ok(());
        }
        if let Some(csv) = &mut self.csv {
            match csv.add(&snapshot.intervals) {
                // A reader that ends early, such as `head`, is not an error.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.csv = None,
                written => written?,
            }
        }
        if let Some(hdr) = &mut self.hdr {
            let since_ns = snapshot.now_ns.saturating_sub(snapshot.window.start_ns);
            let start = SystemTime::now() - Duration::from_nanos(since_ns);
            hdr.add(&snapshot.intervals, start)?;
        }
        Ok(())
    }
}

fn create(flag: &str, path: &Path) -> Result<Box<dyn Write>, String> {
    match File::create(path) {
        Ok(file) => Ok(Box::new(BufWriter::new(file))),
        Err(error) => {
            Err(format!("{flag} {}: cannot be written: {}", path.display(), io_words(&error)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::load_args;
    use volley_load::pace::Window;

    #[test]
    fn an_interruption_waits_a_second_for_answers() {
        let interrupted = Arc::new(AtomicBool::new(false));
        let records = Records::create(&load_args("").output).unwrap();
        let mut watch = Watch::new(interrupted.clone(), None, records);
        let window = Window { start_ns: 0, end_ns: 100 * S };
        let mut wish = |now_ns| {
            let snapshot =
                Snapshot { now_ns, window: &window, requests: 0, errors: 0, intervals: vec![] };
            watch.look(&snapshot)
        };
        assert_eq!(wish(S), Wish::GoOn);
        interrupted.store(true, Ordering::Relaxed);
        assert_eq!((wish(2 * S), wish(3 * S - 1)), (Wish::Drain, Wish::Drain));
        assert_eq!(wish(3 * S), Wish::Leave);
    }

    /// The line after 3.2 s, with `fresh` of the requests in the last 0.2 s.
    fn shown(requests: u64, fresh: u64, all: Option<u64>) -> String {
        let window = Window { start_ns: S, end_ns: 11 * S };
        let now_ns = 4 * S + 200 * MS;
        let snapshot = Snapshot { now_ns, window: &window, requests, errors: 7, intervals: vec![] };
        line(&snapshot, all, (4 * S, requests - fresh))
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
