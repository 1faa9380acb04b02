//! `volley load`: one URL, for people and scripts.

mod ceiling;
mod plan;
mod reach;
mod request;
mod sealing;
mod watch;

use crate::cli::{LoadArgs, nanoseconds};
use crate::report::{Report, Run};
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use volley_load::scheme::Scheme;
use volley_load::target::Target;
use volley_load::workers::{Size, Workers};
use volley_net::errors::io_words;
use volley_net::{Address, Io, RingSize, Route, SocketBuffers, Sources, limits};
use volley_requests::Book;
use volley_tls::Config;
use watch::{Records, Watch};

/// Why there is no measurement.
#[derive(Debug)]
pub enum LoadError {
    /// The options cannot be carried out.
    Usage(String),
    /// The target cannot be reached.
    Unreachable(String),
    /// A system call failed.
    System(String),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Unreachable(text) | Self::System(text) => f.write_str(text),
        }
    }
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> Self {
        Self::System(io_words(&error))
    }
}

/// Loads by the options, until `interrupted` at the latest.
pub fn load<'a>(
    args: &'a LoadArgs,
    interrupted: &Arc<AtomicBool>,
) -> Result<Report<'a>, LoadError> {
    if let Some(right) = args.contradiction() {
        return Err(LoadError::Usage(right.to_owned()));
    }
    let book = request::book(args).map_err(LoadError::Usage)?;
    request::check_early(args, &book).map_err(LoadError::Usage)?;
    let tls = sealing::config(args).map_err(LoadError::Usage)?;
    let spare_cpus = ceiling::spare_cpus(&args.connecting.cpus);
    claim(args).map_err(|wrong| LoadError::Usage(limits::as_flag(&wrong)))?;
    let records = Records::create(&args.output).map_err(LoadError::Usage)?;
    let address = reach::reach(args)?;

    let size = Size {
        threads: args.threads(),
        cpus: args.connecting.cpus.clone(),
        io: args.connecting.io,
        ring: RingSize::default(),
    };
    let names = book.names().to_vec();
    let target = Arc::new(target(args, address.clone(), book, tls));
    let mut workers = Workers::start(&size, &[target])?;
    let mut watch = Watch::new(interrupted.clone(), args.amount.requests, records);
    let outcome = workers.run(0, &plan::plan(args), &mut |look| watch.look(look))?;
    watch.end()?;
    let io = if args.scheme() == Scheme::H3 { Io::Epoll } else { workers.io() };
    drop(workers);

    let is_wanted = args.output.ceiling && !interrupted.load(Ordering::Relaxed);
    let ceiling =
        is_wanted.then(|| ceiling::measure(args, &size, &outcome.tally, &spare_cpus, interrupted));
    let interrupted = interrupted.load(Ordering::Relaxed);
    Ok(Report::new(args, Run { outcome, io, address, names, ceiling, interrupted }))
}

/// Checks that there are enough files and cores. Pins this thread, and those that it will start.
fn claim(args: &LoadArgs) -> Result<(), String> {
    let cpus = &args.connecting.cpus;
    // The null server's ends of the connections are ours, too.
    let targets = if args.output.ceiling { 2 } else { 1 };
    let connections = args.connections().saturating_add(args.request.held.unwrap_or(0));
    limits::check_open_files(targets, connections, args.connecting.close)?;
    // Each core is checked, since each thread will be on one of them: the system accepts a list of
    // which only some are available.
    cpus.iter().try_for_each(|&cpu| limits::pin(&[cpu]))?;
    limits::pin(cpus)
}

fn target(args: &LoadArgs, address: Address, book: Book, tls: Option<Config>) -> Target {
    let connecting = &args.connecting;
    Target {
        route: Route {
            sources: sources(args, &address),
            address,
            connect_timeout_ns: nanoseconds(connecting.connect_timeout),
            buffers: SocketBuffers {
                send: connecting.send_buffer,
                receive: connecting.receive_buffer,
            },
            delays_acks: args.requests_per_connection() == Some(1),
        },
        scheme: args.scheme(),
        tls,
        held: book.held().and(args.request.held).unwrap_or(0),
        books: vec![Arc::new(book)],
        connections: args.connections(),
        room: args.request.room,
        first_room: 0,
        requests_per_connection: args.requests_per_connection(),
        pipeline: args.depth(),
        request_timeout_ns: nanoseconds(connecting.timeout),
        counts_bodies: true,
    }
}

fn sources(args: &LoadArgs, address: &Address) -> Sources {
    match args.connecting.source {
        Some(range) => Sources::Range(range.first, range.last),
        None => Sources::of(address, args.requests_per_connection().is_none()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::load_args;
    use std::net::Ipv4Addr;

    #[test]
    fn connections_come_from_where_they_are_said_to() {
        let of = |options: &str| {
            sources(&load_args(options), &Address::Tcp("127.0.0.1:80".parse().unwrap()))
        };
        let [first, last] = [1, 254].map(|last| Ipv4Addr::new(127, 0, 0, last));
        assert_eq!(of(""), Sources::System);
        assert_eq!(of("--close"), Sources::IfNeeded(first, last));
        assert_eq!(of("--requests-per-connection 9"), Sources::IfNeeded(first, last));
        let one = Ipv4Addr::new(10, 0, 0, 9);
        assert_eq!(of("--close --source 10.0.0.9"), Sources::Range(one, one));
    }
}
