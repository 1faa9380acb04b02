//! What is counted in a slice.

use crate::errors::{Counts, ErrorKind};
use crate::histogram::Latencies;
use crate::pace::Window;

/// The first exchange of a slice that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    /// How.
    pub kind: ErrorKind,
    /// What exactly.
    pub detail: String,
    /// The answer's bytes, as many as came, at most 64 KiB.
    pub response: Vec<u8>,
}

/// Counts of one slice. The window's counts are apart from those of the whole slice.
#[derive(Debug, Default)]
pub struct Tally {
    /// Answers, right or wrong, that were complete within the window.
    pub requests: u64,
    /// Bytes that were received within the window.
    pub bytes: u64,
    /// Answers of ramp, window and drain.
    pub requests_all: u64,
    /// Connections established.
    pub connects: u64,
    /// Connections found closed by the server when the slice began.
    pub idle_closed: u64,
    /// Failures of ramp, window and drain.
    pub errors: Counts,
    /// Of the requests started within the window.
    pub latencies: Latencies,
    /// Time within the window spent waiting for the kernel to have work.
    pub waited_ns: u64,
    /// The first failure.
    pub first_bad: Option<Bad>,
}

impl Tally {
    /// An answer came in.
    #[inline]
    pub fn answered(&mut self, window: &Window, started_ns: u64, now_ns: u64) {
        self.requests_all += 1;
        self.requests += u64::from(window.holds(now_ns));
        if window.holds(started_ns) {
            self.latencies.record(now_ns - started_ns);
        }
    }

    /// Something went wrong. `describe` gives detail and bytes, and is only asked the first time.
    #[cold]
    pub fn failed(&mut self, kind: ErrorKind, describe: impl FnOnce() -> (String, Vec<u8>)) {
        self.errors.add(kind);
        if self.first_bad.is_none() {
            let (detail, response) = describe();
            self.first_bad = Some(Bad { kind, detail, response });
        }
    }

    /// Answers that were right, in the whole slice.
    #[must_use]
    pub fn right(&self) -> u64 {
        let wrong = self.errors.of(ErrorKind::Status) + self.errors.of(ErrorKind::Mismatch);
        self.requests_all - wrong
    }
}
