//! A cycle of rendered requests.

use crate::dependent::Dependent;
use crate::once::Chain;
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
    /// By message number up to the cycle; empty if there is none.
    dependents: Vec<Option<Dependent>>,
    chain: Option<Chain>,
}

impl Book {
    /// One request, again and again. `depth`: how many are sent at a time at most.
    pub fn of(
        request: &Request,
        expectation: Expectation,
        depth: usize,
    ) -> Result<Self, RequestError> {
        expectation.suits(request)?;
        let mut draft = Draft::default();
        draft.add(&request.render()?, request.clone(), 0);
        Ok(draft.bind(vec![Arc::new(expectation)], Vec::new(), depth))
    }

    /// What each connection begins with, if with anything.
    pub fn chain(&self) -> Option<&Chain> {
        self.chain.as_ref()
    }

    /// Message `number`, below the cycle, where it depends on its connection: its bytes in the outbox
    /// are not what is sent then.
    #[inline]
    pub fn dependent(&self, number: usize) -> Option<&Dependent> {
        self.dependents.get(number)?.as_ref()
    }

    /// Whether no message depends on its connection.
    #[inline]
    pub fn is_fixed(&self) -> bool {
        self.dependents.is_empty()
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

    /// Message `number`, counted from 0 up to the cycle, and `depth` further, or of the chain.
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
    dependents: Vec<Option<Dependent>>,
    /// What a connection begins with, and how that is rendered: it comes last.
    pub(crate) chain: Option<Chain>,
    chained: Vec<(Vec<u8>, Awaited)>,
}

impl Draft {
    /// One more message. `expectation`: the index of its own.
    pub(crate) fn add(&mut self, rendered: &[u8], request: Request, expectation: usize) {
        let start = self.outbox.len();
        self.outbox.extend_from_slice(rendered);
        let awaited = awaited(&request, expectation);
        self.messages.push(Message { bytes: start..self.outbox.len(), awaited });
        self.requests.push(Arc::new(request));
    }

    /// One more that depends on its connection.
    pub(crate) fn add_dependent(
        &mut self,
        rendered: &[u8],
        dependent: Dependent,
        expectation: usize,
    ) {
        self.dependents.resize_with(self.requests.len(), || None);
        self.add(rendered, dependent.request.clone(), expectation);
        self.dependents.push(Some(dependent));
    }

    /// One more of the chain.
    pub(crate) fn add_chained(
        &mut self,
        rendered: Vec<u8>,
        dependent: Dependent,
        expectation: usize,
    ) {
        self.chained.push((rendered, awaited(&dependent.request, expectation)));
        self.chain.as_mut().expect("there is a chain").requests.push(dependent);
    }

    /// Bytes that the book will have, which repeats its first `depth` messages behind the last.
    pub(crate) fn size(&self, depth: usize) -> usize {
        let again = self.first(depth).map(|message| message.bytes.len()).sum::<usize>();
        let chained = self.chained.iter().map(|(rendered, _)| rendered.len()).sum::<usize>();
        self.outbox.len() + again + chained
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
        let Self { mut outbox, mut messages, requests, mut dependents, mut chain, chained } = self;
        if let Some(chain) = &mut chain {
            chain.first_message = messages.len();
        }
        for (rendered, awaited) in chained {
            let start = outbox.len();
            outbox.extend_from_slice(&rendered);
            messages.push(Message { bytes: start..outbox.len(), awaited });
        }
        if !dependents.is_empty() {
            dependents.resize_with(requests.len(), || None);
        }
        let outbox = outbox.into();
        Book { outbox, messages, requests, expectations, names, dependents, chain }
    }

    fn first(&self, depth: usize) -> impl Iterator<Item = &Message> {
        self.messages.iter().cycle().take(depth)
    }
}

fn awaited(request: &Request, expectation: usize) -> Awaited {
    let expectation = u32::try_from(expectation).expect("fewer expectations than 2³²");
    Awaited { expectation, to_head: request.is_head() }
}
