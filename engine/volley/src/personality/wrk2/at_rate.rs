//! One thread's share of a constant rate, and what it measures.

use super::histogram::Values;
use super::pace::Pace;
use super::rates::Rates;
use crate::clock::{MS, S};
use crate::personality::script::{Errors, Failure, Script};
use crate::personality::wrk::manner::Manner;
use std::io::{Write, stdout};

/// Between the first openings of two connections of a thread.
const OPENS_EVERY_NS: u64 = 5 * MS;

/// From the beginning to the calibration, if all connections were there at once. What is measured
/// until then is thrown away.
const CALIBRATED_AFTER_NS: u64 = 10 * S;

/// Between two looks for requests without an answer.
const TIMEOUTS_EVERY_NS: u64 = 2 * S;

/// Between two looks whether to stop early.
const LOOK_EVERY_NS: u64 = 100 * MS;

/// The shortest time over which a rate is taken, in ms.
const SHORTEST_SAMPLE_MS: u64 = 10;

/// What is asked of a thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) connections: usize,
    /// Of the thread.
    pub(crate) rate_per_s: f64,
    pub(crate) timeout_ns: u64,
    pub(crate) end_ns: u64,
    /// Of a batch only the last answer is timed.
    pub(crate) times_batches: bool,
    /// The calibration is told on standard output.
    pub(crate) tells: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct AtRate {
    asked: Asked,
    connections: Vec<Connection>,
    /// From when a request was due, in µs.
    pub(crate) latencies: Values,
    /// From its sending.
    pub(crate) uncorrected: Values,
    /// Answers a second.
    pub(crate) rates: Rates,
    sampling: Sampling,
    timeouts_due_ns: u64,
    /// Of the timeouts: connections that had nothing to wait for.
    pub(crate) idle_timeouts: u64,
    /// Requests that were due and had no answer at the end.
    pub(crate) missing: u64,
    /// Threads that threw away what they measured at first.
    pub(crate) calibrated: usize,
}

#[derive(Debug, Clone)]
struct Connection {
    pace: Pace,
    /// Of the batch that waits for answers: when it was due, and when it was first sent. `None`:
    /// nothing waits.
    waits: Option<(u64, u64)>,
    sent_ns: u64,
}

/// How the thread's own rate is taken.
#[derive(Debug)]
enum Sampling {
    Calibrates { due_ns: u64 },
    Samples { interval_ns: u64, since_ns: u64, answers: u64 },
}

impl AtRate {
    pub(crate) fn new(asked: Asked) -> Self {
        Self {
            asked,
            connections: Vec::new(),
            latencies: Values::default(),
            uncorrected: Values::default(),
            rates: Rates::default(),
            sampling: Sampling::Calibrates { due_ns: u64::MAX },
            timeouts_due_ns: u64::MAX,
            idle_timeouts: 0,
            missing: 0,
            calibrated: 0,
        }
    }

