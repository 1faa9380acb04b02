//! The rates that a thread had from time to time.

use super::histogram::Values;
use crate::personality::script;
use crate::personality::wrk::report::Spread;

/// Answers a second. Other than of latencies, the smallest and the largest are exact.
#[derive(Debug, Clone)]
pub(crate) struct Rates {
    values: Values,
    min: u64,
    max: u64,
}

impl Default for Rates {
    fn default() -> Self {
        Self { values: Values::default(), min: u64::MAX, max: 0 }
    }
}

impl Rates {
    /// One more.
    pub(crate) fn record(&mut self, rate: u64) {
        self.values.record(rate);
        self.min = self.min.min(rate);
        self.max = self.max.max(rate);
    }

    /// Adds another thread's.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.values.merge(&other.values);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// What the table says of them.
    pub(crate) fn spread(&self) -> Spread {
        Spread { max: self.max as f64, ..self.values.spread() }
    }
}

/// What a script's `done` may ask.
impl script::Statistics for Rates {
    fn min(&self) -> u64 {
        self.min
    }

    fn max(&self) -> u64 {
        self.max
    }

    fn mean(&self) -> f64 {
        self.values.mean()
    }

    fn stdev(&self) -> f64 {
        self.values.stdev()
    }

    fn percentile(&self, percent: f64) -> u64 {
        self.values.percentile(percent)
    }

    fn distinct(&self) -> u64 {
        self.values.count()
    }

    fn at(&self, index: u64) -> Option<(u64, u64)> {
        script::Statistics::at(&self.values, index)
    }

    fn is_indexed(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_exact() {
        let (mut rates, mut other) = (Rates::default(), Rates::default());
        rates.record(10_001);
        rates.record(0);
        other.record(20_003);
        rates.merge(&other);
        assert_eq!((rates.min, rates.max, rates.values.max()), (0, 20_003, 20_000));
        assert!((rates.spread().max - 20_003.0).abs() < f64::EPSILON);
    }
}
