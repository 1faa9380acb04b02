//! One connection's state, and its interface to the engine.

use super::control::Control;
use super::frame::{self, Begun, code};
use super::reading::{Frame, Open};
use super::record::{Kind, Record};
use super::requests::{self, Requests};
use super::{Wrong, varint};
use crate::check::Expectation;
use crate::fields;
use crate::head::HEAD_LIMIT;
use crate::known::KnownHead;
use crate::learned::HeadCache;
use crate::protocol::{Answer, Awaited, End, Io, Protocol, Step};
use crate::request::{Request, RequestError};
use crate::streams::{self, Ended, Streams};
use std::sync::Arc;

/// The client's first stream of its own.
const CLIENT_CONTROL: u64 = 2;

/// The distance between the numbers of requests' streams.
pub(super) const STEP: u64 = 4;

const HEADLESS: &str = "the stream ends before the head of its answer";

/// Requests that one connection may carry.
const REQUESTS_LIMIT: u32 = u32::MAX;

/// One connection.
#[derive(Debug)]
pub struct Http3<T> {
    /// By the number of the request: its stream's number divided by 4.
    pub(super) streams: Streams<T, Framing>,
    pub(super) next_number: u32,
    /// Requests from this number on have to wait until QUIC allows their streams.
    pub(super) limit: u32,
    /// The record in progress.
    pub(super) open: Option<Open>,
    pub(super) control: Control,
    /// The number of records so far.
    pub(super) taken: u64,
    /// Where the latest frame begins in its stream.
    pub(super) frame_at: u64,
    /// The server goes away: the first request that it does not process.
    pub(super) farewell: Option<u32>,
}

/// The position of a stream within its frames.
#[derive(Debug, Default)]
pub(super) struct Framing {
    pub(super) frame: Frame,
    pub(super) begun: Begun,
    /// The beginning of a head.
    pub(super) kept: Vec<u8>,
    /// Bytes of the stream so far.
    pub(super) at: u64,
    /// Where the frame in progress begins: frames of other streams may come meanwhile.
    pub(super) frame_at: u64,
    pub(super) has_trailers: bool,
}

/// The common state of the connections of one thread to one target.
#[derive(Debug)]
pub struct Shared {
    /// One for each expectation.
    pub(super) learned: Vec<HeadCache>,
    pub(super) known: Vec<KnownHead>,
    requests: Requests,
}

/// The arguments of a call.
pub(super) struct Call<'a, F> {
    pub(super) awaited: F,
    pub(super) shared: &'a mut Shared,
    pub(super) now_ns: u64,
}

impl<T> Default for Http3<T> {
    fn default() -> Self {
        Self {
            streams: Streams::default(),
            next_number: 0,
            limit: REQUESTS_LIMIT,
            open: None,
            control: Control::default(),
            taken: 0,
            frame_at: 0,
            farewell: None,
        }
    }
}

impl<T: Copy> Http3<T> {
    /// A stream for the next request: its number in QUIC.
    #[inline]
    fn add_stream(&mut self, ticket: T) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        let place = self.streams.add(number, ticket, Framing::default());
        self.streams[place].began_at = self.taken;
        u64::from(number) * STEP
    }

    /// The stream's answer is complete. `piece`: the last of its body.
    #[inline]
    pub(super) fn complete(
        &mut self,
        place: usize,
        piece: &[u8],
        call: &mut Call<'_, impl Sized>,
    ) -> Result<Ended, Wrong> {
        let keep_alive = !(self.farewell.is_some() && self.streams.len() == 1);
        let stream = &self.streams[place];
        let head = stream.head.ok_or((code::MESSAGE_ERROR, HEADLESS))?;
        if !head.is_all(stream.check.length()) {
            return Err((code::MESSAGE_ERROR, fields::LESS));
        }
        Ok(self.streams.complete(place, piece, &mut call.shared.learned, keep_alive))
    }
}

impl<T: Copy> Protocol<T> for Http3<T> {
    const WRITES: bool = true;
    const GREETS: bool = true;

    type Shared = Shared;

    fn shared(expectations: &[Arc<Expectation>], requests: &[Arc<Request>]) -> Shared {
        Shared {
            learned: expectations.iter().cloned().map(HeadCache::new).collect(),
            known: expectations.iter().map(|_| KnownHead::default()).collect(),
            requests: Requests::new(requests),
        }
    }

