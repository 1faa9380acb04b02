//! wrk 4: HTTP/1.1 on kept connections, as fast as the server answers, with scripts in Lua.

pub(super) mod advice;
pub(super) mod arguments;
mod closed_loop;
mod connections;
mod exchange;
pub(super) mod load;
pub(super) mod pacing;
pub(super) mod report;
mod statistics;
pub(super) mod thread;
pub(super) mod units;

use super::advice::advise;
use super::extras::Extras;
use super::output::print;
use super::script::{Script, Setting};
use super::url::Url;
use arguments::{Arguments, UsageError};
use closed_loop::ClosedLoop;
use load::Threads;
use std::ffi::OsString;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use thread::RunError;
use volley_net::interrupts;

/// A script or the server's address is invalid.
const UNUSABLE: u8 = 1;
/// A system call failed.
const SYSTEM: u8 = 2;

/// Runs wrk with these arguments.
pub(super) fn run(args: &[OsString]) -> ExitCode {
    let parse = |args: &[OsString]| arguments::parse(args, || print(arguments::VERSION));
    carry_out("wrk", args, &arguments::usage(), parse, measure)
}

/// Parses the arguments, and runs the measurement. If nothing can be done, prints the usage.
pub(super) fn carry_out<A>(
    program: &str,
    args: &[OsString],
    usage: &str,
    parse: impl FnOnce(&[OsString]) -> Result<A, UsageError>,
    measure: impl FnOnce(&A, Extras) -> Result<(), RunError>,
) -> ExitCode {
    let parsed = Extras::take(args)
        .map_err(|line| UsageError(vec![line]))
        .and_then(|(extras, args)| parse(&args).map(|arguments| (extras, arguments)));
    match parsed {
        Ok((extras, arguments)) => match measure(&arguments, extras) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(program, &error),
        },
        Err(UsageError(lines)) => {
            for line in lines {
                let _ = writeln!(stderr(), "{line}");
            }
            print(usage);
            ExitCode::from(UNUSABLE)
        }
    }
}

fn fail(program: &str, error: &RunError) -> ExitCode {
    let (message, status) = match error {
        RunError::Script(failure) => (failure.to_string(), UNUSABLE),
        RunError::System(error) => (format!("{program}: {error}"), SYSTEM),
    };
    let _ = writeln!(stderr(), "{message}");
    ExitCode::from(status)
}

fn measure(arguments: &Arguments, extras: Extras) -> Result<(), RunError> {
    let Ready { main, threads, heading, interrupted } =
        prepare(arguments, &setting(arguments), extras)?;
    // Into a pipe, wrk writes its whole output at its end, and none if a script fails.
    let is_seen_at_once = stdout().is_terminal();
    if is_seen_at_once {
        print(&heading);
    }
    let pacing = |_| ClosedLoop::new(arguments.timeout_s);
    let (measured, ClosedLoop { latencies, rates, .. }) =
        load::load(arguments, extras.io, threads, &interrupted, pacing)?;
    if !is_seen_at_once {
        print(&heading);
    }

    let mut corrected = latencies.clone();
    let interval_us = measured.interval_us(arguments.connections);
    let ghosts = interval_us.map_or(0, |interval_us| corrected.correct(interval_us));
    main.flush();
    if extras.json {
        let latency_us = advice::latency_us(&latencies);
        print(advice::figures("wrk", arguments, &measured, latency_us).line());
    } else {
        print(report::result(arguments, &measured, &corrected, &rates));
    }
    if main.has_done() {
        main.done(&advice::summary(&measured), &corrected, &rates)?;
    }
    advise(extras, advice::advice(&measured, &latencies, &corrected, ghosts));
    Ok(())
}

/// Everything that a load needs.
pub(super) struct Ready {
    /// The state that sets up the threads' states, and gets the results.
    pub(super) main: Script,
    pub(super) threads: Threads,
    /// The text to print before the load begins.
    pub(super) heading: String,
    pub(super) interrupted: Arc<AtomicBool>,
}

/// Sets up the scripts.
pub(super) fn prepare(
    arguments: &Arguments,
    setting: &Setting,
    extras: Extras,
) -> Result<Ready, RunError> {
    let mut main = load::state(arguments, setting)?;
    main.resolve(&arguments.url.host, arguments.url.service())?;
    let threads = load::prepare(arguments, setting, &mut main)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    interrupts::note_all(&interrupted)?;
    let heading = if extras.json { String::new() } else { report::heading(arguments) };
    Ok(Ready { main, threads, heading, interrupted })
}

/// The values of the command line that scripts get.
pub(super) fn setting(arguments: &Arguments) -> Setting {
    let headers = arguments.headers.iter().filter_map(|header| header.split_once(": "));
    let Url { scheme, host, port, path } = arguments.url.clone();
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Setting { scheme, host, port, path, headers, tells_time: false }
}
