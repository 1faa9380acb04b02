//! One thread's share of an arrival process.

use super::inverse::Inverse;
use super::profile::Profile;
use super::ticks::Ticks;
use crate::pool::Share;

/// How arrivals are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
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
    /// How many requests are due at the same moment; 1 or more.
    pub burst: u64,
    /// The seed: equal seeds give equal arrivals.
    pub seed: u64,
    /// Where the first uniform arrival lies in its distance, 0 to 1. Usually it is at half a
    /// distance; each of several generators has its own place, so that all together are uniform.
    pub phase: f64,
}

/// The moments at which one thread's requests are due: offsets in ns from the start of the ramp.
///
/// Requests are shared as [`Share`] describes: uniform arrivals are uniform over all connections, a
/// burst is spread over all, and a thread with more connections gets more. Single Poisson arrivals
/// need no common clock: each thread has its own process, and their sum is Poisson again.
#[derive(Debug)]
pub struct Arrivals {
    next_ns: u64,
    inverse: Inverse,
    ticks: Ticks,
    /// The mean distance of ticks, in requests of all threads.
    distance: f64,
    /// The number of requests of each tick.
    members: u64,
    /// Which of the tick's requests comes next.
    member: u64,
    /// Which connection, of all threads, the next request counts for.
    connection: u64,
    /// The connections of all threads.
    connections: u64,
    share: Share,
}

impl Arrivals {
    /// The share of thread `thread` of `threads`, which have `connections` together, at least one
    /// each.
    pub fn new(process: &Process, thread: usize, threads: usize, connections: usize) -> Self {
        let (share, connections) = (Share { thread, threads }, connections as u64);
        let burst = process.burst.max(1);
        let alone = process.shape == Shape::Poisson && burst == 1;
        let ticks = match process.shape {
            Shape::Uniform => Ticks::uniform(process.phase),
            Shape::Poisson => Ticks::poisson(process.seed, if alone { share.thread } else { 0 }),
        };
        let (distance, share, connections) = if alone {
            let distance = connections as f64 / share.of(connections) as f64;
            (distance, Share { thread: 0, threads: 1 }, 1)
        } else {
            (burst as f64, share, connections)
        };
        let mut arrivals = Self {
            next_ns: 0,
            inverse: Inverse::of(&process.rate),
            ticks,
            distance,
            members: burst,
            member: share.thread as u64,
            connection: share.thread as u64,
            connections,
            share,
        };
        arrivals.turn();
        arrivals
    }

    /// When the next request is due; `u64::MAX` after the last.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Advances to the next request.
    #[inline]
    pub fn advance(&mut self) {
        let (later, connection) = self.share.next(self.connection, self.connections);
        self.connection = connection;
        self.member += later;
        if self.member >= self.members {
            self.turn();
        }
    }

    /// Advances to the tick of the next member.
    fn turn(&mut self) {
        self.ticks.skip(self.member / self.members);
        self.member %= self.members;
        let due_ns = self.inverse.at(self.distance * self.ticks.place());
        // Rounding must not turn time back.
        self.next_ns = self.next_ns.max(due_ns);
    }
}
