//! Compares a body that arrives in pieces with the right one.

use crate::check::BodyRule;
use crate::content::Content;
use crate::events::EventStream;
use crate::grpc::Messages;
use crate::learned::HeadCache;
use crate::verdict::Verdict;
use sha2::{Digest, Sha256};

/// The most bytes of a right body that are remembered, and of memory that is kept for the next
/// body.
const KNOWN_LIMIT: usize = 64 * 1024;

/// The most bytes of a body that are inspected.
const COLLECTED_LIMIT: usize = 64 << 20;

/// The right body, as far as it is known where only its hash was given. It changes once at most,
/// when the first right body has arrived.
#[derive(Debug, Default)]
pub(crate) enum Known {
    /// No body has arrived yet.
    #[default]
    Nothing,
    /// The right body: comparing it is far cheaper than hashing another.
    Body(Vec<u8>),
    /// The body is too long to be remembered.
    TooLong,
}

impl Known {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Body(body) => body,
            Self::Nothing | Self::TooLong => &[],
        }
    }
}

/// Progress in one body.
#[derive(Debug, Default)]
pub(crate) struct BodyCheck {
    length: u64,
    /// The first byte that differs from the exact body.
    difference: Option<(usize, u8)>,
    /// For a rule by hash, from the first piece that differs from the known body on.
    hashing: Option<Box<Hashing>>,
    /// For a rule on contents: the whole body, or its first bytes if it is too long to be
    /// inspected.
    collected: Vec<u8>,
    /// For a stream of events, from its first byte on.
    events: Option<Box<EventStream>>,
    /// For the answer of a gRPC call.
    messages: Messages,
}

#[derive(Debug)]
struct Hashing {
    hasher: Sha256,
    /// The whole body, while it may be worth remembering.
    body: Vec<u8>,
}

impl BodyCheck {
    /// Prepares for the next body.
    #[inline]
    pub(crate) fn reset(&mut self) {
        self.length = 0;
        self.difference = None;
        self.hashing = None;
        self.collected.clear();
        self.collected.shrink_to(KNOWN_LIMIT);
        self.events = None;
        self.messages = Messages::default();
    }

    /// Takes the next piece of the body.
    #[inline]
    pub(crate) fn push(&mut self, piece: &[u8], learned: &HeadCache) {
        match &learned.expectation().body {
            BodyRule::Any => {}
            BodyRule::Exactly(body) => self.compare(piece, body),
            BodyRule::Sha256(_) => self.feed_hash(piece, &learned.body),
            BodyRule::Holds(_) => self.collect(piece),
            BodyRule::Events(right) => {
                self.events.get_or_insert_default().feed(piece, right);
            }
            BodyRule::Message(expected) => {
                self.messages.feed(piece);
                if let Some(body) = expected {
                    self.compare(piece, body);
                }
            }
        }
        self.length += piece.len() as u64;
    }

    /// Takes the next bytes of the body, which no rule needs.
    pub(crate) fn count(&mut self, length: u64) {
        self.length += length;
    }

    /// Bytes of body so far.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The body so far, where it is inspected.
    pub(crate) fn collected(&self) -> &[u8] {
        &self.collected
    }

    /// Progress in a stream of events.
    #[inline]
    pub(crate) fn events(&self) -> Option<&EventStream> {
        self.events.as_deref()
    }

    pub(crate) fn events_mut(&mut self) -> Option<&mut EventStream> {
        self.events.as_deref_mut()
    }

    /// The messages of a gRPC call's answer.
    pub(crate) fn messages(&self) -> &Messages {
        &self.messages
    }

    /// The first byte that differs from the exact body: its offset and its value.
    pub(crate) fn difference(&self) -> Option<(usize, u8)> {
        self.difference
    }

    /// The body's SHA-256, if it is complete and differs from the expected one.
    pub(crate) fn hash(&self) -> Option<[u8; 32]> {
        Some(self.hashing.as_ref()?.hasher.clone().finalize().into())
    }

