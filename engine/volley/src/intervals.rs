//! What happened in each tenth of a second, thread by thread.

use crate::clock::MS;
use crate::histogram::Latencies;

/// The length of an interval.
pub const INTERVAL_NS: u64 = 100 * MS;

/// One interval of the window, of one thread or, merged, of all. Answers belong to the interval in
/// which they were complete.
#[derive(Debug, Default)]
pub struct Interval {
    /// It begins so many times [`INTERVAL_NS`] behind the start of the window.
    pub index: u64,
    /// Answers, right or wrong.
    pub requests: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Failures of any kind.
    pub errors: u64,
    /// As in [`crate::tally::Tally::latencies`].
    pub latencies: Latencies,
}

impl Interval {
    /// Adds another thread's part of the same interval.
    pub fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.errors += other.errors;
        self.latencies.merge(&other.latencies);
    }
}
