//! Latencies of one kind, where some requests took for ever.

use volley_load::by_request::RequestTally;
use volley_load::figures::LatencyUs;
use volley_load::histogram::Latencies;

/// The percentiles of a whole distribution.
const PERCENTS: [(&str, f64); 9] = [
    ("50", 0.5),
    ("75", 0.75),
    ("90", 0.9),
    ("95", 0.95),
    ("99", 0.99),
    ("99.9", 0.999),
    ("99.99", 0.9999),
    ("99.999", 0.99999),
    ("100", 1.0),
];

/// A percentile with fewer requests beyond it depends on chance.
const ENOUGH_BEYOND: f64 = 10.0;

/// Latencies of one kind. Requests that never reached it count as infinitely late.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column<'a> {
    pub(super) latencies: &'a Latencies,
    pub(super) misses: u64,
}

impl<'a> Column<'a> {
    /// The latencies of one request.
    pub(super) fn of(request: &'a RequestTally) -> Self {
        Self { latencies: &request.latencies, misses: request.misses }
    }

    /// The number of requests, misses included.
    pub(super) fn count(&self) -> u64 {
        self.latencies.count() + self.misses
    }

    /// The mean without misses.
    pub(super) fn mean_us(&self) -> Option<f64> {
        (self.latencies.count() > 0).then(|| self.latencies.mean_us())
    }

    /// `None`: infinitely late, or there are no latencies.
    pub(super) fn quantile_us(&self, quantile: f64) -> Option<f64> {
        self.latencies.quantile_us(quantile, self.misses)
    }

    pub(super) fn figures(&self) -> Option<LatencyUs> {
        Some(LatencyUs::of(self.mean_us()?, None, |quantile| self.quantile_us(quantile)))
    }
}

/// The percentiles that this many requests can show, with their names; the maximum is always
/// included.
pub(super) fn percents(count: u64) -> impl Iterator<Item = (&'static str, f64)> {
    // 1 - 0.99 is not quite 0.01.
    let beyond = move |share: f64| count as f64 * (1.0 - share) + 1e-6;
    let enough = move |share| share >= 1.0 || beyond(share) >= ENOUGH_BEYOND;
    PERCENTS.into_iter().filter(move |&(_, share)| enough(share))
}

/// Whether [`percents`] omits some.
pub(super) fn is_cut(count: u64) -> bool {
    percents(count).count() < PERCENTS.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_need_ten_requests_beyond_them() {
        let last = |count| {
            let names: Vec<&str> = percents(count).map(|(name, _)| name).collect();
            assert_eq!(names.last(), Some(&"100"));
            names.len().checked_sub(2).map(|index| names[index])
        };
        assert_eq!((last(0), last(19), last(20), last(39)), (None, None, Some("50"), Some("50")));
        assert_eq!((last(999), last(1000)), (Some("95"), Some("99")));
        assert_eq!((last(999_999), last(1_000_000)), (Some("99.99"), Some("99.999")));
        assert!(is_cut(999_999) && !is_cut(1_000_000));
    }

    #[test]
    fn misses_are_infinitely_late_but_not_in_the_mean() {
        let mut latencies = Latencies::default();
        (0..9).for_each(|_| latencies.record(1000));
        let column = Column { latencies: &latencies, misses: 1 };
        assert_eq!((column.count(), column.mean_us()), (10, Some(1.0)));
        assert!(column.quantile_us(0.9).is_some() && column.quantile_us(0.91).is_none());
        let nothing = Column { latencies: &Latencies::default(), misses: 0 };
        assert_eq!((nothing.mean_us(), nothing.quantile_us(0.5)), (None, None));
    }
}
