//! Frames of HTTP/3 (RFC 9114, section 7), and the reading of incomplete ones.

use super::varint;

/// Types of frames.
pub mod kind {
    /// A piece of a body.
    pub const DATA: u64 = 0;
    /// A head, or trailers.
    pub const HEADERS: u64 = 1;
    /// A push is refused.
    pub const CANCEL_PUSH: u64 = 3;
    /// A side's parameters.
    pub const SETTINGS: u64 = 4;
    /// An answer to a request that was not sent.
    pub const PUSH_PROMISE: u64 = 5;
    /// No more requests are taken.
    pub const GOAWAY: u64 = 7;
    /// How many pushes a client takes.
    pub const MAX_PUSH_ID: u64 = 0xd;

    /// HTTP/2's PRIORITY, PING, `WINDOW_UPDATE` and CONTINUATION, which HTTP/3 does not have
    /// (section 7.2.8).
    pub const OF_HTTP2: [u64; 4] = [2, 6, 8, 9];
}

/// Names of SETTINGS (section 7.2.4.1).
pub mod setting {
    /// The cost that a head may have.
    pub const MAX_FIELD_SECTION_SIZE: u64 = 6;

    /// HTTP/2's parameters, which HTTP/3 does not have.
    pub const OF_HTTP2: [u64; 4] = [2, 3, 4, 5];
}

/// Types of a side's own streams (section 6.2, and RFC 9204, section 4.2).
pub mod stream {
    /// SETTINGS, and what concerns all requests.
    pub const CONTROL: u64 = 0;
    /// A push.
    pub const PUSH: u64 = 1;
    /// Additions to QPACK's table.
    pub const QPACK_ENCODER: u64 = 2;
    /// Acknowledgements of these additions.
    pub const QPACK_DECODER: u64 = 3;
}

/// Error codes (section 8.1).
pub mod code {
    /// There is no error.
    pub const NO_ERROR: u64 = 0x100;
    /// A fault of our own.
    pub const INTERNAL_ERROR: u64 = 0x102;
    /// A stream that the other side may not open.
    pub const STREAM_CREATION_ERROR: u64 = 0x103;
    /// A stream has ended that lasts as long as the connection.
    pub const CLOSED_CRITICAL_STREAM: u64 = 0x104;
    /// A frame where it may not be.
    pub const FRAME_UNEXPECTED: u64 = 0x105;
    /// A frame that is cut, or longer than its fields.
    pub const FRAME_ERROR: u64 = 0x106;
    /// More than is taken.
    pub const EXCESSIVE_LOAD: u64 = 0x107;
    /// A number of a stream or a push that may not be.
    pub const ID_ERROR: u64 = 0x108;
    /// A setting that may not be.
    pub const SETTINGS_ERROR: u64 = 0x109;
    /// The control stream does not begin with SETTINGS.
    pub const MISSING_SETTINGS: u64 = 0x10a;
    /// The answer is no longer wanted.
    pub const REQUEST_CANCELLED: u64 = 0x10c;
    /// A request's stream ends before the request.
    pub const REQUEST_INCOMPLETE: u64 = 0x10d;
    /// A message with wrong fields, or of another length than these say.
    pub const MESSAGE_ERROR: u64 = 0x10e;
    /// A head that can't be decoded.
    pub const QPACK_DECOMPRESSION_FAILED: u64 = 0x200;
    /// A wrong instruction of QPACK's encoder.
    pub const QPACK_ENCODER_STREAM_ERROR: u64 = 0x201;
    /// A wrong instruction of QPACK's decoder.
    pub const QPACK_DECODER_STREAM_ERROR: u64 = 0x202;
}

/// The names of error codes from [`code::NO_ERROR`] on, and of QPACK's from 0x200 on.
const CODES: [&str; 17] = [
    "H3_NO_ERROR",
    "H3_GENERAL_PROTOCOL_ERROR",
    "H3_INTERNAL_ERROR",
    "H3_STREAM_CREATION_ERROR",
    "H3_CLOSED_CRITICAL_STREAM",
    "H3_FRAME_UNEXPECTED",
    "H3_FRAME_ERROR",
    "H3_EXCESSIVE_LOAD",
    "H3_ID_ERROR",
    "H3_SETTINGS_ERROR",
    "H3_MISSING_SETTINGS",
    "H3_REQUEST_REJECTED",
    "H3_REQUEST_CANCELLED",
    "H3_REQUEST_INCOMPLETE",
    "H3_MESSAGE_ERROR",
    "H3_CONNECT_ERROR",
    "H3_VERSION_FALLBACK",
];
const QPACK_CODES: [&str; 3] =
    ["QPACK_DECOMPRESSION_FAILED", "QPACK_ENCODER_STREAM_ERROR", "QPACK_DECODER_STREAM_ERROR"];

