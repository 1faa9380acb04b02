//! wrk2's statistics: an `HdrHistogram`, with figures computed as in wrk2's C library. The Rust
//! library rounds ranks differently, and has other figures for no values.

use crate::script;
use crate::wrk::report::Spread;
use hdrhistogram::Histogram;

/// A day in µs. Longer latencies are not counted.
const LONGEST: u64 = 24 * 60 * 60 * 1_000_000;

/// Steps of the spectrum until half of the distance to 100 % is covered.
const TICKS_PER_HALF: f64 = 5.0;

/// The sub-buckets of a bucket: the C library's count for three digits.
pub(crate) const SUB_BUCKETS: u32 = 2048;

/// Whole numbers, to three digits.
#[derive(Debug, Clone)]
pub(crate) struct Values {
    histogram: Histogram<u64>,
    /// The exact smallest and largest value, if they are wanted.
    extremes: Option<(u64, u64)>,
}

/// A line of the spectrum: a share of the values does not exceed `value`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: u64,
    /// From 0 to 1.
    pub(crate) share: f64,
    /// How many values do not exceed it.
    pub(crate) total: u64,
}

impl Default for Values {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST, 3).expect("these bounds are valid");
        Self { histogram, extremes: None }
    }
}

impl Values {
    /// With the exact smallest and largest value, which wrk2 has for rates.
    pub(crate) fn with_extremes() -> Self {
        Self { extremes: Some((u64::MAX, 0)), ..Self::default() }
    }

    /// Adds one value.
    #[inline]
    pub(crate) fn record(&mut self, value: u64) {
        // A value out of range is ignored.
        let _ = self.histogram.record(value);
        self.extend(value, value);
    }

    fn extend(&mut self, least: u64, most: u64) {
        if let Some((min, max)) = &mut self.extremes {
            (*min, *max) = ((*min).min(least), (*max).max(most));
        }
    }

    /// Adds another's.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.histogram.add(&other.histogram).expect("the bounds are the same");
        if let Some((min, max)) = other.extremes {
            self.extend(min, max);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.histogram.reset();
    }

    pub(crate) fn count(&self) -> u64 {
        self.histogram.len()
    }

    pub(crate) fn buckets(&self) -> u8 {
        self.histogram.buckets()
    }

    /// Returns NaN if there are no values.
    pub(crate) fn mean(&self) -> f64 {
        let sum: f64 = self.middles().map(|(middle, count)| middle * count).sum();
        sum / self.count() as f64
    }

    /// The value for a whole population: over n. NaN if there are no values.
    pub(crate) fn stdev(&self) -> f64 {
        let mean = self.mean();
        let squares = self.middles().map(|(middle, count)| (middle - mean).powi(2) * count);
        (squares.sum::<f64>() / self.count() as f64).sqrt()
    }

    /// The exact smallest value, or the smallest that is the same to three digits.
    pub(crate) fn min(&self) -> u64 {
        let lowest = || self.bins().next().map_or(0, |bin| bin.lowest);
        self.extremes.map_or_else(lowest, |(min, _)| min)
    }

    /// The exact largest value, or the smallest that is the same to three digits.
    pub(crate) fn max(&self) -> u64 {
        let lowest = || self.bins().last().map_or(0, |bin| bin.lowest);
        self.extremes.map_or_else(lowest, |(_, max)| max)
    }

    /// The value that `percent` of them do not exceed, the largest that is the same to three
    /// digits; 0 if there are no values.
    pub(crate) fn percentile(&self, percent: f64) -> u64 {
        let rank = (percent.min(100.0) / 100.0 * self.count() as f64 + 0.5).floor().max(1.0);
        let mut total = 0;
        let mut bins = self.bins();
        let bin = bins.find(|bin| {
            total += bin.count;
            total as f64 >= rank
        });
        bin.map_or(0, |bin| bin.highest)
    }

    /// How many percent lie within `stdev` of `mean`, whole bins of the histogram counted as one
    /// value; 0 if there are no values.
    #[expect(clippy::cast_possible_truncation, reason = "the limits are whole numbers in C")]
    pub(crate) fn percent_within(&self, mean: f64, stdev: f64) -> f64 {
        if self.count() == 0 {
            return 0.0;
        }
        let (lower, upper) = ((mean - stdev) as i64, (mean + stdev) as i64);
        let (mut total, mut below, mut within) = (0, 0, None);
        for value in self.histogram.iter_all() {
            let highest = value.value_iterated_to();
            let lowest = self.histogram.lowest_equivalent(highest);
            total += value.count_at_value();
            if lower > lowest.cast_signed() {
                below = total;
            }
            if upper < highest.cast_signed() {
                within = Some(total);
            }
            if within.is_some() || total == self.count() {
                break;
            }
        }
        let above_none = within.unwrap_or(self.count());
        100.0 * (above_none as f64 - below as f64) / self.count() as f64
    }

    /// The figures of the table.
    pub(crate) fn spread(&self) -> Spread {
        let (mean, stdev) = (self.mean(), self.stdev());
        let percent_within = self.percent_within(mean, stdev);
        Spread { mean, stdev, max: self.max() as f64, percent_within }
    }

