//! Connections begin with requests of their own, and take values from the answers for later
//! requests. None of these requests counts in the window.

use crate::errors::ErrorKind;
use crate::pool::{Beginning, Flight, Pool, State};
use crate::turn::Turn;
use std::ops::Range;
use std::sync::Arc;
use volley_net::Backend;
use volley_net::clock::{MS, now_ns};
use volley_protocol::{Answer, Io, Message, Protocol, Step};

/// Why a connection cannot begin.
type Broken = (ErrorKind, String);

impl<B: Backend, P: Protocol<Flight>> Pool<B, P> {
    /// Writes a message that depends on its connection to `out`; returns false for any other
    /// message.
    pub(crate) fn write_dependent(&mut self, slot: usize, flight: Flight) -> bool {
        let Some(dependent) = self.book.dependent(flight.message) else { return false };
        let connection = &mut self.connections[slot];
        let values = connection.beginning.as_ref().map_or(&[][..], |beginning| &beginning.values);
        let (request, protocol) = (dependent.with(values), &mut connection.protocol);
        let written = protocol.write_other(flight, request, &mut self.shared, &mut self.out);
        written.expect("it was rendered before, and its values were checked");
        true
    }
}

impl<B: Backend, P: Protocol<Flight>> Turn<'_, B, P> {
    /// Sends a run of requests of which some may depend on their connection; the others are in the
    /// book.
    #[cold]
    pub(crate) fn put_dependent(&mut self, slot: usize, first: Flight, messages: Range<usize>) {
        let pool = &mut *self.pool;
        for message in messages {
            let message = message % pool.book.cycle();
            let flight = Flight { message, ..first };
            if !pool.write_dependent(slot, flight) {
                pool.out.extend_from_slice(pool.book.bytes_of(message));
                pool.connections[slot].protocol.start(flight, 1);
            }
        }
        self.say(slot);
    }

    /// A new connection begins its chain; returns false if there is no chain.
    pub(crate) fn begin(&mut self, slot: usize) -> bool {
        let Some(draw) = self.pool.take_draw() else { return false };
        let connection = &mut self.pool.connections[slot];
        connection.beginning = Some(Box::new(Beginning { draw, step: 0, values: Vec::new() }));
        self.pool.enter(slot, State::Once);
        self.send_step(slot);
        true
    }

    /// Sends the next request of the chain; at the chain's end, the connection joins the load.
    fn send_step(&mut self, slot: usize) {
        let pool = &mut *self.pool;
        let connection = &mut pool.connections[slot];
        let (Some(chain), Some(beginning)) = (pool.book.chain(), &connection.beginning) else {
            return;
        };
        if beginning.step == chain.length() {
            return self.join(slot);
        }
        if connection.protocol.room(1) == 0 {
            let name = chain.name(beginning.step).to_owned();
            let detail = || format!("the server takes no more requests before {name}");
            return self.close_with_error(slot, ErrorKind::Goaway, None, detail);
        }
        let request = chain.request(beginning.draw, beginning.step, &beginning.values);
        let flight = Flight::uncounted(chain.message(beginning.draw, beginning.step));
        connection
            .protocol
            .write_other(flight, request, &mut pool.shared, &mut pool.out)
            .expect("it was rendered before, and its values were checked");
        self.say(slot);
        self.set_alarm(slot, now_ns().saturating_add(self.pool.target.request_timeout_ns));
    }

    /// Bytes were received on a connection that begins.
    pub(crate) fn on_chain_bytes(&mut self, slot: usize, piece: B::Piece, now_ns: u64) {
        let length = self.pool.io.bytes(&piece).len();
        self.count_bytes(length as u64, now_ns);
        let mut at = 0;
        let broken = loop {
            if at == length {
                break None;
            }
            let pool = &mut *self.pool;
            let bytes = &pool.io.bytes(&piece)[at..];
            let protocol = &mut pool.connections[slot].protocol;
            let awaited = |flight: Flight| pool.book.message(flight.message).awaited;
            let io = &mut Io { now_ns, out: &mut pool.out };
            match protocol.receive(bytes, awaited, &mut pool.shared, io) {
                Some(Step::Incomplete) => break None,
                Some(Step::Complete(answer)) => {
                    if let Err(broken) = self.take_values(slot, &answer, &piece, at) {
                        break Some(broken);
                    }
                    at += answer.consumed;
                }
                Some(Step::Malformed(bad)) => {
                    let detail = format!("at byte {}: {}", bad.at, bad.what);
                    break Some((ErrorKind::Malformed, detail));
                }
                Some(Step::Lost(loss)) => {
                    break Some((ErrorKind::of_loss(loss), loss.to_string()));
                }
                Some(Step::Refused { what, .. }) => {
                    break Some((ErrorKind::of_refusal(what), what.to_string()));
                }
                None => {
                    let extra = length - at;
                    let detail = format!("{extra} bytes that nobody asked for, after the answer");
                    break Some((ErrorKind::Malformed, detail));
                }
            }
        };
        if let Some((kind, detail)) = broken {
            self.say(slot);
            self.close_with_error(slot, kind, Some((&piece, at)), || detail);
            return self.pool.io.release(piece);
        }
        self.pool.io.release(piece);
        if self.pool.connections[slot].protocol.in_flight() == 0 {
            self.send_step(slot);
        }
        self.flush(slot);
    }

    /// A request of the chain is answered: takes values from the answer for later requests.
    fn take_values(
        &mut self,
        slot: usize,
        answer: &Answer,
        piece: &B::Piece,
        at: usize,
    ) -> Result<(), Broken> {
        let pool = &mut *self.pool;
        let (Some(chain), connection) = (pool.book.chain(), &mut pool.connections[slot]) else {
            return Ok(());
        };
        let Some(beginning) = &mut connection.beginning else { return Ok(()) };
        self.tally.requests_all += 1;
        let bytes = &pool.io.bytes(piece)[at..at + answer.consumed];
        let protocol = &connection.protocol;
        if let Some(kind) = ErrorKind::of_verdict(answer.verdict) {
            let number = chain.message(beginning.draw, beginning.step);
            let awaited = pool.book.message(number).awaited;
            let what = protocol.describe(answer, awaited, &pool.shared, bytes);
            return Err((kind, format!("{}: {what}", chain.name(beginning.step))));
        }
        self.tally.chained += 1;
        let evidence = protocol.evidence(bytes);
        let message = Message::of(&evidence, protocol.collected());
        chain
            .take(beginning.step, &message, &mut beginning.values)
            .map_err(|missing| (ErrorKind::Chain, missing))?;
        if !answer.keep_alive {
            let name = chain.name(beginning.step);
            let detail = format!("the server closes the connection after its answer to {name}");
            return Err((ErrorKind::EarlyClose, detail));
        }
        beginning.step += 1;
        connection.protocol.finish();
        Ok(())
    }

    /// The server has closed a connection that begins.
    pub(crate) fn end_chain(&mut self, slot: usize) {
        let name = self.step_name(slot);
        self.close_with_error(slot, ErrorKind::EarlyClose, None, || {
            format!("the server closed the connection with {name}, which is sent before all others")
        });
    }

    pub(crate) fn time_out_chain(&mut self, slot: usize) {
        let timeout_ms = self.pool.target.request_timeout_ns / MS;
        let name = self.step_name(slot);
        self.close_with_error(slot, ErrorKind::Timeout, None, || {
            format!("no complete answer to {name} within {timeout_ms} ms")
        });
    }

    fn step_name(&self, slot: usize) -> String {
        let beginning = &self.pool.connections[slot].beginning;
        let (Some(chain), Some(beginning)) = (self.pool.book.chain(), beginning) else {
            return String::new();
        };
        chain.name(beginning.step).to_owned()
    }

    /// Sends the content of `out`, in whatever protocol.
    pub(crate) fn say(&mut self, slot: usize) {
        if !self.pool.out.is_empty() {
            self.pool.io.send_owned(slot, Arc::from(&self.pool.out[..]));
            self.pool.out.clear();
        }
    }
}
