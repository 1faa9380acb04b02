//! HTTP/1 as a [`Protocol`]: answers come in the order of the requests.

use crate::check::Expectation;
use crate::decoder::Decoder;
use crate::events::Pushed;
use crate::learned::HeadCache;
use crate::protocol::{Answer, Answers, Awaited, End, Io, Protocol, Step, Ticket};
use crate::request::{Request, RequestError};
use std::collections::VecDeque;
use std::sync::Arc;

/// One connection. Requests that were sent together are a run, whose first ticket gives all others.
#[derive(Debug)]
pub struct Http1<T> {
    /// The ticket of the oldest request in flight.
    oldest: Option<T>,
    in_flight: usize,
    /// How many requests of its run were sent after it.
    behind: usize,
    /// The runs that were sent after that: the first request of each, and its length.
    runs: VecDeque<(T, usize)>,
    decoder: Decoder,
    /// When the body of the answer in progress began, unless its end came with it.
    first_byte_ns: Option<u64>,
}

impl<T> Default for Http1<T> {
    fn default() -> Self {
        Self {
            oldest: None,
            in_flight: 0,
            behind: 0,
            runs: VecDeque::new(),
            decoder: Decoder::default(),
            first_byte_ns: None,
        }
    }
}

impl<T: Ticket> Http1<T> {
    /// The oldest `count` requests, all of one run, are done. `next`: the ticket after them, if the
    /// run has one.
    #[inline]
    fn advance(&mut self, count: usize, next: T) {
        self.in_flight -= count;
        if count <= self.behind {
            self.oldest = Some(next);
            self.behind -= count;
        } else if let Some((first, count)) = self.runs.pop_front() {
            self.oldest = Some(first);
            self.behind = count - 1;
        } else {
            self.oldest = None;
            self.behind = 0;
        }
    }
}

impl<T: Ticket> Protocol<T> for Http1<T> {
    const WRITES: bool = false;
    const GREETS: bool = false;

    /// One for each expectation.
    type Shared = Vec<HeadCache>;

    fn shared(expectations: &[Arc<Expectation>], _: &[Arc<Request>]) -> Self::Shared {
        expectations.iter().cloned().map(HeadCache::new).collect()
    }

    #[inline]
    fn room(&self, depth: usize) -> usize {
        depth - self.in_flight()
    }

    #[inline]
    fn in_flight(&self) -> usize {
        self.in_flight
    }

    #[inline]
    fn oldest(&self) -> Option<T> {
        self.oldest
    }

    #[inline]
    fn start(&mut self, first: T, count: usize) {
        self.in_flight += count;
        if self.oldest.is_none() {
            self.oldest = Some(first);
            self.behind = count - 1;
        } else {
            self.runs.push_back((first, count));
        }
    }

    /// Never called: a request is started when its bytes are sent.
    fn write(&mut self, ticket: T, _: usize, _: &mut Vec<HeadCache>, _: &mut Vec<u8>) {
        self.start(ticket, 1);
    }

    fn write_other(
        &mut self,
        ticket: T,
        request: Request,
        _: &mut Vec<HeadCache>,
        out: &mut Vec<u8>,
    ) -> Result<(), RequestError> {
        out.extend_from_slice(&request.render()?);
        self.start(ticket, 1);
        Ok(())
    }

    #[inline]
    fn receive(
        &mut self,
        bytes: &[u8],
        awaited: impl Fn(T) -> Awaited,
        shared: &mut Vec<HeadCache>,
        io: &mut Io<'_>,
    ) -> Option<Step> {
        let Awaited { expectation, to_head } = awaited(self.oldest?);
        let step = self.decoder.feed(bytes, to_head, &mut shared[expectation as usize]);
        if step == Step::Incomplete && self.decoder.body_length() > 0 {
            self.first_byte_ns.get_or_insert(io.now_ns);
        }
        Some(step)
    }

    fn take_pushed(&mut self, now_ns: u64) -> Option<(T, Pushed)> {
        let pushed = self.decoder.events_mut()?.take_pushed(now_ns)?;
        Some((self.oldest?, pushed))
    }

    #[inline]
    fn waits_since_ns(&self, sent_ns: impl Fn(T) -> u64) -> Option<u64> {
        let ticket = self.oldest?;
        Some(self.decoder.latest_event_ns().unwrap_or_else(|| sent_ns(ticket)))
    }

