//! A request in flight on a stream of HTTP/2 or HTTP/3, and the state of its answer.

use crate::body::BodyCheck;
use crate::fields::{self, Decoded, Head};
use crate::head::HEAD_LIMIT;
use crate::learned::HeadCache;
use crate::protocol::Answer;
use crate::verdict::{self, Verdict};
use std::rc::Rc;

/// The most bytes of a body that are kept as evidence.
const BODY_KEPT: usize = 4096;

/// A broken rule, as a message.
pub(crate) type Broken = &'static str;

#[inline]
pub(crate) fn ensure<E>(holds: bool, otherwise: E) -> Result<(), E> {
    if holds { Ok(()) } else { Err(otherwise) }
}

/// A request in flight, and the state of its answer.
#[derive(Debug)]
pub(crate) struct Stream<T, X> {
    pub(crate) number: u32,
    pub(crate) ticket: Option<T>,
    /// The right answer. Known from the first head on.
    pub(crate) expectation: usize,
    /// The final head, if it has arrived.
    pub(crate) head: Option<Head>,
    pub(crate) check: BodyCheck,
    /// The cost that further heads may have, as SETTINGS count it, including interim ones and
    /// trailers.
    pub(crate) head_room: usize,
    /// The latest head that was decoded, with its trailers, as text.
    pub(crate) decoded: Vec<u8>,
    /// The final head's text, if it was known without decoding.
    pub(crate) known: Option<Rc<Vec<u8>>>,
    /// The body's first bytes.
    pub(crate) body: Vec<u8>,
    /// When its body began, unless its end came with it.
    pub(crate) first_byte_ns: Option<u64>,
    /// Bytes of heads and DATA so far.
    pub(crate) received: u64,
    /// Bytes of the connection before it began.
    pub(crate) began_at: u64,
    /// We have reset it: whatever arrives of its answer is skipped.
    pub(crate) is_given_up: bool,
    /// The protocol's own state.
    pub(crate) own: X,
}

impl<T, X: Default> Stream<T, X> {
    pub(crate) fn new() -> Self {
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
    pub(crate) fn begin(&mut self, number: u32, ticket: T, own: X) {
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

    /// The answer is complete. `piece`: the last of its body.
    #[inline]
    pub(crate) fn complete(
        &mut self,
        piece: &[u8],
        learned: &mut [HeadCache],
        keep_alive: bool,
    ) -> Answer {
        let head = self.head.expect("an answer ends behind its head");
        let learned = &mut learned[self.expectation];
        let verdict = verdict::judge(head.status, head.wrong, &mut self.check, learned);
        if verdict != Verdict::Right {
            self.keep(piece);
        }
        let (status, body_length) = (head.status, self.check.length());
        Answer { consumed: 0, status, body_length, keep_alive, verdict }
    }

    /// The verdict on the complete answer, as a message.
    pub(crate) fn describe(&self, answer: &Answer, learned: &[HeadCache]) -> String {
        let expectation = learned[self.expectation].expectation();
        verdict::describe(answer, expectation, &self.check, |expectation| {
            fields::with_fields(self.text(), |fields| verdict::describe_header(expectation, fields))
        })
    }

    /// Keeps a piece of the body to be shown, as far as there is room.
    #[inline]
    pub(crate) fn keep(&mut self, piece: &[u8]) {
        let room = BODY_KEPT.saturating_sub(self.body.len());
        self.body.extend_from_slice(&piece[..room.min(piece.len())]);
    }

    /// Trailers end the answer. `decode` takes their limit of cost, and adds them to the head's
    /// text.
    pub(crate) fn add_trailers<E>(
        &mut self,
        learned: &[HeadCache],
        decode: impl FnOnce(usize, &mut Vec<u8>) -> Result<Decoded, E>,
    ) -> Result<(), E> {
        let text = &mut self.decoded;
        if let Some(known) = self.known.take() {
            text.clear();
            text.extend_from_slice(&known);
        }
        let trailers = decode(self.head_room, text)?;
        let head = self.head.as_mut().expect("trailers come behind a head");
        head.add(trailers, text, learned[self.expectation].expectation());
        Ok(())
    }

    /// The head as text.
    fn text(&self) -> &[u8] {
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
