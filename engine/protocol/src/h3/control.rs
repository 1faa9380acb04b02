//! The server's own streams: SETTINGS, GOAWAY, and QPACK's instructions, which are empty where
//! neither side has a table (RFC 9114, section 6.2; RFC 9204, section 4).

use super::connection::{Http3, STEP};
use super::frame::{Begun, code, kind, setting, stream};
use super::reading::OF_HTTP2;
use super::record::{Kind, Record};
use super::{Wrong, qpack, varint};
use crate::protocol::Refusal;
use crate::stream::ensure;
use crate::streams::Ended;

/// How many streams of its own a server may have: the required ones, and some of unknown types.
const STREAMS_LIMIT: usize = 100;

/// The most bytes of a frame on the control stream that is read.
pub(super) const FRAME_LIMIT: u64 = 16 * 1024;

/// The server's own streams.
#[derive(Debug, Default)]
pub(super) struct Control {
    streams: Vec<Own>,
    canceled: qpack::Canceled,
    has_settings: bool,
}

/// One of these streams.
#[derive(Debug, Default)]
struct Own {
    number: u64,
    /// Its type, once it has arrived.
    kind: Option<u64>,
    begun: Begun,
    /// Control: the type of the frame in progress, the bytes of it that are still to come, and its
    /// beginning.
    frame: Option<(u64, u64)>,
    kept: Vec<u8>,
    at: u64,
    /// Where the type or the frame in progress begins.
    frame_at: u64,
}

impl Control {
    /// Whether the server has sent its SETTINGS.
    pub(super) fn has_settings(&self) -> bool {
        self.has_settings
    }

    /// The place of a stream, which is new the first time.
    fn place(&mut self, number: u64) -> Result<usize, Wrong> {
        if let Some(place) = self.streams.iter().position(|own| own.number == number) {
            return Ok(place);
        }
        let has_room = self.streams.len() < STREAMS_LIMIT;
        ensure(has_room, (code::EXCESSIVE_LOAD, "more than 100 streams of the server's own"))?;
        self.streams.push(Own { number, ..Own::default() });
        Ok(self.streams.len() - 1)
    }

    /// The type of a stream has arrived.
    fn begin(&mut self, place: usize, kind: u64) -> Result<(), Wrong> {
        ensure(kind != stream::PUSH, (code::ID_ERROR, "a push, which nobody allowed"))?;
        let is_single =
            matches!(kind, stream::CONTROL | stream::QPACK_ENCODER | stream::QPACK_DECODER);
        let is_there = self.streams.iter().any(|own| own.kind == Some(kind));
        let second = (code::STREAM_CREATION_ERROR, "a second stream of a type that there is once");
        ensure(!(is_single && is_there), second)?;
        self.streams[place].kind = Some(kind);
        Ok(())
    }
}

impl<T: Copy> Http3<T> {
    /// A record of a stream that does not carry a request. The bytes that it leaves in `piece` are
    /// fed again.
    #[cold]
    pub(super) fn on_own_stream(
        &mut self,
        record: Record,
        piece: &mut &[u8],
    ) -> Result<Option<Ended>, Wrong> {
        let place = self.control.place(record.stream)?;
        if record.kind != Kind::Reset
            && let Some(refused) = self.on_own_bytes(place, piece)?
        {
            return Ok(Some(refused));
        }
        *piece = &[];
        // Section 6.2.1: they last as long as the connection.
        let is_over = record.kind != Kind::Bytes;
        let kind = self.control.streams[place].kind;
        let is_needed =
            matches!(kind, Some(stream::CONTROL | stream::QPACK_ENCODER | stream::QPACK_DECODER));
        let ended = (code::CLOSED_CRITICAL_STREAM, "the server ends a stream that has to last");
        ensure(!(is_over && is_needed), ended)?;
        Ok(None)
    }

