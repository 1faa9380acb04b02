//! Frames: their heads, their opcodes, and the codes of close frames.

use super::mask::mask;

/// What a frame carries.
pub mod opcode {
    #![expect(missing_docs, reason = "RFC 6455, section 5.2 describes them")]
    pub const CONTINUATION: u8 = 0;
    pub const TEXT: u8 = 1;
    pub const BINARY: u8 = 2;
    pub const CLOSE: u8 = 8;
    pub const PING: u8 = 9;
    pub const PONG: u8 = 10;
}

/// The most bytes of a control frame's payload.
pub const CONTROL_LIMIT: u64 = 125;

/// The most bytes of a frame's head, its key included.
pub const HEAD_LIMIT: usize = 14;

/// The code of a connection that has served its purpose.
pub const NORMAL: u16 = 1000;

const LAST: u8 = 0x80;
const MASKED: u8 = 0x80;

/// The first reserved bit: the message that begins here is compressed (RFC 7692, section 6).
pub(super) const COMPRESSED: u8 = 0x40;

/// Where the length follows: in two bytes, or in eight.
const SHORT: u8 = 0x7e;
const LONG: u8 = 0x7f;

/// The head of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHead {
    /// It is the last fragment.
    pub is_last: bool,
    /// The three reserved bits.
    pub reserved: u8,
    /// See [`opcode`].
    pub opcode: u8,
    /// The key that masks its payload.
    pub key: Option<[u8; 4]>,
    /// Bytes of its payload.
    pub length: u64,
    /// The length is encoded in the fewest bytes.
    pub is_minimal: bool,
}

impl FrameHead {
    /// The head with which `bytes` begin, and its length. `None`: it is incomplete.
    pub fn read(bytes: &[u8]) -> Option<(Self, usize)> {
        let &[first, second, ref rest @ ..] = bytes else { return None };
        let (length, least, digits) = match second & !MASKED {
            SHORT => (u64::from(u16::from_be_bytes(*rest.first_chunk()?)), u64::from(SHORT), 2),
            LONG => (u64::from_be_bytes(*rest.first_chunk()?), 1 << 16, 8),
            length => (u64::from(length), 0, 0),
        };
        let (key, end) = if second & MASKED == 0 {
            (None, 2 + digits)
        } else {
            (Some(*rest[digits..].first_chunk()?), 2 + digits + 4)
        };
        let head = Self {
            is_last: first & LAST != 0,
            reserved: first & 0x70,
            opcode: first & 0xf,
            key,
            length,
            is_minimal: length >= least,
        };
        Some((head, end))
    }

    /// Whether it is a control frame, which may stand within a message and has its own payload.
    pub fn is_control(&self) -> bool {
        self.opcode >= opcode::CLOSE
    }

    /// Whether the message that begins with it is compressed.
    pub(crate) fn is_compressed(&self) -> bool {
        self.reserved & COMPRESSED != 0
    }

    /// Whether a server may send it, whatever came before. `compresses`: permessage-deflate was
    /// agreed on.
    pub(crate) fn check(&self, compresses: bool) -> Result<(), &'static str> {
        if self.reserved & !(if compresses { COMPRESSED } else { 0 }) != 0 {
            return Err("a frame with a reserved bit that no agreed extension has");
        }
        if self.is_compressed() && !matches!(self.opcode, opcode::TEXT | opcode::BINARY) {
            return Err("a frame that is marked as compressed and begins no message");
        }
        if !matches!(self.opcode, 0..=2 | 8..=10) {
            return Err("a frame with a reserved opcode");
        }
        if self.key.is_some() {
            return Err("a masked frame, which only clients send");
        }
        if self.is_control() && !self.is_last {
            return Err("a control frame in fragments");
        }
        if self.is_control() && self.length > CONTROL_LIMIT {
            return Err("a control frame of more than 125 bytes");
        }
        if !self.is_minimal || self.length >> 63 != 0 {
            return Err("a frame whose length is not written as the standard has it");
        }
        Ok(())
    }
}

/// Appends a whole frame to `out`. `key`: that of a client.
pub fn write(out: &mut Vec<u8>, opcode: u8, payload: &[u8], key: Option<[u8; 4]>) {
    let masked = if key.is_some() { MASKED } else { 0 };
    out.push(LAST | opcode);
    let length = payload.len();
    if let Some(length) = u8::try_from(length).ok().filter(|&length| length < 126) {
        out.push(masked | length);
    } else if let Ok(length) = u16::try_from(length) {
        out.push(masked | SHORT);
        out.extend_from_slice(&length.to_be_bytes());
    } else {
        out.push(masked | LONG);
        out.extend_from_slice(&(length as u64).to_be_bytes());
    }
    out.extend_from_slice(&key.unwrap_or_default()[..if key.is_some() { 4 } else { 0 }]);
    let start = out.len();
    out.extend_from_slice(payload);
    if let Some(key) = key {
        mask(&mut out[start..], key);
    }
}

