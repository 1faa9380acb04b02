//! The effects of frames, once it is checked that they may come (RFC 9113, sections 6 and 8.1).

use super::connection::{Call, Http2};
use super::frame::{self, FrameHead, STREAM_LIMIT, WINDOW_LIMIT, code, flag, kind, setting};
use super::reading::{PADDING, Reading};
use super::settings::{self, UNSAID};
use super::{Wrong, answer};
use crate::fields::{Head, LARGE, LESS};
use crate::head::HEAD_LIMIT;
use crate::protocol::{Awaited, Refusal};
use crate::stream::{Broken, ensure};
use crate::streams::Ended;
use crate::verdict::Verdict;

impl<T: Copy, const SECURE: bool> Http2<T, SECURE> {
    /// A whole frame, or all but the last byte of GOAWAY.
    #[inline]
    pub(super) fn handle<F: Fn(T) -> Awaited>(
        &mut self,
        head: FrameHead,
        payload: &[u8],
        call: &mut Call<'_, F>,
    ) -> Result<Option<Ended>, Wrong> {
        match head.kind {
            kind::HEADERS => self.on_headers(head, payload, call),
            kind::CONTINUATION => self.on_continuation(head, payload, call),
            _ => self.on_other(head, payload, call),
        }
    }

    #[inline]
    fn on_headers<F: Fn(T) -> Awaited>(
        &mut self,
        head: FrameHead,
        mut block: &[u8],
        call: &mut Call<'_, F>,
    ) -> Result<Option<Ended>, Wrong> {
        let place = self.streams.latest.expect("HEADERS are for a stream in flight");
        let ends = head.has(flag::END_STREAM);
        if head.has(flag::PADDED) {
            block = frame::unpadded(block).ok_or(PADDING)?;
        }
        if head.has(flag::PRIORITY) {
            block = block
                .get(5..)
                .ok_or((code::FRAME_SIZE_ERROR, "HEADERS are too short for their priority"))?;
        }
        if head.has(flag::END_HEADERS) {
            return self.on_head(place, ends, block, call);
        }
        self.block.clear();
        self.block.extend_from_slice(block);
        self.goes_on = Some((place, ends));
        Ok(None)
    }

    fn on_continuation<F: Fn(T) -> Awaited>(
        &mut self,
        head: FrameHead,
        piece: &[u8],
        call: &mut Call<'_, F>,
    ) -> Result<Option<Ended>, Wrong> {
        let (place, ends) = self.goes_on.expect("CONTINUATION is for a head that goes on");
        if piece.is_empty() {
            self.count_idle()?;
        }
        self.block.extend_from_slice(piece);
        ensure(self.block.len() <= HEAD_LIMIT, (code::ENHANCE_YOUR_CALM, LARGE))?;
        if !head.has(flag::END_HEADERS) {
            return Ok(None);
        }
        self.goes_on = None;
        let block = std::mem::take(&mut self.block);
        let ended = self.on_head(place, ends, &block, call);
        self.block = block;
        ended
    }

