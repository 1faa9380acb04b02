//! webbench 1.5: clients that make a connection for each request, for some seconds.

mod arguments;
mod report;
mod request;
mod run;
mod usage;

use super::advice::advise;
use super::extras::Extras;
use crate::cli::as_flag;
use crate::errors::io_words;
use crate::interrupts::{self, INTERRUPTED};
use crate::io::epoll::Epoll;
use crate::io::uring::Uring;
use crate::io::{Io, IoChoice};
use crate::limits;
use crate::target::{Route, Sources};
use arguments::{Asked, Http, Other, Place};
use request::Request;
use run::{Counts, Load};
use std::ffi::OsString;
use std::io::{self, Write, stderr, stdout};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const UNREACHABLE: u8 = 1;
const WRONG_USAGE: u8 = 2;
const SYSTEM: u8 = 3;

/// Told on standard error before a load.
const BANNER: &str = "Webbench - Simple Web Benchmark 1.5\n\
    (as bakeoff does it: the same flags and figures, on another engine)\n";

/// Does what webbench would do with these words.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    let (extras, words) = match Extras::take(words) {
        Ok(taken) => taken,
        Err(wrong) => return fail(WRONG_USAGE, &format!("webbench: {wrong}")),
    };
    let asked = match arguments::read(&words) {
        Ok(asked) => asked,
        Err(Other::Version) => return say("1.5\n"),
        Err(Other::Usage(wrong)) => {
            let wrong = wrong.map(|line| line + "\n").unwrap_or_default();
            return fail(WRONG_USAGE, &format!("{wrong}{}", usage::usage().trim_end()));
        }
        Err(Other::Wrong(wrong)) => return fail(WRONG_USAGE, &wrong),
    };
    let _ = stderr().write_all(BANNER.as_bytes());
    let request = match request::build(&asked) {
        Ok(request) => request,
        Err(wrong) => return fail(WRONG_USAGE, &format!("\nwebbench: {wrong}")),
    };
    if !extras.json {
        say(&report::head(&asked, request.http));
    }
    match load(&asked, request, extras.io) {
        Ok((counts, io, interrupted)) => {
            let result = if extras.json {
                report::figures(&asked, &counts, io).line()
            } else {
                report::result(&counts)
            };
            say(&result);
            advise(extras, report::advice(&asked, &counts));
            if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
        }
        Err((status, why)) => fail(status, &format!("\nwebbench: {why}")),
    }
}

/// The counts, how I/O was done, and whether somebody ended it early. The error has an exit status.
fn load(asked: &Asked, request: Request, io: IoChoice) -> Result<(Counts, Io, bool), (u8, String)> {
    let system = |what: &str| {
        let what = what.to_owned();
        move |error: io::Error| (SYSTEM, format!("{what}: {}", io_words(&error)))
    };
    let Request { bytes, to, http } = request;
    let route = Route::to(reach(&to).map_err(|why| (UNREACHABLE, why))?);
    limits::check_open_files(1, asked.clients, false)
        .map_err(|wrong| (SYSTEM, as_flag(&wrong.replace("`connections`", "`clients`"))))?;
    let io = io.resolve().map_err(system("--io"))?;
    let interrupted = Arc::new(AtomicBool::new(false));
    interrupts::heed(&interrupted).map_err(system("cannot catch Ctrl-C"))?;
    let load = Load {
        route: Arc::new(Route { sources: Sources::of(&route.address, false), ..route }),
        clients: asked.clients,
        duration_s: asked.duration_s,
        request: bytes,
        force: asked.force,
        ends_sending: http == Http::V0_9,
    };
    let counts = match io {
        Io::Uring => load.run::<Uring>(&interrupted),
        Io::Epoll => load.run::<Epoll>(&interrupted),
    };
    Ok((counts.map_err(system("the load failed"))?, io, interrupted.load(Ordering::Relaxed)))
}

/// Where a server is that takes a connection, which is made once to see.
fn reach(to: &Place) -> Result<SocketAddr, String> {
    let place = format!("{}:{}", to.host, to.port);
    let Ok(port @ 1..) = u16::try_from(to.port) else {
        return Err(format!("cannot connect to {place}: a port is a number from 1 to 65535"));
    };
    // It knows of IPv4 alone.
    let found = (to.host.as_str(), port).to_socket_addrs().ok();
    let Some(address) = found.and_then(|mut all| all.find(SocketAddr::is_ipv4)) else {
        return Err(format!("cannot connect to {place}: no IPv4 address is known for the name"));
    };
    match TcpStream::connect(address) {
        Ok(_) => Ok(address),
        Err(error) => Err(format!("cannot connect to {place}: {}", io_words(&error))),
    }
}

/// On standard output. A reader that has seen enough, such as `head`, is fine.
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