    fn unread(&self, awaited: impl Fn(T) -> Awaited, shared: &Vec<HeadCache>) -> u64 {
        let Some(ticket) = self.oldest else { return 0 };
        self.decoder.unread(shared[awaited(ticket).expectation as usize].expectation())
    }

    fn count(
        &mut self,
        length: u64,
        awaited: impl Fn(T) -> Awaited,
        shared: &mut Vec<HeadCache>,
        now_ns: u64,
    ) -> Step {
        self.first_byte_ns.get_or_insert(now_ns);
        let Some(ticket) = self.oldest else { return Step::Incomplete };
        self.decoder.count(length, &mut shared[awaited(ticket).expectation as usize])
    }

    #[inline]
    fn take_known(
        &mut self,
        bytes: &[u8],
        awaited: impl Fn(T) -> Awaited,
        shared: &mut Vec<HeadCache>,
    ) -> Option<Answers<T>> {
        let first = self.oldest?;
        if !self.decoder.is_between_answers() {
            return None;
        }
        let usual @ Awaited { expectation, to_head } = awaited(first);
        let learned = &mut shared[expectation as usize];
        let (status, length) = learned.recognise_whole(bytes, to_head)?;
        let (mut count, mut consumed, mut next) = (1, length, first.next());
        while count <= self.behind
            && awaited(next) == usual
            && learned.recognise_whole(&bytes[consumed..], to_head).is_some()
        {
            count += 1;
            consumed += length;
            next = next.next();
        }
        self.advance(count, next);
        Some(Answers { first, count, consumed, status })
    }

    fn end(&mut self, awaited: impl Fn(T) -> Awaited, shared: &mut Vec<HeadCache>) -> End {
        let Some(ticket) = self.oldest else { return End::Short(0) };
        self.decoder.end(&mut shared[awaited(ticket).expectation as usize])
    }

    fn describe(
        &self,
        answer: &Answer,
        awaited: Awaited,
        shared: &Vec<HeadCache>,
        last: &[u8],
    ) -> String {
        self.decoder.describe(answer, &shared[awaited.expectation as usize], last)
    }

    fn evidence(&self, last: &[u8]) -> Vec<u8> {
        self.decoder.evidence(last)
    }

    fn collected(&self) -> &[u8] {
        self.decoder.collected()
    }

    /// Only the oldest request can be.
    #[inline]
    fn completed(&self) -> Option<T> {
        self.oldest
    }

    #[inline]
    fn first_byte_ns(&self) -> Option<u64> {
        self.first_byte_ns
    }

    #[inline]
    fn finish(&mut self) -> Option<T> {
        self.decoder.reset();
        self.first_byte_ns = None;
        let ticket = self.oldest?;
        self.advance(1, ticket.next());
        Some(ticket)
    }

