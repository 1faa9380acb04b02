//! wrk's output.

use super::arguments::Arguments;
use super::load::Measured;
use super::statistics::Statistics;
use super::units::{bytes, column, count, time_s, time_us};
use std::fmt::Write;

/// Printed before the load begins.
pub(crate) fn heading(arguments: &Arguments) -> String {
    format!(
        "Running {} test @ {}\n  {} threads and {} connections\n",
        time_s(arguments.duration_s as f64),
        arguments.url_text(),
        arguments.threads,
        arguments.connections
    )
}

/// Printed after it. `latencies`: the ones that wrk prints, which it has corrected.
pub(crate) fn result(
    arguments: &Arguments,
    measured: &Measured,
    latencies: &Statistics,
    rates: &Statistics,
) -> String {
    let mut out = spreads(&Spread::of(latencies), &Spread::of(rates));
    if arguments.latency {
        distribution(&mut out, latencies);
    }
    out.push_str(&totals(measured));
    out
}

/// The distribution of figures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) mean: f64,
    pub(crate) stdev: f64,
    pub(crate) max: f64,
    /// How many percent are within `stdev` of `mean`.
    pub(crate) percent_within: f64,
}

impl Spread {
    fn of(statistics: &Statistics) -> Self {
        let mean = statistics.mean();
        let stdev = statistics.stdev(mean);
        let percent_within = statistics.percent_within(mean, stdev);
        Self { mean, stdev, max: statistics.max as f64, percent_within }
    }
}

/// The table of latencies, in µs, and of rates.
pub(crate) fn spreads(latency_us: &Spread, rate: &Spread) -> String {
    let heads = ["Avg", "Stdev", "Max", "+/- Stdev"];
    let [avg, stdev, max, within] = heads;
    let head = format!("  Thread Stats{avg:>6}{stdev:>11}{max:>8}{within:>12}\n");
    [head, row("Latency", latency_us, time_us), row("Req/Sec", rate, count)].concat()
}

fn row(name: &str, spread: &Spread, show: fn(f64) -> String) -> String {
    let Spread { mean, stdev, max, percent_within } = *spread;
    // C's spelling of NaN.
    let shown = |text: String| text.replace("NaN", "-nan");
    let cell = |number, width| column(&shown(show(number)), width);
    format!(
        "    {name:<10}{}{}{}{:>8}%\n",
        cell(mean, 8),
        cell(stdev, 10),
        cell(max, 9),
        shown(format!("{percent_within:.2}")),
    )
}

/// Requests and bytes, errors if there are any, and rates.
pub(crate) fn totals(measured: &Measured) -> String {
    let mut out = String::new();
    let runtime_us = measured.runtime_us as f64;
    let _ = writeln!(
        out,
        "  {} requests in {}, {}B read",
        measured.counts.complete,
        time_us(runtime_us),
        bytes(measured.counts.bytes as f64)
    );
    let errors = &measured.counts.errors;
    let socket = [errors.connect, errors.read, errors.write, errors.timeout];
    if socket.iter().any(|&times| times > 0) {
        let [connect, read, write, timeout] = socket;
        let _ = writeln!(
            out,
            "  Socket errors: connect {connect}, read {read}, write {write}, timeout {timeout}"
        );
    }
    if errors.status > 0 {
        let _ = writeln!(out, "  Non-2xx or 3xx responses: {}", errors.status);
    }
    let per_s = |number: u64| number as f64 / (runtime_us / 1e6);
    let _ = writeln!(out, "Requests/sec: {:>9.2}", per_s(measured.counts.complete));
    let _ = writeln!(out, "Transfer/sec: {:>10}B", bytes(per_s(measured.counts.bytes)));
    out
}

fn distribution(out: &mut String, latencies: &Statistics) {
    out.push_str("  Latency Distribution\n");
    for percent in [50.0, 75.0, 90.0, 99.0] {
        let latency = time_us(latencies.percentile(percent) as f64);
        let _ = writeln!(out, "{percent:>7.0}%{}", column(&latency, 10));
    }
}
