//! A cycle of rendered requests.

use crate::dependent::Dependent;
use crate::once::Chain;
use bytes::Bytes;
use std::ops::Range;
use std::sync::Arc;
use volley_protocol::ws::{Keys, Upgrade};
use volley_protocol::{Awaited, EVIDENCE_LIMIT, Expectation, Request, RequestError, StatusRule};

/// How often a message is masked at most, and in how many bytes, unless one alone has more.
const MASKED: usize = 1024;
const MASKED_BYTES: usize = 1 << 20;

/// One rendered request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Where its bytes are in the outbox.
    pub bytes: Range<usize>,
    /// The right answer is an index into [`Book::expectations`].
    pub awaited: Awaited,
    /// Which request of the file it is: an index into [`Book::names`], or beyond it.
    pub entry: usize,
}

/// Requests in the order in which they are sent. After the last, the first comes again.
#[derive(Debug)]
pub struct Book {
    outbox: Arc<[u8]>,
    messages: Vec<Message>,
    requests: Vec<Arc<Request>>,
    expectations: Vec<Arc<Expectation>>,
    names: Vec<String>,
    /// By message number up to the cycle; empty if there are none.
    dependents: Vec<Option<Dependent>>,
    chain: Option<Chain>,
    held: Option<Held>,
}

/// The request for a stream that is held open beside all others.
#[derive(Debug)]
pub struct Held {
    /// The request.
    pub request: Request,
    /// Its number among the messages, behind all others.
    pub message: usize,
    head: Vec<u8>,
}

impl Held {
    /// As many of its bytes as are kept as evidence.
    pub fn evidence(&self) -> Vec<u8> {
        self.head[..self.head.len().min(EVIDENCE_LIMIT)].to_vec()
    }
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
        draft.add(request.render_head()?, request.clone(), 0, 0);
        Ok(draft.bind(vec![Arc::new(expectation)], Vec::new(), depth))
    }

    /// The message of an upgrade to WebSocket, sent again and again after it on each connection. It
    /// is masked ahead, each time with another key, up to 1024 times and in 1 MiB. `in_rooms`: each
    /// has its number, and an expectation of its own.
    pub fn of_messages(
        request: &Request,
        in_rooms: bool,
        seed: u64,
        depth: usize,
    ) -> Result<Self, RequestError> {
        Upgrade::new(request)?;
        let message = request.message.as_ref().expect("an upgrade to WebSocket has a message");
        let count = MASKED_BYTES / message.bytes().len().max(1);
        // Two in a row have different numbers.
        let count = count.clamp(if in_rooms { 2 } else { 1 }, MASKED);
        let (mut draft, mut keys) = (Draft::default(), Keys::new(seed));
        let mut expectations = Vec::new();
        let right = Arc::new(Expectation::of_status(StatusRule::Exactly(101)));
        for (number, index) in (0..).zip(0..count) {
            let numbered = in_rooms.then(|| Arc::new(message.numbered(number)));
            let message = numbered.unwrap_or_else(|| message.clone());
            let masked = message.masked(&mut keys);
            let request = Request { message: Some(message), ..request.clone() };
            draft.add(masked, request, 0, if in_rooms { index } else { 0 });
            expectations.push(right.clone());
        }
        Ok(draft.bind(expectations, Vec::new(), depth))
    }

    /// The same book with a request for streams that are held open, and their right answer.
    pub fn holding(
        mut self,
        request: Request,
        expectation: Expectation,
    ) -> Result<Self, RequestError> {
        expectation.suits(&request)?;
        let (head, message) = (request.render_head()?, self.messages.len());
        let (bytes, entry) = (0..0, self.expectations.len());
        self.messages.push(Message { bytes, awaited: awaited(&request, entry), entry });
        self.expectations.push(Arc::new(expectation));
        self.held = Some(Held { request, message, head });
        Ok(self)
    }

    /// The request for streams that are held open, if there are any.
    pub fn held(&self) -> Option<&Held> {
        self.held.as_ref()
    }

    /// Whether its messages are WebSocket's.
    pub fn is_websocket(&self) -> bool {
        self.requests.iter().any(|request| request.message.is_some())
    }

    /// The chain with which each connection begins, if there is one.
    pub fn chain(&self) -> Option<&Chain> {
        self.chain.as_ref()
    }

    /// Message `number`, below the cycle, if it depends on its connection: its bytes in the outbox
    /// are not the ones that are sent then.
    #[inline]
    pub fn dependent(&self, number: usize) -> Option<&Dependent> {
        self.dependents.get(number)?.as_ref()
    }

    /// Whether no message depends on its connection.
    #[inline]
    pub fn is_fixed(&self) -> bool {
        self.dependents.is_empty()
    }

    /// The names of the requests of the request file, in its order; empty for a book of one request
    /// that comes from no file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Which request of the file message `number` is: an index into [`Book::names`].
    #[inline]
    pub fn entry(&self, number: usize) -> usize {
        self.messages[number].entry
    }

    /// The number of messages after which they repeat.
    pub fn cycle(&self) -> usize {
        self.requests.len()
    }

    /// The requests, by message number up to the cycle: for protocols that write requests in
    /// another way.
    pub fn requests(&self) -> &[Arc<Request>] {
        &self.requests
    }

    /// All bytes. Messages that follow each other are adjacent.
    pub fn outbox(&self) -> &Arc<[u8]> {
        &self.outbox
    }

    /// Message `number`, counted from 0: below the cycle, one of the `depth` - 1 that repeat behind
    /// it, or of the chain.
    #[inline]
    pub fn message(&self, number: usize) -> &Message {
        &self.messages[number]
    }

    /// The bytes of message `number`.
    pub fn bytes_of(&self, number: usize) -> &[u8] {
        &self.outbox[self.messages[number].bytes.clone()]
    }

    /// As many of them as are kept as evidence of a failed exchange.
    pub fn evidence(&self, number: usize) -> Vec<u8> {
        let bytes = self.bytes_of(number);
        bytes[..bytes.len().min(EVIDENCE_LIMIT)].to_vec()
    }

    /// Where in the outbox the bytes of `count` messages lie, `first` being below the cycle and
    /// `count` at most the depth.
    #[inline]
    pub fn bytes(&self, first: usize, count: usize) -> Range<usize> {
        self.messages[first].bytes.start..self.messages[first + count - 1].bytes.end
    }

    /// The right answers for the messages: one for each request of the file, in its order, and
    /// after them those of rows and of chains.
    pub fn expectations(&self) -> &[Arc<Expectation>] {
        &self.expectations
    }

    /// The right answer for a message.
    #[inline]
    pub fn expectation(&self, message: &Message) -> &Expectation {
        &self.expectations[message.awaited.expectation as usize]
    }
}

