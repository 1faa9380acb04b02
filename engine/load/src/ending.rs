//! Requests end, with an answer or without one: how each is counted.

use crate::errors::ErrorKind;
use crate::pace::Pacer;
use crate::pool::{Flight, State};
use crate::turn::Turn;
use std::ops::Range;
use volley_net::Backend;
use volley_protocol::{Answer, Protocol, Refusal};

impl<B: Backend, P: Protocol<Flight>> Turn<'_, B, P> {
    /// A request is answered: counts the answer. `last`: as in `close_with_error`.
    #[inline]
    pub(crate) fn on_answer(
        &mut self,
        slot: usize,
        answer: &Answer,
        last: Option<(&B::Piece, usize)>,
        now_ns: u64,
    ) {
        let pool = &mut *self.pool;
        let connection = &mut pool.connections[slot];
        let wrong = ErrorKind::of_verdict(answer.verdict);
        if let Some(kind) = wrong {
            if let Some(flight) = connection.protocol.completed() {
                self.tally.count_wrong(kind, pool.book.entry(flight.message));
            }
            let (io, book, protocol, shared) =
                (&pool.io, &pool.book, &connection.protocol, &pool.shared);
            self.tally.count_error(kind, 1, || {
                let bytes =
                    last.map_or(&[][..], |(piece, at)| &io.bytes(piece)[at..at + answer.consumed]);
                let Some(Flight { message, .. }) = protocol.completed() else {
                    return <_>::default();
                };
                let awaited = book.message(message).awaited;
                let detail = protocol.describe(answer, awaited, shared, bytes);
                (detail, book.evidence(message), protocol.evidence(bytes))
            });
            if let Some(log) = &mut self.log {
                log.current.errors += 1;
            }
        }
        connection.failures = 0;
        let first_byte_ns = connection.protocol.first_byte_ns();
        let Some(flight) = self.finish(slot, now_ns) else { return };
        self.on_heard(slot, wrong.is_none(), now_ns);
        self.count_answers(flight, 1, answer.status, now_ns);
        if let Some(first_byte_ns) = first_byte_ns {
            self.count_first_byte(flight, first_byte_ns, now_ns);
        }
    }

    /// A request has ended without an answer, and its connection lives on: counts it.
    #[cold]
    pub(crate) fn on_refused(
        &mut self,
        slot: usize,
        refusal: Refusal,
        (piece, last): (&B::Piece, Range<usize>),
        now_ns: u64,
    ) {
        if refusal == Refusal::HandedBack {
            return self.requeue(slot, now_ns);
        }
        let last = self.pool.io.bytes(piece)[last].to_vec();
        self.end_unanswered(
            slot,
            ErrorKind::of_refusal(refusal),
            || refusal.to_string(),
            &last,
            now_ns,
        );
    }

    /// A request has ended without an answer, and is taken off its connection, which lives on.
    /// `last`: the bytes that ended it.
    #[cold]
    pub(crate) fn end_unanswered(
        &mut self,
        slot: usize,
        kind: ErrorKind,
        detail: impl FnOnce() -> String,
        last: &[u8],
        now_ns: u64,
    ) {
        let pool = &mut *self.pool;
        let (book, protocol) = (&pool.book, &pool.connections[slot].protocol);
        self.tally.count_error(kind, 1, || {
            let request = protocol.completed().map(|flight| book.evidence(flight.message));
            (detail(), request.unwrap_or_default(), protocol.evidence(last))
        });
        if let Some(log) = &mut self.log {
            log.current.errors += 1;
        }
        let Some(flight) = self.finish(slot, now_ns) else { return };
        let entry = self.pool.book.entry(flight.message);
        self.tally.count_unanswered(kind, entry, self.window.holds(flight.due_ns));
        self.tally.in_flight_ns += self.window.overlap_ns(flight.sent_ns, now_ns);
    }

    /// The server has not processed a request, and will take it on another connection: this is not
    /// a failure. The next request is sent for it, with the same due time.
    fn requeue(&mut self, slot: usize, now_ns: u64) {
        let Some(flight) = self.finish(slot, now_ns) else { return };
        // Requests of the ramp are not counted, nor are those handed back.
        let counts = flight.sent_ns >= self.window.start_ns;
        self.allowance = self.allowance.saturating_add(u64::from(counts));
        self.requeued.push_back(flight.due_ns);
        self.tally.in_flight_ns += self.window.overlap_ns(flight.sent_ns, now_ns);
    }

    /// Takes the request that has ended off its connection.
    #[inline]
    fn finish(&mut self, slot: usize, now_ns: u64) -> Option<Flight> {
        let flight = self.pool.connections[slot].protocol.finish()?;
        self.after_finished(slot, now_ns);
        Some(flight)
    }

    /// A connection's oldest requests have been finished.
    #[inline]
    pub(crate) fn after_finished(&mut self, slot: usize, now_ns: u64) {
        let connection = &mut self.pool.connections[slot];
        if connection.protocol.in_flight() == 0 {
            self.pool.enter(slot, State::Idle);
        } else {
            let timeout_ns = self.pool.target.request_timeout_ns;
            let since_ns = connection.protocol.waits_since_ns(|flight| flight.sent_ns);
            connection.alarm_ns = since_ns.unwrap_or(now_ns).saturating_add(timeout_ns);
        }
    }

    /// Several requests of one run have been answered at once.
    #[inline]
    pub(crate) fn count_answers(&mut self, first: Flight, count: usize, status: u16, now_ns: u64) {
        let number = count as u64;
        self.tally.requests_all += number;
        self.tally.requests_by_share += number as f64 * self.window.share(first.sent_ns, now_ns);
        self.tally.in_flight_ns += number * self.window.overlap_ns(first.sent_ns, now_ns);
        if P::WRITES {
            self.latest_ns = self.latest_ns.min(now_ns - first.sent_ns);
        }
        let completed = self.window.holds(now_ns);
        let started = self.window.holds(first.due_ns);
        if completed {
            self.tally.requests += number;
            self.tally.redirects += number * u64::from((300..400).contains(&status));
        }
        if started {
            self.tally.latencies.record_n(now_ns - first.due_ns, number);
            if let Pacer::Open { .. } = self.pacer {
                self.tally.service.record_n(now_ns - first.sent_ns, number);
            }
        }
        if self.counts_parts {
            let latency_ns = started.then(|| now_ns - first.due_ns);
            for message in first.message..first.message + count {
                self.count_part(message, completed, latency_ns);
            }
        }
    }

    /// The body of an answer came in pieces.
    fn count_first_byte(&mut self, flight: Flight, first_byte_ns: u64, now_ns: u64) {
        if first_byte_ns == now_ns || !self.window.holds(flight.due_ns) {
            return;
        }
        let [first_ns, end_ns] = [first_byte_ns, now_ns].map(|at_ns| at_ns - flight.due_ns);
        self.tally.first_bytes.record(first_ns, end_ns);
        if let Some(tally) = self.tally.by_request.entry(self.pool.book.entry(flight.message)) {
            tally.first_bytes.record(first_ns, end_ns);
        }
    }

    /// Counts an answer in its interval and for its request. `latency_ns`: of a request of the
    /// window.
    fn count_part(&mut self, message: usize, completed: bool, latency_ns: Option<u64>) {
        if let Some(log) = &mut self.log {
            log.current.requests += u64::from(completed);
            if let Some(latency_ns) = latency_ns {
                log.current.latencies.record(latency_ns);
            }
        }
        if let Some(tally) = self.tally.by_request.entry(self.pool.book.entry(message)) {
            tally.requests += u64::from(completed);
            if let Some(latency_ns) = latency_ns {
                tally.latencies.record(latency_ns);
            }
        }
    }
}
