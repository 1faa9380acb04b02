//! Cuts received bytes into records, and streams of answers into frames (RFC 9114, sections 4.1 and
//! 7).

use super::connection::{Call, Http3, STEP};
use super::frame::{code, kind};
use super::record::{HEAD_LENGTH, Kind, Record};
use super::{Wrong, qpack, varint};
use crate::fields::{self, Decoded, Head, Lines};
use crate::head::HEAD_LIMIT;
use crate::protocol::{Awaited, Refusal};
use crate::stream::ensure;
use crate::streams::Ended;

/// The record in progress. Its bytes are complete, but an answer's end may interrupt it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub(super) record: Record,
    /// Its bytes that come next.
    pub(super) left: usize,
}

/// The position of a stream within a frame.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Frame {
    /// Before its end, or the end of its head.
    #[default]
    Head,
    /// In HEADERS, with this many bytes in all.
    Headers(usize),
    /// This many bytes before the end of DATA.
    Data(u64),
    /// This many bytes before the end of a frame that need not be read.
    Skip(u64),
}

impl<T: Copy> Http3<T> {
    /// Takes bytes until a request ends, or no bytes are left.
    pub(super) fn advance<F: Fn(T) -> Awaited>(
        &mut self,
        rest: &mut &[u8],
        call: &mut Call<'_, F>,
    ) -> Result<Option<Ended>, Wrong> {
        loop {
            let Some(Open { record, left }) = self.open.take().or_else(|| self.begin_record(rest))
            else {
                return Ok(None);
            };
            let Some((mut piece, behind)) = rest.split_at_checked(left) else {
                return Err((code::INTERNAL_ERROR, "a record that is not all there"));
            };
            let whole = piece.len();
            let ended = self.on_record(record, &mut piece, call)?;
            if piece.is_empty() {
                *rest = behind;
            } else {
                *rest = &rest[whole - piece.len()..];
                self.open = Some(Open { record, left: piece.len() });
            }
            if ended.is_some() {
                return Ok(ended);
            }
        }
    }

    #[inline]
    fn begin_record(&mut self, rest: &mut &[u8]) -> Option<Open> {
        let (head, behind) = rest.split_first_chunk::<HEAD_LENGTH>()?;
        *rest = behind;
        self.taken += 1;
        let record = Record::read(head);
        Some(Open { record, left: record.length as usize })
    }

    /// A record, or the rest of it. The bytes that it leaves in `piece` are fed again.
    #[inline]
    fn on_record<F: Fn(T) -> Awaited>(
        &mut self,
        record: Record,
        piece: &mut &[u8],
        call: &mut Call<'_, F>,
    ) -> Result<Option<Ended>, Wrong> {
        if record.kind == Kind::Limit {
            *piece = &[];
            self.limit = u32::try_from(record.stream / STEP).unwrap_or(u32::MAX);
            return Ok(None);
        }
        if !record.stream.is_multiple_of(STEP) {
            return self.on_own_stream(record, piece);
        }
        let number = u32::try_from(record.stream / STEP).unwrap_or(u32::MAX);
        let bytes = std::mem::take(piece);
        // A stream that is not in flight was given up.
        let Some(place) = self.streams.find(number) else { return Ok(None) };
        self.streams.latest = Some(place);
        if record.kind == Kind::Reset {
            let code = varint::read(bytes).map_or(0, |(code, _)| code);
            self.streams.ended = Some(place);
            return Ok(Some(Ended::Refused(Refusal::Aborted(code))));
        }
        self.on_bytes(place, bytes, record.kind == Kind::Last, call)
    }

    /// Bytes of an answer. `last`: its stream ends with them.
    #[inline]
    fn on_bytes<F: Fn(T) -> Awaited>(
        &mut self,
        place: usize,
        mut rest: &[u8],
        last: bool,
        call: &mut Call<'_, F>,
    ) -> Result<Option<Ended>, Wrong> {
        self.frame_at = self.streams[place].own.frame_at;
        loop {
            let stream = &mut self.streams[place];
            let own = &mut stream.own;
            let before = rest.len();
            match own.frame {
                Frame::Head => {
                    if own.begun.is_empty() {
                        own.frame_at = own.at;
                        self.frame_at = own.at;
                    }
                    let head = own.begun.take_head(&mut rest);
                    own.at += (before - rest.len()) as u64;
                    match head {
                        Some((kind, length)) => self.begin(place, kind, length)?,
                        None if !last => return Ok(None),
                        None if own.begun.is_empty() => {
                            return self.complete(place, &[], call).map(Some);
                        }
                        None => return Err(CUT),
                    }
                }
                Frame::Headers(length) => {
                    let take = (length - own.kept.len()).min(rest.len());
                    let (piece, behind) = rest.split_at(take);
                    rest = behind;
                    own.at += take as u64;
                    if own.kept.is_empty() && take == length {
                        own.frame = Frame::Head;
                        self.on_head(place, piece, call)?;
                        continue;
                    }
                    own.kept.extend_from_slice(piece);
                    if own.kept.len() < length {
                        return if last { Err(CUT) } else { Ok(None) };
                    }
                    own.frame = Frame::Head;
                    let block = std::mem::take(&mut own.kept);
                    self.on_head(place, &block, call)?;
                }
                Frame::Data(left) => {
                    let take = usize::try_from(left).map_or(before, |left| left.min(before));
                    let (piece, behind) = rest.split_at(take);
                    rest = behind;
                    own.at += take as u64;
                    let left = left - take as u64;
                    own.frame = if left > 0 { Frame::Data(left) } else { Frame::Head };
                    stream.check.push(piece, &call.shared.learned[stream.expectation]);
                    stream.received += take as u64;
                    if last && left == 0 && rest.is_empty() {
                        return self.complete(place, piece, call).map(Some);
                    }
                    self.streams.keep(place, piece, call.now_ns);
                    if left > 0 {
                        return if last { Err(CUT) } else { Ok(None) };
                    }
                }
                Frame::Skip(left) => {
                    let take = usize::try_from(left).map_or(before, |left| left.min(before));
                    rest = &rest[take..];
                    own.at += take as u64;
                    let left = left - take as u64;
                    own.frame = if left > 0 { Frame::Skip(left) } else { Frame::Head };
                    if left > 0 {
                        return if last { Err(CUT) } else { Ok(None) };
                    }
                }
            }
        }
    }

