//! The run: ab's loop of connections, on the engine's wire.

mod answers;
mod failures;
#[cfg(test)]
mod tests;

use super::answer::Wanted;
use super::connection::Connection;
use super::options::{Method, Options};
use super::outcome::Outcome;
use super::record::now_us;
use super::stop::Stop;
use super::voice::Voice;
use crate::clock::{MS, S, now_ns};
use crate::io::Backend;
use crate::patience::Patience;
use crate::personality::tls::Client;
use crate::personality::wire::{Failure, News, Wire};
use crate::target::Route;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// So often it is seen whether Ctrl-C was pressed.
const INTERRUPTS_SEEN_NS: u64 = 50 * MS;

/// ab reads so many bytes at a time.
const READ_SIZE: usize = 8192;

/// One failure more than so many ends the run, where it isn't an answer's.
const MOST_FAILURES: u64 = 10;

/// See the module.
pub(super) struct Run<'a, B: Backend> {
    options: &'a Options,
    wanted: Wanted,
    voice: Voice,
    target: &'a Target,
    /// The addresses that are tried when the first connection doesn't come to anything.
    others: VecDeque<Arc<Route>>,
    wire: Wire<B>,
    connections: Vec<Connection>,
    outcome: Outcome,
    /// Requests that were written.
    started: usize,
    /// A head has come: the other connections were opened.
    has_spread: bool,
    turns: u64,
    /// A refused connection was opened again, and what becomes of that belongs to the same step.
    looks_again: bool,
}

/// Whom to ask, and what.
#[derive(Debug)]
pub(super) struct Target {
    /// One for each address; the first one is used that takes connections.
    pub(super) routes: Vec<Arc<Route>>,
    pub(super) tls: Option<Client>,
    /// Why no handshake can succeed, where that is known before: it fails like one.
    pub(super) unspoken: Option<String>,
    pub(super) request: Arc<[u8]>,
}

/// Makes the requests of `options`.
pub(super) fn run<B: Backend>(
    options: &Options,
    target: &Target,
    voice: Voice,
    interrupted: &AtomicBool,
) -> Result<Outcome, Stop> {
    let outcome = Outcome::with_room(options.requests)?;
    let mut others: VecDeque<_> = target.routes.iter().cloned().collect();
    let route = others.pop_front().expect("a name leads to one address at least");
    let wire: Wire<B> = new_wire(route, options, target)?;
    let wanted =
        Wanted { keep_alive: options.keep_alive, head_only: options.method == Method::Head };
    let connections = (0..options.connections).map(|_| Connection::default()).collect();
    let (started, turns, has_spread, looks_again) = (0, 0, false, false);
    let mut run = Run {
        options,
        wanted,
        voice,
        target,
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
        Err(stop) => Err(Stop { done: run.outcome.records.len(), ..stop }),
    }
}

fn new_wire<B: Backend>(
    route: Arc<Route>,
    options: &Options,
    target: &Target,
) -> Result<Wire<B>, Stop> {
    let tls = target.tls.as_ref().filter(|_| target.unspoken.is_none());
    Wire::new(route, options.connections, target.request.clone(), tls)
        .map_err(|error| poll_failed("apr_pollset_create failed", &error))
}

fn poll_failed(call: &str, error: &io::Error) -> Stop {
    match Errno::from_io_error(error) {
        Some(errno) => Stop::system(call, errno),
        None => Stop::error(&format!("{call}: {error}")),
    }
}

impl<B: Backend> Run<'_, B> {
    fn load(&mut self, interrupted: &AtomicBool) -> Result<(), Stop> {
        let start_us = now_us();
        (self.outcome.start_us, self.outcome.last_us) = (start_us, start_us);
        let limit_us = match i64::from(self.options.time_limit_s) {
            0 => i64::MAX,
            seconds => start_us + 1_000_000 * seconds,
        };
        if self.connections.is_empty() {
            return Err(Stop::system("apr_pollset_poll", Errno::INVAL));
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
            let had_news = self.take_news()?;
            if interrupted.load(Ordering::Relaxed) {
                (self.outcome.last_us, self.outcome.interrupted) = (now_us(), true);
                return Ok(());
            }
            if had_news {
                let outcome = &self.outcome;
                let is_done = outcome.records.len() >= self.options.requests;
                if !self.looks_again && (is_done || outcome.last_us >= limit_us) {
                    return Ok(());
                }
                until_ns = now_ns().saturating_add(timeout_ns);
            } else if now_ns() >= until_ns {
                return Err(Stop::timeout());
            }
        }
    }

    fn take_news(&mut self) -> Result<bool, Stop> {
        self.turns += 1;
        let mut had_news = false;
        while let Some((slot, news)) = self.wire.next() {
            had_news = true;
            match news {
                News::Established => self.established(slot)?,
                News::Bytes(piece) => self.read(slot, piece)?,
                News::End => self.end(slot)?,
                News::Unconnected(failure) => self.unconnected(slot, failure)?,
                News::Failed(failure) => self.fail(slot, failure, true)?,
            }
        }
        Ok(had_news)
    }

    fn established(&mut self, slot: usize) -> Result<(), Stop> {
        if let Some(why) = &self.target.unspoken {
            return self.unconnected(slot, Failure::Tls(why.clone()));
        }
        self.outcome.connects += 1;
        (self.connections[slot].was_refused, self.looks_again) = (false, false);
        if self.outcome.session.is_none() {
            self.outcome.session = self.wire.session_facts(slot);
        }
        self.write(slot);
        Ok(())
    }

    /// Begins a request on a connection of its own, if one is left to be made.
    fn open(&mut self, slot: usize) -> Result<(), Stop> {
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

    /// Goes over to the next address, if there is one and nothing has come from this one.
    fn try_next_address(&mut self) -> Result<bool, Stop> {
        if self.has_spread || self.outcome.good > 0 {
            return Ok(false);
        }
        let Some(route) = self.others.pop_front() else { return Ok(false) };
        self.wire = new_wire(route, self.options, self.target)?;
        Ok(true)
    }

    /// Sends a request, if one is left; else the connection is there for nothing.
    fn write(&mut self, slot: usize) {
        if self.started >= self.options.requests {
            return;
        }
        let connection = &mut self.connections[slot];
        connection.connected_us = now_us();
        connection.written_in_turn = self.turns;
        self.wire.send(slot, 0..self.target.request.len());
        connection.written_us = now_us();
        self.outcome.last_us = connection.written_us;
        self.outcome.sent_bytes += self.target.request.len() as u64;
        self.started += 1;
    }
}
