//! One thread's share of a constant rate, and its measurement.

#[cfg(test)]
mod tests;

use super::histogram::Values;
use super::schedule::Schedule;
use crate::script::{Errors, Failure, Script};
use crate::wrk::pacing::Pacing;
use std::io::{Write, stdout};
use volley_net::clock::{MS, S};

/// The time between the first openings of two connections of a thread.
const OPENS_EVERY_NS: u64 = 5 * MS;

/// The time from the beginning to the calibration, if all connections were opened at once. The
/// measurement before it is discarded.
const CALIBRATED_AFTER_NS: u64 = 10 * S;

/// The time between two searches for requests without an answer.
const TIMEOUTS_EVERY_NS: u64 = 2 * S;

/// The time between two checks for an early end.
const LOOK_EVERY_NS: u64 = 100 * MS;

/// The shortest time over which a rate is taken, in ms.
const SHORTEST_SAMPLE_MS: u64 = 10;

/// The settings of a thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) connections: usize,
    /// The thread's rate.
    pub(crate) rate_per_s: f64,
    pub(crate) timeout_ns: u64,
    pub(crate) end_ns: u64,
    /// Of a batch only the last answer is timed.
    pub(crate) times_batches: bool,
    /// The calibration is reported on standard output.
    pub(crate) tells: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct ConstantRate {
    settings: Settings,
    connections: Vec<Connection>,
    /// Latencies from when a request was due, in µs.
    pub(crate) latencies: Values,
    /// Latencies from its sending.
    pub(crate) uncorrected: Values,
    /// Answers a second.
    pub(crate) rates: Values,
    sampling: Sampling,
    timeouts_due_ns: u64,
    /// Among the timeouts: connections that awaited no answer.
    pub(crate) idle_timeouts: u64,
    /// Requests that were due and had no answer at the end.
    pub(crate) missing: u64,
    /// Threads that discarded their first measurement.
    pub(crate) calibrated: usize,
}

#[derive(Debug, Clone)]
struct Connection {
    schedule: Schedule,
    /// For the batch that awaits answers: when it was due, and when it was first sent. `None`:
    /// there is no such batch.
    waits: Option<(u64, u64)>,
    sent_ns: u64,
}

/// How the thread's own rate is sampled.
#[derive(Debug)]
enum Sampling {
    Calibrates { due_ns: u64 },
    Samples { interval_ns: u64, since_ns: u64, answers: u64 },
}

impl ConstantRate {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            connections: Vec::new(),
            latencies: Values::default(),
            uncorrected: Values::default(),
            rates: Values::with_extremes(),
            sampling: Sampling::Calibrates { due_ns: u64::MAX },
            timeouts_due_ns: u64::MAX,
            idle_timeouts: 0,
            missing: 0,
            calibrated: 0,
        }
    }

    fn count_timeouts(&mut self, now_ns: u64, errors: &mut Errors) {
        let latest_ns = now_ns.saturating_sub(self.settings.timeout_ns);
        for connection in &self.connections {
            // wrk2 checks when a connection last sent, not whether it awaits an answer.
            if connection.sent_ns < latest_ns {
                errors.timeout += 1;
                self.idle_timeouts += u64::from(connection.waits.is_none());
            }
        }
        self.timeouts_due_ns = now_ns + TIMEOUTS_EVERY_NS;
    }

    /// When a rate or the calibration is due.
    fn sample_due_ns(&self) -> u64 {
        match self.sampling {
            Sampling::Calibrates { due_ns } => due_ns,
            Sampling::Samples { interval_ns, since_ns, .. } => since_ns + interval_ns,
        }
    }

    fn sample(&mut self, now_ns: u64) {
        match self.sampling {
            Sampling::Calibrates { .. } => self.calibrate(now_ns),
            Sampling::Samples { interval_ns, since_ns, answers } => {
                let elapsed_ms = (now_ns - since_ns) / MS;
                self.rates.record(whole(answers as f64 / elapsed_ms as f64 * 1e3));
                self.sampling = Sampling::Samples { interval_ns, since_ns: now_ns, answers: 0 };
            }
        }
    }

    /// Discards the measurement so far, and chooses the time over which a rate is sampled.
    fn calibrate(&mut self, now_ns: u64) {
        let mean_us = self.latencies.mean();
        if mean_us == 0.0 {
            self.sampling = Sampling::Calibrates { due_ns: now_ns + CALIBRATED_AFTER_NS };
            return;
        }
        let every_ms = sample_every_ms(&self.latencies);
        if self.settings.tells {
            let mut out = stdout().lock();
            // There is nowhere to report a failure.
            let _ = out.write_all(calibration(mean_us, every_ms).as_bytes());
            let _ = out.flush();
        }
        self.latencies.clear();
        self.uncorrected.clear();
        self.calibrated = 1;
        self.sampling =
            Sampling::Samples { interval_ns: every_ms * MS, since_ns: now_ns, answers: 0 };
    }
}