    fn on_own_bytes(&mut self, place: usize, rest: &mut &[u8]) -> Result<Option<Ended>, Wrong> {
        let own = &mut self.control.streams[place];
        self.frame_at = own.frame_at;
        if own.kind.is_none() {
            let before = rest.len();
            let kind = own.begun.take_number(rest);
            own.at += (before - rest.len()) as u64;
            let Some(kind) = kind else { return Ok(None) };
            self.control.begin(place, kind)?;
            let own = &mut self.control.streams[place];
            own.frame_at = own.at;
            self.frame_at = own.at;
        }
        let own = &mut self.control.streams[place];
        match own.kind {
            Some(stream::CONTROL) => self.on_control(place, rest),
            Some(stream::QPACK_ENCODER) => {
                let what = "QPACK fills a dynamic table, for which our SETTINGS leave no room";
                ensure(qpack::fills_nothing(rest), (code::QPACK_ENCODER_STREAM_ERROR, what))?;
                Ok(None)
            }
            Some(stream::QPACK_DECODER) => {
                let what = "QPACK acknowledges a dynamic table that we never filled";
                let is_right = self.control.canceled.is_all_of(rest);
                ensure(is_right, (code::QPACK_DECODER_STREAM_ERROR, what))?;
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Frames of the control stream.
    fn on_control(&mut self, place: usize, rest: &mut &[u8]) -> Result<Option<Ended>, Wrong> {
        loop {
            let own = &mut self.control.streams[place];
            let before = rest.len();
            let Some((kind, left)) = own.frame else {
                if own.begun.is_empty() {
                    own.frame_at = own.at;
                    self.frame_at = own.at;
                }
                let head = own.begun.take_head(rest);
                own.at += (before - rest.len()) as u64;
                let Some((kind, length)) = head else { return Ok(None) };
                own.frame = Some((kind, length));
                self.begin_control(kind, length)?;
                continue;
            };
            let is_read = matches!(kind, kind::SETTINGS | kind::GOAWAY);
            let mut take = usize::try_from(left).map_or(before, |left| left.min(before));
            // The last byte of GOAWAY stays unread while there are requests to refuse: it is fed
            // again.
            if kind == kind::GOAWAY && take as u64 == left {
                let whole = [&own.kept[..], &rest[..take]].concat();
                if let Some(refused) = self.on_goaway(&whole)? {
                    let own = &mut self.control.streams[place];
                    own.kept = whole[..whole.len() - 1].to_vec();
                    own.frame = Some((kind, 1));
                    own.at += (take - 1) as u64;
                    *rest = &rest[take - 1..];
                    return Ok(Some(refused));
                }
            }
            let own = &mut self.control.streams[place];
            if is_read {
                own.kept.extend_from_slice(&rest[..take]);
            }
            take = take.min(rest.len());
            *rest = &rest[take..];
            own.at += take as u64;
            let left = left - take as u64;
            own.frame = (left > 0).then_some((kind, left));
            if left > 0 {
                return Ok(None);
            }
            let payload = std::mem::take(&mut own.kept);
            if kind == kind::SETTINGS {
                heed(&payload)?;
                self.control.has_settings = true;
            }
        }
    }

    fn begin_control(&mut self, kind: u64, length: u64) -> Result<(), Wrong> {
        let is_first = !self.control.has_settings;
        if is_first {
            let what = "the control stream does not begin with SETTINGS";
            ensure(kind == kind::SETTINGS, (code::MISSING_SETTINGS, what))?;
        }
        match kind {
            kind::SETTINGS => ensure(is_first, (code::FRAME_UNEXPECTED, "SETTINGS come twice"))?,
            kind::GOAWAY => ensure(matches!(length, 1..=8), NO_NUMBER)?,
            kind::DATA | kind::HEADERS | kind::PUSH_PROMISE => {
                return Err((code::FRAME_UNEXPECTED, "a frame of an answer on the control stream"));
            }
            // Section 7.2.7: only a client sends it.
            kind::MAX_PUSH_ID => return Err((code::FRAME_UNEXPECTED, PUSHES)),
            kind::CANCEL_PUSH => return Err((code::ID_ERROR, PUSHES)),
            _ if kind::OF_HTTP2.contains(&kind) => return Err(OF_HTTP2),
            _ => {}
        }
        let what = "a frame of more than 16384 bytes on the control stream";
        ensure(length <= FRAME_LIMIT, (code::EXCESSIVE_LOAD, what))?;
        self.count_idle()
    }

    /// Section 5.2: the server takes no more requests, nor those from a stream on. Refuses one at a
    /// time, until none is left.
    fn on_goaway(&mut self, payload: &[u8]) -> Result<Option<Ended>, Wrong> {
        let number = varint::read(payload).filter(|(_, rest)| rest.is_empty());
        let (stream, _) = number.ok_or(NO_NUMBER)?;
        let what = "GOAWAY with a stream that does not carry a request";
        ensure(stream.is_multiple_of(STEP), (code::ID_ERROR, what))?;
        let first = u32::try_from(stream / STEP).unwrap_or(u32::MAX);
        let before = self.farewell.unwrap_or(u32::MAX);
        let second = (code::ID_ERROR, "a second GOAWAY takes what the first refused");
        ensure(first <= before, second)?;
        self.farewell = Some(first);
        self.streams.ended = match first.checked_sub(1) {
            Some(last) => self.streams.above(last),
            None => self.streams.oldest(),
        };
        // A server that has answered no request would hand back each of them for ever.
        let refusal = if first > 0 { Refusal::HandedBack } else { Refusal::GoneAway(0) };
        Ok(self.streams.ended.map(|_| Ended::Refused(refusal)))
    }
}

const NO_NUMBER: Wrong = (code::FRAME_ERROR, "GOAWAY is not a number");
const PUSHES: &str = "a frame about pushes, which nobody allowed";

/// Section 7.2.4: checks SETTINGS. None of them matters to us.
pub(super) fn heed(mut payload: &[u8]) -> Result<(), Wrong> {
    const CUT: Wrong = (code::FRAME_ERROR, "SETTINGS end within a setting");
    let ensure = |holds, what| ensure(holds, (code::SETTINGS_ERROR, what));
    let mut seen = Vec::new();
    while !payload.is_empty() {
        let (name, rest) = varint::read(payload).ok_or(CUT)?;
        let (_, rest) = varint::read(rest).ok_or(CUT)?;
        payload = rest;
        ensure(!setting::OF_HTTP2.contains(&name), "a setting that only HTTP/2 has")?;
        ensure(!seen.contains(&name), "a setting that comes twice")?;
        seen.push(name);
    }
    Ok(())
}
