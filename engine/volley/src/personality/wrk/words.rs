//! What we say in our own words: usage, version, figures as JSON, advice.

use super::arguments::Arguments;
use super::connections::Counts;
use super::load::Measured;
use super::statistics::Statistics;
use super::units::time_us;
use crate::personality::advice::{coordinated_omission, generator_was_the_limit};
use crate::personality::extras;
use crate::personality::figures::{Client, Counted, Figures, LatencyUs};
use crate::personality::script::{Errors, Summary};

/// What `-v` prints.
pub(crate) const VERSION: &str =
    concat!("wrk 4.1.0, as volley ", env!("CARGO_PKG_VERSION"), " stands in for it\n");

/// What a wrong command line is answered with.
pub(crate) fn usage() -> String {
    format!(
        "\
Usage: wrk [OPTION]... URL [-- ARGUMENT...]
Loads URL over connections that are kept, and prints what came of it.

  -c, --connections N  connections, all threads together (10)
  -d, --duration T     how long (10s)
  -t, --threads N      threads (2)
  -s, --script FILE    a Lua script; the ARGUMENTs are for it
  -H, --header H       a header of every request, as in 'Name: value'
      --latency        print percentiles of the latency as well
      --timeout T      answers after so long count as timeouts (2s)
  -v, --version        print the version
{}
N may have a unit (1k, 1M, 1G), T too (2s, 2m, 2h).
",
        extras::USAGE
    )
}

/// What a script's `done` is told.
pub(crate) fn summary(measured: &Measured) -> Summary {
    let Counts { complete: requests, bytes, errors, .. } = measured.counts;
    Summary { duration_us: measured.runtime_us, requests, bytes, errors }
}

/// `--json`.
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
        url: arguments.url.clone(),
        requests: counts.complete,
        bytes: counts.bytes,
        duration_s: measured.runtime_us as f64 / 1e6,
        connects: counts.connects,
        connections: usize::try_from(arguments.connections).unwrap_or(usize::MAX),
    };
    let client = Client {
        cpu_us_per_request: counts.cpu_ns as f64 / 1e3 / counts.complete.max(1) as f64,
        busy: measured.busy(),
        threads: measured.threads,
    };
    Figures {
        latency_us,
        errors: errors.into_iter().filter(|&(_, times)| times > 0).collect(),
        redirects: counts.redirects,
        ..Figures::closed(personality, measured.io, counted, client)
    }
}

/// As they were.
pub(crate) fn latency_us(latencies: &Statistics) -> Option<LatencyUs> {
    let mean = latencies.mean();
    let quantile = |share: f64| match share {
        1.0.. => latencies.max as f64,
        share => latencies.percentile(share * 100.0) as f64,
    };
    (latencies.count > 0).then(|| LatencyUs::of(mean, latencies.stdev(mean), quantile))
}

/// What the figures don't say. `exact`: the latencies; `corrected`: as wrk prints them, with so many
/// `ghosts` added.
pub(crate) fn advice(
    measured: &Measured,
    exact: &Statistics,
    corrected: &Statistics,
    ghosts: u64,
) -> Vec<String> {
    let said = |statistics: &Statistics| {
        let [p50, p99] = [50.0, 99.0].map(|p| time_us(statistics.percentile(p) as f64));
        let (mean, max) = (time_us(statistics.mean()), time_us(statistics.max as f64));
        format!("mean {mean}, 50 % {p50}, 99 % {p99}, max {max}")
    };
    let correction = (ghosts > 0).then(|| {
        format!(
            "wrk adds {ghosts} latencies that nobody measured to the {} that were (its correction \
             for coordinated omission); without them: {}; printed: {}",
            exact.count,
            said(exact),
            said(corrected)
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
