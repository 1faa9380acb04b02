//! wrk's own pacing: as fast as answers arrive, or as late as a script's `delay` requires.

use super::pacing::Pacing;
use super::statistics::Statistics;
use crate::script::{Errors, Failure, Script};
use volley_net::clock::{MS, S};

/// How often a rate is taken.
const SAMPLE_NS: u64 = 100 * MS;

/// Rates above this limit, in requests a second, are not counted.
const RATE_LIMIT: u64 = 10_000_000;

/// One thread's measurement.
#[derive(Debug)]
pub(crate) struct ClosedLoop {
    /// From a batch's sending to its last answer, in µs.
    pub(crate) latencies: Statistics,
    /// Requests a second, in each tenth of a second that had any.
    pub(crate) rates: Statistics,
    has_delay: bool,
    /// Answers since a rate was last taken.
    answers: u64,
    since_ns: u64,
}

impl ClosedLoop {
    /// Longer latencies are timeouts.
    pub(crate) fn new(timeout_s: u64) -> Self {
        Self {
            latencies: Statistics::below(timeout_s.saturating_mul(S / 1000)),
            rates: Statistics::below(RATE_LIMIT),
            has_delay: false,
            answers: 0,
            since_ns: 0,
        }
    }
}

impl Pacing for ClosedLoop {
    fn begin(&mut self, begin_ns: u64, script: &Script) -> u64 {
        self.has_delay = script.has_delay();
        self.since_ns = begin_ns;
        begin_ns + SAMPLE_NS
    }

    fn opens_ns(&self, _: usize) -> u64 {
        0
    }

    #[inline]
    fn next_ns(&mut self, _: usize, now_ns: u64, script: &Script) -> Result<u64, Failure> {
        let delay_ms = if self.has_delay { script.delay()? } else { 0 };
        Ok(now_ns.saturating_add(delay_ms.saturating_mul(MS)))
    }

    #[inline]
    fn on_sent(&mut self, _: usize, _: u64) {}

    #[inline]
    fn on_answer(
        &mut self,
        _: usize,
        sent_ns: u64,
        now_ns: u64,
        is_last: bool,
        errors: &mut Errors,
    ) {
        self.answers += 1;
        if is_last {
            let latency_us = now_ns / 1000 - sent_ns / 1000;
            errors.timeout += u64::from(!self.latencies.record(latency_us));
        }
    }

    fn tick(&mut self, now_ns: u64, _: &mut Errors) -> Option<u64> {
        let elapsed_ms = (now_ns - self.since_ns) / MS;
        if self.answers > 0 && elapsed_ms > 0 {
            let per_s = self.answers as f64 / elapsed_ms as f64 * 1000.0;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as wrk")]
            self.rates.record(per_s as u64);
            self.answers = 0;
            self.since_ns = now_ns;
        }
        Some(now_ns + SAMPLE_NS)
    }

    fn end(&mut self, _: u64) {}

    fn merge(&mut self, other: &Self) {
        self.latencies.merge(&other.latencies);
        self.rates.merge(&other.rates);
    }
}
