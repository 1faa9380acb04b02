//! wrk's statistics: how often each whole number was seen.

use crate::script;

/// Numbers below a limit, and how often each was seen.
#[derive(Debug, Clone)]
pub(crate) struct Statistics {
    /// The number of values.
    pub(crate) count: u64,
    /// From this limit on values are not counted.
    limit: u64,
    /// The smallest value; `u64::MAX` if there is none.
    pub(crate) min: u64,
    /// The largest value; 0 if there is none.
    pub(crate) max: u64,
    /// How often each value was seen, up to the largest.
    seen: Vec<u64>,
}

impl Statistics {
    /// Nothing is counted yet.
    pub(crate) fn below(limit: u64) -> Self {
        Self { count: 0, limit, min: u64::MAX, max: 0, seen: Vec::new() }
    }

    /// Counts a value; returns false if it is not below the limit.
    #[inline]
    pub(crate) fn record(&mut self, number: u64) -> bool {
        if number >= self.limit {
            return false;
        }
        let Ok(index) = usize::try_from(number) else { return false };
        if index >= self.seen.len() {
            self.seen.resize((index + 1).next_power_of_two(), 0);
        }
        self.seen[index] += 1;
        self.count += 1;
        self.min = self.min.min(number);
        self.max = self.max.max(number);
        true
    }

    /// Adds another's numbers.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.seen.len() > self.seen.len() {
            self.seen.resize(other.seen.len(), 0);
        }
        for (mine, theirs) in self.seen.iter_mut().zip(&other.seen) {
            *mine += theirs;
        }
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// The values that were seen, in order, and how often.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        (0..).zip(self.seen.iter().copied()).filter(|&(_, count)| count > 0)
    }

    /// Adds the latencies that a client with a request every `interval` would have seen while it
    /// waited, on the assumption that they would have decreased steadily. wrk does this to all
    /// latencies that it prints. Returns how many it added.
    pub(crate) fn correct(&mut self, interval: u64) -> u64 {
        let before = self.count;
        let Ok(step) = usize::try_from(interval) else { return 0 };
        if step == 0 {
            return 0;
        }
        let end = usize::try_from(self.max).map_or(0, |max| max + 1).min(self.seen.len());
        for number in step.saturating_mul(2)..end {
            let count = self.seen[number];
            let mut ghost = number - step;
            while count > 0 && ghost > step {
                self.seen[ghost] += count;
                self.count += count;
                ghost -= step;
            }
        }
        self.count - before
    }

    /// Returns 0 if there are no values.
    pub(crate) fn mean(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let sum: f64 = self.iter().map(|(number, count)| number as f64 * count as f64).sum();
        sum / self.count as f64
    }

    /// The value for a sample: over n − 1. 0 for fewer than two values.
    pub(crate) fn stdev(&self, mean: f64) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let squares = self.iter().map(|(n, count)| (n as f64 - mean).powi(2) * count as f64);
        (squares.sum::<f64>() / (self.count - 1) as f64).sqrt()
    }

    /// How many percent lie within `stdev` of `mean`; NaN if there are no values.
    pub(crate) fn percent_within(&self, mean: f64, stdev: f64) -> f64 {
        let near = (mean - stdev)..=(mean + stdev);
        let within: u64 =
            self.iter().filter(|(n, _)| near.contains(&(*n as f64))).map(|(_, count)| count).sum();
        within as f64 / self.count as f64 * 100.0
    }

    /// The value that `percent` of them do not exceed; 0 if there is none.
    pub(crate) fn percentile(&self, percent: f64) -> u64 {
        let rank = (percent / 100.0 * self.count as f64 + 0.5).round();
        let mut total = 0;
        for (number, count) in self.iter() {
            total += count;
            if total as f64 >= rank {
                return number;
            }
        }
        0
    }
}

/// The interface for a script's `done`.
impl script::Statistics for Statistics {
    fn min(&self) -> u64 {
        self.min
    }

    fn max(&self) -> u64 {
        self.max
    }

    fn mean(&self) -> f64 {
        self.mean()
    }

    fn stdev(&self) -> f64 {
        self.stdev(self.mean())
    }

    fn percentile(&self, percent: f64) -> u64 {
        self.percentile(percent)
    }

    fn distinct(&self) -> u64 {
        self.iter().count() as u64
    }

    fn at(&self, index: u64) -> Option<(u64, u64)> {
        self.iter().nth(usize::try_from(index).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: &[u64]) -> Statistics {
        let mut statistics = Statistics::below(1000);
        for &number in numbers {
            assert!(statistics.record(number));
        }
        statistics
    }

    #[test]
    fn moments_and_percentiles() {
        let statistics = of(&[2, 4, 4, 4, 5, 5, 7, 9]);
        let mean = statistics.mean();
        let stdev = statistics.stdev(mean);
        assert!((mean - 5.0).abs() < 1e-12 && (stdev - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        assert!((statistics.percent_within(mean, stdev) - 75.0).abs() < 1e-12);
        // rank = round(p/100 * 8 + 0.5): 5, 8 and 9, more than there are.
        assert_eq!([50.0, 90.0, 100.0].map(|p| statistics.percentile(p)), [5, 9, 0]);
        assert_eq!((statistics.min, statistics.max, statistics.count), (2, 9, 8));
    }

    #[test]
    fn nothing_has_no_statistics() {
        let none = Statistics::below(10);
        assert_eq!((none.mean(), none.stdev(0.0), none.percentile(50.0)), (0.0, 0.0, 0));
        assert!(none.percent_within(0.0, 0.0).is_nan());
    }

    #[test]
    fn what_reaches_the_limit_is_left_out() {
        let mut statistics = Statistics::below(10);
        assert!(statistics.record(9) && !statistics.record(10) && !statistics.record(u64::MAX));
        assert_eq!((statistics.count, statistics.max), (1, 9));
    }

    #[test]
    fn merging_is_counting_all_together() {
        let (mut left, right) = (of(&[1, 500]), of(&[0, 3, 3]));
        left.merge(&right);
        assert_eq!(left.iter().collect::<Vec<_>>(), [(0, 1), (1, 1), (3, 2), (500, 1)]);
        assert_eq!((left.count, left.min, left.max), (5, 0, 500));
    }

    #[test]
    fn the_correction_adds_ghosts_at_every_interval_below() {
        let mut statistics = of(&[3, 35, 90]);
        assert_eq!(statistics.correct(10), 2 + 7);
        let ghosts = [(3, 1), (15, 1), (20, 1), (25, 1), (30, 1), (35, 1), (40, 1), (50, 1)];
        let more = [(60, 1), (70, 1), (80, 1), (90, 1)];
        assert_eq!(statistics.iter().collect::<Vec<_>>(), [&ghosts[..], &more[..]].concat());
        // Less than twice the interval: no other request would have been sent.
        assert_eq!(of(&[19]).correct(10), 0);
        assert_eq!(of(&[19]).correct(0), 0);
    }
}