/// A book that is being written.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    messages: Vec<Rendered>,
    dependents: Vec<Option<Dependent>>,
    /// The chain, and how it is rendered: it comes last.
    pub(crate) chain: Option<Chain>,
    chained: Vec<Rendered>,
    /// The bytes of everything that is rendered.
    bytes: usize,
}

/// A message without its place. The body's bytes are not copied until all places are known.
#[derive(Debug)]
struct Rendered {
    head: Vec<u8>,
    request: Request,
    awaited: Awaited,
    entry: usize,
}

impl Rendered {
    fn new(head: Vec<u8>, request: Request, entry: usize, expectation: usize) -> Self {
        let awaited = awaited(&request, expectation);
        Self { head, request, awaited, entry }
    }

    fn len(&self) -> usize {
        self.head.len() + self.request.body.len()
    }
}

impl Draft {
    /// Adds a message. `entry`: which request of the file it is. `expectation`: the index of its
    /// own.
    pub(crate) fn add(
        &mut self,
        head: Vec<u8>,
        request: Request,
        entry: usize,
        expectation: usize,
    ) {
        let rendered = Rendered::new(head, request, entry, expectation);
        self.bytes += rendered.len();
        self.messages.push(rendered);
    }

    /// Adds a message that depends on its connection.
    pub(crate) fn add_dependent(
        &mut self,
        head: Vec<u8>,
        dependent: Dependent,
        entry: usize,
        expectation: usize,
    ) {
        self.dependents.resize_with(self.messages.len(), || None);
        self.add(head, dependent.request.clone(), entry, expectation);
        self.dependents.push(Some(dependent));
    }

    /// Adds a message of the chain.
    pub(crate) fn add_chained(&mut self, head: Vec<u8>, dependent: Dependent, expectation: usize) {
        let rendered = Rendered::new(head, dependent.request.clone(), expectation, expectation);
        self.bytes += rendered.len();
        self.chained.push(rendered);
        self.chain.as_mut().expect("there is a chain").requests.push(dependent);
    }

    /// The number of bytes of the book, which repeats its first messages after the last: any
    /// `depth` in a row are one piece.
    pub(crate) fn size(&self, depth: usize) -> usize {
        self.bytes + self.again(depth).map(Rendered::len).sum::<usize>()
    }

    /// There is at least one message.
    pub(crate) fn bind(
        mut self,
        expectations: Vec<Arc<Expectation>>,
        names: Vec<String>,
        depth: usize,
    ) -> Book {
        let mut outbox: Arc<[u8]> = std::iter::repeat_n(0, self.size(depth)).collect();
        let mut free = Arc::get_mut(&mut outbox).expect("nobody else has it yet");
        let (mut messages, mut end) = (Vec::new(), 0);
        let first_of_chain = self.messages.len() + depth.saturating_sub(1);
        for rendered in self.messages.iter().chain(self.again(depth)).chain(&self.chained) {
            let start = end;
            for part in [&rendered.head[..], &rendered.request.body] {
                let place = free.split_off_mut(..part.len()).expect("its size was asked for");
                place.copy_from_slice(part);
                end += part.len();
            }
            let Rendered { awaited, entry, .. } = *rendered;
            messages.push(Message { bytes: start..end, awaited, entry });
        }
        if let Some(chain) = &mut self.chain {
            chain.first_message = first_of_chain;
        }
        if !self.dependents.is_empty() {
            self.dependents.resize_with(self.messages.len(), || None);
        }
        // From here on there is one copy of each body: the given ones are released.
        let bytes = Bytes::from_owner(outbox.clone());
        let requests = self.messages.into_iter().zip(&messages);
        let requests =
            requests.map(|(Rendered { mut request, .. }, Message { bytes: place, .. })| {
                request.body = bytes.slice(place.end - request.body.len()..place.end);
                Arc::new(request)
            });
        let requests = requests.collect();
        let (dependents, chain) = (self.dependents, self.chain);
        Book { outbox, messages, requests, expectations, names, dependents, chain, held: None }
    }

    fn again(&self, depth: usize) -> impl Iterator<Item = &Rendered> {
        self.messages.iter().cycle().take(depth.saturating_sub(1))
    }
}

fn awaited(request: &Request, expectation: usize) -> Awaited {
    let expectation = u32::try_from(expectation).expect("fewer expectations than 2³²");
    Awaited { expectation, to_head: request.is_head() }
}
