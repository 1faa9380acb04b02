//! WebSocket as a [`Protocol`]: echoes come in the order of the messages.

use super::echo::Echo;
use super::frame::{self, FrameHead, HEAD_LIMIT, opcode};
use super::handshake::{Accept, Upgrade};
use super::{Keys, Message};
use crate::check::Expectation;
use crate::head::Malformed;
use crate::protocol::{
    Answer, Answers, Awaited, EVIDENCE_LIMIT, End, Io, Loss, Protocol, Step, Ticket,
};
use crate::request::{Request, RequestError};
use std::collections::VecDeque;
use std::sync::Arc;

/// The status of the answer that every echo belongs to.
const SWITCHING: u16 = 101;

/// The most bytes that are kept of a message that comes in pieces.
const KEPT: usize = 16 * 1024;

/// The most frames that bring nothing, behind one another.
const IDLE_FRAMES: u32 = 1000;

/// One connection.
#[derive(Debug)]
pub struct WebSocket<T> {
    state: State,
    /// Messages that were sent at once are a run: the first that is unanswered, and how many are.
    runs: VecDeque<(T, usize)>,
    in_flight: usize,
    /// The head of a frame, as far as it has come.
    head: [u8; HEAD_LIMIT],
    head_length: usize,
    frame: Option<Frame>,
    /// The payload of a control frame that is not all there.
    control: Vec<u8>,
    /// A message has begun.
    is_within_message: bool,
    echo: Echo,
    /// Frames that brought nothing since the last message.
    idle_frames: u32,
    /// The first bytes of the answer to the upgrade or of the message in progress, if those came in pieces.
    kept: Vec<u8>,
    /// How many came before the present ones.
    received: u64,
    first_byte_ns: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The server has not agreed to the upgrade yet, which it does with this.
    Greeting(Accept),
    Open,
    /// The server has closed it, with this code.
    Closed(Option<u16>),
}

/// A frame whose payload is not all there.
#[derive(Debug, Clone, Copy)]
struct Frame {
    opcode: u8,
    is_last: bool,
    left: u64,
}

/// What the connections of a thread share.
#[derive(Debug)]
pub struct Shared {
    upgrade: Upgrade,
    keys: Keys,
    message: Arc<Message>,
    /// The echo in one frame.
    echo: Vec<u8>,
}

impl<T> Default for WebSocket<T> {
    fn default() -> Self {
        Self {
            state: State::Closed(None),
            runs: VecDeque::new(),
            in_flight: 0,
            head: [0; HEAD_LIMIT],
            head_length: 0,
            frame: None,
            control: Vec::new(),
            is_within_message: false,
            echo: Echo::default(),
            idle_frames: 0,
            kept: Vec::new(),
            received: 0,
            first_byte_ns: None,
        }
    }
}

impl<T: Ticket> WebSocket<T> {
    /// The oldest `count` messages, all of one run, are over.
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

    fn is_between_frames(&self) -> bool {
        self.head_length == 0 && self.frame.is_none()
    }

    fn read(
        &mut self,
        bytes: &[u8],
        shared: &mut Shared,
        out: &mut Vec<u8>,
    ) -> Result<Step, Wrong> {
        let mut at = 0;
        if let State::Greeting(accept) = self.state {
            let Some(end) = self.read_answer(bytes, accept, &shared.upgrade)? else {
                return Ok(Step::Incomplete);
            };
            at = end;
        }
        // What follows a close frame is not looked at (section 5.5.1).
        while at < bytes.len() && !matches!(self.state, State::Closed(_)) {
            let began_at = at;
            let wrong = |what| Wrong::Malformed(began_at, what);
            let Some(Frame { opcode, is_last, mut left }) =
                self.next_frame(bytes, &mut at, shared)?
            else {
                break;
            };
            let room = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len() - at);
            let piece = &bytes[at..at + room];
            (at, left) = (at + room, left - room as u64);
            let is_control = opcode >= opcode::CLOSE;
            if is_control {
                self.control.extend_from_slice(piece);
            } else {
                self.echo.push(piece, &shared.message).map_err(wrong)?;
            }
            if left > 0 {
                self.frame = Some(Frame { opcode, is_last, left });
            } else if is_control {
                self.take_control(opcode, shared, out).map_err(wrong)?;
                if let State::Closed(code) = self.state
                    && (self.in_flight > 0 || code.is_some_and(|code| !frame::is_close_code(code)))
                {
                    return Ok(Step::Lost(Loss::Closed(code)));
                }
            } else if is_last {
                return Ok(Step::Complete(Answer {
                    consumed: at,
                    status: SWITCHING,
                    body_length: self.echo.length(),
                    keep_alive: true,
                    verdict: self.echo.end(&shared.message).map_err(wrong)?,
                }));
            }
        }
        Ok(Step::Incomplete)
    }

    /// Reads the answer to the upgrade, which ends at the byte that is returned. While it is not all there, it is kept.
    fn read_answer(
        &mut self,
        bytes: &[u8],
        accept: Accept,
        upgrade: &Upgrade,
    ) -> Result<Option<usize>, Wrong> {
        let before = self.kept.len();
        self.kept.extend_from_slice(bytes);
        let read = upgrade.read(&self.kept, accept);
        if read != Ok(None) {
            self.kept.truncate(before);
        }
        let end = read.map_err(Wrong::Step)?;
        if end.is_some() {
            self.kept = Vec::new();
            self.received = 0;
            self.state = State::Open;
        }
        Ok(end.map(|end| end - before))
    }

    /// The frame in progress, or the next, if its head is all there.
    fn next_frame(
        &mut self,
        bytes: &[u8],
        at: &mut usize,
        shared: &Shared,
    ) -> Result<Option<Frame>, Wrong> {
        if let Some(frame) = self.frame.take() {
            return Ok(Some(frame));
        }
        let began_at = *at;
        let head = loop {
            if let Some((head, _)) = FrameHead::read(&self.head[..self.head_length]) {
                break head;
            }
            let Some(&byte) = bytes.get(*at) else { return Ok(None) };
            self.head[self.head_length] = byte;
            self.head_length += 1;
            *at += 1;
        };
        self.head_length = 0;
        self.begin_frame(head, &shared.message)
            .map(Some)
            .map_err(|what| Wrong::Malformed(began_at, what))
    }

    fn begin_frame(&mut self, head: FrameHead, expected: &Message) -> Result<Frame, &'static str> {
        head.check()?;
        let FrameHead { opcode, is_last, length, .. } = head;
        if head.is_control() || length == 0 {
            self.idle_frames += 1;
            if self.idle_frames > IDLE_FRAMES {
                return Err("1000 frames that are no message and bring none on");
            }
        }
        if !head.is_control() {
            match (opcode, self.is_within_message) {
                (opcode::CONTINUATION, false) => {
                    return Err("a fragment that continues no message");
                }
                (opcode::CONTINUATION, true) => {}
                (_, true) => return Err("a new message within one that is in fragments"),
                (_, false) if self.in_flight == 0 => return Err("a message that nobody asked for"),
                (_, false) => {
                    self.is_within_message = true;
                    self.echo.begin(opcode == opcode::TEXT, expected);
                }
            }
            self.echo.announce(length, expected)?;
        }
        Ok(Frame { opcode, is_last, left: length })
    }

    /// A control frame is all there.
    fn take_control(
        &mut self,
        opcode: u8,
        shared: &mut Shared,
        out: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        match opcode {
            opcode::PING => {
                frame::write(out, opcode::PONG, &self.control, Some(shared.keys.mask()));
            }
            opcode::CLOSE => {
                let code = match &self.control[..] {
                    [] => None,
                    [_] => return Err("a close frame with half a code"),
                    &[high, low, ref reason @ ..] => {
                        str::from_utf8(reason)
                            .map_err(|_| "a close frame whose reason is not UTF-8")?;
                        Some(u16::from_be_bytes([high, low]))
                    }
                };
                self.state = State::Closed(code);
            }
            _ => {}
        }
        self.control.clear();
        Ok(())
    }
}

