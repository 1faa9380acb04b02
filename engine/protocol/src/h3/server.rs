//! What a server hears from a client: which requests are whole, and which rules are broken (RFC
//! 9114, sections 4, 6 and 7, and RFC 9204), without I/O.

mod head;
mod own;
#[cfg(test)]
mod tests;

pub use head::KnownRequest;

use super::frame::{Begun, code, kind};
use super::reading::Frame;
use super::record::{Kind, Record};
use super::varint;
use crate::head::HEAD_LIMIT;
use head::Asked;
use own::OwnStreams;

/// A broken rule, with the error code that the RFC names for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The request's stream is to be reset.
    Stream(u64),
    /// The connection is to be closed.
    Connection(u64),
}

/// A client's streams on one connection.
#[derive(Debug, Default)]
pub struct Client {
    own: OwnStreams,
    /// The requests that are not whole yet, by stream.
    open: Vec<(u64, Request)>,
}

/// A request that is not whole yet.
#[derive(Debug, Default)]
struct Request {
    frame: Frame,
    begun: Begun,
    /// The beginning of a head.
    kept: Vec<u8>,
    head: Option<Asked>,
    has_trailers: bool,
    /// Bytes of its body so far.
    body: u64,
}

impl Client {
    /// Takes a record. `Some`: a request is whole; whether its method is HEAD.
    #[inline]
    pub fn take(
        &mut self,
        record: Record,
        bytes: &[u8],
        known: &mut KnownRequest,
    ) -> Result<Option<bool>, Fault> {
        if !record.stream.is_multiple_of(4) {
            return self.own.take(record, bytes).map(|()| None).map_err(Fault::Connection);
        }
        let place = match self.open.len() {
            0 => None,
            _ => self.open.iter().position(|&(stream, _)| stream == record.stream),
        };
        if place.is_none()
            && record.kind == Kind::Last
            && let Some(is_head) = sole_head(bytes).and_then(|block| known.recognise(block))
        {
            return Ok(Some(is_head));
        }
        let mut request = place.map(|place| self.open.swap_remove(place).1).unwrap_or_default();
        match record.kind {
            Kind::Limit | Kind::Close => Ok(None),
            Kind::Reset => Err(Fault::Stream(code::REQUEST_CANCELLED)),
            Kind::Bytes => {
                request.take(bytes, known)?;
                self.open.push((record.stream, request));
                Ok(None)
            }
            Kind::Last => {
                request.take(bytes, known)?;
                request.end().map(Some)
            }
        }
    }
}

/// The block of a HEADERS frame, if these bytes are nothing else.
#[inline]
fn sole_head(bytes: &[u8]) -> Option<&[u8]> {
    let (kind, rest) = varint::read(bytes)?;
    let (length, block) = varint::read(rest)?;
    (kind == kind::HEADERS && length == block.len() as u64).then_some(block)
}

impl Request {
    fn take(&mut self, mut rest: &[u8], known: &mut KnownRequest) -> Result<(), Fault> {
        loop {
            match self.frame {
                Frame::Head => {
                    let Some((kind, length)) = self.begun.take_head(&mut rest) else {
                        return Ok(());
                    };
                    self.frame = self.begin(kind, length)?;
                }
                Frame::Headers(length) => {
                    let (piece, behind) = rest.split_at((length - self.kept.len()).min(rest.len()));
                    rest = behind;
                    self.kept.extend_from_slice(piece);
                    if self.kept.len() < length {
                        return Ok(());
                    }
                    let block = std::mem::take(&mut self.kept);
                    self.take_head(&block, known)?;
                    self.frame = Frame::Head;
                }
                Frame::Data(left) | Frame::Skip(left) => {
                    let take = left.min(rest.len() as u64);
                    rest = &rest[usize::try_from(take).expect("it is within the record")..];
                    let is_data = matches!(self.frame, Frame::Data(_));
                    self.frame = match left - take {
                        0 => Frame::Head,
                        left if is_data => Frame::Data(left),
                        left => Frame::Skip(left),
                    };
                    self.body += if is_data { take } else { 0 };
                    if left > take {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Checks whether a frame may come here, and chooses how it is read.
    fn begin(&self, kind: u64, length: u64) -> Result<Frame, Fault> {
        let may_come = match kind {
            kind::DATA => self.head.is_some() && !self.has_trailers,
            kind::HEADERS => !self.has_trailers,
            kind::SETTINGS
            | kind::GOAWAY
            | kind::CANCEL_PUSH
            | kind::MAX_PUSH_ID
            | kind::PUSH_PROMISE => false,
            _ => !kind::OF_HTTP2.contains(&kind),
        };
        if !may_come {
            return Err(Fault::Connection(code::FRAME_UNEXPECTED));
        }
        match kind {
            kind::DATA => Ok(Frame::Data(length)),
            kind::HEADERS => match usize::try_from(length) {
                Ok(length) if length <= HEAD_LIMIT => Ok(Frame::Headers(length)),
                _ => Err(Fault::Stream(code::EXCESSIVE_LOAD)),
            },
            // Section 9: others are to be ignored.
            _ => Ok(Frame::Skip(length)),
        }
    }

    /// A head, or trailers.
    fn take_head(&mut self, block: &[u8], known: &mut KnownRequest) -> Result<(), Fault> {
        if self.head.is_none() {
            self.head = Some(known.learn(block)?);
            return Ok(());
        }
        self.has_trailers = true;
        head::check_trailers(block)
    }

    /// Its stream has ended.
    fn end(&self) -> Result<bool, Fault> {
        // Section 7.1.
        if !matches!(self.frame, Frame::Head) || !self.begun.is_empty() {
            return Err(Fault::Connection(code::FRAME_ERROR));
        }
        let head = self.head.ok_or(Fault::Stream(code::REQUEST_INCOMPLETE))?;
        // Section 4.1.2.
        match head.length {
            Some(length) if length != self.body => Err(Fault::Stream(code::MESSAGE_ERROR)),
            _ => Ok(head.is_head),
        }
    }
}