    /// Clears the former connection, but keeps the memory.
    fn greet(&mut self, _: &mut Shared, out: &mut Vec<u8>) {
        let mut streams = std::mem::take(&mut self.streams);
        streams.clear();
        *self = Self { streams, ..Self::default() };
        Record::write_by(out, CLIENT_CONTROL, Kind::Bytes, |out| {
            frame::write_control(out, HEAD_LIMIT);
        });
    }

    fn is_ready(&self) -> bool {
        self.control.has_settings()
    }

    #[inline]
    fn room(&self, depth: usize) -> usize {
        let left = self.limit.saturating_sub(self.next_number) as usize;
        let left = if self.farewell.is_some() { 0 } else { left };
        depth.saturating_sub(self.in_flight()).min(left)
    }

    #[inline]
    fn in_flight(&self) -> usize {
        self.streams.len()
    }

    #[inline]
    fn oldest(&self) -> Option<T> {
        self.streams[self.streams.oldest()?].ticket
    }

    /// Never used: a request's bytes are written.
    fn start(&mut self, first: T, _: usize) {
        self.add_stream(first);
    }

    #[inline]
    fn write(&mut self, ticket: T, message: usize, shared: &mut Shared, out: &mut Vec<u8>) {
        let stream = self.add_stream(ticket);
        Record::write_by(out, stream, Kind::Last, |out| shared.requests.write(message, out));
    }

    fn write_other(
        &mut self,
        ticket: T,
        request: Request,
        _: &mut Shared,
        out: &mut Vec<u8>,
    ) -> Result<(), RequestError> {
        request.validate()?;
        let stream = self.add_stream(ticket);
        Record::write_by(out, stream, Kind::Last, |out| requests::write_other(&request, out));
        Ok(())
    }

    /// The server may send frames without a request, so this is never `None`. A broken rule closes
    /// the connection, also where the RFC would have its stream closed alone (section 8).
    #[inline]
    fn receive(
        &mut self,
        bytes: &[u8],
        awaited: impl Fn(T) -> Awaited,
        shared: &mut Shared,
        io: &mut Io<'_>,
    ) -> Option<Step> {
        let mut rest = bytes;
        let ended = self.advance(&mut rest, &mut Call { awaited, shared, now_ns: io.now_ns });
        let ended = ended.map_err(|(code, what)| {
            Record::write_by(io.out, 0, Kind::Close, |out| varint::write(out, code));
            what
        });
        Some(streams::step(ended, bytes.len() - rest.len(), self.frame_at))
    }

    fn end(&mut self, _: impl Fn(T) -> Awaited, _: &mut Shared) -> End {
        self.streams.end()
    }

    fn describe(&self, answer: &Answer, _: Awaited, shared: &Shared, _: &[u8]) -> String {
        self.streams.describe(answer, &shared.learned)
    }

    fn evidence(&self, last: &[u8]) -> Vec<u8> {
        self.streams.evidence(last)
    }

    fn collected(&self) -> &[u8] {
        self.streams.collected()
    }

    #[inline]
    fn completed(&self) -> Option<T> {
        self.streams.completed()
    }

    #[inline]
    fn first_byte_ns(&self) -> Option<u64> {
        self.streams.first_byte_ns()
    }

    #[inline]
    fn finish(&mut self) -> Option<T> {
        let place = self.streams.take_ended()?;
        self.streams.remove(place)
    }

    /// Resets its stream, unless nothing at all has arrived since the request was sent: then the
    /// whole connection seems dead. QUIC skips whatever arrives on a stream that was reset.
    fn cancel(&mut self, _: impl Fn(T) -> u64, out: &mut Vec<u8>) -> bool {
        let Some(place) = self.streams.oldest() else { return false };
        let stream = &self.streams[place];
        if stream.began_at == self.taken {
            return false;
        }
        Record::write_by(out, u64::from(stream.number) * STEP, Kind::Reset, |out| {
            varint::write(out, code::REQUEST_CANCELLED);
        });
        self.streams.ended = Some(place);
        true
    }

    fn take_unanswered(&mut self) -> Option<T> {
        self.streams.ended = Some(self.streams.oldest()?);
        self.finish()
    }
}