/// An error code's name, or its number.
pub fn name_of(code: u64) -> String {
    let of = |names: &[&'static str], first: u64| {
        let nth = usize::try_from(code.checked_sub(first)?).ok()?;
        names.get(nth).copied().map(str::to_owned)
    };
    let name = of(&CODES, code::NO_ERROR).or_else(|| of(&QPACK_CODES, 0x200));
    name.unwrap_or_else(|| format!("error code {code:#x}"))
}

/// Appends a frame's head.
pub fn write_head(out: &mut Vec<u8>, kind: u64, length: usize) {
    varint::write(out, kind);
    varint::write(out, length as u64);
}

/// Appends a frame.
pub fn write(out: &mut Vec<u8>, kind: u64, payload: &[u8]) {
    write_head(out, kind, payload.len());
    out.extend_from_slice(payload);
}

/// The beginning of each side's control stream: its type, and SETTINGS that leave QPACK no table.
pub fn write_control(out: &mut Vec<u8>, head_limit: usize) {
    varint::write(out, stream::CONTROL);
    let mut settings = Vec::new();
    varint::write(&mut settings, setting::MAX_FIELD_SECTION_SIZE);
    varint::write(&mut settings, head_limit as u64);
    write(out, kind::SETTINGS, &settings);
}

/// The number at the beginning of a stream, or the head of a frame on it, while it is incomplete.
#[derive(Debug, Clone, Copy, Default)]
pub struct Begun {
    bytes: [u8; 2 * varint::LONGEST],
    have: usize,
}

impl Begun {
    /// Whether none of it has arrived.
    pub fn is_empty(&self) -> bool {
        self.have == 0
    }

    /// Takes a stream's type off `rest`.
    pub fn take_number(&mut self, rest: &mut &[u8]) -> Option<u64> {
        self.take(rest, varint::read)
    }

    /// Takes a frame's head off `rest`: its type and its length.
    #[inline]
    pub fn take_head(&mut self, rest: &mut &[u8]) -> Option<(u64, u64)> {
        self.take(rest, |bytes| {
            let (kind, bytes) = varint::read(bytes)?;
            let (length, bytes) = varint::read(bytes)?;
            Some(((kind, length), bytes))
        })
    }

    /// Takes all of `rest` if it is incomplete.
    #[inline]
    fn take<R>(
        &mut self,
        rest: &mut &[u8],
        read: impl for<'a> Fn(&'a [u8]) -> Option<(R, &'a [u8])>,
    ) -> Option<R> {
        if self.have == 0
            && let Some((value, behind)) = read(rest)
        {
            *rest = behind;
            return Some(value);
        }
        while let Some((&byte, behind)) = rest.split_first() {
            *rest = behind;
            self.bytes[self.have] = byte;
            self.have += 1;
            if let Some((value, _)) = read(&self.bytes[..self.have]) {
                self.have = 0;
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_names() {
        for (code, name) in [
            (0x100, "H3_NO_ERROR"),
            (0x10b, "H3_REQUEST_REJECTED"),
            (0x110, "H3_VERSION_FALLBACK"),
            (0x202, "QPACK_DECODER_STREAM_ERROR"),
            (0, "error code 0x0"),
            (0x111, "error code 0x111"),
            (u64::MAX, "error code 0xffffffffffffffff"),
        ] {
            assert_eq!(name_of(code), name);
        }
    }

    #[test]
    fn a_head_may_come_in_pieces() {
        let mut whole = Vec::new();
        varint::write(&mut whole, varint::MOST);
        varint::write(&mut whole, varint::MOST - 1);
        for cut in 0..whole.len() {
            let (mut begun, mut first, mut second) =
                (Begun::default(), &whole[..cut], &whole[cut..]);
            assert_eq!(begun.take_head(&mut first), None);
            assert_eq!(begun.is_empty(), cut == 0);
            assert_eq!(begun.take_head(&mut second), Some((varint::MOST, varint::MOST - 1)));
            assert!(first.is_empty() && second.is_empty() && begun.is_empty());
        }
    }
}