/// Why nothing more is read.
enum Wrong {
    /// What breaks the protocol, and where in the bytes it begins.
    Malformed(usize, &'static str),
    Step(Step),
}

impl<T: Ticket> Protocol<T> for WebSocket<T> {
    const WRITES: bool = false;
    const GREETS: bool = true;
    const GREETING: &'static str = "answered the upgrade";

    type Shared = Shared;

    fn shared(_: &[Arc<Expectation>], requests: &[Arc<Request>]) -> Shared {
        let request = requests.first().expect("a book has a request");
        let message = request.message.clone().expect("a book of messages has them");
        let upgrade = Upgrade::new(request).expect("the book was made of it");
        Shared { upgrade, keys: Keys::new(0), echo: message.plain(), message }
    }

    fn greet(&mut self, shared: &mut Shared, out: &mut Vec<u8>) {
        *self = Self { runs: std::mem::take(&mut self.runs), ..Self::default() };
        self.state = State::Greeting(shared.upgrade.write(&mut shared.keys, out));
    }

    fn write_goodbye(&mut self, out: &mut Vec<u8>) {
        // The server's code goes back to it. Any key will do for two bytes that say nothing.
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

    /// Never called: a message is on its way when its bytes are.
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
        _: impl Fn(T) -> Awaited,
        shared: &mut Shared,
        io: &mut Io<'_>,
    ) -> Option<Step> {
        let step = match self.read(bytes, shared, io.out) {
            Ok(step) | Err(Wrong::Step(step)) => step,
            Err(Wrong::Malformed(at, what)) => {
                Step::Malformed(Malformed { what, at: self.received + at as u64 })
            }
        };
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
        _: impl Fn(T) -> Awaited,
        shared: &mut Shared,
    ) -> Option<Answers<T>> {
        let &(first, most) = self.runs.front()?;
        let echo = &shared.echo[..];
        if !self.is_between_frames() || self.is_within_message || self.state != State::Open {
            return None;
        }
        let known = bytes.chunks_exact(echo.len()).take(most).take_while(|&frame| frame == echo);
        let count = known.count();
        if count == 0 {
            return None;
        }
        self.advance(count);
        Some(Answers { first, count, consumed: count * echo.len(), status: SWITCHING })
    }

    fn end(&mut self, _: impl Fn(T) -> Awaited, _: &mut Shared) -> End {
        End::Short(self.received)
    }

    fn describe(&self, answer: &Answer, _: Awaited, shared: &Shared, _: &[u8]) -> String {
        self.echo.describe(answer.verdict, &shared.message)
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

    /// Only the oldest can be.
    fn completed(&self) -> Option<T> {
        self.oldest()
    }

    fn first_byte_ns(&self) -> Option<u64> {
        self.first_byte_ns
    }

    fn finish(&mut self) -> Option<T> {
        self.is_within_message = false;
        self.kept.clear();
        self.received = 0;
        self.first_byte_ns = None;
        let ticket = self.oldest()?;
        self.advance(1);
        Some(ticket)
    }

    fn take_unanswered(&mut self) -> Option<T> {
        self.finish()
    }
}
