//! The requests in flight on one connection of HTTP/2 or HTTP/3, each on a stream of its own, and
//! how they end.

use crate::head::Malformed;
use crate::learned::HeadCache;
use crate::protocol::{Answer, EVIDENCE_LIMIT, End, Refusal, Step};
use crate::stream::{Broken, Stream, ensure};
use std::collections::VecDeque;

/// The most frames without content between two pieces of an answer.
const IDLE_LIMIT: u32 = 1000;

/// The possible ends in received bytes.
#[derive(Clone, Copy)]
pub(crate) enum Ended {
    /// An answer is complete. [`step`] fills in how many bytes it took.
    Answered(Answer),
    /// A request has no answer.
    Refused(Refusal),
}

/// The result of feeding bytes of which this many were taken. `frame_at`: where their frame began.
#[inline]
pub(crate) fn step(ended: Result<Option<Ended>, Broken>, consumed: usize, frame_at: u64) -> Step {
    match ended {
        Ok(None) => Step::Incomplete,
        Ok(Some(Ended::Answered(answer))) => Step::Complete(Answer { consumed, ..answer }),
        Ok(Some(Ended::Refused(what))) => Step::Refused { consumed, what },
        Err(what) => Step::Malformed(Malformed { what, at: frame_at }),
    }
}

/// The streams in flight. Answers come in any order, so each has its own place, and places are
/// reused. `X`: a stream's additional state in this protocol.
#[derive(Debug)]
pub(crate) struct Streams<T, X> {
    places: Vec<Stream<T, X>>,
    free: Vec<usize>,
    /// Numbers and places in the order of the requests, which is that of the numbers.
    order: VecDeque<(u32, usize)>,
    /// How many of them are given up: they no longer have a ticket, but their answer may still
    /// arrive.
    given_up: usize,
    /// The stream whose answer is complete, or that was refused, until it is finished.
    pub(crate) ended: Option<usize>,
    /// The stream that the latest frame was for.
    pub(crate) latest: Option<usize>,
    /// Frames without content, or that need an answer, since the latest piece of an answer.
    idle_frames: u32,
}

impl<T, X> Default for Streams<T, X> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            order: VecDeque::new(),
            given_up: 0,
            ended: None,
            latest: None,
            idle_frames: 0,
        }
    }
}

impl<T, X: Default> Streams<T, X> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.order.len() - self.given_up
    }

    /// The place of the oldest stream in flight.
    #[inline]
    pub(crate) fn oldest(&self) -> Option<usize> {
        self.in_order().find(|&place| self.places[place].ticket.is_some())
    }

    /// The places of all, in the order of their requests.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = usize> {
        self.order.iter().map(|&(_, place)| place)
    }

    /// How many given up streams may still be open.
    pub(crate) fn given_up(&self) -> usize {
        self.given_up
    }

    /// Takes the ticket of a stream whose answer is no longer awaited.
    pub(crate) fn give_up(&mut self, place: usize) -> Option<T> {
        let ticket = self.places[place].ticket.take();
        self.given_up += usize::from(ticket.is_some());
        ticket
    }

    /// The place of the stream in flight after `nth` others.
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

    /// Removes a stream, whether it is in flight or was given up.
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
        (self.ended, self.latest, self.idle_frames) = (None, None, 0);
    }

    /// Counts a frame without content, or one that needs an answer.
    pub(crate) fn count_idle(&mut self) -> Result<(), Broken> {
        self.idle_frames += 1;
        ensure(self.idle_frames <= IDLE_LIMIT, "1000 frames between two pieces of an answer")
    }

    /// A piece of a body has arrived that is not its last.
    #[inline]
    pub(crate) fn keep(&mut self, place: usize, piece: &[u8], now_ns: u64) {
        if piece.is_empty() {
            return;
        }
        let stream = &mut self.places[place];
        stream.first_byte_ns.get_or_insert(now_ns);
        stream.keep(piece);
        self.idle_frames = 0;
    }

    /// A stream's answer is complete. `piece`: the last of its body.
    #[inline]
    pub(crate) fn complete(
        &mut self,
        place: usize,
        piece: &[u8],
        learned: &mut [HeadCache],
        keep_alive: bool,
    ) -> Ended {
        self.idle_frames = 0;
        self.ended = Some(place);
        Ended::Answered(self.places[place].complete(piece, learned, keep_alive))
    }

    #[inline]
    fn ended(&self) -> Option<&Stream<T, X>> {
        self.ended.map(|place| &self.places[place])
    }

    /// The place of the stream that ended; this finishes it.
    #[inline]
    pub(crate) fn take_ended(&mut self) -> Option<usize> {
        let place = self.ended.take()?;
        if self.latest == Some(place) {
            self.latest = None;
        }
        Some(place)
    }

    /// The connection has ended, which is never the end of an answer.
    pub(crate) fn end(&self) -> End {
        End::Short(self.oldest().map_or(0, |place| self.places[place].received))
    }

    /// The verdict on the complete answer, as a message.
    pub(crate) fn describe(&self, answer: &Answer, learned: &[HeadCache]) -> String {
        self.ended().map_or(String::new(), |stream| stream.describe(answer, learned))
    }

    /// The answer's latest head as text, in the form of HTTP/1, and up to 4 KiB of its body. If the
    /// connection fails and no answer has begun, the bytes as they came.
    pub(crate) fn evidence(&self, last: &[u8]) -> Vec<u8> {
        let place = self.ended.or(self.latest).or(self.oldest());
        let mut bytes = place.map_or(Vec::new(), |place| self.places[place].evidence());
        if bytes.is_empty() && self.ended.is_none() {
            bytes.extend_from_slice(&last[..last.len().min(EVIDENCE_LIMIT)]);
        }
        bytes
    }

    pub(crate) fn collected(&self) -> &[u8] {
        self.ended().map_or(&[], |stream| stream.check.collected())
    }

    #[inline]
    pub(crate) fn completed(&self) -> Option<T>
    where
        T: Copy,
    {
        self.ended()?.ticket
    }

    #[inline]
    pub(crate) fn first_byte_ns(&self) -> Option<u64> {
        self.ended()?.first_byte_ns
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
