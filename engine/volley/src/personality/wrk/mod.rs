//! wrk 4: HTTP/1.1 on kept connections, as fast as the server answers, with scripts in Lua.

mod arguments;
mod connections;
mod load;
mod report;
mod statistics;
mod thread;
mod units;
mod words;

use super::advice::advise;
use super::extras::Extras;
use super::place::Place;
use super::script::Setting;
use crate::interrupts;
use arguments::Arguments;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{Write, stderr, stdout};
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
    let read = Extras::take(words).map_err(|line| vec![line]).and_then(|(extras, words)| {
        let arguments = arguments::read(&words, || say(words::VERSION));
        arguments.map(|arguments| (extras, arguments)).map_err(|refused| refused.0)
    });
    match read {
        Ok((extras, arguments)) => match measure(&arguments, extras) {
            Ok(()) => ExitCode::SUCCESS,
            Err(trouble) => fail(&trouble),
        },
        Err(lines) => {
            for line in lines {
                let _ = writeln!(stderr(), "{line}");
            }
            say(words::usage());
            ExitCode::from(UNUSABLE)
        }
    }
}

fn fail(trouble: &Trouble) -> ExitCode {
    let (said, status) = match trouble {
        Trouble::Script(failure) => (failure.to_string(), UNUSABLE),
        Trouble::System(error) => (format!("wrk: {error}"), SYSTEM),
    };
    let _ = writeln!(stderr(), "{said}");
    ExitCode::from(status)
}

fn measure(arguments: &Arguments, extras: Extras) -> Result<(), Trouble> {
    let setting = setting(arguments);
    let mut main = load::state(arguments, &setting)?;
    main.resolve(&arguments.place.host, arguments.place.service())?;
    let scripts = load::scripts(arguments, &setting, &mut main)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    interrupts::listen(&interrupted)?;
    if !extras.json {
        say(report::heading(arguments));
    }
    let measured = load::load(arguments, extras.io, scripts, &interrupted)?;

    let mut corrected = measured.counts.latencies.clone();
    let interval_us = measured.interval_us(arguments.connections);
    let ghosts = interval_us.map_or(0, |interval_us| corrected.correct(interval_us));
    main.flush();
    if extras.json {
        say(words::figures(arguments, &measured).line());
    } else {
        say(report::result(arguments, &measured, &corrected));
    }
    if main.has_done() {
        main.done(&words::summary(&measured), &corrected, &measured.counts.rates)?;
    }
    advise(extras, words::advice(&measured, &corrected, ghosts));
    Ok(())
}

fn setting(arguments: &Arguments) -> Setting {
    let headers = arguments.headers.iter().filter_map(|header| header.split_once(": "));
    let Place { scheme, host, port, path } = arguments.place.clone();
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Setting { scheme, host, port, path, headers }
}

/// On standard output. A reader that has seen enough, such as `head`, is fine.
fn say(text: impl Display) {
    let mut out = stdout().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}
