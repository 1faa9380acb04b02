//! Decodes the bytes of one connection to answers.

use crate::body::BodyCheck;
use crate::check::{BodyRule, Expectation};
use crate::chunked::Chunked;
use crate::events::EventStream;
use crate::head::{self, Framing, HEAD_LIMIT, Head, Malformed};
use crate::learned::HeadCache;
use crate::protocol::EVIDENCE_LIMIT;
use crate::protocol::{Answer, End, Step};
use crate::verdict::{self, Verdict};

/// For an answer that comes in pieces, heads are kept whole, and bodies up to this many bytes:
/// enough to see what is wrong, without a copy of a whole large answer.
const KEPT: usize = 16 * 1024;

#[derive(Debug, Clone, Copy)]
enum State {
    Head,
    Length(Head, u64),
    Chunked(Head, Chunked),
    UntilClose(Head),
}

/// Decodes one connection's answers, one at a time. Holds no more than the head and the evidence.
#[derive(Debug)]
pub struct Decoder {
    state: State,
    check: BodyCheck,
    /// The answer's first bytes, if it did not arrive in one piece: they serve a head in progress,
    /// and evidence.
    kept: Vec<u8>,
    /// The trailers after the chunks, each on its line.
    trailers: Vec<u8>,
    /// Where in the answer the head in progress starts: interim answers come before it.
    head_start: usize,
    /// Bytes of the answer that were fed before the present ones.
    received: u64,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            state: State::Head,
            check: BodyCheck::default(),
            kept: Vec::new(),
            trailers: Vec::new(),
            head_start: 0,
            received: 0,
        }
    }
}

impl Decoder {
    /// Forgets the answer in progress.
    pub fn reset(&mut self) {
        self.state = State::Head;
        self.check.reset();
        self.kept.clear();
        self.trailers.clear();
        self.head_start = 0;
        self.received = 0;
    }

    /// Takes the next bytes of the connection. `to_head`: the request was HEAD. `learned`: the
    /// right answer, the same from the answer's first byte to its last.
    ///
    /// After `Complete` or `Malformed` call [`Decoder::evidence`] and [`Decoder::describe`] if
    /// wanted, then [`Decoder::reset`].
    #[inline]
    pub fn feed(&mut self, bytes: &[u8], to_head: bool, learned: &mut HeadCache) -> Step {
        let step = self.advance(bytes, to_head, learned);
        if step == Step::Incomplete {
            if let Some(what) = self.broken_event() {
                return Step::Malformed(Malformed { what, at: self.received });
            }
            let room = KEPT.saturating_sub(self.kept.len());
            // Within a head `advance` has kept them already.
            if !matches!(self.state, State::Head) {
                self.kept.extend_from_slice(&bytes[..room.min(bytes.len())]);
            }
            self.received += bytes.len() as u64;
        }
        step
    }

    /// How many of the next bytes no rule needs: the answer is right if they arrive. If it is wrong
    /// already, all bytes are read.
    pub fn unread(&self, expectation: &Expectation) -> u64 {
        match self.state {
            State::Length(head, left)
                if expectation.body == BodyRule::Any
                    && expectation.status.allows(head.status)
                    && head.headers_right
                    && expectation.wrong_length(self.check.length() + left).is_none() =>
            {
                left
            }
            _ => 0,
        }
    }

    /// This many of them have arrived, and were counted instead of read.
    pub fn count(&mut self, length: u64, learned: &mut HeadCache) -> Step {
        let State::Length(head, left) = &mut self.state else { return Step::Incomplete };
        *left -= length;
        let (head, complete) = (*head, *left == 0);
        self.check.count(length);
        self.received += length;
        if complete { Step::Complete(self.answer(head, 0, learned)) } else { Step::Incomplete }
    }

