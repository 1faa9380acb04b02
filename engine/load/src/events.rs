//! Streams of server-sent events: the counts of each event, and the end of a stream.

use crate::histogram::Latencies;
use crate::pool::Flight;
use crate::turn::Turn;
use volley_net::Backend;
use volley_protocol::Protocol;
use volley_protocol::events::{EventFaults, Pushed};

/// The counts of one slice.
#[derive(Debug, Default)]
pub struct EventTally {
    /// Events of the window.
    pub events: u64,
    /// Events of ramp, window and drain.
    pub events_all: u64,
    /// The times of the window's streams from where their latency begins to the first event.
    pub first: Latencies,
    /// The times from one event to the next of its stream, which came in the window. Events that
    /// arrive at once have no time between them.
    pub gaps: Latencies,
    /// Streams that were closed at the slice's end: they have no latency, and are not misses.
    pub open: u64,
    /// Streams of ramp, window and drain.
    pub faults: EventFaults,
}

impl EventTally {
    pub(crate) fn merge(&mut self, other: &Self) {
        self.events += other.events;
        self.events_all += other.events_all;
        self.first.merge(&other.first);
        self.gaps.merge(&other.gaps);
        self.open += other.open;
        self.count_faults([EventFaults::default(), other.faults]);
    }

    /// Counts events that came at `now_ns`. `since_ns`: when the one before them came, where it is
    /// known. `is_counted`: whether the window holds them.
    pub(crate) fn count(
        &mut self,
        pushed: &Pushed,
        since_ns: Option<u64>,
        is_counted: bool,
        now_ns: u64,
    ) {
        self.events_all += pushed.count;
        self.count_faults(pushed.faults);
        if is_counted {
            self.events += pushed.count;
            self.gaps.record_n(0, pushed.count - 1);
            if let Some(since_ns) = since_ns {
                self.gaps.record(now_ns - since_ns);
            }
        }
    }

    /// A stream had the first of these, and has the second.
    fn count_faults(&mut self, [before, now]: [EventFaults; 2]) {
        let add =
            |mine: &mut u64, before: u64, now: u64| *mine = (*mine + now).saturating_sub(before);
        add(&mut self.faults.lost, before.lost, now.lost);
        add(&mut self.faults.doubled, before.doubled, now.doubled);
        add(&mut self.faults.out_of_order, before.out_of_order, now.out_of_order);
        add(&mut self.faults.altered, before.altered, now.altered);
    }
}

impl<B: Backend, P: Protocol<Flight>> Turn<'_, B, P> {
    /// Counts the events that have just arrived, if any have. Their streams' timeouts then begin
    /// anew. Returns whether a stream is to be closed: the window is over, and the end of the
    /// stream is unknown.
    pub(crate) fn count_pushed(&mut self, slot: usize, now_ns: u64) -> bool {
        let mut is_over = false;
        while let Some((flight, pushed)) = self.pool.connections[slot].protocol.take_pushed(now_ns)
        {
            self.count_events(flight, pushed, now_ns);
            let book = &self.pool.book;
            let right = book.expectation(book.message(flight.message)).events();
            let ends = right.and_then(|right| right.count).is_some_and(|most| pushed.all <= most);
            is_over |= now_ns >= self.window.end_ns && !ends;
        }
        let since_ns = self.pool.connections[slot].protocol.waits_since_ns(|flight| flight.sent_ns);
        let timeout_ns = self.pool.target.request_timeout_ns;
        self.set_alarm(slot, since_ns.unwrap_or(now_ns).saturating_add(timeout_ns));
        is_over
    }

    fn count_events(&mut self, flight: Flight, pushed: Pushed, now_ns: u64) {
        let tally = self.tally.events.get_or_insert_default();
        tally.count(&pushed, pushed.latest_ns, self.window.holds(now_ns), now_ns);
        if pushed.latest_ns.is_none() && self.window.holds(flight.due_ns) {
            tally.first.record(now_ns - flight.due_ns);
        }
    }

    /// A stream continues though the window is over: closes it.
    pub(crate) fn end_stream(&mut self, slot: usize, now_ns: u64) {
        while let Some(flight) = self.pool.connections[slot].take_unanswered() {
            self.tally.in_flight_ns += self.window.overlap_ns(flight.sent_ns, now_ns);
            self.tally.events.get_or_insert_default().open += 1;
        }
        self.close(slot);
    }
}
