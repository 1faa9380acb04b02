//! `volley load`: one URL, for people.

use crate::cli::LoadArgs;
use crate::clock::{MS, S};
use crate::limits;
use crate::pool::{Pool, Scratch};
use crate::progress::Progress;
use crate::report::Report;
use crate::slice::{self, Plan};
use crate::target::Target;
use std::fmt;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use volley_http::{Expectation, Request, StatusRule};

/// Loaded, but not counted.
const WARM_UP_NS: u64 = 200 * MS;

/// Statuses from here on are errors.
const FIRST_BAD_STATUS: u16 = 400;

/// Why there was nothing to measure.
#[derive(Debug)]
pub enum LoadError {
    /// What was asked cannot be done.
    Usage(String),
    /// The target cannot be reached.
    Unreachable(String),
    /// The system refused something.
    System(String),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Unreachable(text) | Self::System(text) => f.write_str(text),
        }
    }
}

impl From<rustix::io::Errno> for LoadError {
    fn from(errno: rustix::io::Errno) -> Self {
        Self::System(crate::errors::system_words(errno))
    }
}

/// Loads as the options say, until `interrupted` at the latest.
pub fn load(args: &LoadArgs, interrupted: Arc<AtomicBool>) -> Result<Report, LoadError> {
    let request = request(args);
    let bytes = request.render().map_err(|error| LoadError::Usage(error.to_string()))?;
    limits::check_open_files(1, args.connections, args.close).map_err(LoadError::Usage)?;
    limits::pin(&args.cpus).map_err(LoadError::Usage)?;
    let timeout_ns = nanoseconds(args.timeout);
    let target = Target {
        address: reach(args)?,
        to_head: request.is_head(),
        request: bytes,
        expectation: Expectation { status: StatusRule::Below(FIRST_BAD_STATUS), body: None },
        connections: args.connections,
        close: args.close,
        connect_timeout_ns: timeout_ns,
        request_timeout_ns: timeout_ns,
    };
    let mut pool = Pool::new(target)?;
    let plan = Plan { ramp_ns: WARM_UP_NS, duration_ns: nanoseconds(args.duration) };
    let mut progress = Progress::new(interrupted);
    let outcome = slice::run(&mut pool, &mut Scratch::default(), plan, &mut progress);
    progress.clear();
    Ok(Report::new(args, outcome?, progress.interrupted()))
}

fn nanoseconds(time: Duration) -> u64 {
    // Durations are below 10⁹ s: `cli::duration` sees to it.
    time.as_secs() * S + u64::from(time.subsec_nanos())
}

fn request(args: &LoadArgs) -> Request {
    let method = if args.body.is_empty() { "GET" } else { "POST" };
    let is_host = |name: &str| name.eq_ignore_ascii_case("host");
    let host = args.headers.iter().find(|(name, _)| is_host(name)).map(|(_, value)| value);
    Request {
        method: args.method.clone().unwrap_or_else(|| method.to_owned()),
        path: args.url.path.clone(),
        host: host.unwrap_or(&args.url.authority).clone(),
        headers: args.headers.iter().filter(|(name, _)| !is_host(name)).cloned().collect(),
        body: args.body.clone().into_bytes(),
        close: args.close,
    }
}

/// The first of the host's addresses that accepts a connection.
fn reach(args: &LoadArgs) -> Result<SocketAddr, LoadError> {
    let (host, port) = (args.url.host.as_str(), args.url.port);
    let unreachable =
        |why: String| LoadError::Unreachable(format!("cannot reach {}: {why}", args.url.authority));
    let addresses = (host, port)
        .to_socket_addrs()
        .map_err(|_| unreachable(format!("no address is known for the name {host:?}")))?;
    let mut failures = Vec::new();
    for address in addresses {
        match TcpStream::connect_timeout(&address, args.timeout) {
            Ok(_) => return Ok(address),
            Err(error) => {
                let text = error.to_string();
                let words = text.split(" (os error").next().unwrap_or_default();
                failures.push(format!("{address}: {words}"));
            }
        }
    }
    Err(unreachable(failures.join("; ")))
}
