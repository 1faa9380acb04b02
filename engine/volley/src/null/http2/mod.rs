//! HTTP/2 for a server that inspects a head only for HEAD (RFC 9113).
//!
//! A repeated head is not decoded again, and the answer's own head uses the table with which every
//! client begins. Windows are respected, the client's as well as ours.

mod connection;
#[cfg(test)]
mod tests;

use super::speaker::{Due, Speaker};
use connection::{Connection, Stage, Stream};
use volley_protocol::h2::frame::{
    self, FrameHead, HEAD_LENGTH, PREFACE, code, flag, kind, setting,
};

/// `:status: 200` and `content-type: text/plain`, which every table has or nearly has (RFC 7541,
/// appendix A), and the beginning of `content-length`, without Huffman's code.
const STATUS_200: u8 = 0x88;
const CONTENT_TYPE: &[u8] = b"\x0f\x10\x0atext/plain";
const CONTENT_LENGTH: &[u8] = b"\x0f\x0d";

/// Streams that a client may have open: more than any load uses.
const STREAMS_LIMIT: usize = 1 << 16;

/// Our window for all requests' bodies is renewed once this much of it is used.
const WINDOW_STEP: u32 = 1 << 30;

/// Answers each request on its stream with the same head and body.
#[derive(Debug)]
pub(super) struct Http2 {
    block: Vec<u8>,
    body: Vec<u8>,
    /// The whole answer as frames of stream 0, where one frame of DATA holds the body.
    whole: Vec<u8>,
}

/// The most bytes of a request's head in several frames.
const HEAD_LIMIT: usize = 64 * 1024;

/// A head's bytes in HEADERS without padding and priority; `None` if there are too many of these.
fn block(head: FrameHead, payload: &[u8]) -> Option<&[u8]> {
    let payload = if head.has(flag::PADDED) { frame::unpadded(payload)? } else { payload };
    if head.has(flag::PRIORITY) { payload.get(5..) } else { Some(payload) }
}

/// The code of a connection error, for GOAWAY.
type Wrong = u32;

impl Http2 {
    pub(super) fn new(body: Vec<u8>) -> Self {
        let length = body.len().to_string();
        let digits = u8::try_from(length.len()).expect("a length has 20 digits at most");
        let block =
            [&[STATUS_200], CONTENT_TYPE, CONTENT_LENGTH, &[digits], length.as_bytes()].concat();
        let mut whole = Vec::new();
        if body.len() <= frame::DEFAULT_FRAME_SIZE as usize {
            frame::write_headers(&mut whole, 0, &block, body.is_empty(), frame::DEFAULT_FRAME_SIZE);
            if !body.is_empty() {
                frame::write_data(&mut whole, 0, &body, true, frame::DEFAULT_FRAME_SIZE);
            }
        }
        Self { block, body, whole }
    }

