//! A cycle of rendered requests.

use std::ops::Range;
use std::sync::Arc;
use volley_protocol::{Awaited, Expectation, Request, RequestError};

/// One rendered request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Where its bytes are in the outbox.
    pub bytes: Range<usize>,
    /// Which answer is right is an index into [`Book::expectations`].
    pub awaited: Awaited,
}

/// Requests in the order in which they are sent. After the last comes the first again.
#[derive(Debug)]
pub struct Book {
    outbox: Arc<[u8]>,
    messages: Vec<Message>,
    requests: Vec<Arc<Request>>,
    expectations: Vec<Arc<Expectation>>,
    names: Vec<String>,
}

impl Book {
    /// One request, again and again. `depth`: how many are sent at a time at most.
    pub fn of(
        request: &Request,
        expectation: Expectation,
        depth: usize,
    ) -> Result<Self, RequestError> {
        let mut draft = Draft::default();
        draft.add(&request.render()?, request.clone(), 0);
        Ok(draft.bind(vec![Arc::new(expectation)], Vec::new(), depth))
    }

    /// What the requests of the request file are called, in its order; empty for a book of one
    /// request that comes from no file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Which request of the file message `number` is: an index into [`Book::names`]. Each has one
    /// expectation, in the same order.
    #[inline]
    pub fn entry(&self, number: usize) -> usize {
        self.messages[number].awaited.expectation as usize
    }

    /// After so many messages they repeat.
    pub fn cycle(&self) -> usize {
        self.requests.len()
    }

    /// What was rendered, by message number up to the cycle: for protocols that write requests in
    /// another way.
    pub fn requests(&self) -> &[Arc<Request>] {
        &self.requests
    }

    /// All bytes. Messages that follow each other lie one behind the other.
    pub fn outbox(&self) -> &Arc<[u8]> {
        &self.outbox
    }

    /// Message `number`, counted from 0 up to the cycle, and `depth` further.
    #[inline]
    pub fn message(&self, number: usize) -> &Message {
        &self.messages[number]
    }

    /// The bytes of message `number`.
    pub fn bytes_of(&self, number: usize) -> &[u8] {
        &self.outbox[self.messages[number].bytes.clone()]
    }

    /// Where in the outbox the bytes of `count` messages lie, `first` being below the cycle and
    /// `count` at most the depth.
    #[inline]
    pub fn bytes(&self, first: usize, count: usize) -> Range<usize> {
        self.messages[first].bytes.start..self.messages[first + count - 1].bytes.end
    }

    /// The answers that are right for the messages.
    pub fn expectations(&self) -> &[Arc<Expectation>] {
        &self.expectations
    }

    /// The answer that is right for a message.
    #[inline]
    pub fn expectation(&self, message: &Message) -> &Expectation {
        &self.expectations[message.awaited.expectation as usize]
    }
}

/// A book that is being written.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    outbox: Vec<u8>,
    messages: Vec<Message>,
    requests: Vec<Arc<Request>>,
}

impl Draft {
    /// One more message. `expectation`: the index of its own.
    pub(crate) fn add(&mut self, rendered: &[u8], request: Request, expectation: usize) {
        let start = self.outbox.len();
        self.outbox.extend_from_slice(rendered);
        let expectation = u32::try_from(expectation).expect("fewer expectations than 2³²");
        let awaited = Awaited { expectation, to_head: request.is_head() };
        self.messages.push(Message { bytes: start..self.outbox.len(), awaited });
        self.requests.push(Arc::new(request));
    }

    /// Bytes that the book will have, which repeats its first `depth` messages behind the last.
    pub(crate) fn size(&self, depth: usize) -> usize {
        self.outbox.len() + self.first(depth).map(|message| message.bytes.len()).sum::<usize>()
    }

    /// There is at least one message.
    pub(crate) fn bind(
        mut self,
        expectations: Vec<Arc<Expectation>>,
        names: Vec<String>,
        depth: usize,
    ) -> Book {
        // The first ones again behind the last: any `depth` messages in a row are one piece.
        let again: Vec<Message> = self.first(depth).cloned().collect();
        self.outbox.reserve_exact(self.size(depth) - self.outbox.len());
        for Message { bytes, awaited } in again {
            let start = self.outbox.len();
            self.outbox.extend_from_within(bytes);
            self.messages.push(Message { bytes: start..self.outbox.len(), awaited });
        }
        let Self { outbox, messages, requests } = self;
        Book { outbox: outbox.into(), messages, requests, expectations, names }
    }

    fn first(&self, depth: usize) -> impl Iterator<Item = &Message> {
        self.messages.iter().cycle().take(depth)
    }
}
