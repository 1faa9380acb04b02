//! Cuts bytes into frames, and frames into messages (RFC 6455, sections 5.2 to 5.5).

use super::connection::{Frame, SWITCHING, Shared, State, WebSocket};
use super::deflate::TOO_LONG;
use super::echo;
use super::frame::{self, FrameHead, opcode};
use super::handshake::{Accept, Upgrade};
use super::message::Number;
use crate::protocol::{Answer, Loss, Step, Ticket};

/// The most successive frames without content.
const IDLE_FRAMES: u32 = 1000;

const UNREQUESTED: &str = "a message that nobody asked for";

/// Why reading has ended.
pub(super) enum Wrong {
    /// The rule that is broken, and the offset in the bytes.
    Malformed(usize, &'static str),
    Step(Step),
}

impl<T: Ticket> WebSocket<T> {
    /// Takes bytes until a message ends, or no bytes are left.
    pub(super) fn read(
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
        // Bytes after a close frame are ignored (section 5.5.1).
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
                self.push(piece, left == 0 && is_last, shared).map_err(wrong)?;
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
                let message = &shared.messages[self.awaited];
                let verdict = self.echo.end(message).map_err(wrong)?;
                if let Some(number) = message.number()
                    && !self.is_awaited(number).map_err(|doubled| match doubled {
                        Some(loss) => Wrong::Step(Step::Lost(loss)),
                        None => wrong(UNREQUESTED),
                    })?
                {
                    self.end_message();
                    continue;
                }
                return Ok(Step::Complete(Answer {
                    consumed: at,
                    status: SWITCHING,
                    body_length: self.echo.length(),
                    keep_alive: true,
                    verdict,
                }));
            }
        }
        Ok(Step::Incomplete)
    }

    /// Whether the complete message is the one that is awaited in its room, which has this number.
    /// A connection that has just joined the room may hear older ones first: they don't count.
    fn is_awaited(&mut self, number: Number) -> Result<bool, Option<Loss>> {
        let got = self.echo.number();
        if self.in_flight > 0 && got == number {
            self.heard = Some(got);
            return Ok(true);
        }
        match self.heard {
            None if self.in_flight == 0 || got != number => Ok(false),
            Some(heard) if got == heard => Err(Some(Loss::Doubled)),
            _ if self.in_flight == 0 => Err(None),
            _ => Ok(true),
        }
    }

    /// The next bytes of the message in progress, or its last ones.
    fn push(
        &mut self,
        piece: &[u8],
        is_end: bool,
        shared: &mut Shared,
    ) -> Result<(), &'static str> {
        let (echo, message) = (&mut self.echo, &shared.messages[self.awaited]);
        let Some(inflater) = &mut self.inflater else { return echo.push(piece, message) };
        let mut push = |inflated: &[u8]| {
            echo.announce(inflated.len() as u64, message).map_err(|_| TOO_LONG)?;
            echo.push(inflated, message)
        };
        inflater.push(piece, &mut push)?;
        if is_end {
            inflater.end(&mut push)?;
            shared.spare = self.inflater.take();
        }
        Ok(())
    }

    /// Reads the answer to the upgrade, which ends at the returned offset. An incomplete answer is
    /// kept.
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

    /// The frame in progress, or the next, if its head is complete.
    fn next_frame(
        &mut self,
        bytes: &[u8],
        at: &mut usize,
        shared: &mut Shared,
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
        self.begin_frame(head, shared).map(Some).map_err(|what| Wrong::Malformed(began_at, what))
    }

    fn begin_frame(&mut self, head: FrameHead, shared: &mut Shared) -> Result<Frame, &'static str> {
        let expected = &shared.messages[self.awaited];
        head.check(expected.is_compressed())?;
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
                (_, false) if self.in_flight == 0 && expected.number().is_none() => {
                    return Err(UNREQUESTED);
                }
                (_, false) => {
                    self.is_within_message = true;
                    self.echo.begin(opcode == opcode::TEXT, expected);
                    self.inflater = head.is_compressed().then(|| {
                        let mut inflater = shared.spare.take().unwrap_or_default();
                        inflater.begin();
                        inflater
                    });
                }
            }
            match &mut self.inflater {
                Some(inflater) => inflater.announce(length, echo::most(expected))?,
                None => self.echo.announce(length, expected)?,
            }
        }
        Ok(Frame { opcode, is_last, left: length })
    }

    /// A control frame is complete.
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
