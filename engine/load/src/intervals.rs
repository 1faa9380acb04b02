//! The counts of each tenth of a second, thread by thread.

use crate::histogram::Latencies;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use volley_net::clock::MS;

/// The length of an interval.
pub const INTERVAL_NS: u64 = 100 * MS;

/// One interval of the window, of one thread or, merged, of all. An answer belongs to the interval
/// in which it was complete; the answers of the drain belong to the last one.
#[derive(Debug, Default)]
pub struct Interval {
    /// It begins this many times [`INTERVAL_NS`] after the start of the window.
    pub index: u64,
    /// Answers, right or wrong, without those of the drain.
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

    /// Clears the counts, and keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.latencies.clear();
        (self.index, self.requests, self.bytes, self.errors) = (0, 0, 0, 0);
    }
}

/// One thread's intervals as they grow.
#[derive(Debug)]
pub(crate) struct Log {
    /// The start of the window.
    pub(crate) start_ns: u64,
    pub(crate) current: Interval,
    /// The completed ones, in order.
    pub(crate) done: Vec<Interval>,
    /// Empty ones for the next intervals. Giving each a new histogram would map and clear memory in
    /// the thread that measures, ten times a second.
    pub(crate) spares: Vec<Interval>,
}

impl Log {
    /// Creates two spare intervals, whose pages are mapped: this takes too long for the window,
    /// whose start is set later.
    pub(crate) fn new() -> Self {
        let mut spares = vec![Interval::default(), Interval::default()];
        spares.iter_mut().for_each(Interval::clear);
        let done = Vec::with_capacity(spares.len());
        Self { start_ns: 0, current: Interval::default(), done, spares }
    }

    /// When the current interval ends.
    pub(crate) fn next_ns(&self) -> u64 {
        self.start_ns + (self.current.index + 1) * INTERVAL_NS
    }

    /// Ends the intervals that are over.
    #[inline]
    pub(crate) fn roll(&mut self, now_ns: u64) {
        while now_ns >= self.next_ns() {
            self.end();
        }
    }

    /// Ends the current interval.
    pub(crate) fn end(&mut self) {
        let spare = self.spares.pop().unwrap_or_default();
        let next = Interval { index: self.current.index + 1, ..spare };
        self.done.push(std::mem::replace(&mut self.current, next));
    }
}

/// Merges the threads' intervals.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    /// By index: how many threads have reported their part, and the sum.
    parts: BTreeMap<u64, (usize, Interval)>,
}

impl Assembly {
    /// Adds a thread's interval, and returns it unless it is the first of its index.
    pub(crate) fn add(&mut self, interval: Interval) -> Option<Interval> {
        match self.parts.entry(interval.index) {
            Entry::Vacant(entry) => {
                entry.insert((1, interval));
                None
            }
            Entry::Occupied(mut entry) => {
                let (count, sum) = entry.get_mut();
                *count += 1;
                sum.merge(&interval);
                Some(interval)
            }
        }
    }

    /// The intervals that all of `threads` have reported, in order, each once.
    pub(crate) fn take(&mut self, threads: usize) -> Vec<Interval> {
        let mut complete = Vec::new();
        while let Some(entry) = self.parts.first_entry()
            && entry.get().0 >= threads
        {
            complete.push(entry.remove().1);
        }
        complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allocation_counter::measure;
    use volley_net::clock::S;

    fn of(index: u64, requests: u64) -> Interval {
        Interval { index, requests, ..Interval::default() }
    }

    fn counts(intervals: &[Interval]) -> Vec<(u64, u64)> {
        intervals.iter().map(|interval| (interval.index, interval.requests)).collect()
    }

    #[test]
    fn intervals_end_on_time_and_none_is_left_out() {
        let mut log = Log { start_ns: 1000, ..Log::new() };
        log.roll(1000 + INTERVAL_NS - 1);
        log.current.requests = 5;
        log.roll(1000 + 3 * INTERVAL_NS);
        log.current.requests = 1;
        log.end();
        assert_eq!(counts(&log.done), [(0, 5), (1, 0), (2, 0), (3, 1)]);
    }

    /// The thread that measures has two intervals to spare until others come back.
    #[test]
    fn intervals_with_spares_allocate_nothing() {
        let mut log = Log { start_ns: 1000, ..Log::new() };
        for nth in 0..10 {
            let two_later_ns = log.next_ns() + INTERVAL_NS;
            let allocated = measure(|| {
                log.current.latencies.record(59 * S + nth);
                log.roll(two_later_ns);
                log.current.latencies.record(59 * S);
            });
            assert_eq!((allocated.count_total, log.done.len()), (0, 2));
            for mut spare in log.done.drain(..) {
                spare.clear();
                log.spares.push(spare);
            }
        }
        log.spares.clear();
        let next_ns = log.next_ns();
        assert!(measure(|| log.roll(next_ns)).count_total > 0, "they are counted");
    }

    #[test]
    fn an_interval_is_complete_when_all_threads_have_told_theirs() {
        let mut assembly = Assembly::default();
        assembly.add(of(0, 1));
        assembly.add(of(1, 10));
        assert!(assembly.take(2).is_empty());
        assembly.add(of(0, 2));
        assert_eq!(counts(&assembly.take(2)), [(0, 3)]);
        assembly.add(of(2, 100));
        assembly.add(of(1, 20));
        assert_eq!(counts(&assembly.take(2)), [(1, 30)]);
        assert_eq!(counts(&assembly.take(1)), [(2, 100)]);
    }
}
