//! The run: ab's loop of connections, on the engine's wire.

use super::answer::{Step, Wanted};
use super::connection::Connection;
use super::options::{Method, Options};
use super::outcome::Outcome;
use super::record::now_us;
use super::stop::Stop;
use super::voice::{Voice, complain, tell_progress};
use crate::clock::{MS, S, now_ns};
use crate::io::Backend;
use crate::patience::Patience;
use crate::personality::tls::Client;
use crate::personality::wire::{Failure, News, Received, Wire};
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
    Wire::new(route, options.connections, target.request.clone(), target.tls.as_ref())
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
                News::Established => {
                    self.outcome.connects += 1;
                    (self.connections[slot].was_refused, self.looks_again) = (false, false);
                    if self.outcome.session.is_none() {
                        self.outcome.session = self.wire.session_facts(slot);
                    }
                    self.write(slot);
                }
                News::Bytes(piece) => self.read(slot, piece)?,
                News::End => self.end(slot)?,
                News::Unconnected(failure) => self.unconnected(slot, failure)?,
                News::Failed(failure) => self.fail(slot, failure, true)?,
            }
        }
        Ok(had_news)
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

    /// A connection failed before it was begun.
    fn cannot_connect(&mut self, errno: Errno) -> Result<(), Stop> {
        match errno {
            Errno::MFILE | Errno::NFILE => return Err(Stop::system("socket", errno)),
            Errno::ADDRNOTAVAIL if self.options.source.is_some() => {
                return Err(Stop::system("bind", errno));
            }
            _ => {}
        }
        if self.try_next_address()? {
            self.outcome.connect_errors = 0;
        } else if self.outcome.bad > MOST_FAILURES {
            let stop = Stop::system("apr_socket_connect()", errno);
            let said = format!("\nTest aborted after 10 failures\n\n{}", stop.said);
            return Err(Stop { said, ..stop });
        } else {
            self.outcome.bad += 1;
            self.outcome.connect_errors += 1;
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

    /// Takes bytes, as many at a time as ab does: what comes behind an answer belongs to the next.
    fn read(&mut self, slot: usize, piece: Received<B::Piece>) -> Result<(), Stop> {
        let mut at = 0;
        loop {
            let bytes = &self.wire.bytes(&piece)[at..];
            let bytes = &bytes[..bytes.len().min(READ_SIZE)];
            if bytes.is_empty() {
                break;
            }
            at += bytes.len();
            self.outcome.read_bytes += bytes.len() as u64;
            let connection = &mut self.connections[slot];
            if connection.answer.read == 0 {
                connection.first_byte_us = now_us();
            }
            let answer = &mut connection.answer;
            let was_body = answer.body;
            let step = answer.take(bytes, self.wanted);
            self.outcome.body_bytes += answer.body - was_body;
            match step {
                Step::Head => self.log_head(slot),
                Step::TooLong => {
                    self.log_head(slot);
                    self.wire.close(slot);
                    self.give_up_answer()?;
                    self.open(slot)?;
                    break;
                }
                Step::HeadIsWhole => {
                    self.log_head(slot);
                    self.take_head(slot)?;
                }
                Step::Body => {}
            }
            if self.connections[slot].answer.is_complete() {
                self.finish_kept(slot);
            }
        }
        self.wire.give_back(piece);
        Ok(())
    }

    /// A head that is too long to be one: the request isn't done.
    fn give_up_answer(&mut self) -> Result<(), Stop> {
        self.outcome.non_2xx += 1;
        if self.outcome.bad > MOST_FAILURES {
            return Err(Stop::error("\nTest aborted after 10 failures\n\n"));
        }
        self.outcome.bad += 1;
        Ok(())
    }

    /// A head is whole.
    fn take_head(&mut self, slot: usize) -> Result<(), Stop> {
        let answer = &self.connections[slot].answer;
        let status = answer.status();
        if self.outcome.good == 0 {
            self.outcome.server = answer.server().to_vec();
        }
        if status[0] != b'2' {
            self.outcome.non_2xx += 1;
            self.outcome.redirects += u64::from(status[0] == b'3');
        }
        self.voice.log_status(status, self.options.verbosity);
        if !std::mem::replace(&mut self.has_spread, true) {
            for slot in 1..self.connections.len() {
                self.open(slot)?;
            }
        }
        Ok(())
    }

    fn log_head(&self, slot: usize) {
        if self.options.verbosity >= 2 {
            self.voice.log_head(self.connections[slot].answer.text());
        }
    }

    /// An answer is complete, and its connection takes the next request.
    fn finish_kept(&mut self, slot: usize) {
        self.outcome.good += 1;
        self.compare_length(slot);
        let now_us = now_us();
        if self.count(slot, now_us) {
            self.outcome.kept_alive += 1;
        }
        let connection = &mut self.connections[slot];
        connection.answer.reset();
        (connection.start_us, connection.connected_us) = (now_us, now_us);
        self.outcome.last_us = now_us;
        self.write(slot);
    }

    /// The server has closed a connection: to ab a good end of an answer, wherever that was.
    fn end(&mut self, slot: usize) -> Result<(), Stop> {
        self.outcome.good += 1;
        let connection = &self.connections[slot];
        // Its end was there when the request was written, which has been answered with a reset.
        let never_read = connection.answer.read == 0 && connection.written_in_turn == self.turns;
        self.finish(slot)?;
        if never_read {
            self.except();
        }
        Ok(())
    }

    /// Ends a request with its connection, and begins the next.
    fn finish(&mut self, slot: usize) -> Result<(), Stop> {
        self.compare_length(slot);
        let now_us = now_us();
        if self.count(slot, now_us) {
            self.outcome.last_us = now_us;
        }
        self.wire.close(slot);
        self.open(slot)
    }

    /// The first answer's length is right. Where there were only failures, the last one's.
    fn compare_length(&mut self, slot: usize) {
        let bytes = self.connections[slot].answer.body;
        if self.outcome.good == 1 {
            self.outcome.document_bytes = bytes;
        } else if bytes != self.outcome.document_bytes && !self.options.any_length {
            self.outcome.bad += 1;
            self.outcome.length_errors += 1;
        }
    }

    /// Counts a request, unless all have been counted. Returns whether it was.
    fn count(&mut self, slot: usize, now_us: i64) -> bool {
        let records = &mut self.outcome.records;
        if records.len() >= self.options.requests {
            return false;
        }
        records.push(self.connections[slot].record(now_us));
        let heartbeat = self.options.heartbeat;
        if heartbeat > 0 && records.len().is_multiple_of(heartbeat) {
            tell_progress("Completed", records.len());
        }
        true
    }

    /// A connection could not be made. ab learns of it by reading, and sees the same failure as an
    /// exception. What it opens in its place it reads from at once: of two that are refused in a row
    /// only the first is an exception.
    fn unconnected(&mut self, slot: usize, failure: Failure) -> Result<(), Stop> {
        if matches!(failure, Failure::Tls(_)) {
            complain("SSL handshake failed (1).\n");
            self.outcome.tls_failure = Some(failure);
            return self.finish(slot);
        }
        if self.try_next_address()? {
            return self.open(slot);
        }
        let connection = &mut self.connections[slot];
        connection.was_refused = !connection.was_refused;
        let is_exception = connection.was_refused;
        self.looks_again = is_exception && self.started < self.options.requests;
        self.fail(slot, failure, is_exception)
    }

    /// Receiving failed.
    fn fail(&mut self, slot: usize, failure: Failure, is_exception: bool) -> Result<(), Stop> {
        match failure {
            Failure::System(errno) if self.target.tls.is_none() => self.fail_plain(slot, errno)?,
            Failure::System(_) => self.fail_sealed(slot, 5)?,
            Failure::Tls(_) => {
                self.outcome.tls_failure = Some(failure);
                return self.fail_sealed(slot, 1);
            }
        }
        if is_exception {
            self.except();
        }
        Ok(())
    }

    fn fail_plain(&mut self, slot: usize, errno: Errno) -> Result<(), Stop> {
        self.outcome.receive_errors += 1;
        let stop = Stop::system("apr_socket_recv", errno);
        if !self.options.receive_errors_are_fine {
            return Err(stop);
        }
        self.outcome.bad += 1;
        self.finish(slot)?;
        if self.options.verbosity >= 1 {
            complain(&stop.said);
        }
        Ok(())
    }

    /// With TLS no error of receiving ends the run. `number` is OpenSSL's of its kind.
    fn fail_sealed(&mut self, slot: usize, number: i32) -> Result<(), Stop> {
        complain(&format!("SSL read failed ({number}) - closing connection\n"));
        if !self.connections[slot].answer.is_kept {
            return self.finish(slot);
        }
        // Within an answer of a connection that was to be kept: that was none, ab thinks.
        self.outcome.good = self.outcome.good.saturating_sub(1);
        self.wire.close(slot);
        self.open(slot)
    }

    fn except(&mut self) {
        self.outcome.bad += 1;
        self.outcome.exceptions += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::tests::options;
    use super::*;
    use crate::io::epoll::Epoll;
    use crate::target::{Address, SocketBuffers, Sources};
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::thread;

    fn loaded(line: &str, addresses: &[SocketAddr]) -> Result<Outcome, Stop> {
        let route = |&address| Route {
            address: Address::Tcp(address),
            sources: Sources::System,
            connect_timeout_ns: u64::MAX,
            buffers: SocketBuffers::default(),
        };
        let target = Target {
            routes: addresses.iter().map(|address| Arc::new(route(address))).collect(),
            tls: None,
            request: Arc::from(&b"GET / HTTP/1.0\r\n\r\n"[..]),
        };
        let voice = Voice { is_for_json: true };
        run::<Epoll>(&options(line), &target, voice, &AtomicBool::new(false))
    }

    /// Answers so many connections, and before it answers the last one takes no more.
    fn server(answers: usize) -> SocketAddr {
        let mut listener = Some(TcpListener::bind("127.0.0.1:0").unwrap());
        let address = listener.as_ref().unwrap().local_addr().unwrap();
        thread::spawn(move || {
            for left in (0..answers).rev() {
                let (mut stream, _) = listener.as_ref().unwrap().accept().unwrap();
                listener = listener.filter(|_| left > 0);
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n\r\nhello");
            }
        });
        address
    }

    fn nobody() -> SocketAddr {
        TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
    }

    #[test]
    fn of_several_addresses_the_first_that_answers_is_used() {
        let outcome = loaded("-n 3 -c 2 h/", &[nobody(), nobody(), server(9)]).unwrap();
        assert_eq!((outcome.records.len(), outcome.good, outcome.bad), (3, 3, 0));
        assert_eq!((outcome.document_bytes, outcome.body_bytes), (5, 15));
    }

    #[test]
    fn once_one_has_answered_the_others_do_not_matter() {
        let stop = loaded("-n 3 h/", &[server(1), server(9)]).unwrap_err();
        assert_eq!(stop.said, "apr_socket_recv: Connection refused (111)\n");
        assert_eq!((stop.status, stop.done), (111, 1));
    }

    #[test]
    fn no_connection_at_all_is_nothing_to_wait_for() {
        let stop = loaded("-c 0 h/", &[nobody()]).unwrap_err();
        assert_eq!(stop.said, "apr_pollset_poll: Invalid argument (22)\n");
    }
}