    fn count_timeouts(&mut self, now_ns: u64, errors: &mut Errors) {
        let latest_ns = now_ns.saturating_sub(self.asked.timeout_ns);
        for connection in &self.connections {
            // wrk2 looks when a connection last sent, not whether it waits for an answer.
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

    /// Throws away what was measured, and chooses over which time a rate is taken.
    fn calibrate(&mut self, now_ns: u64) {
        let mean_us = self.latencies.mean();
        if mean_us == 0.0 {
            self.sampling = Sampling::Calibrates { due_ns: now_ns + CALIBRATED_AFTER_NS };
            return;
        }
        let every_ms = sample_every_ms(&self.latencies);
        if self.asked.tells {
            let mut out = stdout().lock();
            // Nobody is left to be told where that fails.
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

impl Manner for AtRate {
    fn begin(&mut self, begin_ns: u64, _: &Script) -> u64 {
        let each = self.asked.rate_per_s / self.asked.connections as f64;
        let connection = |slot| Connection {
            pace: Pace::new(begin_ns + opens_after_ns(slot), each),
            waits: None,
            sent_ns: 0,
        };
        self.connections = (0..self.asked.connections).map(connection).collect();
        let all_open_ns = begin_ns + opens_after_ns(self.asked.connections);
        self.sampling = Sampling::Calibrates { due_ns: all_open_ns + CALIBRATED_AFTER_NS };
        self.timeouts_due_ns = all_open_ns + TIMEOUTS_EVERY_NS;
        begin_ns
    }

    fn opens_ns(&self, slot: usize) -> u64 {
        // Until something is sent, its pace is at the beginning.
        self.connections[slot].pace.due_ns()
    }

    fn next_ns(&mut self, slot: usize, now_ns: u64, _: &Script) -> Result<u64, Failure> {
        Ok(self.connections[slot].pace.next_ns(now_ns))
    }

    fn on_sent(&mut self, slot: usize, now_ns: u64) {
        let connection = &mut self.connections[slot];
        connection.sent_ns = now_ns;
        // Who sends again what was lost with a connection has been waiting since then.
        connection.waits.get_or_insert((connection.pace.due_ns(), now_ns));
    }

    fn on_answer(&mut self, slot: usize, _: u64, now_ns: u64, is_last: bool, _: &mut Errors) {
        if let Sampling::Samples { answers, .. } = &mut self.sampling {
            *answers += 1;
        }
        if now_ns >= self.asked.end_ns {
            return;
        }
        let connection = &mut self.connections[slot];
        connection.pace.complete();
        let Some((due_ns, sent_ns)) = connection.waits else { return };
        if is_last {
            connection.waits = None;
        }
        if is_last || !self.asked.times_batches {
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
        let next_ns = self.timeouts_due_ns.min(self.sample_due_ns()).min(self.asked.end_ns);
        (now_ns < self.asked.end_ns).then(|| next_ns.min(now_ns + LOOK_EVERY_NS))
    }

    fn end(&mut self, now_ns: u64) {
        let now_ns = now_ns.min(self.asked.end_ns);
        let missing = self.connections.iter().map(|one| one.pace.missing(now_ns));
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

/// Twice what nine of ten latencies don't exceed, in whole ms.
fn sample_every_ms(latencies: &Values) -> u64 {
    (latencies.percentile(90.0) / 500).max(SHORTEST_SAMPLE_MS)
}

/// A line for each thread. The mean is in whole µs.
fn calibration(mean_us: f64, every_ms: u64) -> String {
    let mean = whole(mean_us) as f64 / 1e3;
    format!("  Thread calibration: mean lat.: {mean:.3}ms, rate sampling interval: {every_ms}ms\n")
}

/// Cut off, as C does; what is no number is 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "none is negative")]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::personality::script::Setting;

    /// The beginning.
    const T: u64 = 1000 * S;

    fn script() -> Script {
        let [scheme, host, path] = ["http", "a", "/"].map(str::to_owned);
        Script::new(&Setting { scheme, host, port: None, path, headers: vec![], tells_time: true })
            .unwrap()
    }

    /// Two connections, ten requests a second each, for 20 s.
    fn asked() -> Asked {
        Asked {
            connections: 2,
            rate_per_s: 20.0,
            timeout_ns: 2 * S,
            end_ns: T + 20 * S,
            times_batches: false,
            tells: false,
        }
    }

    fn begun(asked: Asked) -> (AtRate, Script) {
        let (mut thread, script) = (AtRate::new(asked), script());
        assert_eq!(thread.begin(T, &script), T);
        (thread, script)
    }

    /// Sends on the first connection and takes all answers of the batch.
    fn exchange(thread: &mut AtRate, sent_ns: u64, answered_ns: &[u64]) {
        thread.on_sent(0, sent_ns);
        for (nth, &now_ns) in answered_ns.iter().enumerate() {
            let is_last = nth + 1 == answered_ns.len();
            thread.on_answer(0, sent_ns, now_ns, is_last, &mut Errors::default());
        }
    }

    /// The latencies in ms.
    fn ms(values: &Values) -> (u64, u64, u64) {
        let at = |percent| (values.percentile(percent) + 500) / 1000;
        (values.count(), at(0.0), at(100.0))
    }

    #[test]
    fn connections_open_and_ask_one_after_another() {
        let (mut thread, script) = begun(asked());
        assert_eq!([0, 1].map(|slot| thread.opens_ns(slot)), [T, T + 5 * MS]);
        // The first request is due at the opening, the second a tenth of a second later.
        let opened_ns = T + 6 * MS;
        assert!(thread.next_ns(1, opened_ns, &script).unwrap() <= opened_ns);
        thread.on_sent(1, opened_ns);
        thread.on_answer(1, opened_ns, T + 8 * MS, true, &mut Errors::default());
        assert_eq!(thread.next_ns(1, T + 8 * MS, &script).unwrap(), T + 105 * MS);
        // From when it was due, and from its sending.
        assert_eq!((ms(&thread.latencies), ms(&thread.uncorrected)), ((1, 3, 3), (1, 2, 2)));
    }

    #[test]
    fn a_late_answer_makes_those_behind_it_late() {
        let (mut thread, _) = begun(asked());
        exchange(&mut thread, T, &[T + 400 * MS]);
        exchange(&mut thread, T + 400 * MS, &[T + 401 * MS]);
        assert_eq!(ms(&thread.latencies), (2, 301, 400));
        assert_eq!(ms(&thread.uncorrected), (2, 1, 400));
    }

    #[test]
    fn a_batch_is_timed_answer_by_answer_or_at_its_end() {
        let answers = [T + 10 * MS, T + 20 * MS, T + 30 * MS];
        let (mut each, _) = begun(asked());
        exchange(&mut each, T, &answers);
        assert_eq!(ms(&each.latencies), (3, 10, 30));
        let (mut last, _) = begun(Asked { times_batches: true, ..asked() });
        exchange(&mut last, T, &answers);
        assert_eq!(ms(&last.latencies), (1, 30, 30));
    }

    #[test]
    fn what_is_sent_again_has_waited_since_it_was_sent_first() {
        let (mut thread, _) = begun(asked());
        thread.on_sent(0, T + MS);
        exchange(&mut thread, T + 50 * MS, &[T + 60 * MS]);
        assert_eq!((ms(&thread.latencies), ms(&thread.uncorrected)), ((1, 60, 60), (1, 59, 59)));
    }

    #[test]
    fn the_calibration_throws_away_what_was_and_chooses_the_interval() {
        let (mut thread, _) = begun(asked());
        let errors = &mut Errors::default();
        exchange(&mut thread, T, &[T + 40 * MS]);
        assert_eq!(thread.tick(T + 10 * S, errors), Some(T + 10 * S + 10 * MS));
        let calibrated_ns = T + 10 * S + 10 * MS;
        // Twice 40 ms, to three digits of the histogram.
        assert_eq!(thread.tick(calibrated_ns, errors), Some(calibrated_ns + 80 * MS));
        assert_eq!((thread.latencies.count(), thread.uncorrected.count()), (0, 0));
        assert_eq!(thread.calibrated, 1);
        // Two answers in 80 ms are 25 a second; then there are none.
        exchange(&mut thread, calibrated_ns, &[calibrated_ns + MS, calibrated_ns + 2 * MS]);
        for nth in 1..=2 {
            thread.tick(calibrated_ns + nth * 80 * MS, errors);
        }
        let spread = thread.rates.spread();
        assert!((spread.mean - 12.5).abs() < 1e-9 && (spread.max - 25.0).abs() < 1e-9);
    }

    #[test]
    fn where_nothing_takes_time_there_is_no_calibration_yet() {
        let (mut thread, _) = begun(asked());
        exchange(&mut thread, T, &[T]);
        thread.tick(T + 10 * S + 10 * MS, &mut Errors::default());
        assert_eq!((thread.calibrated, thread.sample_due_ns()), (0, T + 20 * S + 10 * MS));
        // Where there was no answer at all, there is.
        let (mut silent, _) = begun(asked());
        silent.tick(T + 10 * S + 10 * MS, &mut Errors::default());
        assert_eq!(silent.calibrated, 1);
    }

    #[test]
    fn the_calibration_in_words() {
        for (mean_us, interval_ms, line) in [
            (6_643_256.7, 15_499, "mean lat.: 6643.256ms, rate sampling interval: 15499ms"),
            (0.9, 10, "mean lat.: 0.000ms, rate sampling interval: 10ms"),
            (f64::NAN, 10, "mean lat.: 0.000ms, rate sampling interval: 10ms"),
        ] {
            let said = calibration(mean_us, interval_ms);
            assert_eq!(said, format!("  Thread calibration: {line}\n"));
        }
    }

    #[test]
    fn timeouts_are_looked_for_every_two_seconds_whether_or_not_one_waits() {
        let (mut thread, _) = begun(asked());
        let errors = &mut Errors::default();
        exchange(&mut thread, T, &[T + MS]);
        thread.on_sent(1, T);
        thread.tick(T + 2 * S + 9 * MS, errors);
        assert_eq!(errors.timeout, 0);
        // Both last sent more than two seconds ago; the first has its answer.
        thread.tick(T + 2 * S + 10 * MS, errors);
        assert_eq!((errors.timeout, thread.idle_timeouts), (2, 1));
        thread.tick(T + 3 * S, errors);
        assert_eq!(errors.timeout, 2);
        thread.tick(T + 4 * S + 10 * MS, errors);
        assert_eq!((errors.timeout, thread.idle_timeouts), (4, 2));
    }

    #[test]
    fn what_comes_when_the_time_is_up_is_missing() {
        let (mut thread, _) = begun(asked());
        let errors = &mut Errors::default();
        let end_ns = T + 20 * S;
        exchange(&mut thread, T, &[end_ns]);
        assert_eq!(thread.latencies.count(), 0);
        assert!(thread.tick(end_ns - MS, errors).is_some());
        assert_eq!(thread.tick(end_ns, errors), None);
        thread.end(end_ns + S);
        // 200 were due on each.
        assert_eq!(thread.missing, 400);
    }

    #[test]
    fn threads_are_merged() {
        let (mut one, mut other) = (begun(asked()).0, begun(asked()).0);
        exchange(&mut one, T, &[T + 40 * MS]);
        exchange(&mut other, T, &[T + 10 * MS]);
        other.calibrated = 1;
        other.rates.record(7);
        other.end(T);
        one.merge(&other);
        assert_eq!((ms(&one.latencies), one.calibrated), ((2, 10, 40), 1));
        assert!((one.rates.spread().max - 7.0).abs() < 1e-9);
    }
}
