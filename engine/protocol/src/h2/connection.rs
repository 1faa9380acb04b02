//! One connection's state, and its interface to the engine.

use super::answer::Known;
use super::frame::{self, STREAM_LIMIT, code};
use super::hpack::Decoder;
use super::reading::Reading;
use super::requests::{Added, Requests};
use super::settings::{self, UNSAID};
use crate::check::Expectation;
use crate::events::{EventStream, Pushed};
use crate::learned::HeadCache;
use crate::protocol::{Announced, Answer, Awaited, End, Io, Protocol, Step};
use crate::request::{Request, RequestError};
use crate::streams::{self, Ended, Streams};
use std::sync::Arc;

/// The most streams that were given up and whose answer has not ended.
const GIVEN_UP_LIMIT: usize = 100;

/// One connection. `SECURE`: it is in TLS, so that the scheme of its requests is `https`.
#[derive(Debug)]
pub struct Http2<T, const SECURE: bool = false> {
    pub(super) streams: Streams<T, Sending>,
    pub(super) next_number: u32,
    /// Streams with events that were not reported yet.
    pub(super) pushed: Vec<usize>,
    /// Whether any stream has had events.
    has_pushed: bool,
    pub(super) reading: Reading,
    /// The beginning of a frame's head, and its length.
    pub(super) head: ([u8; frame::HEAD_LENGTH], usize),
    /// The beginning of a frame that is handled as a whole.
    pub(super) kept: Vec<u8>,
    /// A head that continues in CONTINUATION, its stream, and whether its stream ends with it.
    pub(super) block: Vec<u8>,
    pub(super) goes_on: Option<(usize, bool)>,
    /// Bytes of the connection so far, and up to the present frame.
    pub(super) taken: u64,
    pub(super) frame_at: u64,
    pub(super) decoder: Decoder,
    /// One for each expectation.
    pub(super) known: Vec<Known>,
    pub(super) added: Added,
    pub(super) announced: Option<Announced>,
    /// Bytes of DATA that we may send.
    pub(super) window: i64,
    /// Bytes of DATA since the last update of the server's window.
    pub(super) unreturned: u32,
    /// Streams whose request has more body than the windows allow.
    pub(super) waiting: usize,
    /// The server goes away: the highest stream that it processes, and its error code.
    pub(super) farewell: Option<(u32, u32)>,
}

/// A stream's state of flow control.
#[derive(Debug, Default)]
pub(super) struct Sending {
    /// Bytes of DATA since the last update of the server's window.
    pub(super) taken: u32,
    /// Bytes of the request's body that may be sent; less than 0 where SETTINGS took them back.
    pub(super) window: i64,
    /// The request, and how much of its body was sent, until all is.
    unsent: Option<(usize, usize)>,
    /// The request, if it is not one of those that all connections share.
    request: Option<Arc<Request>>,
}

/// The common state of the connections of one thread to one target.
#[derive(Debug)]
pub struct Shared {
    /// One for each expectation.
    pub(super) learned: Vec<HeadCache>,
    pub(super) requests: Requests,
}

/// The arguments of a call.
pub(super) struct Call<'a, F> {
    pub(super) awaited: F,
    pub(super) shared: &'a mut Shared,
    pub(super) out: &'a mut Vec<u8>,
    pub(super) now_ns: u64,
}

impl<T, const SECURE: bool> Default for Http2<T, SECURE> {
    fn default() -> Self {
        Self {
            streams: Streams::default(),
            next_number: 1,
            pushed: Vec::new(),
            has_pushed: false,
            reading: Reading::Head,
            head: Default::default(),
            kept: Vec::new(),
            block: Vec::new(),
            goes_on: None,
            taken: 0,
            frame_at: 0,
            decoder: Decoder::default(),
            known: Vec::new(),
            added: Added::default(),
            announced: None,
            window: i64::from(frame::DEFAULT_WINDOW),
            unreturned: 0,
            waiting: 0,
            farewell: None,
        }
    }
}

impl<T, const SECURE: bool> Http2<T, SECURE> {
    /// Clears the former connection, but keeps the memory.
    fn reset(&mut self) {
        let Self { streams, kept, block, decoder, known, added, .. } = std::mem::take(self);
        *self = Self { streams, kept, block, decoder, known, added, ..Self::default() };
        self.streams.clear();
        self.kept.clear();
        self.block.clear();
        self.decoder.reset();
        self.known.iter_mut().for_each(Known::forget);
        self.added.reset();
    }

