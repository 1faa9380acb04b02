//! A client's own streams: SETTINGS, GOAWAY, and QPACK's instructions (RFC 9114, sections 6.2 and
//! 7.2; RFC 9204, section 4).

use crate::h3::control::{self, FRAME_LIMIT};
use crate::h3::frame::{Begun, code, kind, stream};
use crate::h3::qpack;
use crate::h3::record::{Kind, Record};
use crate::h3::varint;
use crate::stream::ensure;

/// An error code, for the whole connection.
type Wrong = u64;

/// The client's own streams that have not ended.
#[derive(Debug, Default)]
pub(super) struct OwnStreams {
    streams: Vec<Own>,
    control: Control,
    canceled: qpack::Canceled,
}

#[derive(Debug)]
struct Own {
    number: u64,
    begun: Begun,
    /// Its type, once it has arrived.
    kind: Option<u64>,
}

#[derive(Debug, Default)]
struct Control {
    begun: Begun,
    /// The type of the frame in progress, and its bytes that are still to come.
    frame: Option<(u64, u64)>,
    kept: Vec<u8>,
    has_settings: bool,
    /// The last GOAWAY, and the last `MAX_PUSH_ID`.
    farewell: Option<u64>,
    pushes: Option<u64>,
}

fn is_critical(kind: u64) -> bool {
    matches!(kind, stream::CONTROL | stream::QPACK_ENCODER | stream::QPACK_DECODER)
}

impl OwnStreams {
    #[cold]
    pub(super) fn take(&mut self, record: Record, bytes: &[u8]) -> Result<(), Wrong> {
        let number = record.stream;
        let place = self.streams.iter().position(|own| own.number == number).unwrap_or_else(|| {
            self.streams.push(Own { number, begun: Begun::default(), kind: None });
            self.streams.len() - 1
        });
        if matches!(record.kind, Kind::Bytes | Kind::Last) {
            self.take_bytes(place, bytes)?;
        }
        if record.kind != Kind::Bytes {
            let own = self.streams.swap_remove(place);
            ensure(!own.kind.is_some_and(is_critical), code::CLOSED_CRITICAL_STREAM)?;
        }
        Ok(())
    }

    fn take_bytes(&mut self, place: usize, mut rest: &[u8]) -> Result<(), Wrong> {
        if self.streams[place].kind.is_none() {
            let Some(kind) = self.streams[place].begun.take_number(&mut rest) else {
                return Ok(());
            };
            // A client can't push.
            ensure(kind != stream::PUSH, code::STREAM_CREATION_ERROR)?;
            let is_there = self.streams.iter().any(|own| own.kind == Some(kind));
            ensure(!(is_critical(kind) && is_there), code::STREAM_CREATION_ERROR)?;
            self.streams[place].kind = Some(kind);
        }
        match self.streams[place].kind {
            Some(stream::CONTROL) => self.control.take(rest),
            Some(stream::QPACK_ENCODER) => {
                ensure(qpack::fills_nothing(rest), code::QPACK_ENCODER_STREAM_ERROR)
            }
            Some(stream::QPACK_DECODER) => {
                ensure(self.canceled.is_all_of(rest), code::QPACK_DECODER_STREAM_ERROR)
            }
            _ => Ok(()),
        }
    }
}

impl Control {
    fn take(&mut self, mut rest: &[u8]) -> Result<(), Wrong> {
        loop {
            let Some((kind, left)) = self.frame else {
                let Some((kind, length)) = self.begun.take_head(&mut rest) else { return Ok(()) };
                self.begin(kind, length)?;
                self.frame = Some((kind, length));
                continue;
            };
            let take = left.min(rest.len() as u64);
            let (piece, behind) =
                rest.split_at(usize::try_from(take).expect("it is within the record"));
            rest = behind;
            if is_read(kind) {
                self.kept.extend_from_slice(piece);
            }
            self.frame = (left > take).then_some((kind, left - take));
            if left > take {
                return Ok(());
            }
            let payload = std::mem::take(&mut self.kept);
            self.end(kind, &payload)?;
        }
    }

    fn begin(&self, kind: u64, length: u64) -> Result<(), Wrong> {
        ensure(self.has_settings || kind == kind::SETTINGS, code::MISSING_SETTINGS)?;
        let may_come = match kind {
            kind::SETTINGS => !self.has_settings,
            kind::DATA | kind::HEADERS | kind::PUSH_PROMISE => false,
            _ => !kind::OF_HTTP2.contains(&kind),
        };
        ensure(may_come, code::FRAME_UNEXPECTED)?;
        ensure(!is_read(kind) || length <= FRAME_LIMIT, code::EXCESSIVE_LOAD)
    }

    /// A whole frame.
    fn end(&mut self, kind: u64, payload: &[u8]) -> Result<(), Wrong> {
        if kind == kind::SETTINGS {
            self.has_settings = true;
            return control::heed(payload).map_err(|(code, _)| code);
        }
        if !is_read(kind) {
            return Ok(());
        }
        let number = varint::read(payload).filter(|(_, rest)| rest.is_empty());
        let (id, _) = number.ok_or(code::FRAME_ERROR)?;
        match kind {
            // Section 5.2: it may only become less; section 7.2.7: it may not.
            kind::GOAWAY => {
                let former = self.farewell.replace(id);
                ensure(former.is_none_or(|former| id <= former), code::ID_ERROR)
            }
            kind::MAX_PUSH_ID => {
                let former = self.pushes.replace(id);
                ensure(former.is_none_or(|former| id >= former), code::ID_ERROR)
            }
            // Section 7.2.3: we have promised no push that could be canceled.
            _ => Err(code::ID_ERROR),
        }
    }
}

fn is_read(kind: u64) -> bool {
    matches!(kind, kind::SETTINGS | kind::GOAWAY | kind::MAX_PUSH_ID | kind::CANCEL_PUSH)
}
