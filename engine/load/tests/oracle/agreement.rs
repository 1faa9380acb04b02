//! Whether latencies are as expected.

use volley_load::histogram::Latencies;
use volley_net::clock::MS;

/// Three digits of a latency are kept.
pub(crate) const KEPT: f64 = 0.999;

/// How far a quantile may be from the expected one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Earlier or later than expected.
    pub(crate) tolerance_ns: f64,
    /// The quantile may also be that of a rank that is lower by this share (1: as short as it
    /// likes)...
    pub(crate) below: f64,
    /// ...or higher by this share (1: as long as it likes).
    pub(crate) above: f64,
}

impl Bounds {
    /// In an open loop a disturbance makes latencies longer, never shorter.
    pub(crate) fn open_loop(tolerance_ns: f64, disturbed: f64) -> Self {
        Self { tolerance_ns, below: 0.0, above: disturbed }
    }

    /// In closed loop later requests may meet fewer stalls.
    pub(crate) fn closed_loop(tolerance_ns: f64, disturbed: f64) -> Self {
        Self { tolerance_ns, below: disturbed, above: disturbed }
    }

    /// The range of Q(p). A disturbed request may take for ever.
    fn range_ns(self, p: f64, expected_ns: impl Fn(f64) -> f64) -> (f64, f64) {
        let (below, above) = (p - self.below, p + self.above);
        let least_ns = if below > 0.0 { expected_ns(below) - self.tolerance_ns } else { 0.0 };
        let most_ns =
            if above < 1.0 { expected_ns(above) + self.tolerance_ns } else { f64::INFINITY };
        (least_ns, most_ns)
    }
}

/// 3 % of a stall, but 2 ms at least.
pub(crate) fn tolerance_ns(stall_ns: u64) -> f64 {
    (stall_ns as f64 * 0.03).max(2.0 * MS as f64)
}

/// The quantiles that are not as expected, as messages. `expected_ns`: from p to Q(p).
pub(crate) fn disagreements(
    latencies: &Latencies,
    at: impl IntoIterator<Item = f64>,
    expected_ns: impl Fn(f64) -> f64,
    bounds: Bounds,
) -> Vec<String> {
    let words = |p| {
        let found_ns = latencies.quantile_us(p, 0)? * 1e3;
        let (least_ns, most_ns) = bounds.range_ns(p, &expected_ns);
        let is_right = least_ns <= found_ns && found_ns <= most_ns;
        (!is_right).then(|| format!("Q({p:.4}) is {found_ns} ns, not {least_ns} to {most_ns}"))
    };
    at.into_iter().filter_map(words).collect()
}

/// Fails where quantiles are not as expected.
pub(crate) fn assert_agrees(
    what: &str,
    latencies: &Latencies,
    at: impl IntoIterator<Item = f64>,
    expected_ns: impl Fn(f64) -> f64,
    bounds: Bounds,
) {
    let wrong = disagreements(latencies, at, expected_ns, bounds);
    assert!(wrong.is_empty(), "{what}, {bounds:?}: {wrong:#?}");
}

/// Fails where latencies are shorter than these sorted lower bounds.
pub(crate) fn assert_none_faster(latencies: &Latencies, least_ns: &[u64]) {
    assert_eq!(latencies.count(), least_ns.len() as u64);
    for p in percents().chain([1.0]) {
        let (found_ns, least_ns) =
            (latencies.quantile_us(p, 0).unwrap() * 1e3, quantile_ns(least_ns, p));
        assert!(found_ns >= least_ns * KEPT, "Q({p}) is {found_ns} ns, at least {least_ns}");
    }
}

/// The mean of the shortest latencies, a share of all.
pub(crate) fn mean_of_shortest_ns(latencies: &Latencies, share: f64) -> f64 {
    let count = latencies.count() as f64 * share;
    let (mut counted, mut sum_ns) = (0.0, 0.0);
    for bucket in latencies.histogram().iter_recorded() {
        let counts = (bucket.count_at_value() as f64).min(count - counted);
        counted += counts;
        sum_ns += counts * bucket.value_iterated_to() as f64;
    }
    sum_ns / counted
}

/// The latency that a share `p` of sorted ones does not exceed.
pub(crate) fn quantile_ns(sorted_ns: &[u64], p: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "p is a share")]
    let rank = (p * sorted_ns.len() as f64).ceil().max(1.0) as usize;
    sorted_ns[rank - 1] as f64
}

/// From 1 % to 99 %.
pub(crate) fn percents() -> impl Iterator<Item = f64> {
    (1..100).map(|percent| f64::from(percent) / 100.0)
}