    /// Takes all complete frames. Returns how many bytes they were.
    fn read(
        &self,
        connection: &mut Connection,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<usize, Wrong> {
        let mut at = 0;
        if connection.stage == Stage::Preface {
            let length = bytes.len().min(PREFACE.len());
            if bytes[..length] != PREFACE[..length] {
                return Err(code::PROTOCOL_ERROR);
            }
            if length < PREFACE.len() {
                return Ok(0);
            }
            connection.stage = Stage::First;
            at = length;
        }
        while let Some(head) = bytes[at..].first_chunk::<HEAD_LENGTH>() {
            let head = FrameHead::read(head);
            if head.length > frame::DEFAULT_FRAME_SIZE {
                return Err(code::FRAME_SIZE_ERROR);
            }
            let (from, to) = (at + HEAD_LENGTH, at + HEAD_LENGTH + head.length as usize);
            let Some(payload) = bytes.get(from..to) else { break };
            self.take(connection, head, payload, out)?;
            at = to;
        }
        Ok(at)
    }

    /// One frame.
    #[inline]
    fn take(
        &self,
        connection: &mut Connection,
        head: FrameHead,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Wrong> {
        let is_settings = head.kind == kind::SETTINGS && !head.has(flag::ACK);
        match (&connection.stage, connection.open_head) {
            (Stage::First, _) if !is_settings => return Err(code::PROTOCOL_ERROR),
            (_, Some((stream, _))) if (head.kind, head.stream) != (kind::CONTINUATION, stream) => {
                return Err(code::PROTOCOL_ERROR);
            }
            _ => connection.stage = Stage::Frames,
        }
        match head.kind {
            kind::HEADERS => self.take_headers(connection, head, payload, out),
            kind::CONTINUATION => {
                let (stream, ends) = connection.open_head.ok_or(code::PROTOCOL_ERROR)?;
                connection.heads.parts.extend_from_slice(payload);
                if connection.heads.parts.len() > HEAD_LIMIT {
                    return Err(code::PROTOCOL_ERROR);
                }
                if head.has(flag::END_HEADERS) {
                    connection.open_head = None;
                    let is_head = connection.heads.take_parts()?;
                    self.take_head(connection, stream, ends, is_head, out);
                }
                Ok(())
            }
            kind::DATA => self.take_data(connection, head, out),
            kind::SETTINGS => self.take_settings(connection, head, payload, out),
            kind::WINDOW_UPDATE => self.take_window(connection, head, payload, out),
            kind::PING => {
                let payload = payload.try_into().map_err(|_| code::FRAME_SIZE_ERROR)?;
                if !head.has(flag::ACK) {
                    frame::write_ping_ack(out, payload);
                }
                Ok(())
            }
            kind::RST_STREAM => {
                connection.streams.remove(&head.stream);
                Ok(())
            }
            kind::PUSH_PROMISE => Err(code::PROTOCOL_ERROR),
            _ => Ok(()),
        }
    }

    #[inline]
    fn take_headers(
        &self,
        connection: &mut Connection,
        head: FrameHead,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Wrong> {
        let ends = head.has(flag::END_STREAM);
        if head.stream > connection.last && head.stream % 2 == 1 {
            connection.last = head.stream;
        } else if !ends || !connection.streams.contains_key(&head.stream) {
            // Trailers end an unfinished request; nothing else may come later.
            return Err(code::PROTOCOL_ERROR);
        }
        let block = block(head, payload).ok_or(code::PROTOCOL_ERROR)?;
        if head.has(flag::END_HEADERS) {
            let is_head = connection.heads.take(block)?;
            self.take_head(connection, head.stream, ends, is_head, out);
        } else {
            connection.open_head = Some((head.stream, ends));
            connection.heads.parts.extend_from_slice(block);
        }
        if connection.streams.len() > STREAMS_LIMIT {
            return Err(code::PROTOCOL_ERROR);
        }
        Ok(())
    }

    /// A head is complete, and so is the request if it `ends`.
    #[inline]
    fn take_head(
        &self,
        connection: &mut Connection,
        stream: u32,
        ends: bool,
        is_head: bool,
        out: &mut Vec<u8>,
    ) {
        if ends {
            self.answer(connection, stream, is_head, out);
        } else {
            let window = connection.new_window;
            connection.streams.insert(stream, Stream { window, sent: None, is_head });
        }
    }

    fn take_data(
        &self,
        connection: &mut Connection,
        head: FrameHead,
        out: &mut Vec<u8>,
    ) -> Result<(), Wrong> {
        if head.stream == 0 || head.stream > connection.last {
            return Err(code::PROTOCOL_ERROR);
        }
        connection.used += head.length;
        if connection.used >= WINDOW_STEP {
            frame::write_window_update(out, 0, connection.used);
            connection.used = 0;
        }
        let goes_on = connection.streams.get(&head.stream).is_some_and(|one| one.sent.is_none());
        if goes_on && head.has(flag::END_STREAM) {
            self.answer(connection, head.stream, false, out);
        }
        Ok(())
    }

    fn take_settings(
        &self,
        connection: &mut Connection,
        head: FrameHead,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Wrong> {
        if !payload.len().is_multiple_of(6) || head.has(flag::ACK) && !payload.is_empty() {
            return Err(code::FRAME_SIZE_ERROR);
        }
        if head.stream != 0 {
            return Err(code::PROTOCOL_ERROR);
        }
        for (name, value) in frame::settings(payload) {
            match name {
                setting::INITIAL_WINDOW_SIZE if value > frame::WINDOW_LIMIT => {
                    return Err(code::FLOW_CONTROL_ERROR);
                }
                setting::INITIAL_WINDOW_SIZE => {
                    let more = i64::from(value) - connection.new_window;
                    connection.new_window = value.into();
                    connection.streams.values_mut().for_each(|stream| stream.window += more);
                }
                setting::MAX_FRAME_SIZE => {
                    if !(frame::DEFAULT_FRAME_SIZE..=frame::FRAME_SIZE_LIMIT).contains(&value) {
                        return Err(code::PROTOCOL_ERROR);
                    }
                    connection.frame_size = value;
                }
                _ => {}
            }
        }
        if !head.has(flag::ACK) {
            frame::write_settings_ack(out);
            self.go_on(connection, out);
        }
        Ok(())
    }

    fn take_window(
        &self,
        connection: &mut Connection,
        head: FrameHead,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Wrong> {
        let payload = payload.try_into().map_err(|_| code::FRAME_SIZE_ERROR)?;
        let increment = i64::from(u32::from_be_bytes(payload) & frame::WINDOW_LIMIT);
        if increment == 0 {
            return Err(code::PROTOCOL_ERROR);
        }
        let window = match head.stream {
            0 => &mut connection.window,
            stream => match connection.streams.get_mut(&stream) {
                Some(stream) => &mut stream.window,
                None => return Ok(()), // It was answered already.
            },
        };
        *window += increment;
        if *window > frame::WINDOW_LIMIT.into() {
            return Err(code::FLOW_CONTROL_ERROR);
        }
        self.go_on(connection, out);
        Ok(())
    }

    /// A request is complete: sends as much of its answer as windows allow. `is_head`: the head
    /// that ended it is that of HEAD.
    #[inline]
    fn answer(&self, connection: &mut Connection, stream: u32, is_head: bool, out: &mut Vec<u8>) {
        let known =
            if connection.streams.is_empty() { None } else { connection.streams.remove(&stream) };
        if is_head || known.as_ref().is_some_and(|known| known.is_head) {
            return frame::write_headers(out, stream, &self.block, true, frame::DEFAULT_FRAME_SIZE);
        }
        let window = known.map_or(connection.new_window, |known| known.window);
        let length = self.body.len().cast_signed() as i64;
        if length == 0 || !self.whole.is_empty() && length <= window.min(connection.window) {
            connection.window -= length;
            let at = out.len();
            out.extend_from_slice(&self.whole);
            let data_at = at + HEAD_LENGTH + self.block.len();
            let number = stream.to_be_bytes();
            out[at + 5..at + HEAD_LENGTH].copy_from_slice(&number);
            if length > 0 {
                out[data_at + 5..data_at + HEAD_LENGTH].copy_from_slice(&number);
            }
            return;
        }
        frame::write_headers(out, stream, &self.block, false, frame::DEFAULT_FRAME_SIZE);
        connection.streams.insert(stream, Stream { window, sent: Some(0), is_head });
        self.go_on(connection, out);
    }

    /// Sends as much of the waiting answers as the windows allow, the oldest first.
    fn go_on(&self, connection: &mut Connection, out: &mut Vec<u8>) {
        let Connection { streams, window, frame_size, .. } = connection;
        streams.retain(|&number, stream| {
            let Some(sent) = stream.sent else { return true };
            let left = &self.body[sent..];
            let room = usize::try_from(stream.window.min(*window)).unwrap_or(0).min(left.len());
            if room == 0 {
                return true;
            }
            let is_last = room == left.len();
            frame::write_data(out, number, &left[..room], is_last, *frame_size);
            let taken = room.cast_signed() as i64;
            *window -= taken;
            stream.window -= taken;
            stream.sent = Some(sent + room);
            !is_last
        });
    }
}

impl Speaker for Http2 {
    type Connection = Connection;

    /// Requests' bodies never wait for our windows.
    fn greet(&self, _: &mut Connection, due: &mut Due) {
        let streams = u32::try_from(STREAMS_LIMIT).expect("it is small");
        let settings = [
            (setting::MAX_CONCURRENT_STREAMS, streams),
            (setting::INITIAL_WINDOW_SIZE, frame::WINDOW_LIMIT),
        ];
        frame::write_settings(&mut due.bytes, &settings);
        let more = frame::WINDOW_LIMIT - frame::DEFAULT_WINDOW;
        frame::write_window_update(&mut due.bytes, 0, more);
    }

    fn receive(&self, connection: &mut Connection, bytes: &[u8], due: &mut Due) {
        if connection.stage == Stage::Over {
            return;
        }
        let out = &mut due.bytes;
        let mut rest = std::mem::take(&mut connection.rest);
        let read = if rest.is_empty() {
            self.read(connection, bytes, out)
                .inspect(|&read| rest.extend_from_slice(&bytes[read..]))
        } else {
            rest.extend_from_slice(bytes);
            self.read(connection, &rest, out).inspect(|&read| drop(rest.drain(..read)))
        };
        connection.rest = rest;
        if let Err(code) = read {
            frame::write_goaway(out, connection.last, code);
            connection.stage = Stage::Over;
            due.ends = true;
        }
    }
}