    /// A whole head: an interim one, the final one, or trailers (section 8.1).
    #[inline]
    fn on_head<F: Fn(T) -> Awaited>(
        &mut self,
        place: usize,
        ends: bool,
        block: &[u8],
        call: &mut Call<'_, F>,
    ) -> Result<Option<Ended>, Wrong> {
        let stream = &mut self.streams[place];
        let Some(ticket) = stream.ticket else {
            // It was given up, but its head belongs to the decoder's table.
            let decoded = self.decoder.decode(block, |_, _| Ok(()));
            decoded.map_err(|what| (code::COMPRESSION_ERROR, what))?;
            self.pass_over(place, ends);
            return Ok(None);
        };
        let Awaited { expectation, to_head } = (call.awaited)(ticket);
        stream.expectation = expectation as usize;
        stream.received += block.len() as u64;
        if stream.head.is_some() {
            return self.on_trailers(place, ends, block, call);
        }
        let known = &mut self.known[expectation as usize];
        let decoder = &mut self.decoder;
        let known_head = known.recognise(block, to_head, decoder, stream.head_room);
        let head = if let Some((head, cost, text)) = known_head {
            stream.head_room -= cost;
            stream.known = Some(text.clone());
            head
        } else {
            let (before, text) = (decoder.version(), &mut stream.decoded);
            let found = answer::decode(decoder, block, false, stream.head_room, text)?;
            stream.head_room -= found.cost;
            // Section 8.6: no other protocol was requested, nor can HTTP/2 change to one.
            ensure(found.status != 101, "the status is 101, which HTTP/2 does not have")?;
            if matches!(found.status, 100..200) {
                ensure(!ends, "an interim answer that ends its stream")?;
                return Ok(None);
            }
            let expectation = call.shared.learned[expectation as usize].expectation();
            let head = found.head(text, to_head, expectation);
            known.learn(block, to_head, (decoder, before), (head, found.cost, text));
            head
        };
        stream.head = Some(head);
        if ends {
            ensure(head.is_all(0), LESS)?;
            return Ok(Some(self.complete(place, &[], call)));
        }
        Ok(None)
    }

    fn on_trailers<F>(
        &mut self,
        place: usize,
        ends: bool,
        block: &[u8],
        call: &mut Call<'_, F>,
    ) -> Result<Option<Ended>, Wrong> {
        ensure(ends, "a second head that does not end its stream")?;
        let stream = &mut self.streams[place];
        let decoder = &mut self.decoder;
        stream.add_trailers(&call.shared.learned, |room, text| {
            answer::decode(decoder, block, true, room, text)
        })?;
        let head = stream.head.expect("trailers come behind a head");
        ensure(head.is_all(stream.check.length()), LESS)?;
        Ok(Some(self.complete(place, &[], call)))
    }

    /// A piece of a body begins. `left`: its bytes in this frame.
    #[inline]
    pub(super) fn expect_data(
        &mut self,
        place: usize,
        ends: bool,
        left: usize,
        padding: usize,
    ) -> Result<(), Wrong> {
        if left == 0 && !ends {
            self.count_idle()?;
        }
        // Section 8.1.1.
        let stream = &self.streams[place];
        let length = stream.check.length() + left as u64;
        if let Some(Head { length: Some(said), .. }) = stream.head {
            ensure(length <= said, "more DATA than the head of the answer allows")?;
            ensure(length == said || !ends, LESS)?;
        }
        self.reading = Reading::Data { place, ends, left, padding };
        Ok(())
    }

    /// Bytes of a body. `ends`: it is complete with them.
    #[inline]
    pub(super) fn on_data<F>(
        &mut self,
        place: usize,
        piece: &[u8],
        ends: bool,
        call: &mut Call<'_, F>,
    ) -> Result<Option<Ended>, Wrong> {
        let stream = &mut self.streams[place];
        let learned = &call.shared.learned[stream.expectation];
        stream.check.push(piece, learned);
        stream.received += piece.len() as u64;
        if let Some(events) = stream.check.events() {
            let is_right = stream.head.is_some_and(|head| head.wrong != Some(Verdict::Header));
            if let Some(what) = events.broken().filter(|_| is_right) {
                return Err(what.into());
            }
            if !self.pushed.contains(&place) {
                self.pushed.push(place);
            }
        }
        if ends {
            if let Some(head) = &mut stream.head {
                head.end_without_trailers(learned.expectation());
            }
            return Ok(Some(self.complete(place, piece, call)));
        }
        self.streams.keep(place, piece, call.now_ns);
        Ok(None)
    }