    /// Whether the server takes no more requests here.
    fn is_leaving(&self) -> bool {
        self.farewell.is_some() || self.next_number > STREAM_LIMIT
    }
}

impl<T: Copy, const SECURE: bool> Http2<T, SECURE> {
    /// Sends what the windows now allow.
    pub(super) fn send_bodies(&mut self, requests: &Requests, out: &mut Vec<u8>) {
        let mut at = 0;
        while self.waiting > 0
            && self.window > 0
            && let Some(place) = self.streams.nth(at)
        {
            self.send_body(place, requests, out);
            at += 1;
        }
    }

    /// The stream that waits the longest, and since when. As long as no events arrive, it is the
    /// oldest.
    fn waiting_longest(&self, sent_ns: impl Fn(T) -> u64) -> Option<(usize, u64)> {
        let since_ns = |place: usize| {
            let stream = &self.streams[place];
            let latest_ns = stream.check.events().and_then(EventStream::latest_ns);
            Some((place, latest_ns.unwrap_or(sent_ns(stream.ticket?))))
        };
        if !self.has_pushed {
            return self.streams.oldest().and_then(since_ns);
        }
        self.streams.in_order().filter_map(since_ns).min_by_key(|&(_, since_ns)| since_ns)
    }

    /// A stream for the next request: its number and its place.
    #[inline]
    fn add_stream(&mut self, ticket: T) -> (u32, usize) {
        let number = self.next_number;
        self.next_number += 2;
        let window = self.announced.unwrap_or(UNSAID).initial_window;
        let own = Sending { window: i64::from(window), ..Sending::default() };
        let place = self.streams.add(number, ticket, own);
        self.streams[place].began_at = self.taken;
        (number, place)
    }

    /// Sends as much of the body of a request as the windows allow.
    pub(super) fn send_body(&mut self, place: usize, requests: &Requests, out: &mut Vec<u8>) {
        let stream = &mut self.streams[place];
        let Some((message, from)) = stream.own.unsent else { return };
        let other = stream.own.request.clone();
        let body = other.as_deref().map_or_else(|| requests.body(message), |other| &other.body);
        let rest = &body[from..];
        let room = usize::try_from(self.window.min(stream.own.window)).unwrap_or(0);
        let piece = &rest[..room.min(rest.len())];
        if piece.is_empty() {
            return;
        }
        let ends = piece.len() == rest.len();
        frame::write_data(out, stream.number, piece, ends, frame::DEFAULT_FRAME_SIZE);
        let length = i64::try_from(piece.len()).expect("it fits a window");
        stream.own.window -= length;
        self.window -= length;
        stream.own.unsent = (!ends).then_some((message, from + piece.len()));
        self.waiting -= usize::from(ends);
    }

    /// The stream's answer is complete. `piece`: the last of its body.
    #[inline]
    pub(super) fn complete(
        &mut self,
        place: usize,
        piece: &[u8],
        call: &mut Call<'_, impl Sized>,
    ) -> Ended {
        let keep_alive = !(self.is_leaving() && self.streams.len() == 1);
        let stream = &mut self.streams[place];
        if stream.own.unsent.take().is_some() {
            // It did not need the rest of the request (section 8.1), and we do not send it.
            self.waiting -= 1;
            frame::write_rst_stream(call.out, stream.number, code::CANCEL);
        }
        self.streams.complete(place, piece, &mut call.shared.learned, keep_alive)
    }
}

impl<T: Copy, const SECURE: bool> Protocol<T> for Http2<T, SECURE> {
    const WRITES: bool = true;
    const GREETS: bool = true;

    type Shared = Shared;

    fn shared(expectations: &[Arc<Expectation>], requests: &[Arc<Request>]) -> Shared {
        let scheme = if SECURE { "https" } else { "http" };
        Shared {
            learned: expectations.iter().cloned().map(HeadCache::new).collect(),
            requests: Requests::new(requests, scheme),
        }
    }

    fn greet(&mut self, shared: &mut Shared, out: &mut Vec<u8>) {
        self.reset();
        self.known.resize_with(shared.learned.len(), Known::default);
        settings::greet(out);
    }

    fn write_goodbye(&mut self, out: &mut Vec<u8>) {
        frame::write_goaway(out, 0, code::NO_ERROR);
    }

    fn is_ready(&self) -> bool {
        self.announced.is_some()
    }

