//! The requests in flight on one connection, each on a stream of its own.

use super::answer::Head;
use crate::body::BodyCheck;
use crate::head::HEAD_LIMIT;
use crate::request::Request;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

/// The most bytes of a body that are kept as evidence.
const BODY_KEPT: usize = 4096;

/// The streams in flight. Answers come in any order, so each has a place of its own, and places are
/// used again.
#[derive(Debug)]
pub(super) struct Streams<T> {
    places: Vec<Stream<T>>,
    free: Vec<usize>,
    /// Numbers and places in the order of the requests, which is that of the numbers.
    order: VecDeque<(u32, usize)>,
    /// How many of them are given up: they have no ticket any more, but their answer may come yet.
    given_up: usize,
}

/// A request in flight, and what has come of its answer.
#[derive(Debug)]
pub(super) struct Stream<T> {
    pub(super) number: u32,
    pub(super) ticket: Option<T>,
    /// Which answer is right. Known from the first head on.
    pub(super) expectation: usize,
    /// The final head, if it has come.
    pub(super) head: Option<Head>,
    pub(super) check: BodyCheck,
    /// What further heads may cost, as SETTINGS count it: interim ones and trailers included.
    pub(super) head_room: usize,
    /// The latest head that was decoded, with its trailers, as text.
    pub(super) decoded: Vec<u8>,
    /// The final head's text, if it was known without decoding.
    pub(super) known: Option<Rc<Vec<u8>>>,
    /// The body's first bytes.
    pub(super) body: Vec<u8>,
    /// When its body began, if that was not with its end.
    pub(super) first_byte_ns: Option<u64>,
    /// Bytes of heads and DATA so far.
    pub(super) received: u64,
    /// Bytes of DATA since the server was given leave for more.
    pub(super) taken: u32,
    /// Bytes of the request's body that may be sent; less than 0 where SETTINGS took them back.
    pub(super) window: i64,
    /// The request, and how much of its body was sent, while that is not all.
    pub(super) unsent: Option<(usize, usize)>,
    /// The request, where it is none of those that all connections share.
    pub(super) own: Option<Arc<Request>>,
    /// Bytes of the connection when it began.
    pub(super) began_at: u64,
    /// It was reset by us: whatever comes of its answer is passed over.
    pub(super) is_given_up: bool,
}

impl<T> Default for Streams<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new(), order: VecDeque::new(), given_up: 0 }
    }
}

impl<T> Streams<T> {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.order.len() - self.given_up
    }

    /// The place of the stream that is in flight the longest.
    #[inline]
    pub(super) fn oldest(&self) -> Option<usize> {
        let mut places = self.order.iter().map(|&(_, place)| place);
        places.find(|&place| self.places[place].ticket.is_some())
    }

    /// How many streams were given up, and are not known to be over.
    pub(super) fn given_up(&self) -> usize {
        self.given_up
    }

    /// Takes the ticket of a stream whose answer is not waited for any more.
    pub(super) fn give_up(&mut self, place: usize) -> Option<T> {
        let ticket = self.places[place].ticket.take();
        self.given_up += usize::from(ticket.is_some());
        ticket
    }

    /// The place of the stream that is in flight behind `nth` others.
    pub(super) fn nth(&self, nth: usize) -> Option<usize> {
        self.order.get(nth).map(|&(_, place)| place)
    }

    /// Adds a stream, whose number is higher than all before; returns its place.
    #[inline]
    pub(super) fn add(&mut self, number: u32, ticket: T, window: u32) -> usize {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(Stream::new());
            self.places.len() - 1
        });
        self.places[place].begin(number, ticket, window);
        self.order.push_back((number, place));
        place
    }

    /// The place of a stream in flight.
    #[inline]
    pub(super) fn find(&self, number: u32) -> Option<usize> {
        // Most answers come in the order of the requests.
        match self.order.front() {
            Some(&(oldest, place)) if oldest == number => Some(place),
            _ => self.position(number).map(|at| self.order[at].1),
        }
    }

    /// The place of the stream with the lowest number above this one.
    pub(super) fn above(&self, number: u32) -> Option<usize> {
        let at = self.order.partition_point(|&(other, _)| other <= number);
        let mut places = self.order.range(at..).map(|&(_, place)| place);
        places.find(|&place| self.places[place].ticket.is_some())
    }

    /// Takes a stream out of flight, or one that was given up out of sight.
    #[inline]
    pub(super) fn remove(&mut self, place: usize) -> Option<T> {
        let at = self.position(self.places[place].number)?;
        self.order.remove(at);
        self.free.push(place);
        let ticket = self.places[place].ticket.take();
        self.given_up -= usize::from(ticket.is_none());
        ticket
    }

    /// The streams in flight in the order of their requests.
    pub(super) fn each(&mut self, mut act: impl FnMut(&mut Stream<T>)) {
        for &(_, place) in &self.order {
            act(&mut self.places[place]);
        }
    }

    pub(super) fn clear(&mut self) {
        while let Some(&(_, place)) = self.order.front() {
            self.remove(place);
        }
    }

    fn position(&self, number: u32) -> Option<usize> {
        if self.order.front().is_some_and(|&(oldest, _)| oldest == number) {
            return Some(0);
        }
        self.order.binary_search_by_key(&number, |&(number, _)| number).ok()
    }
}

