//! WebSocket as a [`Protocol`]: echoes come in the order of the messages.

use super::deflate::Inflater;
use super::echo::Echo;
use super::frame::{self, HEAD_LIMIT, opcode};
use super::handshake::{Accept, Upgrade};
use super::message::Number;
use super::reading::Wrong;
use super::{Keys, Message};
use crate::check::Expectation;
use crate::head::Malformed;
use crate::protocol::{Answer, Answers, Awaited, EVIDENCE_LIMIT, End, Io, Protocol, Step, Ticket};
use crate::request::{Request, RequestError};
use crate::verdict::Verdict;
use std::collections::VecDeque;
use std::sync::Arc;

/// The status of the answer to which every echo belongs.
pub(super) const SWITCHING: u16 = 101;

/// The most bytes that are kept of a message that comes in pieces.
const KEPT: usize = 16 * 1024;

/// One connection.
#[derive(Debug)]
pub struct WebSocket<T> {
    pub(super) state: State,
    /// Messages that were sent together are a run: the first unanswered one, and how many there
    /// are.
    runs: VecDeque<(T, usize)>,
    pub(super) in_flight: usize,
    /// The room that it belongs to, if there are rooms.
    room: usize,
    /// Which message is awaited, or was last: an index into [`Shared::messages`].
    pub(super) awaited: usize,
    /// The number of the message that it heard last in its room.
    pub(super) heard: Option<Number>,
    /// The beginning of a frame's head.
    pub(super) head: [u8; HEAD_LIMIT],
    pub(super) head_length: usize,
    pub(super) frame: Option<Frame>,
    /// The payload of an incomplete control frame.
    pub(super) control: Vec<u8>,
    /// A message has begun.
    pub(super) is_within_message: bool,
    pub(super) echo: Echo,
    /// What inflates the message in progress, if it is compressed.
    pub(super) inflater: Option<Inflater>,
    /// Frames without content since the last message.
    pub(super) idle_frames: u32,
    /// The first bytes of the answer to the upgrade or of the message in progress, if they came in
    /// pieces.
    pub(super) kept: Vec<u8>,
    /// How many bytes came before the present ones.
    pub(super) received: u64,
    first_byte_ns: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// The server has not agreed to the upgrade yet; it does so with this value.
    Greeting(Accept),
    Open,
    /// The server has closed it, with this code.
    Closed(Option<u16>),
}

/// A frame whose payload is incomplete.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) opcode: u8,
    pub(super) is_last: bool,
    pub(super) left: u64,
}

/// The common state of a thread's connections.
#[derive(Debug)]
pub struct Shared {
    pub(super) upgrade: Upgrade,
    pub(super) keys: Keys,
    /// The right messages, by [`Awaited::expectation`].
    pub(super) messages: Vec<Arc<Message>>,
    /// Each of them in one frame. Empty: no compressed one, which servers write differently, has
    /// arrived yet.
    echoes: Vec<Vec<u8>>,
    /// An unused inflater. Most messages arrive in one piece, so few connections need their own.
    pub(super) spare: Option<Inflater>,
}

impl<T> Default for WebSocket<T> {
    fn default() -> Self {
        Self {
            state: State::Closed(None),
            runs: VecDeque::new(),
            in_flight: 0,
            room: 0,
            awaited: 0,
            heard: None,
            head: [0; HEAD_LIMIT],
            head_length: 0,
            frame: None,
            control: Vec::new(),
            is_within_message: false,
            echo: Echo::default(),
            inflater: None,
            idle_frames: 0,
            kept: Vec::new(),
            received: 0,
            first_byte_ns: None,
        }
    }
}

impl<T: Ticket> WebSocket<T> {
    /// The oldest `count` messages, all of one run, are done.
    fn advance(&mut self, count: usize) {
        self.in_flight -= count;
        self.idle_frames = 0;
        if let Some((first, left)) = self.runs.front_mut() {
            *left -= count;
            (0..count).for_each(|_| *first = first.next());
            if *left == 0 {
                self.runs.pop_front();
            }
        }
    }

    /// The message in progress is over.
    pub(super) fn end_message(&mut self) {
        self.is_within_message = false;
        self.kept.clear();
        self.received = 0;
        self.first_byte_ns = None;
    }

    /// Looks up which message is awaited.
    #[inline]
    fn await_as(&mut self, awaited: impl Fn(T) -> Awaited) {
        if let Some(&(first, _)) = self.runs.front() {
            self.awaited = awaited(first).expectation as usize;
        }
    }

    fn is_between_frames(&self) -> bool {
        self.head_length == 0 && self.frame.is_none()
    }
}

impl<T: Ticket> Protocol<T> for WebSocket<T> {
    const WRITES: bool = false;
    const GREETS: bool = true;
    const GREETING: &'static str = "answered the upgrade";

    type Shared = Shared;

    fn shared(_: &[Arc<Expectation>], requests: &[Arc<Request>]) -> Shared {
        let request = requests.first().expect("a book has a request");
        let upgrade = Upgrade::new(request).expect("the book was made of it");
        let has_rooms = request.message.as_deref().is_some_and(|it| it.number().is_some());
        // Outside of rooms all are the same.
        let different = if has_rooms { requests } else { &requests[..1] };
        let messages: Vec<Arc<Message>> =
            different.iter().filter_map(|request| request.message.clone()).collect();
        let echo = |it: &Arc<Message>| if it.is_compressed() { Vec::new() } else { it.plain() };
        let echoes = messages.iter().map(echo).collect();
        Shared { upgrade, keys: Keys::new(0), messages, echoes, spare: None }
    }

