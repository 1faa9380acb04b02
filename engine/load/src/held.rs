//! Streams that are held open beside the requests: each on a connection of its own, opened before
//! the first slice and kept from slice to slice. Between the slices nobody reads them.

use crate::errors::{Counts, ErrorKind};
use crate::events::EventTally;
use crate::pace::pause_ns;
use crate::pool::{Flight, Pool, State};
use crate::tally::Bad;
use crate::turn::Turn;
use std::io::Result;
use volley_net::Backend;
use volley_net::clock::{MS, now_ns};
use volley_protocol::{Answer, End, Io, Protocol, Step};

/// The counts of one slice.
#[derive(Debug, Default)]
pub struct HeldTally {
    /// Streams whose first event has come.
    pub opened: u64,
    /// Streams that were open when the slice was over.
    pub open: u64,
    /// Streams that have ended rightly. They are opened anew.
    pub ended: u64,
    /// Events, and the gaps of which both events came in the window.
    pub events: EventTally,
    /// Streams that broke, or could not be opened, in the whole slice.
    pub errors: Counts,
    /// The first of them.
    pub first_bad: Option<Bad>,
}

impl HeldTally {
    pub(crate) fn merge(&mut self, other: Self) {
        self.opened += other.opened;
        self.open += other.open;
        self.ended += other.ended;
        self.events.merge(&other.events);
        self.errors.merge(&other.errors);
        self.first_bad = self.first_bad.take().or(other.first_bad);
    }
}

impl<B: Backend, P: Protocol<Flight>> Pool<B, P> {
    /// Whether a connection holds a stream. These come after all others.
    #[inline]
    pub(crate) fn is_held(&self, slot: usize) -> bool {
        slot >= self.held_from
    }

    /// Whether events of a held stream have come.
    fn is_heard(&self, slot: usize) -> bool {
        let connection = &self.connections[slot];
        connection.state == State::Streaming
            && connection.protocol.waits_since_ns(|_| u64::MAX).is_some_and(|at| at < u64::MAX)
    }

    /// How many of the held streams are open.
    pub(crate) fn open_streams(&self) -> u64 {
        (self.held_from..self.connections.len()).filter(|&slot| self.is_heard(slot)).count() as u64
    }
}