    /// Counts a frame without content.
    pub(super) fn count_idle(&mut self) -> Result<(), Wrong> {
        self.streams.count_idle().map_err(|what| (code::EXCESSIVE_LOAD, what))
    }

    /// A frame begins: checks whether it may come here, and chooses how it is read.
    #[inline]
    fn begin(&mut self, place: usize, kind: u64, length: u64) -> Result<(), Wrong> {
        let stream = &self.streams[place];
        let frame = match kind {
            kind::DATA => {
                let early = (code::FRAME_UNEXPECTED, "DATA before the head of its answer");
                ensure(stream.head.is_some(), early)?;
                let late = (code::FRAME_UNEXPECTED, "DATA behind trailers");
                ensure(!stream.own.has_trailers, late)?;
                if let Some(Head { length: Some(said), .. }) = stream.head {
                    let room = said.saturating_sub(stream.check.length());
                    let more =
                        (code::MESSAGE_ERROR, "more DATA than the head of the answer allows");
                    ensure(length <= room, more)?;
                }
                if length == 0 {
                    self.count_idle()?;
                    return Ok(());
                }
                Frame::Data(length)
            }
            kind::HEADERS => {
                ensure(length <= HEAD_LIMIT as u64, (code::EXCESSIVE_LOAD, fields::LARGE))?;
                Frame::Headers(usize::try_from(length).expect("it was looked at"))
            }
            kind::PUSH_PROMISE => {
                return Err((code::ID_ERROR, "PUSH_PROMISE, which nobody allowed"));
            }
            kind::SETTINGS | kind::GOAWAY | kind::CANCEL_PUSH | kind::MAX_PUSH_ID => {
                let what = "a frame of the control stream on that of an answer";
                return Err((code::FRAME_UNEXPECTED, what));
            }
            _ if kind::OF_HTTP2.contains(&kind) => return Err(OF_HTTP2),
            // Section 9: others are to be ignored.
            _ => {
                self.count_idle()?;
                Frame::Skip(length)
            }
        };
        self.streams[place].own.frame = frame;
        Ok(())
    }

    /// A whole head: an interim one, the final one, or trailers.
    #[inline]
    fn on_head<F: Fn(T) -> Awaited>(
        &mut self,
        place: usize,
        block: &[u8],
        call: &mut Call<'_, F>,
    ) -> Result<(), Wrong> {
        let stream = &mut self.streams[place];
        let Some(ticket) = stream.ticket else { return Ok(()) };
        let Awaited { expectation, to_head } = (call.awaited)(ticket);
        stream.expectation = expectation as usize;
        stream.received += block.len() as u64;
        if stream.head.is_some() {
            let late = (code::FRAME_UNEXPECTED, "a head behind trailers");
            ensure(!stream.own.has_trailers, late)?;
            stream
                .add_trailers(&call.shared.learned, |room, text| decode(block, true, room, text))?;
            stream.own.has_trailers = true;
            return Ok(());
        }
        let known = &mut call.shared.known[expectation as usize];
        if let Some((head, cost, text)) = known.recognise(block, to_head, stream.head_room) {
            stream.head_room -= cost;
            stream.known = Some(text.clone());
            stream.head = Some(head);
            return Ok(());
        }
        let text = &mut stream.decoded;
        let found = decode(block, false, stream.head_room, text)?;
        stream.head_room -= found.cost;
        // Section 4.5.
        let switches = (code::MESSAGE_ERROR, "the status is 101, which HTTP/3 does not have");
        ensure(found.status != 101, switches)?;
        if !matches!(found.status, 100..200) {
            let expectation = call.shared.learned[expectation as usize].expectation();
            let head = found.head(text, to_head, expectation);
            known.learn(block, to_head, (head, found.cost, text));
            stream.head = Some(head);
        }
        Ok(())
    }
}

pub(super) const OF_HTTP2: Wrong = (code::FRAME_UNEXPECTED, "a frame that only HTTP/2 has");
const CUT: Wrong = (code::FRAME_ERROR, "the stream ends within a frame");

/// Decodes a head into `text`, in the form of [`Lines`].
fn decode(
    block: &[u8],
    is_trailer: bool,
    room: usize,
    text: &mut Vec<u8>,
) -> Result<Decoded, Wrong> {
    let mut lines = Lines::new("HTTP/3", is_trailer, room, text);
    let mut field = Ok(());
    let decoded = qpack::decode(block, |name, value| {
        field = lines.take(name, value);
        field
    });
    decoded.map_err(|what| match field {
        Ok(()) => (code::QPACK_DECOMPRESSION_FAILED, what),
        Err(fields::LARGE | fields::MANY) => (code::EXCESSIVE_LOAD, what),
        Err(_) => (code::MESSAGE_ERROR, what),
    })?;
    lines.end().map_err(|what| (code::MESSAGE_ERROR, what))
}