    fn on_other<F>(
        &mut self,
        head: FrameHead,
        payload: &[u8],
        call: &mut Call<'_, F>,
    ) -> Result<Option<Ended>, Wrong> {
        let number = || u32::from_be_bytes(*payload.first_chunk().expect("its length was checked"));
        match head.kind {
            kind::RST_STREAM => {
                // A stream that is over was answered in time; it is needed no longer.
                let found = self.streams.find(head.stream);
                if let Some(place) = found.filter(|&place| self.streams[place].is_given_up) {
                    self.pass_over(place, true);
                    return Ok(None);
                }
                self.streams.ended = found;
                return Ok(self.streams.ended.map(|_| Ended::Refused(Refusal::Reset(number()))));
            }
            kind::SETTINGS if !head.has(flag::ACK) => self.on_settings(payload, call)?,
            kind::PING if !head.has(flag::ACK) => {
                let payload = payload.first_chunk().expect("its length was checked");
                frame::write_ping_ack(call.out, *payload);
            }
            kind::GOAWAY => {
                let mut first = [0; 8];
                let have = payload.len().min(8);
                first[..have].copy_from_slice(&payload[..have]);
                self.reading = Reading::Farewell(first, have);
            }
            kind::WINDOW_UPDATE => self.on_window_update(head.stream, number(), call)?,
            _ => {}
        }
        Ok(None)
    }

    /// Section 6.5.3: their values hold from here on, and are acknowledged.
    fn on_settings<F>(&mut self, payload: &[u8], call: &mut Call<'_, F>) -> Result<(), Wrong> {
        let before = self.announced.unwrap_or(UNSAID);
        let now = settings::heed(before, payload)?;
        for (name, value) in frame::settings(payload) {
            if name == setting::HEADER_TABLE_SIZE {
                self.added.limit(value);
            }
        }
        // Section 6.9.2: the windows of open streams grow or shrink by the difference.
        let change = i64::from(now.initial_window) - i64::from(before.initial_window);
        let mut largest = 0;
        self.streams.each(|stream| {
            stream.own.window += change;
            largest = largest.max(stream.own.window);
        });
        ensure(largest <= i64::from(WINDOW_LIMIT), OVERFLOW)?;
        self.announced = Some(now);
        frame::write_settings_ack(call.out);
        self.send_bodies(&call.shared.requests, call.out);
        Ok(())
    }

    /// Section 6.9: we may send more DATA.
    fn on_window_update<F>(
        &mut self,
        stream: u32,
        increment: u32,
        call: &mut Call<'_, F>,
    ) -> Result<(), Wrong> {
        let increment = i64::from(increment & WINDOW_LIMIT);
        ensure(increment > 0, "WINDOW_UPDATE by 0")?;
        let window = match (stream, self.streams.find(stream)) {
            (0, _) => &mut self.window,
            (_, Some(place)) => &mut self.streams[place].own.window,
            (_, None) => return Ok(()),
        };
        *window += increment;
        ensure(*window <= i64::from(WINDOW_LIMIT), OVERFLOW)?;
        self.send_bodies(&call.shared.requests, call.out);
        Ok(())
    }

    /// Section 6.8: the server takes no more requests, nor those above a stream. Refuses one at a
    /// time, until none is left.
    pub(super) fn on_goaway(&mut self, payload: [u8; 8]) -> Result<Option<Ended>, Wrong> {
        let [a, b, c, d, reason @ ..] = payload;
        let last = u32::from_be_bytes([a, b, c, d]) & STREAM_LIMIT;
        let reason = u32::from_be_bytes(reason);
        let before = self.farewell.map_or(STREAM_LIMIT, |(last, _)| last);
        ensure(last <= before, "a second GOAWAY takes what the first refused")?;
        self.farewell = Some((last, reason));
        self.streams.ended = self.streams.above(last);
        let refusal = match (reason, last) {
            (code::NO_ERROR, 1..) => Refusal::HandedBack,
            _ => Refusal::GoneAway(reason),
        };
        Ok(self.streams.ended.map(|_| Ended::Refused(refusal)))
    }
}

const OVERFLOW: (u32, Broken) =
    (code::FLOW_CONTROL_ERROR, "a window of more than 2147483647 bytes");
