//! HTTP/2's frames (RFC 9113, sections 4 and 6): a head of nine bytes, and how each kind is
//! written.
//!
//! Reading and writing here have no state. Whether a frame may come is checked by the connection.

use std::fmt;

/// A client's first bytes (section 3.4). A SETTINGS frame follows.
pub const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Bytes of a frame's head.
pub const HEAD_LENGTH: usize = 9;

/// Bytes that a frame may carry where no SETTINGS allow more.
pub const DEFAULT_FRAME_SIZE: u32 = 16_384;

/// The most bytes that SETTINGS may allow a frame to carry.
pub const FRAME_SIZE_LIMIT: u32 = (1 << 24) - 1;

/// Bytes of DATA that may be sent on a connection, and on a stream where no SETTINGS say otherwise.
pub const DEFAULT_WINDOW: u32 = 65_535;

/// The most bytes that a window may ever have.
pub const WINDOW_LIMIT: u32 = (1 << 31) - 1;

/// The highest number of a stream.
pub const STREAM_LIMIT: u32 = (1 << 31) - 1;

/// The purpose of a frame. Others are to be ignored (section 4.1).
pub mod kind {
    /// A piece of a body.
    pub const DATA: u8 = 0;
    /// A head, or trailers.
    pub const HEADERS: u8 = 1;
    /// Priority, which is deprecated.
    pub const PRIORITY: u8 = 2;
    /// A stream ends before its time.
    pub const RST_STREAM: u8 = 3;
    /// A peer's limits.
    pub const SETTINGS: u8 = 4;
    /// An answer to a request that was not sent.
    pub const PUSH_PROMISE: u8 = 5;
    /// A test whether the peer responds.
    pub const PING: u8 = 6;
    /// The end of new requests.
    pub const GOAWAY: u8 = 7;
    /// Permission for more DATA.
    pub const WINDOW_UPDATE: u8 = 8;
    /// The rest of a head.
    pub const CONTINUATION: u8 = 9;
}

/// Flags, which mean different things in different frames.
pub mod flag {
    /// DATA, HEADERS: the sender's last on this stream.
    pub const END_STREAM: u8 = 0x1;
    /// SETTINGS, PING: an answer to the peer's.
    pub const ACK: u8 = 0x1;
    /// HEADERS, CONTINUATION: the head ends here.
    pub const END_HEADERS: u8 = 0x4;
    /// DATA, HEADERS: the first byte has the number of the last bytes that are padding.
    pub const PADDED: u8 = 0x8;
    /// HEADERS: five bytes of priority come first.
    pub const PRIORITY: u8 = 0x20;
}

/// The parameters of SETTINGS (section 6.5.2). Others are to be ignored.
pub mod setting {
    /// Bytes of the table by which the other side may compress its heads.
    pub const HEADER_TABLE_SIZE: u16 = 1;
    /// Whether answers may be pushed: 0 or 1.
    pub const ENABLE_PUSH: u16 = 2;
    /// Streams that the other side may have open.
    pub const MAX_CONCURRENT_STREAMS: u16 = 3;
    /// Bytes of DATA that the other side may send on a new stream.
    pub const INITIAL_WINDOW_SIZE: u16 = 4;
    /// Bytes that a frame may carry.
    pub const MAX_FRAME_SIZE: u16 = 5;
    /// Bytes of a head, uncompressed, with 32 for each field.
    pub const MAX_HEADER_LIST_SIZE: u16 = 6;
}

/// Why a stream or a connection ends (section 7).
pub mod code {
    /// There is no error.
    pub const NO_ERROR: u32 = 0x0;
    /// The other side breaks a rule.
    pub const PROTOCOL_ERROR: u32 = 0x1;
    /// The other side sent more than it may.
    pub const FLOW_CONTROL_ERROR: u32 = 0x3;
    /// A frame on a stream that is over.
    pub const STREAM_CLOSED: u32 = 0x5;
    /// A frame of a wrong size.
    pub const FRAME_SIZE_ERROR: u32 = 0x6;
    /// The request was not processed.
    pub const REFUSED_STREAM: u32 = 0x7;
    /// The answer is no longer wanted.
    pub const CANCEL: u32 = 0x8;
    /// A head that cannot be decoded.
    pub const COMPRESSION_ERROR: u32 = 0x9;
    /// The other side makes more work than it may.
    pub const ENHANCE_YOUR_CALM: u32 = 0xb;
}