impl<T> std::ops::Index<usize> for Streams<T> {
    type Output = Stream<T>;

    fn index(&self, place: usize) -> &Stream<T> {
        &self.places[place]
    }
}

impl<T> std::ops::IndexMut<usize> for Streams<T> {
    fn index_mut(&mut self, place: usize) -> &mut Stream<T> {
        &mut self.places[place]
    }
}

impl<T> Stream<T> {
    fn new() -> Self {
        Self {
            number: 0,
            ticket: None,
            expectation: 0,
            head: None,
            check: BodyCheck::default(),
            head_room: 0,
            decoded: Vec::new(),
            known: None,
            body: Vec::new(),
            first_byte_ns: None,
            received: 0,
            taken: 0,
            window: 0,
            unsent: None,
            own: None,
            began_at: 0,
            is_given_up: false,
        }
    }

    #[inline]
    fn begin(&mut self, number: u32, ticket: T, window: u32) {
        self.number = number;
        self.ticket = Some(ticket);
        self.head = None;
        self.check.reset();
        self.head_room = HEAD_LIMIT;
        self.decoded.clear();
        self.known = None;
        self.body.clear();
        self.first_byte_ns = None;
        self.received = 0;
        self.taken = 0;
        self.window = i64::from(window);
        self.unsent = None;
        self.own = None;
        self.is_given_up = false;
    }

    /// Keeps a piece of the body to be shown, as far as there is room.
    #[inline]
    pub(super) fn keep(&mut self, piece: &[u8]) {
        let room = BODY_KEPT.saturating_sub(self.body.len());
        self.body.extend_from_slice(&piece[..room.min(piece.len())]);
    }

    /// The head as text.
    pub(super) fn text(&self) -> &[u8] {
        self.known.as_deref().unwrap_or(&self.decoded)
    }

    /// The head as text, and the body's first bytes.
    pub(super) fn evidence(&self) -> Vec<u8> {
        let mut bytes = self.text().to_vec();
        if !bytes.is_empty() {
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_found_and_end_in_any_order() {
        let mut streams = Streams::default();
        for round in 0..50_u32 {
            for nth in 0..8 {
                streams.add(2 * (8 * round + nth) + 1, nth, 0);
            }
            let base = 16 * round;
            for nth in [3, 0, 7, 1, 5, 2, 6, 4] {
                let place = streams.find(base + 2 * nth + 1).unwrap();
                assert_eq!(streams.remove(place), Some(nth));
                assert_eq!(streams.find(base + 2 * nth + 1), None);
            }
            assert_eq!((streams.len(), streams.oldest()), (0, None));
        }
        assert_eq!(streams.places.len(), 8, "places are used again");
    }

    #[test]
    fn the_oldest_and_those_above_a_number() {
        let mut streams = Streams::default();
        for number in [1, 3, 5] {
            streams.add(number, number, 0);
        }
        let number = |place: Option<usize>| place.map(|place| streams[place].number);
        assert_eq!(number(streams.oldest()), Some(1));
        assert_eq!(number(streams.above(1)), Some(3));
        assert_eq!(number(streams.above(0)), Some(1));
        assert_eq!(number(streams.above(5)), None);
        assert_eq!(number(streams.find(2)), None);
    }
}