/// Whether this is one frame, and a whole message.
pub(super) fn is_message(bytes: &[u8]) -> bool {
    FrameHead::read(bytes).is_some_and(|(head, length)| {
        head.is_last && !head.is_control() && length as u64 + head.length == bytes.len() as u64
    })
}

/// Whether a server may close with this code (RFC 6455, section 7.4, and what is registered since).
pub fn is_close_code(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

/// The name of a code, if it is one of the standard's.
pub(crate) fn code_words(code: u16) -> Option<&'static str> {
    Some(match code {
        1000 => "normal closure",
        1001 => "going away",
        1002 => "protocol error",
        1003 => "unsupported data",
        1007 => "invalid data",
        1008 => "policy violation",
        1009 => "message too big",
        1010 => "extension needed",
        1011 => "internal error",
        1012 => "service restart",
        1013 => "try again later",
        1014 => "bad gateway",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_examples_of_the_standard() {
        let mut text = Vec::new();
        write(&mut text, opcode::TEXT, b"Hello", None);
        assert_eq!(text, b"\x81\x05Hello");
        let mut masked = Vec::new();
        write(&mut masked, opcode::TEXT, b"Hello", Some([0x37, 0xfa, 0x21, 0x3d]));
        assert_eq!(masked, b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
        for (length, head) in
            [(256, &b"\x82\x7e\x01\x00"[..]), (65536, b"\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00")]
        {
            let mut binary = Vec::new();
            write(&mut binary, opcode::BINARY, &vec![0; length], None);
            assert!(binary.starts_with(head) && binary.len() == head.len() + length);
        }
    }

    #[test]
    fn what_no_server_may_send_is_named() {
        for (head, part) in [
            (&b"\xe1\x00"[..], "reserved bit"),
            (b"\xc0\x00", "begins no message"),
            (b"\xc9\x00", "begins no message"),
            (b"\x83\x00", "reserved opcode"),
            (b"\x8b\x00", "reserved opcode"),
            (b"\x81\x80\x00\x00\x00\x00", "masked"),
            (b"\x09\x00", "fragments"),
            (b"\x89\x7e\x00\x7e", "125 bytes"),
            (b"\x81\x7e\x00\x7d", "length"),
            (b"\x81\x7f\x00\x00\x00\x00\x00\x00\xff\xff", "length"),
            (b"\x81\x7f\x80\x00\x00\x00\x00\x01\x00\x00", "length"),
        ] {
            let (read, length) = FrameHead::read(head).unwrap();
            assert_eq!(length, head.len());
            let wrong = read.check(true).unwrap_err();
            assert!(wrong.contains(part), "{head:?}: {wrong}");
        }
        let (compressed, _) = FrameHead::read(b"\xc1\x00").unwrap();
        assert!(compressed.check(true).is_ok());
        assert!(compressed.check(false).unwrap_err().contains("reserved bit"));
    }

    #[test]
    fn codes_that_may_not_be_sent() {
        for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, u16::MAX] {
            assert!(!is_close_code(code), "{code}");
        }
        for code in [1000, 1001, 1011, 3000, 4999] {
            assert!(is_close_code(code), "{code}");
        }
    }

    proptest! {
        #[test]
        fn a_frame_is_read_as_it_was_written(
            length in prop_oneof![0_usize..300, 65_500_usize..65_600],
            code in 0_u8..16, key in any::<Option<[u8; 4]>>(),
        ) {
            let (payload, mut out) = (vec![7; length], Vec::new());
            write(&mut out, code, &payload, key);
            let (head, end) = FrameHead::read(&out).unwrap();
            prop_assert!(end <= HEAD_LIMIT && FrameHead::read(&out[..end - 1]).is_none());
            let expected = FrameHead {
                is_last: true, reserved: 0, opcode: code, key,
                length: length as u64, is_minimal: true,
            };
            prop_assert_eq!(head, expected);
            mask(&mut out[end..], key.unwrap_or_default());
            prop_assert_eq!(&out[end..], &payload[..]);
        }
    }
}
