//! The requests in flight on one connection, each on a stream of its own.

use crate::body::BodyCheck;
use crate::fields::Head;
use crate::head::HEAD_LIMIT;
use std::collections::VecDeque;
use std::rc::Rc;

/// The most bytes of a body that are kept as evidence.
const BODY_KEPT: usize = 4096;

/// The streams in flight. Answers come in any order, so each has a place of its own, and places are
/// used again. `X`: what a stream has besides in this protocol.
#[derive(Debug)]
pub(crate) struct Streams<T, X> {
    places: Vec<Stream<T, X>>,
    free: Vec<usize>,
    /// Numbers and places in the order of the requests, which is that of the numbers.
    order: VecDeque<(u32, usize)>,
    /// How many of them are given up: they have no ticket any more, but their answer may come yet.
    given_up: usize,
}

/// A request in flight, and what has come of its answer.
#[derive(Debug)]
pub(crate) struct Stream<T, X> {
    pub(crate) number: u32,
    pub(crate) ticket: Option<T>,
    /// Which answer is right. Known from the first head on.
    pub(crate) expectation: usize,
    /// The final head, if it has come.
    pub(crate) head: Option<Head>,
    pub(crate) check: BodyCheck,
    /// What further heads may cost, as SETTINGS count it: interim ones and trailers included.
    pub(crate) head_room: usize,
    /// The latest head that was decoded, with its trailers, as text.
    pub(crate) decoded: Vec<u8>,
    /// The final head's text, if it was known without decoding.
    pub(crate) known: Option<Rc<Vec<u8>>>,
    /// The body's first bytes.
    pub(crate) body: Vec<u8>,
    /// When its body began, if that was not with its end.
    pub(crate) first_byte_ns: Option<u64>,
    /// Bytes of heads and DATA so far.
    pub(crate) received: u64,
    /// Bytes of the connection when it began.
    pub(crate) began_at: u64,
    /// It was reset by us: whatever comes of its answer is passed over.
    pub(crate) is_given_up: bool,
    /// What only this protocol has.
    pub(crate) own: X,
}

impl<T, X> Default for Streams<T, X> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new(), order: VecDeque::new(), given_up: 0 }
    }
}

impl<T, X: Default> Streams<T, X> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.order.len() - self.given_up
    }

    /// The place of the stream that is in flight the longest.
    #[inline]
    pub(crate) fn oldest(&self) -> Option<usize> {
        self.in_order().find(|&place| self.places[place].ticket.is_some())
    }

    /// The places of all, in the order of their requests.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = usize> {
        self.order.iter().map(|&(_, place)| place)
    }

    /// How many streams were given up, and are not known to be over.
    pub(crate) fn given_up(&self) -> usize {
        self.given_up
    }

    /// Takes the ticket of a stream whose answer is not waited for any more.
    pub(crate) fn give_up(&mut self, place: usize) -> Option<T> {
        let ticket = self.places[place].ticket.take();
        self.given_up += usize::from(ticket.is_some());
        ticket
    }

    /// The place of the stream that is in flight behind `nth` others.
    pub(crate) fn nth(&self, nth: usize) -> Option<usize> {
        self.order.get(nth).map(|&(_, place)| place)
    }

    /// Adds a stream, whose number is higher than all before; returns its place.
    #[inline]
    pub(crate) fn add(&mut self, number: u32, ticket: T, own: X) -> usize {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(Stream::new());
            self.places.len() - 1
        });
        self.places[place].begin(number, ticket, own);
        self.order.push_back((number, place));
        place
    }

    /// The place of a stream in flight.
    #[inline]
    pub(crate) fn find(&self, number: u32) -> Option<usize> {
        // Most answers come in the order of the requests.
        match self.order.front() {
            Some(&(oldest, place)) if oldest == number => Some(place),
            _ => self.position(number).map(|at| self.order[at].1),
        }
    }

    /// The place of the stream with the lowest number above this one.
    pub(crate) fn above(&self, number: u32) -> Option<usize> {
        let at = self.order.partition_point(|&(other, _)| other <= number);
        let mut places = self.order.range(at..).map(|&(_, place)| place);
        places.find(|&place| self.places[place].ticket.is_some())
    }

    /// Takes a stream out of flight, or one that was given up out of sight.
    #[inline]
    pub(crate) fn remove(&mut self, place: usize) -> Option<T> {
        let at = self.position(self.places[place].number)?;
        self.order.remove(at);
        self.free.push(place);
        let ticket = self.places[place].ticket.take();
        self.given_up -= usize::from(ticket.is_none());
        ticket
    }

    /// The streams in flight in the order of their requests.
    pub(crate) fn each(&mut self, mut act: impl FnMut(&mut Stream<T, X>)) {
        for &(_, place) in &self.order {
            act(&mut self.places[place]);
        }
    }

    pub(crate) fn clear(&mut self) {
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

impl<T, X> std::ops::Index<usize> for Streams<T, X> {
    type Output = Stream<T, X>;

    fn index(&self, place: usize) -> &Stream<T, X> {
        &self.places[place]
    }
}

impl<T, X> std::ops::IndexMut<usize> for Streams<T, X> {
    fn index_mut(&mut self, place: usize) -> &mut Stream<T, X> {
        &mut self.places[place]
    }
}

impl<T, X: Default> Stream<T, X> {
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
            began_at: 0,
            is_given_up: false,
            own: X::default(),
        }
    }

    #[inline]
    fn begin(&mut self, number: u32, ticket: T, own: X) {
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
        self.is_given_up = false;
        self.own = own;
    }

    /// Keeps a piece of the body to be shown, as far as there is room.
    #[inline]
    pub(crate) fn keep(&mut self, piece: &[u8]) {
        let room = BODY_KEPT.saturating_sub(self.body.len());
        self.body.extend_from_slice(&piece[..room.min(piece.len())]);
    }

    /// The head as text.
    pub(crate) fn text(&self) -> &[u8] {
        self.known.as_deref().unwrap_or(&self.decoded)
    }

    /// The head as text, and the body's first bytes.
    pub(crate) fn evidence(&self) -> Vec<u8> {
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
                streams.add(2 * (8 * round + nth) + 1, nth, ());
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
            streams.add(number, number, ());
        }
        let number = |place: Option<usize>| place.map(|place| streams[place].number);
        assert_eq!(number(streams.oldest()), Some(1));
        assert_eq!(number(streams.above(1)), Some(3));
        assert_eq!(number(streams.above(0)), Some(1));
        assert_eq!(number(streams.above(5)), None);
        assert_eq!(number(streams.find(2)), None);
    }
}
