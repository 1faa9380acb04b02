//! HTTP/1 as a [`Protocol`]: answers come in the order of the requests.

use crate::check::Expectation;
use crate::decoder::Decoder;
use crate::learned::HeadCache;
use crate::protocol::{Answer, End, Step};
use crate::protocol::{Awaited, Protocol};
use crate::request::{Request, RequestError};
use std::collections::VecDeque;
use std::sync::Arc;

/// One connection. The first request in flight is kept inline: more than one is for pipelines only.
#[derive(Debug)]
pub struct Http1<T> {
    first: Option<T>,
    others: VecDeque<T>,
    decoder: Decoder,
}

impl<T> Default for Http1<T> {
    fn default() -> Self {
        Self { first: None, others: VecDeque::new(), decoder: Decoder::default() }
    }
}

impl<T: Copy> Protocol<T> for Http1<T> {
    const WRITES: bool = false;

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
        usize::from(self.first.is_some()) + self.others.len()
    }

    #[inline]
    fn oldest(&self) -> Option<T> {
        self.first
    }

    #[inline]
    fn start(&mut self, ticket: T) {
        match self.first {
            None => self.first = Some(ticket),
            Some(_) => self.others.push_back(ticket),
        }
    }

    /// Never called: a request is on its way when its bytes are.
    fn write(&mut self, ticket: T, _: usize, _: &mut Vec<HeadCache>, _: &mut Vec<u8>) {
        self.start(ticket);
    }

    fn write_other(
        &mut self,
        ticket: T,
        request: Request,
        _: &mut Vec<HeadCache>,
        out: &mut Vec<u8>,
    ) -> Result<(), RequestError> {
        out.extend_from_slice(&request.render()?);
        self.start(ticket);
        Ok(())
    }

    #[inline]
    fn receive(
        &mut self,
        bytes: &[u8],
        awaited: impl Fn(T) -> Awaited,
        shared: &mut Vec<HeadCache>,
        _: &mut Vec<u8>,
    ) -> Option<Step> {
        let Awaited { expectation, to_head } = awaited(self.first?);
        Some(self.decoder.feed(bytes, to_head, &mut shared[expectation as usize]))
    }

    fn unread(&self, awaited: impl Fn(T) -> Awaited, shared: &Vec<HeadCache>) -> u64 {
        let Some(ticket) = self.first else { return 0 };
        self.decoder.unread(shared[awaited(ticket).expectation as usize].expectation())
    }

    fn count(
        &mut self,
        length: u64,
        awaited: impl Fn(T) -> Awaited,
        shared: &mut Vec<HeadCache>,
    ) -> Step {
        let Some(ticket) = self.first else { return Step::Incomplete };
        self.decoder.count(length, &mut shared[awaited(ticket).expectation as usize])
    }

    fn end(&mut self, awaited: impl Fn(T) -> Awaited, shared: &mut Vec<HeadCache>) -> End {
        let Some(ticket) = self.first else { return End::Short(0) };
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

    /// Only the oldest can be.
    #[inline]
    fn completed(&self) -> Option<T> {
        self.first
    }

    #[inline]
    fn finish(&mut self) -> Option<T> {
        self.decoder.reset();
        std::mem::replace(&mut self.first, self.others.pop_front())
    }

    fn take_unanswered(&mut self) -> Option<T> {
        self.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_the_order_of_the_requests() {
        let mut connection = Http1::default();
        for round in 0..3 {
            let depth = round + 2;
            for ticket in 0..depth {
                assert_eq!(connection.room(depth), depth - ticket);
                connection.start(ticket);
            }
            assert_eq!((connection.oldest(), connection.room(depth)), (Some(0), 0));
            for ticket in 0..depth {
                assert_eq!(connection.finish(), Some(ticket));
            }
            assert_eq!((connection.take_unanswered(), connection.in_flight()), (None, 0));
        }
    }

    #[test]
    fn bytes_that_nobody_asked_for_are_no_answer() {
        let mut connection = Http1::<()>::default();
        let awaited = |()| Awaited { expectation: 0, to_head: false };
        let step =
            connection.receive(b"HTTP/1.1 200 OK\r\n", awaited, &mut Vec::new(), &mut Vec::new());
        assert_eq!(step, None);
        assert_eq!(connection.end(awaited, &mut Vec::new()), End::Short(0));
    }
}
