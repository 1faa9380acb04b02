//! When connections need attention though nothing has arrived.
//!
//! A connection's next deadline moves with each packet, mostly back. Only one entry of each
//! connection is in the heap, at the earliest deadline that it has set since; when this expires it
//! may turn out to be too early, and is inserted again. So a packet costs a comparison.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(Instant, usize)>>,
    /// By number: the time of its entry.
    queued: Vec<Option<Instant>>,
}

impl Timers {
    /// Number `nth` is due at `at`, whatever was set before.
    #[inline]
    pub(crate) fn set(&mut self, nth: usize, at: Instant) {
        if self.queued.len() <= nth {
            self.queued.resize(nth + 1, None);
        }
        if self.queued[nth].is_none_or(|queued| at < queued) {
            self.queued[nth] = Some(at);
            self.heap.push(Reverse((at, nth)));
        }
    }

    /// No number is due before.
    #[inline]
    pub(crate) fn next(&self) -> Option<Instant> {
        self.heap.peek().map(|Reverse((at, _))| *at)
    }

    /// A number that may be due at `now`: the caller checks it, and sets it anew.
    #[inline]
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<usize> {
        while let Some(&Reverse((at, nth))) = self.heap.peek()
            && at <= now
        {
            self.heap.pop();
            if self.queued[nth] == Some(at) {
                self.queued[nth] = None;
                return Some(nth);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn who_moves_back_is_asked_early_and_who_moves_forth_in_time() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut timers = Timers::default();
        for (nth, ms) in [(0, 10), (1, 5), (0, 20), (2, 9), (2, 7)] {
            timers.set(nth, at(ms));
        }
        assert_eq!(timers.next(), Some(at(5)));
        assert_eq!(timers.take_due(at(4)), None);
        assert_eq!(timers.take_due(at(8)), Some(1));
        assert_eq!(timers.take_due(at(8)), Some(2));
        assert_eq!(timers.take_due(at(9)), None, "its later entry is none any more");
        assert_eq!(timers.take_due(at(30)), Some(0));
        assert_eq!((timers.take_due(at(99)), timers.next()), (None, None));
    }
}