    /// What a complete body does not contain, as a message.
    #[inline(never)]
    pub(crate) fn missing(&self, content: &Content) -> Option<String> {
        if self.length > self.collected.len() as u64 {
            return Some(format!(
                "body has {} bytes, of which no more than {COLLECTED_LIMIT} can be \
                                 looked into",
                self.length
            ));
        }
        content.missing(&self.collected)
    }

    /// The verdict on a complete body. A right one may be remembered.
    #[inline]
    pub(crate) fn verdict(&mut self, learned: &mut HeadCache) -> Verdict {
        let expectation = learned.expectation();
        if expectation.wrong_length(self.length).is_some() {
            return Verdict::Length;
        }
        let right = match &expectation.body {
            BodyRule::Any => true,
            BodyRule::Exactly(_) => self.difference.is_none(),
            &BodyRule::Sha256(hash) => self.has_hash(&hash, &mut learned.body),
            BodyRule::Holds(content) => self.missing(content).is_none(),
            BodyRule::Events(right) => self.events.get_or_insert_default().wrong(right).is_none(),
            BodyRule::Message(expected) => {
                let is_whole = |body: &Vec<u8>| self.length == body.len() as u64;
                self.messages.is_one()
                    && self.difference.is_none()
                    && expected.as_ref().is_none_or(is_whole)
            }
        };
        if right { Verdict::Right } else { Verdict::Body }
    }

    fn compare(&mut self, piece: &[u8], body: &[u8]) {
        if self.difference.is_some() {
            return;
        }
        let (before, rest) = self.split(body);
        let common = rest.len().min(piece.len());
        if rest[..common] != piece[..common] {
            self.difference = rest
                .iter()
                .zip(piece)
                .position(|(expected, got)| expected != got)
                .map(|at| (before.len() + at, piece[at]));
        }
    }

    #[inline(never)]
    fn collect(&mut self, piece: &[u8]) {
        let room = COLLECTED_LIMIT - self.collected.len();
        self.collected.extend_from_slice(&piece[..room.min(piece.len())]);
    }

    // Out of line, like `has_hash`: this makes the path of the other rules shorter by a tenth.
    #[inline(never)]
    fn feed_hash(&mut self, piece: &[u8], known: &Known) {
        let (before, rest) = self.split(known.bytes());
        if self.hashing.is_none() && rest.starts_with(piece) {
            return;
        }
        let hashing = self.hashing.get_or_insert_with(|| Box::new(Hashing::behind(before)));
        hashing.hasher.update(piece);
        if matches!(known, Known::Nothing) && hashing.body.len() + piece.len() <= KNOWN_LIMIT {
            hashing.body.extend_from_slice(piece);
        }
    }

    #[inline(never)]
    fn has_hash(&mut self, right: &[u8; 32], known: &mut Known) -> bool {
        let (before, rest) = self.split(known.bytes());
        if self.hashing.is_none() && rest.is_empty() && matches!(known, Known::Body(_)) {
            return true;
        }
        let hashing = self.hashing.get_or_insert_with(|| Box::new(Hashing::behind(before)));
        if *hashing.hasher.clone().finalize() != *right {
            return false;
        }
        if matches!(known, Known::Nothing) {
            let complete = self.length == hashing.body.len() as u64;
            let body = std::mem::take(&mut hashing.body);
            *known = if complete { Known::Body(body) } else { Known::TooLong };
        }
        true
    }

    /// Splits a right body at the present length.
    fn split<'a>(&self, right: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        right.split_at(usize::try_from(self.length).map_or(right.len(), |at| at.min(right.len())))
    }
}

impl Hashing {
    /// For a body that begins with these bytes.
    fn behind(before: &[u8]) -> Self {
        Self { hasher: Sha256::new_with_prefix(before), body: Vec::new() }
    }
}