    fn take_unanswered(&mut self) -> Option<T> {
        self.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{BodyRule, Expectation, StatusRule};

    impl Ticket for usize {
        fn next(self) -> Self {
            self + 1
        }
    }

    #[test]
    fn answers_come_in_the_order_of_the_requests() {
        let mut connection = Http1::default();
        for runs in [&[1][..], &[2], &[1, 1, 1], &[3, 1, 2]] {
            let depth = runs.iter().sum();
            let mut started = 0;
            for &count in runs {
                assert_eq!(connection.room(depth), depth - started);
                connection.start(started, count);
                started += count;
            }
            for ticket in 0..depth {
                assert_eq!(connection.oldest(), Some(ticket));
                assert_eq!(connection.room(depth), ticket);
                assert_eq!(connection.finish(), Some(ticket), "{runs:?}");
            }
            assert_eq!((connection.take_unanswered(), connection.in_flight()), (None, 0));
        }
    }

    #[test]
    fn bytes_that_nobody_asked_for_are_no_answer() {
        let mut connection = Http1::<usize>::default();
        let awaited = |_| Awaited { expectation: 0, to_head: false };
        let bytes = b"HTTP/1.1 200 OK\r\n\r\n";
        let out = &mut Vec::new();
        let io = &mut Io { now_ns: 1, out };
        assert_eq!(connection.receive(bytes, awaited, &mut Vec::new(), io), None);
        assert_eq!(connection.take_known(bytes, awaited, &mut Vec::new()), None);
        assert_eq!(connection.end(awaited, &mut Vec::new()), End::Short(0));
    }

    /// How many known answers these bytes begin with, for requests of those runs, after one answer
    /// that was read. `heads`: which requests are HEAD.
    fn known(body: BodyRule, bytes: &str, runs: &[usize], heads: &[usize]) -> Option<usize> {
        let awaited = |ticket| Awaited { expectation: 0, to_head: heads.contains(&ticket) };
        let expectation = Expectation { body, ..Expectation::of_status(StatusRule::Exactly(200)) };
        let mut shared = vec![HeadCache::new(Arc::new(expectation))];
        let mut connection = Http1::default();
        connection.start(0, 1);
        let first = answer(1, "hi");
        assert_eq!(connection.take_known(first.as_bytes(), awaited, &mut shared), None);
        let io = &mut Io { now_ns: 1, out: &mut Vec::new() };
        let step = connection.receive(first.as_bytes(), awaited, &mut shared, io);
        assert!(matches!(step, Some(Step::Complete(_))));
        assert_eq!(connection.finish(), Some(0));
        let mut started = 1;
        for &count in runs {
            connection.start(started, count);
            started += count;
        }
        let taken = connection.take_known(bytes.as_bytes(), awaited, &mut shared)?;
        assert_eq!((taken.first, taken.consumed), (1, first.len() * taken.count));
        assert_eq!((taken.status, connection.in_flight()), (200, started - 1 - taken.count));
        assert_eq!(connection.oldest(), (taken.count < started - 1).then_some(1 + taken.count));
        Some(taken.count)
    }

    fn answer(second: u32, body: &str) -> String {
        let length = body.len();
        format!(
            "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 20:55:0{second} GMT\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )
    }

    #[test]
    fn known_answers_are_taken_as_far_as_they_go() {
        let [hi, later, ho, long] =
            [answer(1, "hi"), answer(2, "hi"), answer(1, "ho"), answer(1, "hello")];
        let exactly = || BodyRule::Exactly(b"hi".to_vec());
        for (bytes, runs, expected) in [
            (hi.clone(), &[1][..], Some(1)),
            (later.clone(), &[1], Some(1)),
            (hi.repeat(3), &[3], Some(3)),
            ([&hi, &later, &hi[..]].concat(), &[3], Some(3)),
            // Never more than were requested, nor beyond a run, because its requests have their own
            // times.
            (hi.repeat(3), &[2], Some(2)),
            (hi.repeat(3), &[2, 1], Some(2)),
            ([&hi, &hi[..hi.len() - 1]].concat(), &[2], Some(1)),
            (hi[..hi.len() - 1].to_owned(), &[1], None),
            ([&hi, &ho[..]].concat(), &[2], Some(1)),
            (ho, &[1], None),
            (long, &[1], None),
            (hi.replace("GMT", "GM\r"), &[1], None),
        ] {
            assert_eq!(known(exactly(), &bytes, runs, &[]), expected, "{runs:?} {bytes:?}");
        }
        assert_eq!(known(exactly(), &hi.repeat(2), &[2], &[2]), Some(1));
    }

    #[test]
    fn a_body_that_nobody_looks_at_may_be_any_one_of_its_length() {
        let [hi, ho, long] = [answer(1, "hi"), answer(1, "ho"), answer(1, "hello")];
        for (bytes, expected) in [([hi, ho].concat(), Some(2)), (long, None)] {
            assert_eq!(known(BodyRule::Any, &bytes, &[2], &[]), expected);
        }
    }

    #[test]
    fn what_has_to_be_looked_into_is_never_known() {
        let content = crate::Content::new(&["hi".into()], None, None);
        assert_eq!(known(BodyRule::Holds(Arc::new(content)), &answer(1, "hi"), &[1], &[]), None);
    }

    /// The answer in progress is not one of the known ones, though it looks like one.
    #[test]
    fn an_answer_within_an_answer_is_a_body() {
        let awaited = |_| Awaited { expectation: 0, to_head: false };
        let any = Expectation::of_status(StatusRule::Exactly(200));
        let mut shared = vec![HeadCache::new(Arc::new(any))];
        let mut connection = Http1::default();
        connection.start(0, 3);
        let inner = answer(1, "hi");
        for outer in [&inner, &answer(1, &inner)] {
            let (head, body) = outer.split_at(outer.find("\r\n\r\n").unwrap() + 4);
            let io = &mut Io { now_ns: 1, out: &mut Vec::new() };
            let _ = connection.receive(head.as_bytes(), awaited, &mut shared, io);
            assert_eq!(connection.take_known(inner.as_bytes(), awaited, &mut shared), None);
            let step = connection.receive(body.as_bytes(), awaited, &mut shared, io);
            assert!(matches!(step, Some(Step::Complete(_))), "{step:?}");
            connection.finish();
        }
    }
}
