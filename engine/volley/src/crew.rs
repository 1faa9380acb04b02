//! The threads that load: each has its share of the connections, and nothing is shared.

use crate::intervals::Interval;
use crate::io::{Io, IoChoice};
use crate::pace::Window;
use crate::slice::{Outcome, Plan, Wish};
use crate::tally::Bad;
use crate::target::Target;
use std::io;
use std::sync::Arc;

/// How many threads there are, where they run, and how they do I/O.
#[derive(Debug, Clone)]
pub struct Size {
    /// 1 or more.
    pub threads: usize,
    /// Thread n runs on the core n modulo their number; empty: anywhere.
    pub cpus: Vec<usize>,
    /// How to do I/O.
    pub io: IoChoice,
}

/// Running threads, with a pool of connections for each target.
#[derive(Debug)]
pub struct Crew {}

/// How opening a target's connections went.
#[derive(Debug)]
pub struct Opened {
    /// Connections established.
    pub open: u64,
    /// The first failure.
    pub first_bad: Option<Bad>,
}

/// How a slice stands while it runs. Called every 20 ms.
#[derive(Debug)]
pub struct Look<'a> {
    /// `CLOCK_MONOTONIC`.
    pub now_ns: u64,
    /// The counted time; without a duration its end is `u64::MAX`.
    pub window: &'a Window,
    /// Answers within the window so far.
    pub requests: u64,
    /// Failures so far.
    pub errors: u64,
    /// Intervals that are over for every thread, merged, each once and in order. Empty unless
    /// [`Plan::intervals`].
    pub intervals: Vec<Interval>,
}

impl Crew {
    /// Starts the threads. Nothing is connected yet.
    pub fn start(_size: &Size, _targets: &[Arc<Target>]) -> io::Result<Self> {
        unimplemented!("the lead writes this")
    }

    /// How the threads do I/O.
    #[must_use]
    pub fn io(&self) -> Io {
        unimplemented!("the lead writes this")
    }

    /// Opens a target's connections ahead of its first slice: all, or one for each thread where
    /// they carry one request only.
    pub fn open(&mut self, _target: usize) -> io::Result<Opened> {
        unimplemented!("the lead writes this")
    }

    /// Runs one slice. `watch` sees the last intervals after the drain, before this returns.
    pub fn run(
        &mut self,
        _target: usize,
        _plan: &Plan,
        _watch: &mut dyn FnMut(&Look<'_>) -> Wish,
    ) -> io::Result<Outcome> {
        unimplemented!("the lead writes this")
    }
}
