//! Levels over time, and the moments at which requests are due.

/// A level, of connections or of requests per second, that changes over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    stages: Vec<Stage>,
}

/// A stretch in which the level goes in a straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// How long it lasts.
    pub duration_ns: u64,
    /// The level at its start.
    pub from: f64,
    /// The level at its end.
    pub to: f64,
}

/// How arrivals are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// At equal distances.
    Uniform,
    /// Independent of each other: exponential distances.
    Poisson,
}

/// An arrival process.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// Requests per second over time, of all threads together; begins with the ramp.
    pub rate: Profile,
    /// How arrivals are spread.
    pub shape: Shape,
    /// How many requests are due at the same moment.
    pub burst: u64,
    /// Equal seeds give equal arrivals.
    pub seed: u64,
}

/// The moments at which one thread's requests are due: offsets in ns from the start of the ramp.
#[derive(Debug)]
pub struct Arrivals {}

impl Profile {
    /// Stages, one after the other.
    #[must_use]
    pub fn new(stages: Vec<Stage>) -> Self {
        Self { stages }
    }

    /// How long all stages last.
    #[must_use]
    pub fn duration_ns(&self) -> u64 {
        self.stages.iter().map(|stage| stage.duration_ns).sum()
    }

    /// The level at an offset from the start; behind the end, the last one.
    #[must_use]
    pub fn level(&self, _offset_ns: u64) -> f64 {
        unimplemented!("the schedule's engineer writes this")
    }
}

impl Arrivals {
    /// The share of thread `thread` of `threads`.
    #[must_use]
    pub fn new(_process: &Process, _thread: usize, _threads: usize) -> Self {
        unimplemented!("the schedule's engineer writes this")
    }

    /// When the next request is due; `u64::MAX` behind the last.
    #[inline]
    #[must_use]
    pub fn next_ns(&self) -> u64 {
        unimplemented!("the schedule's engineer writes this")
    }

    /// Goes on to the one after.
    #[inline]
    pub fn advance(&mut self) {
        unimplemented!("the schedule's engineer writes this")
    }
}
