//! What `volley load` says: while it runs ([`csv`], [`hdr`]) and in the end ([`Report`]).

pub mod csv;
mod exchange;
mod figures;
pub mod hdr;
mod latency;
mod limit;
mod scale;
mod setting;
#[cfg(test)]
mod tests;
mod text;

use crate::cli::LoadArgs;
use crate::clock::S;
use crate::io::Io;
use crate::slice::Outcome;
use crate::target::Address;
use figures::{Ceiling, Figures};
use latency::Column;

/// What a run found, and how it was done.
#[derive(Debug)]
pub struct Run {
    /// What was counted.
    pub outcome: Outcome,
    /// How the threads did I/O.
    pub io: Io,
    /// What was loaded.
    pub address: Address,
    /// Requests per second of the same generator against its null server, if that was asked for;
    /// or why they are not known.
    pub ceiling: Option<Result<f64, String>>,
    /// The user stopped it early.
    pub interrupted: bool,
}

/// A run, to be printed.
#[derive(Debug)]
pub struct Report<'a> {
    args: &'a LoadArgs,
    run: Run,
}

impl<'a> Report<'a> {
    /// What was asked, and what came of it.
    #[must_use]
    pub fn new(args: &'a LoadArgs, run: Run) -> Self {
        Self { args, run }
    }

    /// One line of JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let mut line = serde_json::to_string(&Figures::new(self)).expect("a report is plain data");
        line.push('\n');
        line
    }

    /// Right answers, warm-up and drain included.
    #[must_use]
    pub fn right(&self) -> u64 {
        self.run.outcome.tally.right()
    }

    /// Whether the user stopped it early.
    #[must_use]
    pub fn interrupted(&self) -> bool {
        self.run.interrupted
    }

    fn duration_s(&self) -> f64 {
        self.run.outcome.duration_ns() as f64 / S as f64
    }

    fn per_s(&self, count: u64) -> f64 {
        let duration_s = self.duration_s();
        if duration_s > 0.0 { count as f64 / duration_s } else { 0.0 }
    }

    fn requests_per_s(&self) -> f64 {
        self.per_s(self.run.outcome.tally.requests)
    }

    /// Open loop: how many requests were due in the window, per second.
    fn due_per_s(&self) -> f64 {
        let tally = &self.run.outcome.tally;
        self.per_s(tally.latencies.count() + tally.misses)
    }

    /// The generator's own limit, and the run's rate as a share of it.
    fn ceiling(&self) -> Option<Ceiling> {
        let requests_per_s = *self.run.ceiling.as_ref()?.as_ref().ok()?;
        Some(Ceiling { requests_per_s, share: self.requests_per_s() / requests_per_s })
    }

    /// Places for requests on their way, on all connections.
    fn places(&self) -> f64 {
        self.args.connections() as f64 * self.args.connecting.pipeline as f64
    }

    /// How much of the time places for requests were taken: Little's law without its borders, at
    /// which requests begin in the window or end in it, but not both. What is missing from 1 is time in which places were free, because the generator had other
    /// things to do or no connection. `None` where not all are meant to be taken.
    fn little(&self) -> Option<f64> {
        if self.args.is_open_loop() || !self.args.amount.stages.is_empty() {
            return None;
        }
        let outcome = &self.run.outcome;
        let in_flight_ns = outcome.tally.in_flight_ns as f64;
        let places_ns = outcome.duration_ns() as f64 * self.places();
        (in_flight_ns > 0.0).then(|| in_flight_ns / places_ns)
    }

    /// The headline: in open loop from the time when a request was due, else from its sending.
    fn latency(&self) -> Column<'_> {
        let tally = &self.run.outcome.tally;
        Column { latencies: &tally.latencies, misses: tally.misses }
    }

    /// Open loop: from the sending of those that were sent.
    fn service(&self) -> Option<Column<'_>> {
        let tally = &self.run.outcome.tally;
        let misses = tally.misses - tally.unsent;
        self.args.is_open_loop().then_some(Column { latencies: &tally.service, misses })
    }

    /// Open loop: from the time when a request was due to its sending.
    fn send_lag(&self) -> Option<Column<'_>> {
        let tally = &self.run.outcome.tally;
        let lag = Column { latencies: &tally.send_lag, misses: tally.unsent };
        self.args.is_open_loop().then_some(lag)
    }
}