/// A frame's head.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FrameHead {
    /// Bytes that follow it.
    pub length: u32,
    /// One of [`kind`].
    pub kind: u8,
    /// Bits of [`flag`].
    pub flags: u8,
    /// The stream, or 0 for the connection.
    pub stream: u32,
}

impl FrameHead {
    /// Reads one head. The reserved bit is ignored.
    #[inline]
    pub fn read(bytes: &[u8; HEAD_LENGTH]) -> Self {
        let [a, b, c, kind, flags, stream @ ..] = *bytes;
        Self {
            length: u32::from_be_bytes([0, a, b, c]),
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & STREAM_LIMIT,
        }
    }

    /// Appends it.
    #[inline]
    pub fn write(self, out: &mut Vec<u8>) {
        let mut bytes = [0; HEAD_LENGTH];
        bytes[..3].copy_from_slice(&self.length.to_be_bytes()[1..]);
        (bytes[3], bytes[4]) = (self.kind, self.flags);
        bytes[5..].copy_from_slice(&self.stream.to_be_bytes());
        out.extend_from_slice(&bytes);
    }

    /// Whether it has a flag.
    #[inline]
    pub fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

impl fmt::Debug for FrameHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { length, kind, flags, stream } = self;
        write!(f, "kind {kind}, flags {flags:#x}, stream {stream}, {length} bytes")
    }
}

/// Appends a whole frame. Its payload must fit the other side's `MAX_FRAME_SIZE`.
pub fn write(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    FrameHead { length: length_of(payload), kind, flags, stream }.write(out);
    out.extend_from_slice(payload);
}

/// Appends SETTINGS.
pub fn write_settings(out: &mut Vec<u8>, settings: &[(u16, u32)]) {
    let length = u32::try_from(settings.len() * 6).expect("there are few settings");
    FrameHead { length, kind: kind::SETTINGS, flags: 0, stream: 0 }.write(out);
    for (name, value) in settings {
        out.extend_from_slice(&name.to_be_bytes());
        out.extend_from_slice(&value.to_be_bytes());
    }
}

/// The parameters in the payload of SETTINGS. Its length must be a multiple of six.
pub fn settings(payload: &[u8]) -> impl Iterator<Item = (u16, u32)> {
    payload
        .as_chunks::<6>()
        .0
        .iter()
        .map(|&[a, b, value @ ..]| (u16::from_be_bytes([a, b]), u32::from_be_bytes(value)))
}

/// Appends the answer to SETTINGS.
pub fn write_settings_ack(out: &mut Vec<u8>) {
    write(out, kind::SETTINGS, flag::ACK, 0, &[]);
}

/// Appends the answer to a PING, with its payload.
pub fn write_ping_ack(out: &mut Vec<u8>, payload: [u8; 8]) {
    write(out, kind::PING, flag::ACK, 0, &payload);
}

/// Appends permission to send more DATA, on a stream or (0) on the connection.
pub fn write_window_update(out: &mut Vec<u8>, stream: u32, increment: u32) {
    write(out, kind::WINDOW_UPDATE, 0, stream, &increment.to_be_bytes());
}

/// Appends the end of a stream before its time.
pub fn write_rst_stream(out: &mut Vec<u8>, stream: u32, code: u32) {
    write(out, kind::RST_STREAM, 0, stream, &code.to_be_bytes());
}

/// Appends the connection's end. `last`: the highest stream that was processed.
pub fn write_goaway(out: &mut Vec<u8>, last: u32, code: u32) {
    FrameHead { length: 8, kind: kind::GOAWAY, flags: 0, stream: 0 }.write(out);
    out.extend_from_slice(&last.to_be_bytes());
    out.extend_from_slice(&code.to_be_bytes());
}

/// Appends a head in HEADERS, and in CONTINUATION where it exceeds `most` bytes to a frame.
#[inline]
pub fn write_headers(out: &mut Vec<u8>, stream: u32, block: &[u8], ends: bool, most: u32) {
    let (first, rest) = block.split_at(block.len().min(most as usize));
    let flags = if ends { flag::END_STREAM } else { 0 };
    let last = if rest.is_empty() { flag::END_HEADERS } else { 0 };
    write(out, kind::HEADERS, flags | last, stream, first);
    let mut pieces = rest.chunks(most as usize).peekable();
    while let Some(piece) = pieces.next() {
        let last = if pieces.peek().is_none() { flag::END_HEADERS } else { 0 };
        write(out, kind::CONTINUATION, last, stream, piece);
    }
}