    fn announced(&self) -> Option<Announced> {
        self.announced
    }

    /// One stream, until the server has announced how many it takes.
    #[inline]
    fn room(&self, depth: usize) -> usize {
        let most = match self.announced {
            _ if self.is_leaving() => 0,
            None => 1,
            Some(announced) => announced.max_concurrent_streams.unwrap_or(u32::MAX),
        };
        let left = (STREAM_LIMIT + 2 - self.next_number.min(STREAM_LIMIT + 1)) / 2;
        depth.min(most as usize).saturating_sub(self.in_flight()).min(left as usize)
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
        let (number, place) = self.add_stream(ticket);
        let requests = &shared.requests;
        let ends = requests.body(message).is_empty();
        frame::write_headers_by(out, number, ends, frame::DEFAULT_FRAME_SIZE, |out| {
            requests.write_head(message, &mut self.added, out);
        });
        if !ends {
            self.waiting += 1;
            self.streams[place].own.unsent = Some((message, 0));
            self.send_body(place, requests, out);
        }
    }

    fn write_other(
        &mut self,
        ticket: T,
        request: Request,
        shared: &mut Shared,
        out: &mut Vec<u8>,
    ) -> Result<(), RequestError> {
        request.validate()?;
        let (number, place) = self.add_stream(ticket);
        let ends = request.body.is_empty();
        frame::write_headers_by(out, number, ends, frame::DEFAULT_FRAME_SIZE, |out| {
            shared.requests.write_other_head(&request, &mut self.added, out);
        });
        if !ends {
            self.waiting += 1;
            let stream = &mut self.streams[place];
            stream.own.unsent = Some((0, 0));
            stream.own.request = Some(Arc::new(request));
            self.send_body(place, &shared.requests, out);
        }
        Ok(())
    }

    /// HTTP/2's server may send frames without a request, so this is never `None`.
    #[inline]
    fn receive(
        &mut self,
        bytes: &[u8],
        awaited: impl Fn(T) -> Awaited,
        shared: &mut Shared,
        Io { now_ns, out }: &mut Io<'_>,
    ) -> Option<Step> {
        let mut rest = bytes;
        let ended = self.advance(&mut rest, &mut Call { awaited, shared, out, now_ns: *now_ns });
        let ended = ended.map_err(|wrong| wrong.tell(out));
        Some(streams::step(ended, bytes.len() - rest.len(), self.frame_at))
    }

    fn take_pushed(&mut self, now_ns: u64) -> Option<(T, Pushed)> {
        while let Some(place) = self.pushed.pop() {
            let stream = &mut self.streams[place];
            let pushed = stream.check.events_mut().and_then(|events| events.take_pushed(now_ns));
            if let (Some(ticket), Some(pushed)) = (stream.ticket, pushed) {
                self.has_pushed = true;
                return Some((ticket, pushed));
            }
        }
        None
    }

    #[inline]
    fn waits_since_ns(&self, sent_ns: impl Fn(T) -> u64) -> Option<u64> {
        self.waiting_longest(sent_ns).map(|(_, since_ns)| since_ns)
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
        if self.streams[place].own.unsent.take().is_some() {
            self.waiting -= 1;
        }
        if self.streams[place].is_given_up {
            return self.streams.give_up(place);
        }
        self.streams.remove(place)
    }

    /// Resets its stream, unless the whole connection seems dead: nothing has arrived since the
    /// request was sent, or the server does not end streams that were given up before.
    fn cancel(&mut self, sent_ns: impl Fn(T) -> u64, out: &mut Vec<u8>) -> bool {
        let Some((place, _)) = self.waiting_longest(sent_ns) else { return false };
        let is_within = match self.reading {
            Reading::Head | Reading::Skip(_) | Reading::Farewell(..) => self.goes_on.is_some(),
            Reading::Whole(_) => true,
            Reading::Padding { place: at, .. } | Reading::Data { place: at, .. } => at == place,
        };
        let is_full = self.streams.given_up() == GIVEN_UP_LIMIT;
        let stream = &mut self.streams[place];
        if is_within || is_full || stream.began_at == self.taken {
            return false;
        }
        stream.is_given_up = true;
        frame::write_rst_stream(out, stream.number, code::CANCEL);
        self.streams.ended = Some(place);
        true
    }

    fn take_unanswered(&mut self) -> Option<T> {
        self.streams.ended = Some(self.streams.oldest()?);
        self.finish()
    }
}