    fn enter_room(&mut self, room: usize) {
        self.room = room;
    }

    fn greet(&mut self, shared: &mut Shared, out: &mut Vec<u8>) {
        let (runs, room) = (std::mem::take(&mut self.runs), self.room);
        *self = Self { runs, room, ..Self::default() };
        self.state = State::Greeting(shared.upgrade.write(room, &mut shared.keys, out));
    }

    fn write_goodbye(&mut self, out: &mut Vec<u8>) {
        // The server's code is returned to it. Any key will do for two bytes without content.
        let code = match self.state {
            State::Greeting(_) => return,
            State::Open | State::Closed(None) => frame::NORMAL,
            State::Closed(Some(code)) => code,
        };
        frame::write(out, opcode::CLOSE, &code.to_be_bytes(), Some(Keys::new(code.into()).mask()));
    }

    fn is_ready(&self) -> bool {
        !matches!(self.state, State::Greeting(_))
    }

    fn room(&self, depth: usize) -> usize {
        if self.state == State::Open { depth - self.in_flight } else { 0 }
    }

    fn in_flight(&self) -> usize {
        self.in_flight
    }

    fn oldest(&self) -> Option<T> {
        self.runs.front().map(|&(first, _)| first)
    }

    #[inline]
    fn start(&mut self, first: T, count: usize) {
        self.in_flight += count;
        self.runs.push_back((first, count));
    }

    /// Never called: a message is started when its bytes are sent.
    fn write(&mut self, ticket: T, _: usize, _: &mut Shared, _: &mut Vec<u8>) {
        self.start(ticket, 1);
    }

    /// Never called: no other request can follow the upgrade.
    fn write_other(
        &mut self,
        _: T,
        request: Request,
        _: &mut Shared,
        _: &mut Vec<u8>,
    ) -> Result<(), RequestError> {
        Err(RequestError::Method(request.method))
    }

    fn receive(
        &mut self,
        bytes: &[u8],
        awaited: impl Fn(T) -> Awaited,
        shared: &mut Shared,
        io: &mut Io<'_>,
    ) -> Option<Step> {
        self.await_as(awaited);
        let is_fresh = self.is_between_frames() && !self.is_within_message && self.is_ready();
        let step = match self.read(bytes, shared, io.out) {
            Ok(step) | Err(Wrong::Step(step)) => step,
            Err(Wrong::Malformed(at, what)) => {
                Step::Malformed(Malformed { what, at: self.received + at as u64 })
            }
        };
        if let Step::Complete(Answer { consumed, verdict: Verdict::Right, .. }) = step
            && is_fresh
            && shared.echoes[self.awaited].is_empty()
            && frame::is_message(&bytes[..consumed])
        {
            // No context lasts beyond a message: the same bytes always have the same meaning.
            shared.echoes[self.awaited] = bytes[..consumed].to_vec();
        }
        if step == Step::Incomplete {
            if self.is_within_message && self.echo.length() > 0 {
                self.first_byte_ns.get_or_insert(io.now_ns);
            }
            if self.is_ready() && self.is_between_frames() && !self.is_within_message {
                self.kept.clear();
                self.received = 0;
            } else {
                // An answer to the upgrade is kept already.
                let room = if self.is_ready() { KEPT.saturating_sub(self.kept.len()) } else { 0 };
                self.kept.extend_from_slice(&bytes[..room.min(bytes.len())]);
                self.received += bytes.len() as u64;
            }
        }
        Some(step)
    }

    #[inline]
    fn take_known(
        &mut self,
        bytes: &[u8],
        awaited: impl Fn(T) -> Awaited,
        shared: &mut Shared,
    ) -> Option<Answers<T>> {
        let &(first, most) = self.runs.front()?;
        self.await_as(awaited);
        let echo = &shared.echoes[self.awaited][..];
        if echo.is_empty()
            || !self.is_between_frames()
            || self.is_within_message
            || self.state != State::Open
        {
            return None;
        }
        let known = bytes.chunks_exact(echo.len()).take(most).take_while(|&frame| frame == echo);
        let count = known.count();
        if count == 0 {
            return None;
        }
        self.heard = shared.messages[self.awaited].number();
        self.advance(count);
        Some(Answers { first, count, consumed: count * echo.len(), status: SWITCHING })
    }

    fn end(&mut self, _: impl Fn(T) -> Awaited, _: &mut Shared) -> End {
        End::Short(self.received)
    }

    fn describe(&self, answer: &Answer, _: Awaited, shared: &Shared, _: &[u8]) -> String {
        self.echo.describe(answer.verdict, &shared.messages[self.awaited])
    }

    fn evidence(&self, last: &[u8]) -> Vec<u8> {
        let mut bytes = self.kept.clone();
        if bytes.len() as u64 == self.received {
            bytes.extend_from_slice(last);
        }
        bytes.truncate(EVIDENCE_LIMIT);
        bytes
    }

    fn collected(&self) -> &[u8] {
        &[]
    }

    /// Only the oldest message can be.
    fn completed(&self) -> Option<T> {
        self.oldest()
    }

    fn first_byte_ns(&self) -> Option<u64> {
        self.first_byte_ns
    }

    fn finish(&mut self) -> Option<T> {
        self.end_message();
        let ticket = self.oldest()?;
        self.advance(1);
        Some(ticket)
    }

    fn take_unanswered(&mut self) -> Option<T> {
        self.finish()
    }
}
