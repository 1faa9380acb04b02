//! One connection's state.

use std::collections::VecDeque;
use volley_http::Decoder;

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// There is none; it may be opened from `due_ns` on.
    Closed,
    /// Not established yet; given up at `due_ns`.
    Connecting,
    /// Established. With requests in flight, it is given up at `due_ns`.
    Open,
    /// Its last answer is complete, and what follows is there already: the server's end, or bytes
    /// that nobody asked for. Nothing is sent before that is known.
    Held,
}

/// A request on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flight {
    /// When it was due: in open loop by the schedule, else when it was sent.
    pub(crate) due_ns: u64,
    /// When it was sent; where a connection carries one request, when that was opened.
    pub(crate) sent_ns: u64,
    /// Its number in the book.
    pub(crate) message: usize,
}

/// The requests in flight on a connection, the oldest first. One is kept inline, since more than
/// one is for pipelines only.
#[derive(Debug, Default)]
pub(crate) struct Flights {
    first: Option<Flight>,
    others: VecDeque<Flight>,
}

impl Flights {
    #[inline]
    pub(crate) fn count(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<Flight> {
        self.first
    }

    #[inline]
    pub(crate) fn push(&mut self, flight: Flight) {
        match self.first {
            None => self.first = Some(flight),
            Some(_) => self.others.push_back(flight),
        }
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Flight> {
        std::mem::replace(&mut self.first, self.others.pop_front())
    }
}

/// One of a target's connections. It may be closed and opened many times.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) state: State,
    /// When something has to be done about it unless an event comes first.
    pub(crate) due_ns: u64,
    /// What it carries; while it is being opened for one request, that request.
    pub(crate) flights: Flights,
    /// Requests sent on the present connection.
    pub(crate) sent: u64,
    /// Failures since the last answer.
    pub(crate) failures: u32,
    pub(crate) decoder: Decoder,
}

impl Connection {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Closed,
            due_ns: 0,
            flights: Flights::default(),
            sent: 0,
            failures: 0,
            decoder: Decoder::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flights_land_in_the_order_in_which_they_started() {
        let flight = |n| Flight { due_ns: n, sent_ns: n, message: 0 };
        let mut flights = Flights::default();
        for round in 0..3 {
            (0..round + 2).for_each(|n| flights.push(flight(n)));
            assert_eq!((flights.first(), flights.count() as u64), (Some(flight(0)), round + 2));
            for n in 0..round + 2 {
                assert_eq!(flights.pop(), Some(flight(n)));
            }
            assert_eq!((flights.pop(), flights.count()), (None, 0));
        }
    }
}
