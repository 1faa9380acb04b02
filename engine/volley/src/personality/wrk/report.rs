//! What wrk prints of a run.

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
        arguments.url,
        arguments.threads,
        arguments.connections
    )
}

/// Printed after it, with the latencies as wrk corrects them.
pub(crate) fn result(arguments: &Arguments, measured: &Measured, corrected: &Statistics) -> String {
    let mut out = String::new();
    let heads = ["Avg", "Stdev", "Max", "+/- Stdev"];
    let _ = writeln!(
        out,
        "  Thread Stats{:>6}{:>11}{:>8}{:>12}",
        heads[0], heads[1], heads[2], heads[3]
    );
    row(&mut out, "Latency", corrected, time_us);
    row(&mut out, "Req/Sec", &measured.counts.rates, count);
    if arguments.latency {
        distribution(&mut out, corrected);
    }
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

fn row(out: &mut String, name: &str, statistics: &Statistics, show: fn(f64) -> String) {
    let mean = statistics.mean();
    let stdev = statistics.stdev(mean);
    let within = statistics.percent_within(mean, stdev);
    let within = if within.is_nan() { "-nan".to_owned() } else { format!("{within:.2}") };
    let _ = writeln!(
        out,
        "    {name:<10}{}{}{}{within:>8}%",
        column(&show(mean), 8),
        column(&show(stdev), 10),
        column(&show(statistics.max as f64), 9),
    );
}

fn distribution(out: &mut String, latencies: &Statistics) {
    out.push_str("  Latency Distribution\n");
    for percent in [50.0, 75.0, 90.0, 99.0] {
        let latency = time_us(latencies.percentile(percent) as f64);
        let _ = writeln!(out, "{percent:>7.0}%{}", column(&latency, 10));
    }
}
