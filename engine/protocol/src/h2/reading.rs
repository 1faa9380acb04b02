//! Cuts bytes into frames, and checks which may come where (RFC 9113, sections 4 to 6).

use super::Wrong;
use super::connection::{Call, Http2};
use super::frame::{self, DEFAULT_FRAME_SIZE, FrameHead, HEAD_LENGTH, code, flag, kind};
use super::settings::{CONNECTION_WINDOW, WINDOW};
use crate::protocol::Awaited;
use crate::stream::{Broken, ensure};
use crate::streams::Ended;

/// The position of a connection within a frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reading {
    /// Before the end of a frame's head.
    Head,
    /// In a frame that is handled as a whole.
    Whole(FrameHead),
    /// Before the byte with the length of DATA's padding.
    Padding { place: usize, ends: bool, left: usize },
    /// In DATA.
    Data { place: usize, ends: bool, left: usize, padding: usize },
    /// In bytes that need not be read.
    Skip(usize),
    /// Before the last byte of GOAWAY, while there are requests that it refuses.
    Farewell([u8; 8], usize),
}

const TLS: Broken = "the server seems to speak TLS, not HTTP/2 in cleartext";

/// Whether bytes begin a record of TLS, an alert or part of a handshake. As a frame it would be
/// longer than any that may come first.
fn is_tls(bytes: &[u8]) -> bool {
    matches!(bytes, [0x15 | 0x16, 3, ..])
}

impl<T: Copy, const SECURE: bool> Http2<T, SECURE> {
    /// Takes bytes until a request ends, or no bytes are left.
    pub(super) fn advance<F: Fn(T) -> Awaited>(
        &mut self,
        rest: &mut &[u8],
        call: &mut Call<'_, F>,
    ) -> Result<Option<Ended>, Wrong> {
        loop {
            match self.reading {
                Reading::Head => {
                    let Some(head) = self.read_head(rest)? else { return Ok(None) };
                    self.begin(head, call)?;
                }
                Reading::Whole(head) => {
                    let length = head.length as usize;
                    if self.kept.is_empty() && rest.len() >= length {
                        let payload = self.take(rest, length);
                        self.reading = Reading::Head;
                        let ended = self.handle(head, payload, call)?;
                        if ended.is_some() {
                            return Ok(ended);
                        }
                        continue;
                    }
                    let piece = self.take(rest, (length - self.kept.len()).min(rest.len()));
                    self.kept.extend_from_slice(piece);
                    if self.kept.len() < length {
                        return Ok(None);
                    }
                    self.reading = Reading::Head;
                    let mut payload = std::mem::take(&mut self.kept);
                    let ended = self.handle(head, &payload, call)?;
                    payload.clear();
                    self.kept = payload;
                    if ended.is_some() {
                        return Ok(ended);
                    }
                }
                Reading::Padding { place, ends, left } => {
                    let Some(&padding) = rest.first() else { return Ok(None) };
                    self.take(rest, 1);
                    let padding = usize::from(padding);
                    let left = left.checked_sub(padding).ok_or(PADDING)?;
                    self.expect_data(place, ends, left, padding)?;
                }
                Reading::Data { place, ends, left, padding } => {
                    let piece = self.take(rest, left.min(rest.len()));
                    let left = left - piece.len();
                    let skipped =
                        self.take(rest, if left == 0 { padding.min(rest.len()) } else { 0 });
                    let padding = padding - skipped.len();
                    let is_over = left == 0 && padding == 0;
                    if let Some(ended) = self.on_data(place, piece, is_over && ends, call)? {
                        self.reading = Reading::Head;
                        return Ok(Some(ended));
                    }
                    if !is_over {
                        self.reading = Reading::Data { place, ends, left, padding };
                        return Ok(None);
                    }
                    self.reading = Reading::Head;
                }
                Reading::Skip(left) => {
                    let skipped = self.take(rest, left.min(rest.len())).len();
                    if skipped < left {
                        self.reading = Reading::Skip(left - skipped);
                        return Ok(None);
                    }
                    self.reading = Reading::Head;
                }
                Reading::Farewell(mut payload, have) => {
                    let Some(&last) = rest.first() else { return Ok(None) };
                    if have < payload.len() {
                        payload[have] = last;
                    }
                    // One byte stays unread while there are streams to refuse: the caller calls
                    // again.
                    if let Some(refused) = self.on_goaway(payload)? {
                        return Ok(Some(refused));
                    }
                    self.take(rest, 1);
                    self.reading = Reading::Head;
                }
            }
        }
    }

