//! A cycle of rendered requests.

use std::ops::Range;
use std::sync::Arc;
use volley_http::{Expectation, Request, RequestError};

/// One rendered request.
#[derive(Debug, Clone)]
pub struct Message {
    /// Where its bytes are in the outbox.
    pub bytes: Range<usize>,
    /// The request is HEAD: its answer has no body.
    pub to_head: bool,
    /// Which answer is right: an index into [`Book::expectations`].
    pub expectation: usize,
}

/// Requests in the order in which they are sent. After the last comes the first again.
#[derive(Debug)]
pub struct Book {
    outbox: Arc<[u8]>,
    messages: Vec<Message>,
    expectations: Vec<Arc<Expectation>>,
    cycle: usize,
}

impl Book {
    /// One request, again and again. `depth`: how many are sent at a time at most.
    pub fn of(
        request: &Request,
        expectation: Expectation,
        depth: usize,
    ) -> Result<Self, RequestError> {
        let rendered = (request.render()?, request.is_head(), 0);
        Ok(Self::new(&[rendered], vec![Arc::new(expectation)], depth))
    }

    /// `rendered`: bytes, whether it is HEAD, and which expectation is its own; at least one.
    pub(crate) fn new(
        rendered: &[(Vec<u8>, bool, usize)],
        expectations: Vec<Arc<Expectation>>,
        depth: usize,
    ) -> Self {
        let (mut outbox, mut messages) = (Vec::new(), Vec::new());
        // The first ones again behind the last: any `depth` messages in a row are one piece.
        for (bytes, to_head, expectation) in rendered.iter().cycle().take(rendered.len() + depth) {
            let start = outbox.len();
            outbox.extend_from_slice(bytes);
            let bytes = start..outbox.len();
            messages.push(Message { bytes, to_head: *to_head, expectation: *expectation });
        }
        Self { outbox: outbox.into(), messages, expectations, cycle: rendered.len() }
    }

    /// After so many messages they repeat.
    #[must_use]
    pub fn cycle(&self) -> usize {
        self.cycle
    }

    /// All bytes. Messages that follow each other lie one behind the other.
    #[must_use]
    pub fn outbox(&self) -> &Arc<[u8]> {
        &self.outbox
    }

    /// Message `number`, counted from 0 up to the cycle, and `depth` further.
    #[inline]
    #[must_use]
    pub fn message(&self, number: usize) -> &Message {
        &self.messages[number]
    }

    /// The bytes of message `number`.
    #[must_use]
    pub fn bytes_of(&self, number: usize) -> &[u8] {
        &self.outbox[self.messages[number].bytes.clone()]
    }

    /// Where in the outbox the bytes of `count` messages lie, `first` being below the cycle and
    /// `count` at most the depth.
    #[inline]
    #[must_use]
    pub fn bytes(&self, first: usize, count: usize) -> Range<usize> {
        self.messages[first].bytes.start..self.messages[first + count - 1].bytes.end
    }

    /// The answers that are right for the messages. Each wants a `Learned` of its own.
    #[must_use]
    pub fn expectations(&self) -> &[Arc<Expectation>] {
        &self.expectations
    }
}
