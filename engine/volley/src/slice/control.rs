//! What a slice's threads share: when it begins, when it ends, and how it goes.

use crate::clock::now_ns;
use crate::slice::Wish;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// What all threads of a slice look at: when it begins, and whether it ends sooner than planned.
#[derive(Debug)]
pub(crate) struct Control {
    /// Threads that are not ready yet.
    awaited: AtomicUsize,
    /// The start of the ramp; 0 until the last thread is ready.
    begin_ns: AtomicU64,
    pub(super) end_ns: AtomicU64,
    pub(super) leave: AtomicBool,
}

impl Control {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            awaited: AtomicUsize::new(threads),
            begin_ns: AtomicU64::new(0),
            end_ns: AtomicU64::new(u64::MAX),
            leave: AtomicBool::new(false),
        }
    }

    /// The start of the ramp, once it is known.
    pub(crate) fn begin_ns(&self) -> Option<u64> {
        Some(self.begin_ns.load(Ordering::Acquire)).filter(|&begin_ns| begin_ns > 0)
    }

    /// Begins together with the other threads, the last of which names the time. Were it named
    /// beforehand, a thread that the system lets wait would load for a part of its window only.
    pub(super) fn begin(&self) -> u64 {
        if self.awaited.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.begin_ns.store(now_ns(), Ordering::Release);
        }
        loop {
            match self.begin_ns() {
                Some(begin_ns) => return begin_ns,
                None if self.leave.load(Ordering::Relaxed) => return now_ns(),
                None => std::thread::yield_now(),
            }
        }
    }

    /// Does what a watcher wishes.
    pub(crate) fn obey(&self, wish: Wish, now_ns: u64) {
        if wish != Wish::GoOn {
            self.end_ns.fetch_min(now_ns, Ordering::Relaxed);
        }
        if wish == Wish::Leave {
            self.leave.store(true, Ordering::Relaxed);
        }
    }
}

/// One thread's counts while they grow, for those who look on.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pub(crate) requests: AtomicU64,
    pub(crate) errors: AtomicU64,
}
