//! Figures for `--json`, and advice.

use super::arguments::Arguments;
use super::connections::Counts;
use super::load::Measured;
use super::statistics::Statistics;
use super::units::time_us;
use crate::advice::{coordinated_omission, generator_was_the_limit};
use crate::figures::{Counted, Figures, closed};
use crate::script::{Errors, Summary};
use volley_load::figures::{Client, LatencyUs};

/// The values for a script's `done`.
pub(crate) fn summary(measured: &Measured) -> Summary {
    let Counts { complete: requests, bytes, errors, .. } = measured.counts;
    Summary { duration_us: measured.runtime_us, requests, bytes, errors }
}

/// The figures for `--json`.
pub(crate) fn figures(
    personality: &'static str,
    arguments: &Arguments,
    measured: &Measured,
    latency_us: Option<LatencyUs>,
) -> Figures {
    let counts = &measured.counts;
    let Errors { connect, read, write, status, timeout } = counts.errors;
    let errors = [
        ("connect", connect),
        ("read", read),
        ("write", write),
        ("status", status),
        ("timeout", timeout),
    ];
    let counted = Counted {
        url: arguments.url_text().to_owned(),
        requests: counts.complete,
        bytes: counts.bytes,
        duration_s: measured.runtime_us as f64 / 1e6,
        connects: counts.connects,
        connections: usize::try_from(arguments.connections).unwrap_or(usize::MAX),
    };
    let (busy, threads) = (measured.busy(), measured.threads);
    let client = Client::new(counts.cpu_ns, counts.complete, busy, threads);
    let figures = closed(personality, measured.io, counted, client, &errors);
    Figures { latency_us, redirects: Some(counts.redirects), ..figures }
}

/// The latencies as measured.
pub(crate) fn latency_us(latencies: &Statistics) -> Option<LatencyUs> {
    let mean = latencies.mean();
    let quantile = |share: f64| match share {
        1.0.. => Some(latencies.max as f64),
        share => Some(latencies.percentile(share * 100.0) as f64),
    };
    (latencies.count > 0).then(|| LatencyUs::of(mean, Some(latencies.stdev(mean)), quantile))
}

/// What the figures do not show. `exact`: the latencies; `corrected`: those that wrk prints, with
/// `ghosts` added ones.
pub(crate) fn advice(
    measured: &Measured,
    exact: &Statistics,
    corrected: &Statistics,
    ghosts: u64,
) -> Vec<String> {
    let shown = |statistics: &Statistics| {
        let [p50, p99] = [50.0, 99.0].map(|p| time_us(statistics.percentile(p) as f64));
        let (mean, max) = (time_us(statistics.mean()), time_us(statistics.max as f64));
        format!("mean {mean}, 50 % {p50}, 99 % {p99}, max {max}")
    };
    let correction = (ghosts > 0).then(|| {
        format!(
            "wrk adds {ghosts} latencies that nobody measured to the {} that were (its correction \
             for coordinated omission); without them: {}; printed: {}",
            exact.count,
            shown(exact),
            shown(corrected)
        )
    });
    let errors = &measured.counts.errors;
    let left_out = (errors.timeout > 0).then(|| {
        format!("{} answers came after the timeout: they are in no latency above", errors.timeout)
    });
    let failed = (errors.status > 0)
        .then(|| format!("{} answers were errors, and count as requests", errors.status));
    [
        generator_was_the_limit(measured.busy()),
        correction,
        left_out,
        failed,
        (exact.count > 0).then(coordinated_omission),
    ]
    .into_iter()
    .flatten()
    .collect()
}
