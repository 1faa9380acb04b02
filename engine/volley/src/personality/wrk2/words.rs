//! What we say in our own words: usage, version, figures as JSON, advice.

use super::arguments::Arguments;
use super::at_rate::AtRate;
use super::histogram::Values;
use crate::personality::advice::generator_was_the_limit;
use crate::personality::extras;
use crate::personality::figures::{Figures, LatencyUs};
use crate::personality::wrk::load::Measured;
use crate::personality::wrk::words;

/// What `-v` prints.
pub(super) const VERSION: &str =
    concat!("wrk2 4.0.0, as volley ", env!("CARGO_PKG_VERSION"), " stands in for it\n");

/// What a wrong command line is answered with.
pub(super) fn usage() -> String {
    format!(
        "\
Usage: wrk2 [OPTION]... -R RATE URL [-- ARGUMENT...]
Loads URL at a constant rate over connections that are kept, and prints what came of it.

  -R, --rate N         requests a second, all threads together (needed)
  -c, --connections N  connections, all threads together (10)
  -d, --duration T     how long (10s)
  -t, --threads N      threads (2)
  -s, --script FILE    a Lua script; the ARGUMENTs are for it
  -H, --header H       a header of every request, as in 'Name: value'
  -L, --latency        print the distribution of latencies since requests were due as well
  -U, --u_latency      and that of latencies since they were sent
  -B, --batch_latency  time only the last answer of a batch of requests
      --timeout T      requests that wait so long count as timeouts (2s)
  -v, --version        print the version
{}
N may have a unit (1k, 1M, 1G), T too (2s, 2m, 2h).
",
        extras::USAGE
    )
}

/// `--json`.
pub(super) fn figures(arguments: &Arguments, measured: &Measured, found: &AtRate) -> Figures {
    let figures = words::figures("wrk2", &arguments.wrk, measured, latency_us(&found.latencies));
    let limited_by = match figures.limited_by {
        // Each connection may have a request on its way when the time is up.
        "unknown" if found.missing <= arguments.wrk.connections => "rate",
        other => other,
    };
    Figures {
        service_us: latency_us(&found.uncorrected),
        misses: found.missing,
        limited_by,
        mode: "open",
        rate: Some(arguments.rate as f64),
        ..figures
    }
}

fn latency_us(latencies: &Values) -> Option<LatencyUs> {
    let quantile = |share: f64| latencies.percentile(100.0 * share) as f64;
    let latency_us = || LatencyUs::of(latencies.mean(), latencies.stdev(), quantile);
    (latencies.count() > 0).then(latency_us)
}

/// What the figures don't say.
pub(super) fn advice(arguments: &Arguments, measured: &Measured, found: &AtRate) -> Vec<String> {
    let errors = &measured.counts.errors;
    let threads = measured.threads;
    let uncalibrated = (found.calibrated < threads).then(|| {
        format!(
            "{} of {threads} threads did not get to wrk2's calibration, 10 s and 5 ms for each of a \
             thread's connections after the beginning: their latencies have the beginning in them, \
             and there are none of their rates",
            threads - found.calibrated
        )
    });
    let thrown_away = (found.calibrated > 0).then(|| {
        "no latency above is of the time before the calibration: wrk2 throws those away".to_owned()
    });
    let missing = (found.missing > arguments.wrk.connections).then(|| {
        format!(
            "{} requests were due and had no answer when the time was up: they are in no latency \
             above; bakeoff load --rate counts them as infinitely late",
            found.missing
        )
    });
    let idle = (found.idle_timeouts > 0).then(|| {
        format!(
            "{} of the {} timeouts are none: wrk2 looks when a connection last sent, and at this \
             rate they have longer pauses than the timeout",
            found.idle_timeouts, errors.timeout
        )
    });
    let failed = (errors.status > 0)
        .then(|| format!("{} answers were errors, and count as requests", errors.status));
    [generator_was_the_limit(measured.busy()), uncalibrated, thrown_away, missing, idle, failed]
        .into_iter()
        .flatten()
        .collect()
}
