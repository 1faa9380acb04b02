//! The state that threads which load share and change, except the channels of `workers`.
//!
//! Threads share nothing on a request's way (docs/engine-request.md has the list), so that two do
//! twice the work of one. Clippy refuses locks and atomics in any other file (`clippy.toml`).

#![expect(clippy::disallowed_types, reason = "this is the place for them")]

use crate::intervals::Interval;
use crate::slice::{CHECK_EVERY_NS, Wish};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use volley_net::clock::{MS, now_ns};

/// Reported intervals that return, where there is a log: polled once a turn.
pub(crate) type Spares = Receiver<Interval>;

/// A thread that waits for a moment stays awake for this long before it.
const AWAKE_NS: u64 = MS / 10;

/// The common state of a slice's threads: when it begins, and whether it ends sooner than planned.
#[derive(Debug)]
pub(crate) struct Control {
    /// Threads that are not ready yet.
    awaited: AtomicUsize,
    /// The start of the ramp; 0 until the last thread is ready.
    begin_ns: AtomicU64,
    end_ns: AtomicU64,
    leave: AtomicBool,
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

    /// Begins together with the other threads. The last of them sets the time: `at_ns`, or now if
    /// that has passed. If the time were set beforehand, a thread that the system keeps waiting
    /// would load for only a part of its window.
    pub(crate) fn begin(&self, at_ns: Option<u64>) -> u64 {
        if self.awaited.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.begin_ns.store(now_ns().max(at_ns.unwrap_or(0)), Ordering::Release);
        }
        loop {
            match self.begin_ns() {
                Some(begin_ns) => {
                    self.sleep_until(begin_ns);
                    return begin_ns;
                }
                None if self.wants_to_leave() => return now_ns(),
                None => std::thread::yield_now(),
            }
        }
    }

    /// Waits for the moment, without sleep at the end: a sleeper wakes late.
    fn sleep_until(&self, at_ns: u64) {
        loop {
            let left_ns = at_ns.saturating_sub(now_ns());
            if left_ns == 0 || self.wants_to_leave() {
                return;
            }
            if left_ns > AWAKE_NS {
                let nap_ns = (left_ns - AWAKE_NS).min(CHECK_EVERY_NS);
                std::thread::sleep(std::time::Duration::from_nanos(nap_ns));
            } else {
                std::hint::spin_loop();
            }
        }
    }

    /// Carries out a watcher's request.
    pub(crate) fn apply(&self, wish: Wish, now_ns: u64) {
        if wish != Wish::GoOn {
            self.end_ns.fetch_min(now_ns, Ordering::Relaxed);
        }
        if wish == Wish::Leave {
            self.leave.store(true, Ordering::Relaxed);
        }
    }

    /// The end of the window, if it was set ahead of the plan's.
    #[inline]
    pub(crate) fn end_ns(&self) -> u64 {
        self.end_ns.load(Ordering::Relaxed)
    }

    /// Whether the slice ends without waiting for answers.
    #[inline]
    pub(crate) fn wants_to_leave(&self) -> bool {
        self.leave.load(Ordering::Relaxed)
    }
}

/// One thread's counts while they grow, for watchers. Each thread writes its own once a turn, so no
/// two may lie in one cache line, nor in two lines that are fetched as a pair.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Live {
    requests: AtomicU64,
    errors: AtomicU64,
}

impl Live {
    #[inline]
    pub(crate) fn show(&self, requests: u64, errors: u64) {
        self.requests.store(requests, Ordering::Relaxed);
        self.errors.store(errors, Ordering::Relaxed);
    }

    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    pub(crate) fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }
}
