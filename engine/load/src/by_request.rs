//! What each request of a request file had: counted beside the whole.

use crate::errors::Counts;
use crate::histogram::Latencies;

/// Files of more requests are not counted by request: nobody reads so many figures, and each
/// request has a histogram of its own.
pub const COUNTED: usize = 256;

/// Counts of one request of the file in one slice. They are those of [`crate::tally::Tally`], as
/// far as they are this request's.
#[derive(Debug)]
#[expect(missing_docs, reason = "as in `Tally`")]
pub struct RequestTally {
    pub requests: u64,
    pub misses: u64,
    pub errors: Counts,
    pub latencies: Latencies,
}

impl RequestTally {
    pub(crate) fn new() -> Self {
        Self { requests: 0, misses: 0, errors: Counts::default(), latencies: Latencies::growing() }
    }

    fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.misses += other.misses;
        self.errors.merge(&other.errors);
        self.latencies.merge(&other.latencies);
    }
}

/// One for each request of a file, in its order; none where nobody wants them.
#[derive(Debug, Default)]
pub struct ByRequest(Vec<RequestTally>);

impl ByRequest {
    /// For requests of these names.
    pub(crate) fn of(names: &[String]) -> Self {
        let count = if names.len() > COUNTED { 0 } else { names.len() };
        Self((0..count).map(|_| RequestTally::new()).collect())
    }

    /// That of one request, if it is counted.
    #[inline]
    pub(crate) fn entry(&mut self, entry: usize) -> Option<&mut RequestTally> {
        self.0.get_mut(entry)
    }

    /// All of them; empty if they are not counted.
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
