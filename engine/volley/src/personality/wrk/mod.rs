//! wrk 4: HTTP/1.1 on kept connections, as fast as the server answers, with scripts in Lua.

pub(super) mod arguments;
mod connections;
mod exchange;
mod flat_out;
pub(super) mod load;
pub(super) mod manner;
pub(super) mod report;
mod statistics;
pub(super) mod thread;
pub(super) mod units;
pub(super) mod words;

use super::advice::advise;
use super::extras::Extras;
use super::output::say;
use super::place::Place;
use super::script::{Script, Setting};
use crate::interrupts;
use arguments::{Arguments, Refused};
use flat_out::FlatOut;
use load::Crew;
use std::ffi::OsString;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use thread::Trouble;

/// A script or the server's address is no good.
const UNUSABLE: u8 = 1;
/// The system refused something.
const SYSTEM: u8 = 2;

/// Does what wrk would do with these words.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    let read = |words: &[OsString]| arguments::read(words, || say(words::VERSION));
    carry_out("wrk", words, &words::usage(), read, measure)
}

/// Reads the words, and measures what they ask for. Where they ask for nothing that can be done, says
/// how to ask.
pub(super) fn carry_out<A>(
    program: &str,
    words: &[OsString],
    usage: &str,
    read: impl FnOnce(&[OsString]) -> Result<A, Refused>,
    measure: impl FnOnce(&A, Extras) -> Result<(), Trouble>,
) -> ExitCode {
    let read = Extras::take(words)
        .map_err(|line| Refused(vec![line]))
        .and_then(|(extras, words)| read(&words).map(|arguments| (extras, arguments)));
    match read {
        Ok((extras, arguments)) => match measure(&arguments, extras) {
            Ok(()) => ExitCode::SUCCESS,
            Err(trouble) => fail(program, &trouble),
        },
        Err(Refused(lines)) => {
            for line in lines {
                let _ = writeln!(stderr(), "{line}");
            }
            say(usage);
            ExitCode::from(UNUSABLE)
        }
    }
}

fn fail(program: &str, trouble: &Trouble) -> ExitCode {
    let (said, status) = match trouble {
        Trouble::Script(failure) => (failure.to_string(), UNUSABLE),
        Trouble::System(error) => (format!("{program}: {error}"), SYSTEM),
    };
    let _ = writeln!(stderr(), "{said}");
    ExitCode::from(status)
}

fn measure(arguments: &Arguments, extras: Extras) -> Result<(), Trouble> {
    let Ready { main, crew, heading, interrupted } =
        prepare(arguments, &setting(arguments), extras)?;
    // Into a pipe, wrk writes all at its end, and nothing if a script fails.
    let is_seen_at_once = stdout().is_terminal();
    if is_seen_at_once {
        say(&heading);
    }
    let manner = |_| FlatOut::new(arguments.timeout_s);
    let (measured, FlatOut { latencies, rates, .. }) =
        load::load(arguments, extras.io, crew, &interrupted, manner)?;
    if !is_seen_at_once {
        say(&heading);
    }

    let mut corrected = latencies.clone();
    let interval_us = measured.interval_us(arguments.connections);
    let ghosts = interval_us.map_or(0, |interval_us| corrected.correct(interval_us));
    main.flush();
    if extras.json {
        let latency_us = words::latency_us(&latencies);
        say(words::figures("wrk", arguments, &measured, latency_us).line());
    } else {
        say(report::result(arguments, &measured, &corrected, &rates));
    }
    if main.has_done() {
        main.done(&words::summary(&measured), &corrected, &rates)?;
    }
    advise(extras, words::advice(&measured, &latencies, &corrected, ghosts));
    Ok(())
}

/// All that a load needs.
pub(super) struct Ready {
    /// The state that sets up the threads', and is told when all is done.
    pub(super) main: Script,
    pub(super) crew: Crew,
    /// To be printed before the load begins.
    pub(super) heading: String,
    pub(super) interrupted: Arc<AtomicBool>,
}

/// Sets up the scripts.
pub(super) fn prepare(
    arguments: &Arguments,
    setting: &Setting,
    extras: Extras,
) -> Result<Ready, Trouble> {
    let mut main = load::state(arguments, setting)?;
    main.resolve(&arguments.place.host, arguments.place.service())?;
    let crew = load::crew(arguments, setting, &mut main)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    interrupts::heed(&interrupted)?;
    let heading = if extras.json { String::new() } else { report::heading(arguments) };
    Ok(Ready { main, crew, heading, interrupted })
}

/// What scripts know of the command line.
pub(super) fn setting(arguments: &Arguments) -> Setting {
    let headers = arguments.headers.iter().filter_map(|header| header.split_once(": "));
    let Place { scheme, host, port, path } = arguments.place.clone();
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Setting { scheme, host, port, path, headers, tells_time: false }
}