    /// Counts a frame without content, or one that needs an answer.
    pub(super) fn count_idle(&mut self) -> Result<(), Wrong> {
        Ok(self.streams.count_idle().map_err(|what| (code::ENHANCE_YOUR_CALM, what))?)
    }

    #[inline]
    fn take<'a>(&mut self, rest: &mut &'a [u8], length: usize) -> &'a [u8] {
        let (now, later) = rest.split_at(length);
        *rest = later;
        self.taken += length as u64;
        now
    }

    /// The next frame's head, if it is complete. An answer in HTTP/1 is reported as such.
    #[inline]
    fn read_head(&mut self, rest: &mut &[u8]) -> Result<Option<FrameHead>, Wrong> {
        if self.head.1 == 0 {
            self.frame_at = self.taken;
            if let Some(&bytes) = rest.first_chunk() {
                self.take(rest, HEAD_LENGTH);
                return self.recognise(bytes).map(Some);
            }
        }
        let piece = self.take(rest, (HEAD_LENGTH - self.head.1).min(rest.len()));
        let (bytes, have) = &mut self.head;
        bytes[*have..*have + piece.len()].copy_from_slice(piece);
        *have += piece.len();
        if *have < HEAD_LENGTH {
            // An alert of TLS has fewer bytes.
            let is_tls = self.announced.is_none() && is_tls(&bytes[..*have]);
            return if is_tls { Err(TLS.into()) } else { Ok(None) };
        }
        *have = 0;
        let bytes = *bytes;
        self.recognise(bytes).map(Some)
    }

    #[inline]
    fn recognise(&self, bytes: [u8; HEAD_LENGTH]) -> Result<FrameHead, Wrong> {
        if self.announced.is_none() && bytes.starts_with(b"HTTP/1.") {
            return Err("the server answers in HTTP/1, not in HTTP/2".into());
        }
        if self.announced.is_none() && is_tls(&bytes) {
            return Err(TLS.into());
        }
        Ok(FrameHead::read(&bytes))
    }

    /// Checks whether a frame may come here, and chooses how it is read.
    #[inline]
    fn begin<F>(&mut self, head: FrameHead, call: &mut Call<'_, F>) -> Result<(), Wrong> {
        let FrameHead { length, kind, stream, .. } = head;
        if self.announced.is_none() {
            // Section 3.4. This comes before the length: another protocol has no such length.
            let is_first = kind == kind::SETTINGS && !head.has(flag::ACK);
            ensure(is_first, "the server's first frame is not SETTINGS")?;
        }
        // Section 4.2.
        let large = (code::FRAME_SIZE_ERROR, "a frame of more than 16384 bytes");
        ensure(length <= DEFAULT_FRAME_SIZE, large)?;
        match (self.goes_on, kind) {
            (None, kind::CONTINUATION) => {
                return Err("CONTINUATION without a head that goes on".into());
            }
            // Section 6.10.
            (Some((place, _)), kind::CONTINUATION) => {
                let same = self.streams[place].number == stream;
                ensure(same, "CONTINUATION on another stream than its head")?;
            }
            (Some(_), _) => return Err("another frame than CONTINUATION within a head".into()),
            (None, _) => {}
        }
        self.reading = Reading::Whole(head);
        match kind {
            kind::DATA => self.begin_data(head, call),
            kind::HEADERS => {
                self.streams.latest = Some(self.in_flight_at(
                    stream,
                    "HEADERS on a stream that nobody opened",
                    "HEADERS on a stream that is over",
                )?);
                Ok(())
            }
            kind::CONTINUATION => Ok(()),
            _ => self.begin_other(head),
        }
    }

    /// The same for rare frames.
    fn begin_other(&mut self, head: FrameHead) -> Result<(), Wrong> {
        let FrameHead { length, kind, stream, .. } = head;
        match kind {
            // Section 6.3: its content no longer counts.
            kind::PRIORITY => {
                ensure(length == 5, (code::FRAME_SIZE_ERROR, "PRIORITY is not of 5 bytes"))?;
                ensure(stream != 0, "PRIORITY on stream 0")?;
                self.reading = Reading::Skip(5);
            }
            // Section 6.4. An answer may have been complete before.
            kind::RST_STREAM => {
                ensure(length == 4, (code::FRAME_SIZE_ERROR, "RST_STREAM is not of 4 bytes"))?;
                ensure(self.was_opened(stream), "RST_STREAM on a stream that nobody opened")?;
            }
            // Section 6.5.
            kind::SETTINGS => {
                ensure(stream == 0, "SETTINGS on a stream")?;
                let odd = "the length of SETTINGS is not a multiple of 6 bytes";
                ensure(length % 6 == 0, (code::FRAME_SIZE_ERROR, odd))?;
                let full = (code::FRAME_SIZE_ERROR, "the ACK of SETTINGS is not empty");
                ensure(length == 0 || !head.has(flag::ACK), full)?;
                self.count_idle()?;
            }
            // Section 6.6.
            kind::PUSH_PROMISE => return Err("PUSH_PROMISE, which our SETTINGS forbid".into()),
            // Section 6.7.
            kind::PING => {
                ensure(length == 8, (code::FRAME_SIZE_ERROR, "PING is not of 8 bytes"))?;
                ensure(stream == 0, "PING on a stream")?;
                self.count_idle()?;
            }
            // Section 6.8. Its last byte is read separately.
            kind::GOAWAY => {
                ensure(length >= 8, (code::FRAME_SIZE_ERROR, "GOAWAY is shorter than 8 bytes"))?;
                ensure(stream == 0, "GOAWAY on a stream")?;
                self.reading = Reading::Whole(FrameHead { length: length - 1, ..head });
            }
            // Section 6.9.
            kind::WINDOW_UPDATE => {
                ensure(length == 4, (code::FRAME_SIZE_ERROR, "WINDOW_UPDATE is not of 4 bytes"))?;
                let is_right = stream == 0 || self.was_opened(stream);
                ensure(is_right, "WINDOW_UPDATE on a stream that nobody opened")?;
            }
            // Section 4.1: others are to be ignored.
            _ => self.reading = Reading::Skip(length as usize),
        }
        Ok(())
    }

    /// DATA begins (section 6.1).
    #[inline]
    fn begin_data<F>(&mut self, head: FrameHead, call: &mut Call<'_, F>) -> Result<(), Wrong> {
        let place = self.in_flight_at(
            head.stream,
            "DATA on a stream that nobody opened",
            "DATA on a stream that is over",
        )?;
        self.streams.latest = Some(place);
        let (ends, left) = (head.has(flag::END_STREAM), head.length as usize);
        self.grant_window(place, head.length, call.out);
        if self.streams[place].is_given_up {
            self.reading = Reading::Skip(left);
            self.pass_over(place, ends);
            return Ok(());
        }
        ensure(self.streams[place].head.is_some(), "DATA before the head of its answer")?;
        if head.has(flag::PADDED) {
            let left = left.checked_sub(1).ok_or(PADDING)?;
            self.reading = Reading::Padding { place, ends, left };
            return Ok(());
        }
        self.expect_data(place, ends, left, 0)
    }

    /// DATA uses up the windows, padding included (section 6.9.1). They are so large that a server
    /// cannot exhaust them before it hears of more.
    #[inline]
    fn grant_window(&mut self, place: usize, length: u32, out: &mut Vec<u8>) {
        self.unreturned += length;
        if self.unreturned > CONNECTION_WINDOW / 2 {
            frame::write_window_update(out, 0, std::mem::take(&mut self.unreturned));
        }
        let stream = &mut self.streams[place];
        stream.own.taken += length;
        if stream.own.taken > WINDOW / 2 && !stream.is_given_up {
            let number = stream.number;
            frame::write_window_update(out, number, std::mem::take(&mut stream.own.taken));
        }
    }

    /// A piece of an answer to a request that was given up. `ends`: it is the last.
    pub(super) fn pass_over(&mut self, place: usize, ends: bool) {
        self.streams.latest = None;
        if ends {
            self.streams.remove(place);
        }
    }

    /// The place of the stream to which a piece of an answer belongs.
    #[inline]
    fn in_flight_at(&self, stream: u32, idle: Broken, over: Broken) -> Result<usize, Wrong> {
        self.streams.find(stream).ok_or_else(|| {
            let is_over = self.was_opened(stream);
            if is_over { (code::STREAM_CLOSED, over).into() } else { idle.into() }
        })
    }

    fn was_opened(&self, stream: u32) -> bool {
        stream % 2 == 1 && stream < self.next_number
    }
}

pub(super) const PADDING: Broken = "padding that is longer than its frame";
