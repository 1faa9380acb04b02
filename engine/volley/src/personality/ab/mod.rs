//! ab, the benchmark of the Apache HTTP server: one thread, HTTP/1.0, a connection for each request
//! unless `-k`.
//!
//! [`options`] is what is asked for, [`run`] the loop, [`outcome`] what it has counted, [`report`],
//! [`html`] and [`tables`] what ab makes of that, [`knowledge`] what we do. An end before the end is
//! a [`stop`].

mod answer;
mod connection;
mod html;
mod knowledge;
mod options;
mod outcome;
mod record;
mod report;
mod request;
mod resolve;
mod run;
mod statistics;
mod stop;
mod tables;
mod url;
mod usage;
mod voice;
mod words;

use super::advice::advise;
use super::extras::Extras;
use crate::io::epoll::Epoll;
use crate::io::uring::Uring;
use crate::io::{Io, IoChoice};
use crate::target::{Address, Route, SocketBuffers, Sources};
use options::{Asked, Options};
use outcome::Outcome;
use rustix::io::Errno;
use signal_hook::consts::SIGINT;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use stop::Stop;
use voice::Voice;

/// What ab exits with when it was interrupted, by Ctrl-C for the first time or the second.
const INTERRUPTED: u8 = 1;

/// See [`super::Personality::run`].
pub(super) fn run(words: &[OsString]) -> ExitCode {
    let (extras, words) = match Extras::take(words) {
        Ok(taken) => taken,
        Err(line) => return end(&Stop::usage(&line), Voice { is_for_json: false }),
    };
    let voice = Voice { is_for_json: extras.json };
    let loaded = match options::read(&words) {
        Ok(Asked::Version { in_html }) => {
            Voice { is_for_json: false }.say(usage::banner(in_html));
            return ExitCode::SUCCESS;
        }
        Ok(Asked::Run(options)) => load(&options, extras, voice),
        Err(stop) => Err(stop),
    };
    match loaded {
        Ok(status) => ExitCode::from(status),
        Err(stop) => end(&stop, voice),
    }
}

fn end(stop: &Stop, voice: Voice) -> ExitCode {
    voice::complain(&stop.said);
    if stop.done > 0 {
        voice.say(format!("Total of {} requests completed\n", stop.done));
    }
    ExitCode::from(stop.status)
}

/// Runs what is asked for and reports. Returns the exit status.
fn load(options: &Options, extras: Extras, voice: Voice) -> Result<u8, Stop> {
    announce(options, voice);
    let io = io(extras.io)?;
    let head = request::head(options)?;
    voice.log_request(options.method.name(), &head, options.verbosity);
    let routes = routes(options)?;
    let request: Arc<[u8]> = [head, options.body.clone().unwrap_or_default()].concat().into();
    let interrupted = Arc::new(AtomicBool::new(false));
    listen_for_interrupts(&interrupted)?;
    let mut outcome = match io {
        Io::Epoll => run::run::<Epoll>(options, &routes, request, voice, &interrupted),
        Io::Uring => run::run::<Uring>(options, &routes, request, voice, &interrupted),
    }?;
    if !outcome.interrupted {
        match options.heartbeat {
            0 => voice.say("..done\n"),
            _ => voice::tell_progress("Finished", outcome.records.len()),
        }
    }
    report(options, &mut outcome, extras, io, voice)?;
    advise(extras, knowledge::advice(options, &outcome));
    Ok(if outcome.interrupted { INTERRUPTED } else { 0 })
}

/// What stands above the report.
fn announce(options: &Options, voice: Voice) {
    voice.say(usage::banner(options.html.is_some()));
    if options.html.is_some() {
        return;
    }
    let through = options.proxy.as_ref();
    let through = through.map_or(String::new(), |(host, port)| format!("[through {host}:{port}] "));
    let end = if options.heartbeat > 0 { "\n" } else { "..." };
    voice.say(format!("Benchmarking {} {through}(be patient){end}", options.url.host));
}

fn io(choice: IoChoice) -> Result<Io, Stop> {
    choice.resolve().map_err(|error| Stop::error(&format!("ab: io_uring: {error}")))
}

/// A route for each address that the name leads to.
fn routes(options: &Options) -> Result<Vec<Arc<Route>>, Stop> {
    let source = options.source.as_deref().map(resolve::source).transpose()?;
    let (host, port) = match &options.proxy {
        // A port is 16 bits of what was typed.
        Some((host, port)) => {
            (host, u16::from_le_bytes([port.to_le_bytes()[0], port.to_le_bytes()[1]]))
        }
        None => (&options.url.host, options.url.port),
    };
    let size = usize::try_from(options.buffer_bytes).ok().filter(|&bytes| bytes > 0);
    let route = |address| Route {
        address: Address::Tcp(address),
        sources: source.map_or(Sources::System, Sources::One),
        // As long as the system tries.
        connect_timeout_ns: u64::MAX,
        buffers: SocketBuffers { send: size, receive: size },
    };
    let addresses = resolve::addresses(host, port, source)?;
    Ok(addresses.into_iter().map(|address| Arc::new(route(address))).collect())
}

/// The first Ctrl-C ends the run and prints what there is, a second one ends the process.
fn listen_for_interrupts(interrupted: &Arc<AtomicBool>) -> Result<(), Stop> {
    let status = i32::from(INTERRUPTED);
    signal_hook::flag::register_conditional_shutdown(SIGINT, status, interrupted.clone())
        .and_then(|_| signal_hook::flag::register(SIGINT, interrupted.clone()))
        .map(|_| ())
        .map_err(|error| {
            Stop::system("sigaction", Errno::from_io_error(&error).unwrap_or(Errno::INVAL))
        })
}

/// Prints the report, and writes the files that were asked for.
fn report(
    options: &Options,
    outcome: &mut Outcome,
    extras: Extras,
    io: Io,
    voice: Voice,
) -> Result<(), Stop> {
    let tags = options.html.as_ref().filter(|_| !outcome.interrupted);
    if let Some(tags) = tags {
        voice.say(html::table(options, tags, outcome));
    }
    let summaries =
        (!outcome.records.is_empty()).then(|| statistics::summarize(&mut outcome.records));
    if tags.is_none() {
        voice.say(report::text(options, outcome, summaries.as_ref()));
    }
    if extras.json {
        Voice { is_for_json: false }.say(knowledge::figures(options, outcome, io).line());
    }
    if tags.is_some() || outcome.records.is_empty() {
        return Ok(());
    }
    if let Some(file) = &options.csv {
        tables::write(file, "CSV", &tables::csv(&outcome.records))?;
    }
    if let Some(file) = &options.gnuplot {
        let zone = jiff::tz::TimeZone::system();
        let text = tables::gnuplot(&outcome.records, record::epoch_offset_us(), &zone);
        tables::write(file, "gnuplot", &text)?;
    }
    Ok(())
}