    /// Shares of the values in steps that halve with each halving of the distance to all of them.
    pub(crate) fn spectrum(&self) -> Vec<Tick> {
        let (mut ticks, mut total, mut value) = (Vec::new(), 0, 0);
        let mut percent = 0.0;
        for bin in self.bins() {
            total += bin.count;
            value = bin.highest;
            let reached = 100.0 * total as f64 / self.count() as f64;
            while percent <= reached {
                ticks.push(Tick { value, share: percent / 100.0, total });
                let halvings = ((100.0_f64 / (100.0 - percent)).ln() / 2.0_f64.ln()).floor();
                percent += 100.0 / (TICKS_PER_HALF * (halvings + 1.0).exp2());
                // The largest has a single step.
                if total == self.count() {
                    break;
                }
            }
        }
        ticks.push(Tick { value, share: 1.0, total });
        ticks
    }

    fn bins(&self) -> impl Iterator<Item = Bin> {
        self.histogram.iter_recorded().map(|value| {
            let highest = value.value_iterated_to();
            let lowest = self.histogram.lowest_equivalent(highest);
            Bin { lowest, highest, count: value.count_at_value() }
        })
    }

    /// The middle and the count of each bin.
    fn middles(&self) -> impl Iterator<Item = (f64, f64)> {
        self.bins().map(|bin| {
            let middle = self.histogram.median_equivalent(bin.lowest);
            (middle as f64, bin.count as f64)
        })
    }
}

/// The interface for a script's `done`: all values in their order, as if all differed.
impl script::Statistics for Values {
    fn min(&self) -> u64 {
        self.min()
    }

    fn max(&self) -> u64 {
        self.max()
    }

    fn mean(&self) -> f64 {
        self.mean()
    }

    fn stdev(&self) -> f64 {
        self.stdev()
    }

    fn percentile(&self, percent: f64) -> u64 {
        self.percentile(percent)
    }

    fn distinct(&self) -> u64 {
        self.count()
    }

    fn at(&self, index: u64) -> Option<(u64, u64)> {
        let percent = 100.0 * (index + 1) as f64 / self.count() as f64;
        (index < self.count()).then(|| (self.percentile(percent), 1))
    }

    fn is_indexed(&self) -> bool {
        true
    }
}

/// Values that are the same to three digits.
struct Bin {
    lowest: u64,
    highest: u64,
    count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Values {
        let mut all = Values::default();
        values.into_iter().for_each(|value| all.record(value));
        all
    }

    #[test]
    fn it_has_the_c_library_s_size() {
        assert_eq!((Values::default().buckets(), SUB_BUCKETS), (27, 2048));
        // 2047 is stored exactly, 2049 is not.
        assert_eq!((of([2047]).percentile(50.0), of([2049]).percentile(50.0)), (2047, 2049));
        assert_eq!((of([2049]).max(), of([2049]).min()), (2048, 2048));
    }

    #[test]
    fn nothing_has_no_mean() {
        let none = Values::default();
        assert!(none.mean().is_nan() && none.stdev().is_nan());
        assert_eq!((none.min(), none.max(), none.percentile(50.0)), (0, 0, 0));
        assert!(none.percent_within(none.mean(), none.stdev()).abs() < f64::EPSILON);
        assert_eq!(none.spectrum(), [Tick { value: 0, share: 1.0, total: 0 }]);
    }

    #[test]
    fn moments_are_of_the_population() {
        let values = of([2, 4, 4, 4, 5, 5, 7, 9]);
        assert!((values.mean() - 5.0).abs() < 1e-12 && (values.stdev() - 2.0).abs() < 1e-12);
        // Ranks are rounded: 4.5, 6.5, 7.7, and never none.
        assert_eq!([50.0, 75.0, 90.0, 0.0].map(|p| values.percentile(p)), [4, 5, 7, 2]);
        assert_eq!((values.min(), values.max(), values.count()), (2, 9, 8));
        // From 3 to 7, which is counted whole at the first value beyond it: 9 is.
        assert!((values.percent_within(5.0, 2.0) - 75.0).abs() < 1e-12);
    }

    #[test]
    fn values_that_are_one_to_three_digits_are_none_within_nothing() {
        // As published for 8 answers after 15.04 s: their bin's middle is above its beginning.
        let values = of([15_040_000; 8]);
        let (mean, stdev) = (values.mean(), values.stdev());
        assert!(stdev.abs() < f64::EPSILON && mean > values.max() as f64);
        assert!(values.percent_within(mean, stdev).abs() < f64::EPSILON);
    }

    #[test]
    fn what_is_longer_than_any_is_left_out() {
        let mut values = of([1, u64::MAX, 1 << 50]);
        assert_eq!(values.count(), 1);
        values.merge(&of([3]));
        assert_eq!((values.count(), values.max()), (2, 3));
        values.clear();
        assert_eq!(values.count(), 0);
    }

    #[test]
    fn steps_of_the_spectrum_halve() {
        let spectrum = of(1..=1000).spectrum();
        let shares: Vec<f64> = spectrum.iter().map(|tick| 100.0 * tick.share).collect();
        let first = [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 55.0, 60.0, 65.0, 70.0, 75.0, 77.5];
        assert!(shares.iter().zip(first).all(|(share, is)| (share - is).abs() < 1e-9));
        let [.., before, last] = spectrum.as_slice() else { panic!("there are many") };
        assert_eq!((before.value, before.total, last.value, last.total), (1000, 1000, 1000, 1000));
        assert!(before.share < 1.0 && last.share >= 1.0);
    }

    #[test]
    fn extremes_are_exact_where_they_are_wanted() {
        let (mut rates, mut other) = (Values::with_extremes(), Values::with_extremes());
        rates.record(10_001);
        rates.record(0);
        other.record(20_003);
        rates.merge(&other);
        assert_eq!((rates.min(), rates.max(), of([20_003]).max()), (0, 20_003, 20_000));
    }
}
