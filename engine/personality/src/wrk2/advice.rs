//! Figures for `--json`, and advice.

use super::arguments::Arguments;
use super::constant_rate::ConstantRate;
use super::histogram::Values;
use crate::advice::generator_was_the_limit;
use crate::figures::Figures;
use crate::wrk::advice;
use crate::wrk::load::Measured;
use volley_load::figures::{LatencyUs, LimitedBy, Mode};

/// The figures for `--json`.
pub(super) fn figures(
    arguments: &Arguments,
    measured: &Measured,
    recorded: &ConstantRate,
) -> Figures {
    let figures =
        advice::figures("wrk2", &arguments.wrk, measured, latency_us(&recorded.latencies));
    let limited_by = match figures.limited_by {
        // Each connection may have a request in flight when the time is up.
        LimitedBy::Unknown if recorded.missing <= arguments.wrk.connections => LimitedBy::Rate,
        other => other,
    };
    Figures {
        service_us: latency_us(&recorded.uncorrected),
        misses: Some(recorded.missing),
        unsent: None,
        limited_by,
        mode: Mode::Open,
        rate: Some(arguments.rate as f64),
        ..figures
    }
}

fn latency_us(latencies: &Values) -> Option<LatencyUs> {
    let quantile = |share: f64| Some(latencies.percentile(100.0 * share) as f64);
    let latency_us = || LatencyUs::of(latencies.mean(), Some(latencies.stdev()), quantile);
    (latencies.count() > 0).then(latency_us)
}

/// What the figures do not show.
pub(super) fn advice(
    arguments: &Arguments,
    measured: &Measured,
    recorded: &ConstantRate,
) -> Vec<String> {
    let errors = &measured.counts.errors;
    let threads = measured.threads;
    let uncalibrated = (recorded.calibrated < threads).then(|| {
        format!(
            "{} of {threads} threads did not get to wrk2's calibration, 10 s and 5 ms for each of a \
             thread's connections after the beginning: their latencies have the beginning in them, \
             and there are none of their rates",
            threads - recorded.calibrated
        )
    });
    let thrown_away = (recorded.calibrated > 0).then(|| {
        "no latency above is of the time before the calibration: wrk2 throws those away".to_owned()
    });
    let missing = (recorded.missing > arguments.wrk.connections).then(|| {
        format!(
            "{} requests were due and had no answer when the time was up: they are in no latency \
             above; bakeoff load --rate counts them as infinitely late",
            recorded.missing
        )
    });
    let idle = (recorded.idle_timeouts > 0).then(|| {
        format!(
            "{} of the {} timeouts are none: wrk2 looks when a connection last sent, and at this \
             rate they have longer pauses than the timeout",
            recorded.idle_timeouts, errors.timeout
        )
    });
    let failed = (errors.status > 0)
        .then(|| format!("{} answers were errors, and count as requests", errors.status));
    [generator_was_the_limit(measured.busy()), uncalibrated, thrown_away, missing, idle, failed]
        .into_iter()
        .flatten()
        .collect()
}
