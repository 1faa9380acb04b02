//! wrk2: wrk at a constant rate. Latencies count from when a request was due.

mod arguments;
mod at_rate;
mod distribution;
mod histogram;
mod pace;
mod rates;
mod words;

use super::advice::advise;
use super::extras::Extras;
use super::output::say;
use super::script::Setting;
use super::wrk::load::{self, Measured};
use super::wrk::report::{spreads, totals};
use super::wrk::thread::Trouble;
use super::wrk::words::summary;
use super::wrk::{Ready, carry_out, prepare, setting};
use crate::clock::S;
use arguments::Arguments;
use at_rate::{Asked, AtRate};
use distribution::distribution;
use std::ffi::OsString;
use std::process::ExitCode;

/// Does what wrk2 would do with these words.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    let read = |words: &[OsString]| arguments::read(words, || say(words::VERSION));
    carry_out("wrk2", words, &words::usage(), read, measure)
}

fn measure(arguments: &Arguments, extras: Extras) -> Result<(), Trouble> {
    let wrk = &arguments.wrk;
    let setting = Setting { tells_time: true, ..setting(wrk) };
    let Ready { main, crew, heading, interrupted } = prepare(wrk, &setting, extras)?;
    say(heading);
    let manner = |end_ns| AtRate::new(asked(arguments, end_ns, extras));
    let (measured, found) = load::load(wrk, extras.io, crew, &interrupted, manner)?;
    main.flush();
    if extras.json {
        say(words::figures(arguments, &measured, &found).line());
    } else {
        say(result(arguments, &measured, &found));
    }
    if main.has_done() {
        main.done(&summary(&measured), &found.latencies, &found.rates)?;
    }
    advise(extras, words::advice(arguments, &measured, &found));
    Ok(())
}

/// Of each thread.
fn asked(arguments: &Arguments, end_ns: u64, extras: Extras) -> Asked {
    let wrk = &arguments.wrk;
    Asked {
        connections: usize::try_from(wrk.connections / wrk.threads).unwrap_or(usize::MAX),
        rate_per_s: arguments.rate as f64 / wrk.threads as f64,
        timeout_ns: wrk.timeout_s.saturating_mul(S),
        end_ns,
        times_batches: arguments.times_batches,
        tells: !extras.json,
    }
}

fn result(arguments: &Arguments, measured: &Measured, found: &AtRate) -> String {
    let mut out = spreads(&found.latencies.spread(), &found.rates.spread());
    if arguments.wrk.latency {
        distribution(&mut out, &found.latencies, "Recorded Latency");
    }
    if arguments.uncorrected {
        out.push('\n');
        let what = "Uncorrected Latency (measured without taking delayed starts into account)";
        distribution(&mut out, &found.uncorrected, what);
    }
    out.push_str(&totals(measured));
    out
}