impl<B: Backend, P: Protocol<Flight>> Turn<'_, B, P> {
    /// Nobody has read the held streams for a while: their timeouts begin anew.
    pub(crate) fn await_streams(&mut self) {
        let due_ns = now_ns().saturating_add(self.pool.target.request_timeout_ns);
        for slot in self.pool.held_from..self.pool.connections.len() {
            if self.pool.connections[slot].state == State::Streaming {
                self.set_alarm(slot, due_ns);
            }
        }
    }

    /// Opens the held streams that are closed, and waits until each has had its first event or has
    /// failed.
    pub(crate) fn open_streams(&mut self) -> Result<()> {
        let held = self.pool.held_from..self.pool.connections.len();
        self.open(held.clone())?;
        for slot in held {
            while self.pool.connections[slot].state == State::Streaming && !self.pool.is_heard(slot)
            {
                self.step(u64::MAX)?;
            }
        }
        Ok(())
    }

    /// Asks for the stream that a connection holds.
    pub(crate) fn hold(&mut self, slot: usize) {
        let pool = &mut *self.pool;
        let Some(held) = pool.book.held() else { return };
        let connection = &mut pool.connections[slot];
        if connection.protocol.room(1) == 0 {
            let detail = || "the server takes no more requests on this connection".to_owned();
            return self.close_with_error(slot, ErrorKind::Goaway, None, detail);
        }
        let now_ns = now_ns();
        let flight = Flight { sent_ns: now_ns, ..Flight::uncounted(held.message) };
        let request = held.request.clone();
        connection
            .protocol
            .write_other(flight, request, &mut pool.shared, &mut pool.out)
            .expect("it was rendered before");
        pool.enter(slot, State::Streaming);
        self.say(slot);
        self.set_alarm(slot, now_ns.saturating_add(self.pool.target.request_timeout_ns));
    }

    /// Bytes of a held stream were received.
    #[cold]
    pub(crate) fn on_held_bytes(&mut self, slot: usize, piece: B::Piece, now_ns: u64) {
        let pool = &mut *self.pool;
        let bytes = pool.io.bytes(&piece);
        let protocol = &mut pool.connections[slot].protocol;
        let awaited = |flight: Flight| pool.book.message(flight.message).awaited;
        let io = &mut Io { now_ns, out: &mut pool.out };
        let step = protocol.receive(bytes, awaited, &mut pool.shared, io);
        self.count_held_events(slot, now_ns);
        let broken = match step {
            Some(Step::Incomplete) => {
                self.pool.io.release(piece);
                return self.flush(slot);
            }
            Some(Step::Complete(answer)) => {
                let bytes = &self.pool.io.bytes(&piece)[..answer.consumed];
                self.wrong_end(slot, &answer, bytes)
            }
            Some(Step::Malformed(bad)) => {
                self.flush(slot); // The protocol may have written why it closes.
                Some((ErrorKind::Malformed, format!("at byte {}: {}", bad.at, bad.what)))
            }
            Some(Step::Lost(loss)) => Some((ErrorKind::of_loss(loss), loss.to_string())),
            Some(Step::Refused { what, .. }) => {
                Some((ErrorKind::of_refusal(what), what.to_string()))
            }
            None => Some((ErrorKind::Malformed, "bytes that nobody asked for".to_owned())),
        };
        match broken {
            None => self.end_held(slot, now_ns),
            Some((kind, detail)) => {
                self.close_with_error(slot, kind, Some((&piece, 0)), || detail);
            }
        }
        self.pool.io.release(piece);
    }

    /// What is wrong with a stream that has ended, if anything. `last`: the bytes that came last.
    fn wrong_end(&self, slot: usize, answer: &Answer, last: &[u8]) -> Option<(ErrorKind, String)> {
        let kind = ErrorKind::of_verdict(answer.verdict)?;
        let pool = &*self.pool;
        let awaited = pool.book.message(pool.book.held()?.message).awaited;
        let protocol = &pool.connections[slot].protocol;
        Some((kind, protocol.describe(answer, awaited, &pool.shared, last)))
    }

    fn count_held_events(&mut self, slot: usize, now_ns: u64) {
        while let Some((_, pushed)) = self.pool.connections[slot].protocol.take_pushed(now_ns) {
            let window = self.window;
            let tally = self.tally.held.get_or_insert_default();
            tally.opened += u64::from(pushed.latest_ns.is_none());
            // When the event before came is known only where it was read at once.
            let since_ns = pushed.latest_ns.filter(|&latest_ns| window.holds(latest_ns));
            tally.events.count(&pushed, since_ns, window.holds(now_ns), now_ns);
            let timeout_ns = self.pool.target.request_timeout_ns;
            self.pool.connections[slot].failures = 0;
            self.set_alarm(slot, now_ns.saturating_add(timeout_ns));
        }
    }

    /// A held stream has ended rightly: the next sweep opens it anew, on a new connection, for
    /// servers may close this one.
    fn end_held(&mut self, slot: usize, now_ns: u64) {
        self.tally.held.get_or_insert_default().ended += 1;
        self.pool.connections[slot].protocol.finish();
        self.close(slot);
        self.set_alarm(slot, now_ns);
    }

    /// The server has closed a connection that holds a stream.
    pub(crate) fn on_held_end(&mut self, slot: usize) {
        let pool = &mut *self.pool;
        let protocol = &mut pool.connections[slot].protocol;
        let awaited = |flight: Flight| pool.book.message(flight.message).awaited;
        let broken = match protocol.end(awaited, &mut pool.shared) {
            End::Complete(answer) => self.wrong_end(slot, &answer, &[]),
            End::Short(received) => Some((
                ErrorKind::EarlyClose,
                format!("the server closed it after {received} bytes of the answer"),
            )),
        };
        match broken {
            None => self.end_held(slot, now_ns()),
            Some((kind, detail)) => self.close_with_error(slot, kind, None, || detail),
        }
    }

    pub(crate) fn time_out_held(&mut self, slot: usize) {
        let timeout_ms = self.pool.target.request_timeout_ns / MS;
        self.close_with_error(slot, ErrorKind::Timeout, None, || {
            format!("no event within {timeout_ms} ms")
        });
    }

    /// A held stream broke, or could not be opened: counts it apart from the requests, and closes its
    /// connection. `last`: as in `close_with_error`.
    pub(crate) fn fail_held(
        &mut self,
        slot: usize,
        kind: ErrorKind,
        last: Option<(&B::Piece, usize)>,
        detail: impl FnOnce() -> String,
    ) {
        let pool = &mut *self.pool;
        let connection = &mut pool.connections[slot];
        let tally = self.tally.held.get_or_insert_default();
        tally.errors.add(kind, 1);
        if tally.first_bad.is_none() {
            let bytes = last.map_or(&[][..], |(piece, at)| &pool.io.bytes(piece)[at..]);
            let request = pool.book.held().map(volley_requests::Held::evidence).unwrap_or_default();
            let response = connection.protocol.evidence(bytes);
            tally.first_bad = Some(Bad { kind, detail: detail(), request, response });
        }
        let was_connecting = connection.state != State::Streaming;
        connection.protocol.finish();
        while connection.take_unanswered().is_some() {}
        connection.failures = connection.failures.saturating_add(1);
        let pause_ns = pause_ns(connection.failures, was_connecting);
        pool.out.clear();
        pool.io.close(slot);
        pool.enter(slot, State::Closed);
        self.set_alarm(slot, now_ns() + pause_ns);
    }
}
