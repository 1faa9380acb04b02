//! Requests and their answers, the hot path: receives bytes, parses, checks and counts them, sends
//! the next request.

use crate::errors::ErrorKind;
use crate::pace::Pacer;
use crate::pool::{Flight, State};
use crate::turn::Turn;
use std::ops::Range;
use std::sync::Arc;
use volley_net::Backend;
use volley_net::clock::now_ns;
use volley_protocol::{Answers, End, Io, Protocol, Step, head};

/// Checking an answer of this length takes a while, so the next request gets its own reading of the
/// clock.
const LONG_ANSWER: u64 = 4096;

/// The outcome of received bytes.
enum Progress {
    /// Everything received was requested. The time at which the next request may be sent.
    Fine(u64),
    /// The same, but the server closes the connection after the last answer.
    Last(u64),
    /// Everything received was requested, and the connection is needed no longer.
    Over,
    /// There is an error from this byte on.
    Wrong(ErrorKind, usize, String),
}

impl<B: Backend, P: Protocol<Flight>> Turn<'_, B, P> {
    /// Sends the next `count` requests on an open connection.
    #[inline]
    pub(crate) fn send(&mut self, slot: usize, count: usize, due_ns: u64, now_ns: u64) {
        let (message, part) = self.pool.take_messages(count);
        let connection = &mut self.pool.connections[slot];
        let was_idle = connection.state == State::Idle;
        connection.sent += count as u64;
        self.put(slot, Flight { due_ns, sent_ns: now_ns, message }, count, part);
        self.allowance -= count as u64;
        self.written += 1;
        if was_idle {
            self.pool.enter(slot, State::Busy);
            self.set_alarm(slot, now_ns.saturating_add(self.pool.target.request_timeout_ns));
        }
    }

    /// Puts `count` requests on a connection, of which `first` is the first. `part`: their bytes in
    /// the book.
    #[inline]
    pub(crate) fn put(&mut self, slot: usize, first: Flight, count: usize, part: Range<usize>) {
        let pool = &mut *self.pool;
        let messages = first.message..first.message + count;
        if P::WRITES {
            for message in messages {
                let message = message % pool.book.cycle();
                let flight = Flight { message, ..first };
                if pool.book.is_fixed() || !pool.write_dependent(slot, flight) {
                    let protocol = &mut pool.connections[slot].protocol;
                    protocol.write(flight, message, &mut pool.shared, &mut pool.out);
                }
            }
            self.flush(slot);
        } else if !pool.book.is_fixed() {
            self.put_dependent(slot, first, messages);
        } else {
            pool.io.send(slot, part);
            pool.connections[slot].protocol.start(first, count);
        }
    }

    /// Sends the bytes that a connection's protocol has written.
    #[inline]
    pub(crate) fn flush(&mut self, slot: usize) {
        if (P::WRITES || P::GREETS) && !self.pool.out.is_empty() {
            self.pool.io.send_owned(slot, Arc::from(&self.pool.out[..]));
            self.pool.out.clear();
        }
    }

    /// Closed loop: sends as many requests as an open connection takes, or closes it where the
    /// stages want fewer connections.
    #[inline]
    pub(crate) fn refill(&mut self, slot: usize, now_ns: u64) {
        let connection = &self.pool.connections[slot];
        if slot >= self.limit {
            if connection.protocol.in_flight() == 0 {
                self.close(slot);
            }
            return;
        }
        if !self.wants(now_ns) {
            return;
        }
        let target = &self.pool.target;
        let room = connection.protocol.room(target.pipeline) as u64;
        let left = target.requests_per_connection.map_or(u64::MAX, |most| most - connection.sent);
        let mut count = room.min(left).min(self.allowance);
        while count > 0
            && let Some(due_ns) = self.requeued.pop_front()
        {
            self.send(slot, 1, due_ns, now_ns);
            count -= 1;
        }
        if count > 0 && now_ns < self.window.end_ns {
            self.send(slot, usize::try_from(count).unwrap_or(1), now_ns, now_ns);
        }
    }

    /// Bytes were received. `more`: further bytes or the end of the connection follow.
    #[inline]
    pub(crate) fn on_bytes(&mut self, slot: usize, piece: B::Piece, more: bool) {
        let now_ns = now_ns();
        let connection = &self.pool.connections[slot];
        match connection.state {
            State::Once => return self.on_chain_bytes(slot, piece, now_ns),
            State::Streaming => return self.on_held_bytes(slot, piece, now_ns),
            _ => {}
        }
        if !P::GREETS && connection.state == State::Idle && (more || !self.is_sending()) {
            // Some servers say why they close a connection (408) before they do.
            self.pool.io.release(piece);
            return self.drop_idle(slot);
        }
        let had_room = self.has_room(slot);
        match self.take_answers(slot, &piece, now_ns) {
            Progress::Fine(next_ns) => {
                self.pool.io.release(piece);
                self.after_answers(slot, more, had_room, next_ns);
            }
            Progress::Last(next_ns) => {
                self.pool.io.release(piece);
                self.after_last(slot, next_ns);
            }
            Progress::Over => {
                self.pool.io.release(piece);
                self.end_stream(slot, now_ns);
            }
            Progress::Wrong(kind, at, detail) => {
                self.close_with_error(slot, kind, Some((&piece, at)), || detail);
                self.pool.io.release(piece);
            }
        }
        self.flush(slot);
    }

    /// Bytes that no rule needs were counted instead of read. `more`: as for bytes that were read.
    #[inline]
    pub(crate) fn on_counted(&mut self, slot: usize, length: u64, more: bool) {
        let now_ns = now_ns();
        let had_room = self.has_room(slot);
        self.count_bytes(length, now_ns);
        self.tally.bytes_counted += if self.window.holds(now_ns) { length } else { 0 };
        let pool = &mut *self.pool;
        let awaited = |flight: Flight| pool.book.message(flight.message).awaited;
        let protocol = &mut pool.connections[slot].protocol;
        if let Step::Complete(answer) = protocol.count(length, awaited, &mut pool.shared, now_ns) {
            self.on_answer(slot, &answer, None, now_ns);
            if answer.keep_alive {
                self.after_answers(slot, more, had_room, now_ns);
            } else {
                self.after_last(slot, now_ns);
            }
        }
    }

    /// Parses received bytes and counts the answers in them.
    #[inline]
    fn take_answers(&mut self, slot: usize, piece: &B::Piece, now_ns: u64) -> Progress {
        let length = self.pool.io.bytes(piece).len();
        self.count_bytes(length as u64, now_ns);
        let (mut at, mut next_ns) = (0, now_ns);
        while at < length {
            let pool = &mut *self.pool;
            let bytes = &pool.io.bytes(piece)[at..];
            let connection = &mut pool.connections[slot];
            let awaited = |flight: Flight| pool.book.message(flight.message).awaited;
            let known = connection.protocol.take_known(bytes, awaited, &mut pool.shared);
            if let Some(Answers { first, count, consumed, status }) = known {
                connection.failures = 0;
                self.after_finished(slot, now_ns);
                self.on_heard(slot, true, now_ns);
                self.count_answers(first, count, status, now_ns);
                at += consumed;
                continue;
            }
            let io = &mut Io { now_ns, out: &mut pool.out };
            let step = connection.protocol.receive(bytes, awaited, &mut pool.shared, io);
            match step {
                None => {
                    let extra = length - at;
                    let detail = match head::foreign(bytes) {
                        Some(foreign) if connection.sent == 0 => {
                            format!("{extra} bytes before the first request: {foreign}")
                        }
                        _ => format!("{extra} bytes that nobody asked for, after the answer"),
                    };
                    return Progress::Wrong(ErrorKind::Malformed, at, detail);
                }
                Some(Step::Incomplete) => {
                    if pool.counts {
                        let unread = connection.protocol.unread(awaited, &pool.shared);
                        pool.io.may_count(slot, unread);
                    }
                    if pool.streams_events && self.count_pushed(slot, now_ns) {
                        return Progress::Over;
                    }
                    break;
                }
                Some(Step::Malformed(bad)) => {
                    if pool.streams_events {
                        self.count_pushed(slot, now_ns);
                    }
                    let detail = format!("at byte {}: {}", bad.at, bad.what);
                    // The protocol may have written why it closes.
                    self.flush(slot);
                    return Progress::Wrong(ErrorKind::Malformed, at, detail);
                }
                Some(Step::Lost(loss)) => {
                    return Progress::Wrong(ErrorKind::of_loss(loss), at, loss.to_string());
                }
                Some(Step::Complete(answer)) => {
                    if pool.streams_events {
                        self.count_pushed(slot, now_ns);
                    }
                    self.on_answer(slot, &answer, Some((piece, at)), now_ns);
                    at += answer.consumed;
                    if answer.body_length > LONG_ANSWER {
                        next_ns = volley_net::clock::now_ns();
                    }
                    if !answer.keep_alive {
                        return Progress::Last(next_ns);
                    }
                }
                Some(Step::Refused { consumed, what }) => {
                    if pool.streams_events {
                        self.count_pushed(slot, now_ns);
                    }
                    self.on_refused(slot, what, (piece, at..at + consumed), now_ns);
                    at += consumed;
                }
            }
        }
        Progress::Fine(next_ns)
    }

    #[inline]
    pub(crate) fn count_bytes(&mut self, length: u64, now_ns: u64) {
        if self.window.holds(now_ns) {
            self.tally.bytes += length;
            if let Some(log) = &mut self.log {
                log.current.bytes += length;
            }
        }
    }

    /// The next step of a connection after bytes without an error, where the server may send bytes
    /// that were not requested.
    fn after_frames(&mut self, slot: usize, more: bool, had_room: bool, next_ns: u64) {
        let connection = &self.pool.connections[slot];
        let protocol = &connection.protocol;
        let is_done = self.pool.target.requests_per_connection == Some(connection.sent);
        let (is_idle, is_offered) =
            (protocol.in_flight() == 0, had_room && matches!(self.pacer, Pacer::Open { .. }));
        if connection.state == State::Greeting {
            if protocol.is_ready() {
                self.on_ready(slot);
            }
        } else if is_idle && is_done && !self.pool.io.may_retire(slot) {
            self.pool.enter(slot, State::Lingering);
            self.set_alarm(slot, next_ns.saturating_add(self.pool.target.request_timeout_ns));
        } else if is_idle && is_done {
            self.note_announced(slot);
            self.replace(slot, false, next_ns);
        } else if is_idle && protocol.room(self.pool.target.pipeline) == 0 {
            self.replace_closing(slot, next_ns);
        } else if is_idle && more && !matches!(self.pacer, Pacer::Open { .. }) {
            // The bytes that follow may be the connection's end: the next event shows.
        } else if !is_done && !is_offered {
            self.go_on(slot, next_ns);
        }
    }

    /// The next step of an open connection after some answers.
    #[inline]
    pub(crate) fn after_answers(&mut self, slot: usize, more: bool, had_room: bool, next_ns: u64) {
        if P::GREETS {
            return self.after_frames(slot, more, had_room, next_ns);
        }
        let connection = &self.pool.connections[slot];
        let is_done = self.pool.target.requests_per_connection == Some(connection.sent);
        if connection.protocol.in_flight() > 0 {
            if !is_done && (!had_room || !matches!(self.pacer, Pacer::Open { .. })) {
                self.go_on(slot, next_ns);
            }
        } else if more {
            self.pool.enter(slot, State::Lingering);
            self.set_alarm(slot, next_ns.saturating_add(self.pool.target.request_timeout_ns));
        } else if is_done {
            self.replace(slot, false, next_ns);
        } else if !(had_room && matches!(self.pacer, Pacer::Open { .. })) {
            self.go_on(slot, next_ns);
        }
    }

    /// The server closes after this answer. Its other requests in flight will not be answered.
    fn after_last(&mut self, slot: usize, next_ns: u64) {
        if self.pool.connections[slot].protocol.in_flight() > 0 {
            let detail = || "the server closes the connection before the next answer".to_owned();
            self.close_with_error(slot, ErrorKind::EarlyClose, None, detail);
        } else {
            self.replace(slot, false, next_ns);
        }
    }

    /// The server closed the connection while an answer was due.
    pub(crate) fn end_answer(&mut self, slot: usize) {
        let now_ns = now_ns();
        let connection = &mut self.pool.connections[slot];
        let awaited = |flight: Flight| self.pool.book.message(flight.message).awaited;
        match connection.protocol.end(awaited, &mut self.pool.shared) {
            End::Complete(answer) => {
                self.on_answer(slot, &answer, None, now_ns);
                if self.pool.connections[slot].protocol.in_flight() == 0 {
                    return self.replace(slot, true, now_ns);
                }
                self.after_last(slot, now_ns);
            }
            End::Short(0) => {
                let detail = || "the server closed the connection instead of an answer".to_owned();
                self.close_with_error(slot, ErrorKind::EarlyClose, None, detail);
            }
            End::Short(received) => {
                self.close_with_error(slot, ErrorKind::EarlyClose, None, || {
                    format!("the server closed the connection after {received} bytes of the answer")
                });
            }
        }
    }
}
