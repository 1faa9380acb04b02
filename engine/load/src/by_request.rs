//! The counts of each request of a request file, in addition to the whole.

use crate::errors::Counts;
use crate::histogram::{FirstBytes, Latencies};

/// Files of more requests are not counted by request: so many figures are not useful, and each
/// request has its own histogram.
pub const COUNTED: usize = 256;

/// The counts of one request of the file in one slice. They are those of [`crate::tally::Tally`],
/// as far as they concern this request.
#[derive(Debug)]
#[expect(missing_docs, reason = "as in `Tally`")]
pub struct RequestTally {
    pub requests: u64,
    pub misses: u64,
    pub errors: Counts,
    pub latencies: Latencies,
    pub first_bytes: FirstBytes,
}

impl RequestTally {
    pub(crate) fn new() -> Self {
        Self {
            requests: 0,
            misses: 0,
            errors: Counts::default(),
            latencies: Latencies::growing(),
            first_bytes: FirstBytes::default(),
        }
    }

    fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.misses += other.misses;
        self.errors.merge(&other.errors);
        self.latencies.merge(&other.latencies);
        self.first_bytes.merge(&other.first_bytes);
    }
}

/// One for each request of a file, in its order; empty where they are not wanted.
#[derive(Debug, Default)]
pub struct ByRequest(Vec<RequestTally>);

impl ByRequest {
    /// For requests of these names.
    pub fn of(names: &[String]) -> Self {
        let count = if names.len() > COUNTED { 0 } else { names.len() };
        Self((0..count).map(|_| RequestTally::new()).collect())
    }

    /// The counts of one request, if it is counted.
    #[inline]
    pub fn entry(&mut self, entry: usize) -> Option<&mut RequestTally> {
        self.0.get_mut(entry)
    }

    /// The counts of all; empty if they are not counted.
    pub fn tallies(&self) -> &[RequestTally] {
        &self.0
    }

    /// Adds another thread's counts of the same requests.
    pub(crate) fn merge(&mut self, other: Self) {
        if self.0.is_empty() {
            self.0 = other.0;
        } else {
            self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| mine.merge(theirs));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_very_many_requests_are_not_counted_by_request() {
        let of = |count: usize| ByRequest::of(&vec![String::new(); count]).tallies().len();
        assert_eq!([0, 1, COUNTED, COUNTED + 1].map(of), [0, 1, COUNTED, 0]);
    }

    #[test]
    fn threads_add_up() {
        let names = ["a", "b"].map(str::to_owned);
        let thread = |entry| {
            let mut counts = ByRequest::of(&names);
            let tally = counts.entry(entry).unwrap();
            (tally.requests, tally.misses) = (3, 1);
            tally.latencies.record(5_000_000);
            counts
        };
        let mut all = ByRequest::default();
        [0, 1, 1].map(thread).into_iter().for_each(|counts| all.merge(counts));
        let counted =
            |tally: &RequestTally| (tally.requests, tally.misses, tally.latencies.count());
        assert_eq!(all.tallies().iter().map(counted).collect::<Vec<_>>(), [(3, 1, 1), (6, 2, 2)]);
    }
}
