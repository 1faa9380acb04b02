//! ab, the benchmark of the Apache HTTP server: one thread, HTTP/1.0, a connection for each request
//! unless `-k`.
//!
//! [`arguments`] are read into [`options`]; [`run`] is the loop, [`outcome`] has its counts,
//! [`report`], [`html`] and [`tables`] are ab's output. An early end is an [`exit`].

mod advice;
mod answer;
mod arguments;
mod connection;
mod exit;
mod html;
mod options;
mod outcome;
mod printer;
mod record;
mod report;
mod request;
mod resolve;
mod run;
mod statistics;
mod tables;
mod url;
mod usage;

use super::advice::advise;
use super::extras::Extras;
use super::output::print;
use arguments::Command;
use exit::Exit;
use jiff::tz::TimeZone;
use options::{Attributes, Options, TlsOptions};
use outcome::Outcome;
use printer::Printer;
use run::Destination;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use volley_net::{Epoll, Io, Route, SocketBuffers, Sources, Uring, interrupts};
use volley_tls::{Config, Terms};

/// ab's exit status after Ctrl-C.
const INTERRUPTED: u8 = 1;

/// See [`super::Personality::run`].
pub(super) fn run(args: &[OsString]) -> ExitCode {
    let (extras, args) = match Extras::take(args) {
        Ok(taken) => taken,
        Err(line) => return end(&Exit::usage(&line), Printer { is_for_json: false }),
    };
    let printer = Printer { is_for_json: extras.json };
    let loaded = match arguments::parse(&args) {
        Ok(Command::Version { in_html }) => {
            print(usage::banner(in_html));
            return ExitCode::SUCCESS;
        }
        Ok(Command::Run(options)) => load(&options, extras, printer),
        Err(exit) => Err(exit),
    };
    match loaded {
        Ok(status) => ExitCode::from(status),
        Err(exit) => end(&exit, printer),
    }
}

fn end(exit: &Exit, printer: Printer) -> ExitCode {
    printer::print_error(&exit.message);
    if exit.done > 0 {
        printer.print(format!("Total of {} requests completed\n", exit.done));
    }
    ExitCode::from(exit.status)
}

/// Runs the requests and reports. Returns the exit status.
fn load(options: &Options, extras: Extras, printer: Printer) -> Result<u8, Exit> {
    let mut terms = terms(&options.tls, extras)?;
    announce(options, printer);
    let io = extras.io.resolve().map_err(|error| Exit::error(&format!("ab: --io: {error}")))?;
    let destination = destination(options, &mut terms, printer)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    interrupts::note_all(&interrupted)
        .map_err(|error| Exit::error(&format!("ab: cannot catch Ctrl-C: {error}")))?;
    let mut outcome = match io {
        Io::Epoll => run::run::<Epoll>(options, &destination, printer, &interrupted),
        Io::Uring => run::run::<Uring>(options, &destination, printer, &interrupted),
    }?;
    if !outcome.interrupted {
        match options.heartbeat {
            0 => printer.print("..done\n"),
            _ => printer::print_progress("Finished", outcome.records.len()),
        }
    }
    report(options, &destination, &mut outcome, printer);
    if extras.json {
        print(advice::figures(options, &outcome, io).line());
    }
    files(options, &outcome)?;
    advise(extras, advice::advice(options, &outcome));
    Ok(if outcome.interrupted { INTERRUPTED } else { 0 })
}

/// The settings of TLS. An error in them is reported with or without TLS: in ab's words, and its
/// reason as advice. An unavailable protocol is not an error: see
/// [`Destination::unavailable_protocol`].
fn terms(options: &TlsOptions, extras: Extras) -> Result<Terms, Exit> {
    let mut terms = Terms::default();
    let suites = options.suites.as_ref().map(|list| list.to_string_lossy());
    suites
        .map_or(Ok(()), |list| terms.prefer(&list))
        .and_then(|()| options.certificate.as_ref().map_or(Ok(()), |file| terms.identify(file)))
        .map(|()| terms)
        .map_err(|lines| {
            let (message, why) = lines.split_once('\n').unwrap_or((&lines, ""));
            advise(extras, why.lines().map(str::to_owned));
            Exit::error(message)
        })
}

/// The text above the report.
fn announce(options: &Options, printer: Printer) {
    printer.print(usage::banner(options.html.is_some()));
    if options.html.is_some() {
        return;
    }
    let through = options.proxy.as_ref();
    let through = through.map_or(String::new(), |(host, port)| format!("[through {host}:{port}] "));
    let end = if options.heartbeat > 0 { "\n" } else { "..." };
    printer.print(format!("Benchmarking {} {through}(be patient){end}", options.url.host));
}

/// The request is checked first, then the names.
fn destination(
    options: &Options,
    terms: &mut Terms,
    printer: Printer,
) -> Result<Destination, Exit> {
    let head = request::head(options)?;
    printer.log_request(options.method.name(), &head, options.verbosity);
    let body = options.body.as_deref().unwrap_or_default();
    let host = options.host.as_deref().map(String::from_utf8_lossy);
    let host = host.unwrap_or(options.url.host.as_str().into());
    let server_name = (!options.tls.no_server_name).then_some(&*host);
    let protocol = options.tls.protocol.as_ref().filter(|_| options.url.is_tls);
    let unavailable_protocol = protocol.and_then(|word| terms.speak(&word.to_string_lossy()).err());
    Ok(Destination {
        routes: routes(options)?,
        tls: options.url.is_tls.then(|| Config::new(server_name, terms)),
        unavailable_protocol,
        request: [&head, body].concat().into(),
    })
}

/// A route for each address of the name.
fn routes(options: &Options) -> Result<Vec<Arc<Route>>, Exit> {
    let source = options.source.as_deref().map(resolve::source).transpose()?;
    let (host, port) = match &options.proxy {
        // A port is 16 bits of the typed number.
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
fn report(options: &Options, destination: &Destination, outcome: &mut Outcome, printer: Printer) {
    if let Some(tags) = tags(options, outcome) {
        printer.print(html::table(options, tags, outcome));
    }
    let any = !outcome.records.is_empty();
    let summaries = any.then(|| statistics::summarize(&mut outcome.records));
    if tags(options, outcome).is_none() {
        let name = destination.tls.as_ref().and_then(Config::name);
        printer.print(report::text(options, outcome, name, summaries.as_ref()));
    }
}

/// The summaries of the tables, if tables are printed: after Ctrl-C they are not.
fn tags<'a>(options: &'a Options, outcome: &Outcome) -> Option<&'a Attributes> {
    options.html.as_ref().filter(|_| !outcome.interrupted)
}

/// Writes the requested files, which ab does not do with tables.
fn files(options: &Options, outcome: &Outcome) -> Result<(), Exit> {
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