impl Pacing for ConstantRate {
    fn begin(&mut self, begin_ns: u64, _: &Script) -> u64 {
        let each = self.settings.rate_per_s / self.settings.connections as f64;
        let connection = |slot| Connection {
            schedule: Schedule::new(begin_ns + opens_after_ns(slot), each),
            waits: None,
            sent_ns: 0,
        };
        self.connections = (0..self.settings.connections).map(connection).collect();
        let all_open_ns = begin_ns + opens_after_ns(self.settings.connections);
        self.sampling = Sampling::Calibrates { due_ns: all_open_ns + CALIBRATED_AFTER_NS };
        self.timeouts_due_ns = all_open_ns + TIMEOUTS_EVERY_NS;
        begin_ns
    }

    fn opens_ns(&self, slot: usize) -> u64 {
        // Until a batch is sent, its schedule is at the beginning.
        self.connections[slot].schedule.due_ns()
    }

    fn next_ns(&mut self, slot: usize, now_ns: u64, _: &Script) -> Result<u64, Failure> {
        Ok(self.connections[slot].schedule.next_ns(now_ns))
    }

    fn on_sent(&mut self, slot: usize, now_ns: u64) {
        let connection = &mut self.connections[slot];
        connection.sent_ns = now_ns;
        // A batch that is sent again after its connection failed has been waiting since then.
        connection.waits.get_or_insert((connection.schedule.due_ns(), now_ns));
    }

    fn on_answer(&mut self, slot: usize, _: u64, now_ns: u64, is_last: bool, _: &mut Errors) {
        if let Sampling::Samples { answers, .. } = &mut self.sampling {
            *answers += 1;
        }
        if now_ns >= self.settings.end_ns {
            return;
        }
        let connection = &mut self.connections[slot];
        connection.schedule.complete();
        let Some((due_ns, sent_ns)) = connection.waits else { return };
        if is_last {
            connection.waits = None;
        }
        if is_last || !self.settings.times_batches {
            self.latencies.record(now_ns.saturating_sub(due_ns) / 1000);
            self.uncorrected.record(now_ns.saturating_sub(sent_ns) / 1000);
        }
    }

    fn tick(&mut self, now_ns: u64, errors: &mut Errors) -> Option<u64> {
        if now_ns >= self.timeouts_due_ns {
            self.count_timeouts(now_ns, errors);
        }
        if now_ns >= self.sample_due_ns() {
            self.sample(now_ns);
        }
        let next_ns = self.timeouts_due_ns.min(self.sample_due_ns()).min(self.settings.end_ns);
        (now_ns < self.settings.end_ns).then(|| next_ns.min(now_ns + LOOK_EVERY_NS))
    }

    fn end(&mut self, now_ns: u64) {
        let now_ns = now_ns.min(self.settings.end_ns);
        let missing = self.connections.iter().map(|connection| connection.schedule.missing(now_ns));
        self.missing = missing.fold(0, u64::saturating_add);
    }

    fn merge(&mut self, other: &Self) {
        self.latencies.merge(&other.latencies);
        self.uncorrected.merge(&other.uncorrected);
        self.rates.merge(&other.rates);
        self.idle_timeouts += other.idle_timeouts;
        self.missing = self.missing.saturating_add(other.missing);
        self.calibrated += other.calibrated;
    }
}

fn opens_after_ns(slot: usize) -> u64 {
    slot as u64 * OPENS_EVERY_NS
}

/// Twice the latency that nine of ten do not exceed, in whole ms.
fn sample_every_ms(latencies: &Values) -> u64 {
    (latencies.percentile(90.0) / 500).max(SHORTEST_SAMPLE_MS)
}

/// A line for each thread. The mean is in whole µs.
fn calibration(mean_us: f64, every_ms: u64) -> String {
    let mean = whole(mean_us) as f64 / 1e3;
    format!("  Thread calibration: mean lat.: {mean:.3}ms, rate sampling interval: {every_ms}ms\n")
}

/// Truncates, as C does; NaN becomes 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "none is negative")]
fn whole(number: f64) -> u64 {
    number as u64
}
