//! ab, the benchmark of the Apache HTTP server: one thread, HTTP/1.0, a connection for each request
//! unless `-k`.
//!
//! [`arguments`] are read into [`options`]; [`run`] is the loop, [`outcome`] what it has counted,
//! [`report`], [`html`] and [`tables`] what ab makes of that, [`knowledge`] what we do. An end before
//! the end is a [`stop`].

mod answer;
mod arguments;
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
use super::output::say;
use super::tls::{Client, Terms};
use crate::interrupts;
use crate::io::Io;
use crate::io::epoll::Epoll;
use crate::io::uring::Uring;
use crate::target::{Route, SocketBuffers, Sources};
use arguments::Asked;
use jiff::tz::TimeZone;
use options::{Attributes, Options, TlsOptions};
use outcome::Outcome;
use run::Target;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use stop::Stop;
use voice::Voice;

/// What ab exits with after Ctrl-C.
const INTERRUPTED: u8 = 1;

/// See [`super::Personality::run`].
pub(super) fn run(words: &[OsString]) -> ExitCode {
    let (extras, words) = match Extras::take(words) {
        Ok(taken) => taken,
        Err(line) => return end(&Stop::usage(&line), Voice { is_for_json: false }),
    };
    let voice = Voice { is_for_json: extras.json };
    let loaded = match arguments::read(&words) {
        Ok(Asked::Version { in_html }) => {
            say(usage::banner(in_html));
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
    let mut terms = terms(&options.tls, extras)?;
    announce(options, voice);
    let io = extras.io.resolve().map_err(|error| Stop::error(&format!("ab: --io: {error}")))?;
    let target = target(options, &mut terms, voice)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    interrupts::heed(&interrupted)
        .map_err(|error| Stop::error(&format!("ab: cannot catch Ctrl-C: {error}")))?;
    let mut outcome = match io {
        Io::Epoll => run::run::<Epoll>(options, &target, voice, &interrupted),
        Io::Uring => run::run::<Uring>(options, &target, voice, &interrupted),
    }?;
    if !outcome.interrupted {
        match options.heartbeat {
            0 => voice.say("..done\n"),
            _ => voice::tell_progress("Finished", outcome.records.len()),
        }
    }
    report(options, &target, &mut outcome, voice);
    if extras.json {
        say(knowledge::figures(options, &outcome, io).line());
    }
    files(options, &outcome)?;
    advise(extras, knowledge::advice(options, &outcome));
    Ok(if outcome.interrupted { INTERRUPTED } else { 0 })
}

/// What is offered within TLS. What is wrong with it is said with or without TLS: in ab's words,
/// and why by way of advice. A protocol that can't be had isn't wrong: see [`Target::unspoken`].
fn terms(asked: &TlsOptions, extras: Extras) -> Result<Terms, Stop> {
    let mut terms = Terms::default();
    let suites = asked.suites.as_ref().map(|list| list.to_string_lossy());
    suites
        .map_or(Ok(()), |list| terms.prefer(&list))
        .and_then(|()| asked.certificate.as_ref().map_or(Ok(()), |file| terms.identify(file)))
        .map(|()| terms)
        .map_err(|lines| {
            let (said, why) = lines.split_once('\n').unwrap_or((&lines, ""));
            advise(extras, why.lines().map(str::to_owned));
            Stop::error(said)
        })
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

/// The request is the first thing that can be wrong here, then the names.
fn target(options: &Options, terms: &mut Terms, voice: Voice) -> Result<Target, Stop> {
    let head = request::head(options)?;
    voice.log_request(options.method.name(), &head, options.verbosity);
    let body = options.body.as_deref().unwrap_or_default();
    let host = options.host.as_deref().map(String::from_utf8_lossy);
    let host = host.unwrap_or(options.url.host.as_str().into());
    let told = (!options.tls.no_server_name).then_some(&*host);
    let protocol = options.tls.protocol.as_ref().filter(|_| options.url.is_tls);
    let unspoken = protocol.and_then(|word| terms.speak(&word.to_string_lossy()).err());
    Ok(Target {
        routes: routes(options)?,
        tls: options.url.is_tls.then(|| Client::new(told, terms)),
        unspoken,
        request: [&head, body].concat().into(),
    })
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
        sources: source.map_or(Sources::System, Sources::One),
        buffers: SocketBuffers { send: size, receive: size },
        ..Route::to(address)
    };
    let addresses = resolve::addresses(host, port, source)?;
    Ok(addresses.into_iter().map(|address| Arc::new(route(address))).collect())
}

/// Prints the report, and sorts the records by their total times.
fn report(options: &Options, target: &Target, outcome: &mut Outcome, voice: Voice) {
    if let Some(tags) = tags(options, outcome) {
        voice.say(html::table(options, tags, outcome));
    }
    let any = !outcome.records.is_empty();
    let summaries = any.then(|| statistics::summarize(&mut outcome.records));
    if tags(options, outcome).is_none() {
        let name = target.tls.as_ref().and_then(Client::name);
        voice.say(report::text(options, outcome, name, summaries.as_ref()));
    }
}

/// Those of the tables, if they are what is printed: after Ctrl-C they aren't.
fn tags<'a>(options: &'a Options, outcome: &Outcome) -> Option<&'a Attributes> {
    options.html.as_ref().filter(|_| !outcome.interrupted)
}

/// Writes the files that were asked for, which ab doesn't do beside tables.
fn files(options: &Options, outcome: &Outcome) -> Result<(), Stop> {
    if tags(options, outcome).is_some() || outcome.records.is_empty() {
        return Ok(());
    }
    if let Some(file) = &options.csv {
        tables::write(file, "CSV", &tables::csv(&outcome.records))?;
    }
    if let Some(file) = &options.gnuplot {
        let zone = TimeZone::system();
        let text = tables::gnuplot(&outcome.records, record::epoch_offset_us(), &zone);
        tables::write(file, "gnuplot", &text)?;
    }
    Ok(())
}
