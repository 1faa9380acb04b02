//! The run: ab's loop of connections, on the engine's wire.

mod answers;
mod failures;
#[cfg(test)]
mod tests;

use super::answer::Wanted;
use super::connection::Connection;
use super::exit::Exit;
use super::options::{Method, Options};
use super::outcome::Outcome;
use super::printer::Printer;
use super::record::now_us;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use volley_net::clock::{MS, S, now_ns};
use volley_net::{Failure, Fault, Kernel, Patience, Route};
use volley_tls::Config;
use volley_tls::wire::{Event, Wire};

/// The time between two checks for Ctrl-C.
const INTERRUPTS_SEEN_NS: u64 = 50 * MS;

/// ab's read size in bytes.
const READ_SIZE: usize = 8192;

/// One failure more than this ends the run, except for failures of an answer.
const MOST_FAILURES: u64 = 10;

/// See the module.
pub(super) struct Run<'a, B: Kernel> {
    options: &'a Options,
    wanted: Wanted,
    printer: Printer,
    destination: &'a Destination,
    /// The addresses to try if the first connection fails.
    others: VecDeque<Arc<Route>>,
    wire: Wire<B>,
    connections: Vec<Connection>,
    outcome: Outcome,
    /// Requests that were written.
    started: usize,
    /// A head has arrived: the other connections were opened.
    has_spread: bool,
    turns: u64,
    /// A refused connection was opened again, and its result belongs to the same step.
    looks_again: bool,
}

/// The server, and the request.
#[derive(Debug)]
pub(super) struct Destination {
    /// One for each address; the first one that accepts connections is used.
    pub(super) routes: Vec<Arc<Route>>,
    pub(super) tls: Option<Config>,
    /// Why every handshake must fail, if this is known in advance.
    pub(super) unavailable_protocol: Option<String>,
    pub(super) request: Arc<[u8]>,
}

/// Makes the requests of `options`.
pub(super) fn run<B: Kernel>(
    options: &Options,
    destination: &Destination,
    printer: Printer,
    interrupted: &AtomicBool,
) -> Result<Outcome, Exit> {
    let outcome = Outcome::with_room(options.requests)?;
    let mut others: VecDeque<_> = destination.routes.iter().cloned().collect();
    let route = others.pop_front().expect("a name leads to one address at least");
    let wire: Wire<B> = new_wire(route, options, destination)?;
    let wanted =
        Wanted { keep_alive: options.keep_alive, head_only: options.method == Method::Head };
    let connections = (0..options.connections).map(|_| Connection::default()).collect();
    let (started, turns, has_spread, looks_again) = (0, 0, false, false);
    let mut run = Run {
        options,
        wanted,
        printer,
        destination,
        others,
        wire,
        connections,
        outcome,
        started,
        has_spread,
        turns,
        looks_again,
    };
    match run.load(interrupted) {
        Ok(()) => Ok(run.outcome),
        Err(exit) => Err(Exit { done: run.outcome.records.len(), ..exit }),
    }
}

fn new_wire<B: Kernel>(
    route: Arc<Route>,
    options: &Options,
    destination: &Destination,
) -> Result<Wire<B>, Exit> {
    let tls = destination.tls.as_ref().filter(|_| destination.unavailable_protocol.is_none());
    Wire::new(route, options.connections, destination.request.clone(), tls)
        .map_err(|error| poll_failed("apr_pollset_create failed", &error))
}

fn poll_failed(call: &str, error: &io::Error) -> Exit {
    match Errno::from_io_error(error) {
        Some(errno) => Exit::system(call, errno),
        None => Exit::error(&format!("{call}: {error}")),
    }
}

impl<B: Kernel> Run<'_, B> {
    fn load(&mut self, interrupted: &AtomicBool) -> Result<(), Exit> {
        let start_us = now_us();
        (self.outcome.start_us, self.outcome.last_us) = (start_us, start_us);
        let limit_us = match i64::from(self.options.time_limit_s) {
            0 => i64::MAX,
            seconds => start_us + 1_000_000 * seconds,
        };
        if self.connections.is_empty() {
            return Err(Exit::system("apr_pollset_poll", Errno::INVAL));
        }
        self.open(0)?;
        let patience = Patience::here();
        let timeout_ns = u64::try_from(self.options.timeout_s).map_or(u64::MAX, |s| s * S);
        let mut until_ns = now_ns().saturating_add(timeout_ns);
        loop {
            let seen_ns = now_ns().saturating_add(INTERRUPTS_SEEN_NS);
            let waited = self.wire.turn(patience, until_ns.min(seen_ns));
            self.outcome.waited_ns +=
                waited.map_err(|error| poll_failed("apr_pollset_poll", &error))?;
            let had_events = self.take_events()?;
            if interrupted.load(Ordering::Relaxed) {
                (self.outcome.last_us, self.outcome.interrupted) = (now_us(), true);
                return Ok(());
            }
            if had_events {
                let outcome = &self.outcome;
                let is_done = outcome.records.len() >= self.options.requests;
                if !self.looks_again && (is_done || outcome.last_us >= limit_us) {
                    return Ok(());
                }
                until_ns = now_ns().saturating_add(timeout_ns);
            } else if now_ns() >= until_ns {
                return Err(Exit::timeout());
            }
        }
    }

    fn take_events(&mut self) -> Result<bool, Exit> {
        self.turns += 1;
        let mut had_events = false;
        while let Some((slot, event)) = self.wire.next_event() {
            had_events = true;
            match event {
                Event::Established => self.established(slot)?,
                Event::Bytes(piece) => self.read(slot, piece)?,
                Event::End => self.end(slot)?,
                Event::Unconnected(failure) => self.unconnected(slot, failure)?,
                Event::Failed(failure) => self.fail(slot, failure, true)?,
            }
        }
        Ok(had_events)
    }

    fn established(&mut self, slot: usize) -> Result<(), Exit> {
        if let Some(why) = &self.destination.unavailable_protocol {
            return self.unconnected(slot, Failure::tls(Fault::Other, why.clone()));
        }
        self.outcome.connects += 1;
        (self.connections[slot].was_refused, self.looks_again) = (false, false);
        if self.outcome.session.is_none() {
            self.outcome.session = self.wire.session_facts(slot);
        }
        self.write(slot);
        Ok(())
    }

    /// Begins a request on its own connection, if one is left.
    fn open(&mut self, slot: usize) -> Result<(), Exit> {
        while self.started < self.options.requests {
            let connection = &mut self.connections[slot];
            connection.answer.reset();
            connection.start_us = now_us();
            self.outcome.last_us = connection.start_us;
            match self.wire.connect(slot) {
                Ok(()) => break,
                Err(errno) => self.cannot_connect(errno)?,
            }
        }
        Ok(())
    }

    /// Switches to the next address, if there is one and nothing has arrived from this one.
    fn try_next_address(&mut self) -> Result<bool, Exit> {
        if self.has_spread || self.outcome.good > 0 {
            return Ok(false);
        }
        let Some(route) = self.others.pop_front() else { return Ok(false) };
        self.wire = new_wire(route, self.options, self.destination)?;
        Ok(true)
    }

    /// Sends a request, if one is left; else the connection stays unused.
    fn write(&mut self, slot: usize) {
        if self.started >= self.options.requests {
            return;
        }
        let connection = &mut self.connections[slot];
        connection.connected_us = now_us();
        connection.written_in_turn = self.turns;
        self.wire.send(slot, 0..self.destination.request.len());
        connection.written_us = now_us();
        self.outcome.last_us = connection.written_us;
        self.outcome.sent_bytes += self.destination.request.len() as u64;
        self.started += 1;
    }
}
