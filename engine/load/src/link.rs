//! Connections: opening, failing and closing.

use crate::errors::{ErrorKind, broken};
use crate::pace::{Pacer, pause_ns};
use crate::pool::{Flight, State};
use crate::scheme::Scheme;
use crate::turn::Turn;
use rustix::io::Errno;
use std::io::Result;
use std::ops::Range;
use volley_net::clock::now_ns;
use volley_net::{Backend, Failure, Fault};
use volley_protocol::Protocol;

/// Connections that may be in progress at a time when all are opened ahead: less than a server's
/// accept queue usually holds.
const OPENING_AT_ONCE: usize = 256;

impl<B: Backend, P: Protocol<Flight>> Turn<'_, B, P> {
    /// Finds the connections that the server closed between the turns.
    pub(crate) fn drop_closed(&mut self) -> Result<()> {
        loop {
            self.pool.io.turn()?;
            if self.dispatch() == 0 {
                return Ok(());
            }
        }
    }

    /// Opens those of these connections that are closed, and waits for each.
    pub(crate) fn open(&mut self, slots: Range<usize>) -> Result<()> {
        for slot in slots {
            if self.pool.connections[slot].state == State::Closed {
                self.connect(slot, now_ns());
            }
            while self.pool.active() >= OPENING_AT_ONCE {
                self.step(u64::MAX)?;
            }
        }
        while self.pool.active() > 0 {
            self.step(u64::MAX)?;
        }
        Ok(())
    }

    /// Opens a connection that has paused long enough, or offers it where it is opened for a
    /// request.
    pub(crate) fn reopen(&mut self, slot: usize, now_ns: u64) {
        match (self.pool.is_one_shot(), &self.pacer) {
            (false, _) => self.connect(slot, now_ns),
            (true, Pacer::Open { .. }) => {
                self.pool.enter(slot, State::Offered);
                self.pool.available.push_back(slot);
            }
            (true, _) => self.connect_for(slot, now_ns, now_ns),
        }
    }

    /// Opens a connection for one request, whose latency begins here (or when it was due).
    pub(crate) fn connect_for(&mut self, slot: usize, due_ns: u64, now_ns: u64) {
        self.allowance -= 1;
        let (message, _) = self.pool.take_messages(1);
        let flight = Flight { due_ns, sent_ns: now_ns, message };
        self.pool.connections[slot].waiting = Some(flight);
        self.connect(slot, now_ns);
    }

    fn connect(&mut self, slot: usize, now_ns: u64) {
        self.written += 1;
        self.pool.enter(slot, State::Connecting);
        self.pool.connections[slot].sent = 0;
        self.set_alarm(slot, now_ns.saturating_add(self.pool.target.route.connect_timeout_ns));
        let pool = &mut *self.pool;
        let first = pool.connections[slot].waiting.filter(|_| pool.sends_at_once());
        let first = first.map(|flight| pool.book.message(flight.message).bytes.clone());
        loop {
            let nth = pool.opened;
            pool.opened += 1;
            return match pool.io.connect(slot, &pool.route, nth, first.clone()) {
                Ok(true) => self.on_established(slot),
                Ok(false) => {}
                Err(Errno::ADDRNOTAVAIL) if pool.use_other_sources() => continue,
                Err(errno) => self.fail_connect(slot, &errno.into()),
            };
        }
    }

    /// A connection is established, or takes requests ahead of its handshake: sends the request that
    /// it was opened for. A kept connection may have to wait for the server's announcement.
    pub(crate) fn on_established(&mut self, slot: usize) {
        self.count_handshake(slot);
        let pool = &mut *self.pool;
        if pool.connections[slot].state != State::Connecting {
            self.tally.connects += 1; // Its request went ahead of the handshake.
            return;
        }
        let connection = &mut pool.connections[slot];
        connection.protocol.greet(&mut pool.shared, &mut pool.out);
        if P::GREETS && !(P::WRITES && connection.waiting.is_some()) {
            pool.enter(slot, State::Greeting);
            self.flush(slot);
        } else {
            self.on_ready(slot);
        }
    }

    /// Counts the handshake of a connection that has just been established, if there was one.
    #[inline]
    fn count_handshake(&mut self, slot: usize) {
        if B::SHAKES_HANDS
            && let Some(agreed) = self.pool.io.agreed(slot)
        {
            self.tally.handshakes += 1;
            self.tally.handshake_ns += agreed.took_ns;
            self.tally.resumed += u64::from(agreed.resumed);
            self.tally.early_accepted += u64::from(agreed.early == Some(true));
            self.tally.early_rejected += u64::from(agreed.early == Some(false));
            self.tally.terms.tls.get_or_insert(agreed);
        }
    }

    /// A connection may carry requests from now on: the one that it was opened for, or its chain's.
    pub(crate) fn on_ready(&mut self, slot: usize) {
        let connection = &mut self.pool.connections[slot];
        if let Some(flight) = connection.waiting.take() {
            connection.sent = 1;
            self.pool.enter(slot, State::Busy);
            let is_established = !B::SHAKES_HANDS || self.pool.io.agreed(slot).is_some();
            self.tally.connects += u64::from(is_established);
            let due_ns = flight.sent_ns.saturating_add(self.pool.target.request_timeout_ns);
            self.set_alarm(slot, due_ns);
            if self.pool.sends_at_once() {
                self.pool.connections[slot].protocol.start(flight, 1);
            } else {
                let part = self.pool.book.message(flight.message).bytes.clone();
                self.put(slot, flight, 1, part);
            }
        } else if self.pool.is_held(slot) {
            self.hold(slot);
        } else if !self.begin(slot) {
            self.join(slot);
        }
    }

    /// A kept connection joins the load.
    pub(crate) fn join(&mut self, slot: usize) {
        self.tally.connects += 1;
        self.pool.enter(slot, State::Idle);
        self.note_announced(slot);
        self.enter_room(slot);
        if self.is_sending() {
            self.go_on(slot, now_ns());
        }
    }

    /// Notes the server's announcement, by the first connection that has it.
    pub(crate) fn note_announced(&mut self, slot: usize) {
        let announced = self.pool.connections[slot].protocol.announced();
        self.tally.terms.announced = self.tally.terms.announced.or(announced);
    }

    /// Closes a connection that the server does not close.
    pub(crate) fn close(&mut self, slot: usize) {
        self.say_goodbye(slot);
        self.pool.io.close(slot);
        self.pool.enter(slot, State::Closed);
        self.pool.connections[slot].alarm_ns = 0;
    }

    /// Says goodbye, where the protocol has a message for it.
    fn say_goodbye(&mut self, slot: usize) {
        if P::GREETS {
            let pool = &mut *self.pool;
            pool.connections[slot].protocol.write_goodbye(&mut pool.out);
            self.flush(slot);
        }
    }

    /// Retires a connection after its last answer, and opens the next in its place. `ended`: the
    /// server has closed it already.
    pub(crate) fn replace(&mut self, slot: usize, ended: bool, now_ns: u64) {
        if ended {
            self.pool.out.clear();
            self.pool.io.close(slot);
        } else {
            self.say_goodbye(slot);
            self.pool.io.retire(slot);
        }
        self.pool.enter(slot, State::Closed);
        self.pool.connections[slot].alarm_ns = 0;
        if self.wants(now_ns) && slot < self.limit {
            self.reopen(slot, now_ns);
        }
    }

    /// The server takes no more requests on a connection that carries none: opens the next.
    pub(crate) fn replace_closing(&mut self, slot: usize, now_ns: u64) {
        let connection = &mut self.pool.connections[slot];
        // A server that accepts connections only to go away is not called without a pause.
        connection.failures = connection.failures.saturating_add(1);
        let may_reopen = pause_ns(connection.failures, false) == 0;
        if may_reopen && self.is_sending() {
            self.replace(slot, false, now_ns);
        } else {
            self.drop_idle(slot);
        }
    }

    /// The server has closed its side.
    pub(crate) fn on_end(&mut self, slot: usize) {
        match self.pool.connections[slot].state {
            State::Lingering => self.replace(slot, true, now_ns()),
            State::Busy => self.end_answer(slot),
            State::Once => self.end_chain(slot),
            State::Streaming => self.on_held_end(slot),
            State::Greeting => self.close_with_error(slot, ErrorKind::EarlyClose, None, || {
                format!("the server closed the connection before it {}", P::GREETING)
            }),
            _ => self.drop_idle(slot),
        }
    }

    /// Reading or writing failed.
    pub(crate) fn on_failed(&mut self, slot: usize, failure: &Failure) {
        match self.pool.connections[slot].state {
            State::Lingering => self.replace(slot, true, now_ns()),
            State::Idle => self.drop_idle(slot),
            _ => {
                self.close_with_error(slot, ErrorKind::of_stream(failure), None, || {
                    broken(failure)
                });
            }
        }
    }

    /// The server closed a connection that awaited nothing.
    pub(crate) fn drop_idle(&mut self, slot: usize) {
        self.close(slot);
        if self.is_sending() {
            // A server that closes before any request is not called without a pause.
            let connection = &mut self.pool.connections[slot];
            if connection.sent == 0 {
                connection.failures = connection.failures.saturating_add(1);
            }
            let pause_ns = pause_ns(connection.failures, false);
            self.set_alarm(slot, now_ns() + pause_ns);
        } else {
            self.tally.idle_closed += 1;
        }
    }

    pub(crate) fn fail_connect(&mut self, slot: usize, failure: &Failure) {
        if *failure == Failure::System(Errno::ADDRNOTAVAIL) && self.pool.use_other_sources() {
            self.pool.io.close(slot);
            return self.connect(slot, now_ns());
        }
        let target = self.pool.target.clone();
        self.close_with_error(slot, ErrorKind::of_connect(failure), None, || {
            format!("{}: {}", target.route.address, unconnected(failure, target.scheme))
        });
    }

    pub(crate) fn fail_greeting(&mut self, slot: usize) {
        self.close_with_error(slot, ErrorKind::ConnectTimeout, None, || {
            format!("the server took the connection, but has not {} in time", P::GREETING)
        });
    }

    /// Closes a connection, whose requests end with it, if it has any. `last`: the bytes that came
    /// last, and where in them the answer in progress begins.
    pub(crate) fn close_with_error(
        &mut self,
        slot: usize,
        kind: ErrorKind,
        last: Option<(&B::Piece, usize)>,
        detail: impl FnOnce() -> String,
    ) {
        if self.pool.is_held(slot) {
            return self.fail_held(slot, kind, last, detail);
        }
        let pool = &mut *self.pool;
        let connection = &mut pool.connections[slot];
        let (book, io, protocol) = (&pool.book, &pool.io, &connection.protocol);
        let request = connection.protocol.oldest().or(connection.waiting);
        let request = request.map(|flight| flight.message);
        let unanswered = connection.protocol.in_flight() as u64;
        self.tally.count_error(kind, unanswered.max(1), || {
            let bytes = last.map_or(&[][..], |(piece, at)| &io.bytes(piece)[at..]);
            let request = request.map(|number| book.evidence(number)).unwrap_or_default();
            (detail(), request, protocol.evidence(bytes))
        });
        if let Some(log) = &mut self.log {
            log.current.errors += unanswered.max(1);
        }
        let now_ns = now_ns();
        let was_for_one = connection.waiting.is_some();
        while let Some(flight) = connection.take_unanswered() {
            self.tally.count_unanswered(
                kind,
                book.entry(flight.message),
                self.window.holds(flight.due_ns),
            );
            self.tally.in_flight_ns += self.window.overlap_ns(flight.sent_ns, now_ns);
        }
        let was_connecting =
            matches!(connection.state, State::Connecting | State::Greeting | State::Once);
        connection.failures = connection.failures.saturating_add(1);
        let pause_ns = pause_ns(connection.failures, was_connecting);
        pool.out.clear();
        pool.io.close(slot);
        pool.enter(slot, State::Closed);
        self.set_alarm(slot, now_ns + pause_ns);
        (0..unanswered).for_each(|_| self.on_heard(slot, false, now_ns));
        if was_connecting && !was_for_one {
            self.count_unstarted(now_ns);
        }
    }

    /// A connection that would have carried requests could not be made. Where only the number of
    /// requests ends the load, this ends one of them: the load would never end otherwise.
    fn count_unstarted(&mut self, now_ns: u64) {
        if self.window.end_ns < u64::MAX || self.allowance == 0 || self.allowance == u64::MAX {
            return;
        }
        if matches!(self.pacer, Pacer::Open { .. }) && self.pool.target.room.is_none() {
            if self.next_arrival_ns().is_none_or(|due_ns| due_ns > now_ns) {
                return;
            }
            self.take_arrival();
            self.tally.unsent += 1;
        }
        self.allowance -= 1;
        let (message, _) = self.pool.take_messages(1);
        if self.window.holds(now_ns) {
            self.tally.count_miss(self.pool.book.entry(message));
        }
    }
}

/// Why a connection could not be made.
fn unconnected(failure: &Failure, scheme: Scheme) -> String {
    match failure {
        Failure::System(Errno::TIMEDOUT) if scheme == Scheme::H3 => {
            "no answer over UDP in time: the server does not speak HTTP/3 here, or UDP is blocked on the way"
                .to_owned()
        }
        Failure::System(Errno::CONNREFUSED) if scheme == Scheme::H3 => {
            "nobody listens on this UDP port: the server does not speak HTTP/3 here".to_owned()
        }
        Failure::Tls(tls) => match tls.fault {
            Fault::Cut => "the server closed the connection during the TLS handshake".to_owned(),
            Fault::Other => format!("TLS handshake: {}", tls.words),
            Fault::Certificate | Fault::Alpn => tls.words.clone(),
        },
        Failure::System(_) | Failure::Quic(_) => failure.to_string(),
    }
}
