//! Cuts received bytes into records, and streams of answers into frames (RFC 9114, sections 4.1 and
//! 7).

use super::connection::{Call, Http3, STEP};
use super::frame::kind;
use super::qpack;
use super::record::{HEAD_LENGTH, Kind, Record};
use super::varint;
use crate::fields::{Decoded, Head, Lines};
use crate::head::HEAD_LIMIT;
use crate::protocol::{Awaited, Refusal};
use crate::stream::{Broken, ensure};
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
    ) -> Result<Option<Ended>, Broken> {
        loop {
            let Some(Open { record, left }) = self.open.take().or_else(|| self.begin_record(rest))
            else {
                return Ok(None);
            };
            let Some((mut piece, behind)) = rest.split_at_checked(left) else {
                return Err("a record that is not all there");
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
    ) -> Result<Option<Ended>, Broken> {
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
    ) -> Result<Option<Ended>, Broken> {
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

    /// A frame begins: checks whether it may come here, and chooses how it is read.
    #[inline]
    fn begin(&mut self, place: usize, kind: u64, length: u64) -> Result<(), Broken> {
        let stream = &self.streams[place];
        let frame = match kind {
            kind::DATA => {
                ensure(stream.head.is_some(), "DATA before the head of its answer")?;
                ensure(!stream.own.has_trailers, "DATA behind trailers")?;
                if let Some(Head { length: Some(said), .. }) = stream.head {
                    let room = said.saturating_sub(stream.check.length());
                    ensure(length <= room, "more DATA than the head of the answer allows")?;
                }
                if length == 0 {
                    self.streams.count_idle()?;
                    return Ok(());
                }
                Frame::Data(length)
            }
            kind::HEADERS => {
                ensure(length <= HEAD_LIMIT as u64, "the head is larger than 65536 bytes")?;
                Frame::Headers(usize::try_from(length).expect("it was looked at"))
            }
            kind::PUSH_PROMISE => return Err("PUSH_PROMISE, which nobody allowed"),
            kind::SETTINGS | kind::GOAWAY | kind::CANCEL_PUSH | kind::MAX_PUSH_ID => {
                return Err("a frame of the control stream on that of an answer");
            }
            _ if kind::OF_HTTP2.contains(&kind) => return Err(OF_HTTP2),
            // Section 9: others are to be ignored.
            _ => {
                self.streams.count_idle()?;
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
    ) -> Result<(), Broken> {
        let stream = &mut self.streams[place];
        let Some(ticket) = stream.ticket else { return Ok(()) };
        let Awaited { expectation, to_head } = (call.awaited)(ticket);
        stream.expectation = expectation as usize;
        stream.received += block.len() as u64;
        if stream.head.is_some() {
            ensure(!stream.own.has_trailers, "a head behind trailers")?;
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
        ensure(found.status != 101, "the status is 101, which HTTP/3 does not have")?; // Section 4.5.
        if !matches!(found.status, 100..200) {
            let expectation = call.shared.learned[expectation as usize].expectation();
            let head = found.head(text, to_head, expectation);
            known.learn(block, to_head, (head, found.cost, text));
            stream.head = Some(head);
        }
        Ok(())
    }
}

pub(super) const OF_HTTP2: Broken = "a frame that only HTTP/2 has";
const CUT: Broken = "the stream ends within a frame";

/// Decodes a head into `text`, in the form of [`Lines`].
fn decode(
    block: &[u8],
    is_trailer: bool,
    room: usize,
    text: &mut Vec<u8>,
) -> Result<Decoded, Broken> {
    let mut lines = Lines::new("HTTP/3", is_trailer, room, text);
    qpack::decode(block, |name, value| lines.take(name, value))?;
    lines.end()
}