/// The same for a head of any length that `write` appends, which usually is not copied.
#[inline]
pub fn write_headers_by(
    out: &mut Vec<u8>,
    stream: u32,
    ends: bool,
    most: u32,
    write: impl FnOnce(&mut Vec<u8>),
) {
    let start = out.len();
    let flags = flag::END_HEADERS | if ends { flag::END_STREAM } else { 0 };
    FrameHead { length: 0, kind: kind::HEADERS, flags, stream }.write(out);
    write(out);
    let length = out.len() - start - HEAD_LENGTH;
    if length <= most as usize {
        let [_, length @ ..] = length_of(&out[start + HEAD_LENGTH..]).to_be_bytes();
        out[start..start + 3].copy_from_slice(&length);
    } else {
        let block = out.split_off(start + HEAD_LENGTH);
        out.truncate(start);
        write_headers(out, stream, &block, ends, most);
    }
}

/// Appends a body's piece in frames of `most` bytes, at least one. `ends`: it is the last piece.
pub fn write_data(out: &mut Vec<u8>, stream: u32, piece: &[u8], ends: bool, most: u32) {
    let mut rest = piece;
    loop {
        let (now, later) = rest.split_at(rest.len().min(most as usize));
        let flags = if ends && later.is_empty() { flag::END_STREAM } else { 0 };
        write(out, kind::DATA, flags, stream, now);
        if later.is_empty() {
            return;
        }
        rest = later;
    }
}

/// The content of a padded frame without its padding. `None`: the padding is longer than the frame
/// (section 6.1).
pub fn unpadded(payload: &[u8]) -> Option<&[u8]> {
    let (&padding, rest) = payload.split_first()?;
    rest.get(..rest.len().checked_sub(usize::from(padding))?)
}

fn length_of(payload: &[u8]) -> u32 {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    assert!(length <= FRAME_SIZE_LIMIT, "a frame of {length} bytes cannot be written");
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let head = FrameHead { length: 0x01_02_03, kind: 4, flags: 5, stream: 0x7654_3210 };
        let mut bytes = Vec::new();
        head.write(&mut bytes);
        assert_eq!(bytes, [1, 2, 3, 4, 5, 0x76, 0x54, 0x32, 0x10]);
        bytes[5] |= 0x80;
        assert_eq!(FrameHead::read(bytes[..].try_into().unwrap()), head, "the bit is reserved");
    }

    #[test]
    fn settings_come_back() {
        let mut bytes = Vec::new();
        let ours = [(setting::ENABLE_PUSH, 0), (setting::INITIAL_WINDOW_SIZE, WINDOW_LIMIT)];
        write_settings(&mut bytes, &ours);
        assert_eq!(bytes[..9], [0, 0, 12, 4, 0, 0, 0, 0, 0]);
        assert_eq!(settings(&bytes[9..]).collect::<Vec<_>>(), ours);
    }

    #[test]
    fn what_is_too_long_for_a_frame_goes_on_in_the_next() {
        let mut bytes = Vec::new();
        write_headers(&mut bytes, 1, b"abcde", true, 2);
        let expected = b"\0\0\x02\x01\x01\0\0\0\x01ab\0\0\x02\x09\0\0\0\0\x01cd\
            \0\0\x01\x09\x04\0\0\0\x01e";
        assert_eq!(bytes, expected);
        for most in 1..7 {
            let (mut direct, mut by) = (vec![1, 2], vec![1, 2]);
            write_headers(&mut direct, 1, b"abcde", most == 3, most);
            write_headers_by(&mut by, 1, most == 3, most, |out| out.extend_from_slice(b"abcde"));
            assert_eq!(direct, by);
        }
        bytes.clear();
        write_data(&mut bytes, 3, b"abcd", true, 2);
        assert_eq!(bytes, b"\0\0\x02\0\0\0\0\0\x03ab\0\0\x02\0\x01\0\0\0\x03cd");
        bytes.clear();
        write_data(&mut bytes, 3, b"", true, 2);
        assert_eq!(bytes, b"\0\0\0\0\x01\0\0\0\x03");
    }

    #[test]
    fn padding_goes_and_may_not_be_longer_than_the_frame() {
        assert_eq!(unpadded(b"\x02ab\0\0"), Some(&b"ab"[..]));
        assert_eq!(unpadded(b"\x04ab\0\0"), Some(&b""[..]));
        assert_eq!(unpadded(b"\x05ab\0\0"), None);
        assert_eq!(unpadded(b""), None);
    }
}
