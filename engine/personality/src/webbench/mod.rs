//! webbench 1.5: clients that make a connection for each request, for some seconds.

mod arguments;
mod report;
mod request;
mod run;

use super::advice::advise;
use super::extras::Extras;
use arguments::{Arguments, HostPort, Http, ParseError};
use request::Request;
use run::{Counts, Load};
use std::ffi::OsString;
use std::io::{self, Write, stderr, stdout};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use volley_net::errors::io_words;
use volley_net::interrupts::{self, INTERRUPTED};
use volley_net::limits::as_flag;
use volley_net::{Epoll, Io, IoChoice, Route, Sources, Uring, limits};

const UNREACHABLE: u8 = 1;
const WRONG_USAGE: u8 = 2;
const SYSTEM: u8 = 3;

/// Printed on standard error before a load.
const BANNER: &str = "Webbench - Simple Web Benchmark 1.5\n\
    (as bakeoff does it: the same flags and figures, on another engine)\n";

/// Runs webbench with these arguments.
pub(super) fn run(args: &[OsString]) -> ExitCode {
    let (extras, args) = match Extras::take(args) {
        Ok(taken) => taken,
        Err(wrong) => return fail(WRONG_USAGE, &format!("webbench: {wrong}")),
    };
    let arguments = match arguments::parse(&args) {
        Ok(arguments) => arguments,
        Err(ParseError::Version) => return say("1.5\n"),
        Err(ParseError::Usage(wrong)) => {
            let wrong = wrong.map(|line| line + "\n").unwrap_or_default();
            return fail(WRONG_USAGE, &format!("{wrong}{}", arguments::usage().trim_end()));
        }
        Err(ParseError::Invalid(wrong)) => return fail(WRONG_USAGE, &wrong),
    };
    let _ = stderr().write_all(BANNER.as_bytes());
    let request = match request::build(&arguments) {
        Ok(request) => request,
        Err(wrong) => return fail(WRONG_USAGE, &format!("\nwebbench: {wrong}")),
    };
    if !extras.json {
        say(&report::head(&arguments, request.http));
    }
    match load(&arguments, request, extras.io) {
        Ok((counts, io, interrupted)) => {
            let result = if extras.json {
                report::figures(&arguments, &counts, io).line()
            } else {
                report::result(&counts)
            };
            say(&result);
            advise(extras, report::advice(&arguments, &counts));
            if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
        }
        Err((status, why)) => fail(status, &format!("\nwebbench: {why}")),
    }
}

/// Runs the load: its counts, its way of I/O, and whether it was interrupted. The error has an exit
/// status.
fn load(
    arguments: &Arguments,
    request: Request,
    io: IoChoice,
) -> Result<(Counts, Io, bool), (u8, String)> {
    let system = |what: &str| {
        let what = what.to_owned();
        move |error: io::Error| (SYSTEM, format!("{what}: {}", io_words(&error)))
    };
    let Request { bytes, to, http } = request;
    let route = Route::to(reach(&to).map_err(|why| (UNREACHABLE, why))?);
    limits::check_open_files(1, arguments.clients, false)
        .map_err(|wrong| (SYSTEM, as_flag(&wrong.replace("`connections`", "`clients`"))))?;
    let io = io.resolve().map_err(system("--io"))?;
    let interrupted = Arc::new(AtomicBool::new(false));
    interrupts::note_all(&interrupted).map_err(system("cannot catch Ctrl-C"))?;
    let load = Load {
        route: Arc::new(Route { sources: Sources::of(&route.address, false).spread(), ..route }),
        clients: arguments.clients,
        duration_s: arguments.duration_s,
        request: bytes,
        force: arguments.force,
        ends_sending: http == Http::V0_9,
    };
    let counts = match io {
        Io::Uring => load.run::<Uring>(&interrupted),
        Io::Epoll => load.run::<Epoll>(&interrupted),
    };
    Ok((counts.map_err(system("the load failed"))?, io, interrupted.load(Ordering::Relaxed)))
}

/// The address of the server, which is tested with one connection.
fn reach(to: &HostPort) -> Result<SocketAddr, String> {
    let place = format!("{}:{}", to.host, to.port);
    let Ok(port @ 1..) = u16::try_from(to.port) else {
        return Err(format!("cannot connect to {place}: a port is a number from 1 to 65535"));
    };
    // It supports only IPv4.
    let addresses = (to.host.as_str(), port).to_socket_addrs().ok();
    let Some(address) = addresses.and_then(|mut all| all.find(SocketAddr::is_ipv4)) else {
        return Err(format!("cannot connect to {place}: no IPv4 address is known for the name"));
    };
    match TcpStream::connect(address) {
        Ok(_) => Ok(address),
        Err(error) => Err(format!("cannot connect to {place}: {}", io_words(&error))),
    }
}

/// Prints on standard output. A reader that ends early, such as `head`, is not an error.
fn say(text: &str) -> ExitCode {
    let mut out = stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(SYSTEM),
        _ => ExitCode::SUCCESS,
    }
}

fn fail(status: u8, line: &str) -> ExitCode {
    let _ = writeln!(stderr(), "{line}");
    ExitCode::from(status)
}
