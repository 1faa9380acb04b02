//! wrk2: wrk at a constant rate. Latencies count from when a request was due.

mod advice;
mod arguments;
mod constant_rate;
mod distribution;
mod histogram;
mod schedule;

use super::advice::advise;
use super::extras::Extras;
use super::output::print;
use super::script::Setting;
use super::wrk::advice::summary;
use super::wrk::load::{self, Measured};
use super::wrk::report::{spreads, totals};
use super::wrk::thread::RunError;
use super::wrk::{Ready, carry_out, prepare, setting};
use arguments::Arguments;
use constant_rate::{ConstantRate, Settings};
use distribution::distribution;
use std::ffi::OsString;
use std::process::ExitCode;
use volley_net::clock::S;

/// Runs wrk2 with these arguments.
pub(super) fn run(args: &[OsString]) -> ExitCode {
    let parse = |args: &[OsString]| arguments::parse(args, || print(arguments::VERSION));
    carry_out("wrk2", args, &arguments::usage(), parse, measure)
}

fn measure(arguments: &Arguments, extras: Extras) -> Result<(), RunError> {
    let wrk = &arguments.wrk;
    let setting = Setting { tells_time: true, ..setting(wrk) };
    let Ready { main, threads, heading, interrupted } = prepare(wrk, &setting, extras)?;
    print(heading);
    let pacing = |end_ns| ConstantRate::new(settings(arguments, end_ns, extras));
    let (measured, recorded) = load::load(wrk, extras.io, threads, &interrupted, pacing)?;
    main.flush();
    if extras.json {
        print(advice::figures(arguments, &measured, &recorded).line());
    } else {
        print(result(arguments, &measured, &recorded));
    }
    if main.has_done() {
        main.done(&summary(&measured), &recorded.latencies, &recorded.rates)?;
    }
    advise(extras, advice::advice(arguments, &measured, &recorded));
    Ok(())
}

/// The settings of each thread.
fn settings(arguments: &Arguments, end_ns: u64, extras: Extras) -> Settings {
    let wrk = &arguments.wrk;
    Settings {
        connections: usize::try_from(wrk.connections / wrk.threads).unwrap_or(usize::MAX),
        rate_per_s: arguments.rate as f64 / wrk.threads as f64,
        timeout_ns: wrk.timeout_s.saturating_mul(S),
        end_ns,
        times_batches: arguments.times_batches,
        tells: !extras.json,
    }
}

fn result(arguments: &Arguments, measured: &Measured, recorded: &ConstantRate) -> String {
    let mut out = spreads(&recorded.latencies.spread(), &recorded.rates.spread());
    if arguments.wrk.latency {
        distribution(&mut out, &recorded.latencies, "Recorded Latency");
    }
    if arguments.uncorrected {
        out.push('\n');
        let what = "Uncorrected Latency (measured without taking delayed starts into account)";
        distribution(&mut out, &recorded.uncorrected, what);
    }
    out.push_str(&totals(measured));
    out
}
