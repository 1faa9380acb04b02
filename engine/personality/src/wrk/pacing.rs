//! A thread's pacing, and its measurement: as fast as possible, or at a rate.

use crate::script::{Errors, Failure, Script};

/// A thread's loop calls this at each step. Times are in ns.
pub(crate) trait Pacing: Send + 'static {
    /// The thread begins. Returns when the first [`Pacing::tick`] is due.
    fn begin(&mut self, begin_ns: u64, script: &Script) -> u64;

    /// When a connection is opened for the first time. Connections are asked for in order.
    fn opens_ns(&self, slot: usize) -> u64;

    /// When an idle connection sends its next batch; `now_ns` or earlier: at once.
    fn next_ns(&mut self, slot: usize, now_ns: u64, script: &Script) -> Result<u64, Failure>;

    /// The connection sends the batch.
    fn on_sent(&mut self, slot: usize, now_ns: u64);

    /// An answer has arrived to a batch that was sent at `sent_ns`.
    fn on_answer(
        &mut self,
        slot: usize,
        sent_ns: u64,
        now_ns: u64,
        is_last: bool,
        errors: &mut Errors,
    );

    /// Performs periodic work. Returns when to call again, or `None` when the time is over.
    fn tick(&mut self, now_ns: u64, errors: &mut Errors) -> Option<u64>;

    /// The thread ends.
    fn end(&mut self, now_ns: u64);

    /// Adds another thread's measurement.
    fn merge(&mut self, other: &Self);
}