    /// An error that makes further reading useless in a stream of events with the right head.
    #[inline]
    fn broken_event(&self) -> Option<&'static str> {
        let what = self.check.events()?.broken()?;
        match self.state {
            State::Length(head, _) | State::Chunked(head, _) | State::UntilClose(head) => {
                head.headers_right.then_some(what)
            }
            State::Head => None,
        }
    }

    pub(crate) fn events_mut(&mut self) -> Option<&mut EventStream> {
        self.check.events_mut()
    }

    /// When the latest events of the answer in progress arrived.
    #[inline]
    pub(crate) fn latest_event_ns(&self) -> Option<u64> {
        self.check.events()?.latest_ns()
    }

    /// Bytes of body so far.
    #[inline]
    pub(crate) fn body_length(&self) -> u64 {
        self.check.length()
    }

    /// Whether no answer is in progress.
    #[inline]
    pub(crate) fn is_between_answers(&self) -> bool {
        matches!(self.state, State::Head) && self.kept.is_empty()
    }

    /// The server closed the connection, in the middle of an answer that `learned` was given for.
    pub fn end(&mut self, learned: &mut HeadCache) -> End {
        match self.state {
            State::UntilClose(head) => End::Complete(self.answer(head, 0, learned)),
            _ => End::Short(self.received),
        }
    }

    /// The answer's first bytes, given the bytes that were fed last.
    pub fn evidence(&self, last: &[u8]) -> Vec<u8> {
        let mut bytes = self.kept.clone();
        // Within a head, the last bytes have been kept already. Otherwise some before them were
        // not.
        if bytes.len() as u64 == self.received {
            bytes.extend_from_slice(last);
        }
        bytes.truncate(EVIDENCE_LIMIT);
        bytes
    }

    /// The body so far, where its rule inspects it.
    pub fn collected(&self) -> &[u8] {
        self.check.collected()
    }

    /// The verdict on the complete answer as a message, given the bytes that were fed last.
    pub fn describe(&self, answer: &Answer, learned: &HeadCache, last: &[u8]) -> String {
        let evidence = self.evidence(last);
        let head = evidence.get(self.head_start..).unwrap_or_default();
        verdict::describe(answer, learned.expectation(), &self.check, |expectation| {
            verdict::describe_header_of(expectation, head, &self.trailers)
        })
    }

    fn advance(&mut self, bytes: &[u8], to_head: bool, learned: &mut HeadCache) -> Step {
        let mut at = 0;
        if matches!(self.state, State::Head) {
            match self.head(bytes, to_head, learned) {
                Ok(Some(length)) => at = length,
                Ok(None) => return Step::Incomplete,
                Err(malformed) => return Step::Malformed(malformed),
            }
        }
        let body = &bytes[at..];
        match &mut self.state {
            State::Head => Step::Incomplete,
            State::Length(head, left) => {
                let take = usize::try_from(*left).map_or(body.len(), |left| left.min(body.len()));
                self.check.push(&body[..take], learned);
                *left -= take as u64;
                let (head, complete) = (*head, *left == 0);
                if complete {
                    Step::Complete(self.answer(head, at + take, learned))
                } else {
                    Step::Incomplete
                }
            }
            State::UntilClose(_) => {
                self.check.push(body, learned);
                Step::Incomplete
            }
            State::Chunked(head, chunked) => {
                let (head, check) = (*head, &mut self.check);
                match chunked.feed(body, &mut self.trailers, |data| check.push(data, learned)) {
                    Ok(None) => Step::Incomplete,
                    Ok(Some(length)) => {
                        let head = self.with_trailers(head, bytes, learned.expectation());
                        Step::Complete(self.answer(head, at + length, learned))
                    }
                    Err((what, offset)) => {
                        let at = self.received + (at + offset) as u64;
                        Step::Malformed(Malformed { what, at })
                    }
                }
            }
        }
    }

    /// The head, whose fields the trailers add to. `last`: the bytes that were fed last.
    fn with_trailers(&self, head: Head, last: &[u8], expectation: &Expectation) -> Head {
        if self.trailers.is_empty() {
            return head;
        }
        let evidence = self.evidence(last);
        let text = evidence.get(self.head_start..).unwrap_or_default();
        let are_right = verdict::are_headers_right(expectation, text, &self.trailers);
        Head { headers_right: are_right.unwrap_or(head.headers_right), ..head }
    }

    /// Reads heads until the final one. `Some`: the body starts at that offset of `bytes`.
    #[inline]
    fn head(
        &mut self,
        bytes: &[u8],
        to_head: bool,
        learned: &mut HeadCache,
    ) -> Result<Option<usize>, Malformed> {
        if self.kept.is_empty() {
            if let Some((head, length)) = learned.recognise(bytes, to_head) {
                self.enter(head);
                return Ok(Some(length));
            }
            let end = self.full_heads(bytes, 0, to_head, learned)?;
            if end.is_none() {
                self.kept.extend_from_slice(bytes);
            }
            return Ok(end);
        }
        let mut kept = std::mem::take(&mut self.kept);
        let before = kept.len();
        kept.extend_from_slice(bytes);
        // The empty line may have been cut: its first two bytes are searched again.
        let from = before.saturating_sub(2).max(self.head_start);
        let end = self.full_heads(&kept, from, to_head, learned);
        if matches!(end, Ok(Some(_))) {
            // The bytes that were fed last become evidence only when they complete nothing.
            kept.truncate(before);
        }
        self.kept = kept;
        Ok(end?.map(|end| end - before))
    }

    /// The full parser on all bytes of the answer so far. `Some`: where the final head ends.
    fn full_heads(
        &mut self,
        bytes: &[u8],
        mut from: usize,
        to_head: bool,
        learned: &mut HeadCache,
    ) -> Result<Option<usize>, Malformed> {
        loop {
            let start = self.head_start;
            if let Err((at, what)) = head::begins_well(&bytes[start..]) {
                return Err(Malformed { what, at: (start + at) as u64 });
            }
            let end = head::find_end(bytes, from);
            if end.unwrap_or(bytes.len()) > HEAD_LIMIT {
                let what = "the head is larger than 65536 bytes";
                return Err(Malformed { what, at: HEAD_LIMIT as u64 });
            }
            let Some(end) = end else { return Ok(None) };
            let parsed = head::parse(&bytes[start..end], to_head, learned.expectation())
                .map_err(|bad| Malformed { at: bad.at + start as u64, ..bad })?;
            match parsed.0.status {
                101 => {
                    let what = "the server switches to a protocol that nobody asked for";
                    return Err(Malformed { what, at: start as u64 });
                }
                100..200 => {
                    self.head_start = end;
                    from = end;
                }
                _ => {
                    learned.learn(&bytes[start..end], to_head, &parsed);
                    self.enter(parsed.0);
                    return Ok(Some(end));
                }
            }
        }
    }

    #[inline]
    fn enter(&mut self, head: Head) {
        self.state = match head.framing {
            Framing::Length(length) => State::Length(head, length),
            Framing::Chunked => State::Chunked(head, Chunked::new()),
            Framing::UntilClose => State::UntilClose(head),
        };
    }

    fn answer(&mut self, head: Head, consumed: usize, learned: &mut HeadCache) -> Answer {
        Answer {
            consumed,
            status: head.status,
            body_length: self.check.length(),
            keep_alive: head.keep_alive,
            verdict: {
                let wrong = (!head.headers_right).then_some(Verdict::Header);
                verdict::judge(head.status, wrong, &mut self.check, learned)
            },
        }
    }
}
