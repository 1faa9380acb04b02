//! Numbers whose first two bits give their length (RFC 9000, section 16).

/// The largest number.
pub const MOST: u64 = (1 << 62) - 1;

/// The most bytes of a number.
pub(super) const LONGEST: usize = 8;

/// Appends a number of at most [`MOST`].
pub fn write(out: &mut Vec<u8>, value: u64) {
    let bytes = value.to_be_bytes();
    match value {
        0..0x40 => out.push(bytes[7]),
        0x40..0x4000 => out.extend_from_slice(&[bytes[6] | 0x40, bytes[7]]),
        0x4000..0x4000_0000 => {
            out.extend_from_slice(&[bytes[4] | 0x80, bytes[5], bytes[6], bytes[7]]);
        }
        _ => {
            out.push(bytes[0] | 0xc0);
            out.extend_from_slice(&bytes[1..]);
        }
    }
}

/// The number at the beginning of `bytes`, and the bytes after it. `None`: it is incomplete.
#[inline]
pub fn read(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let length = 1 << (bytes.first()? >> 6);
    let (number, rest) = bytes.split_at_checked(length)?;
    let fold = |value: u64, &byte: &u8| value << 8 | u64::from(byte);
    let value = number.iter().fold(0, fold);
    Some((value & (u64::MAX >> (66 - 8 * length)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn examples_of_the_rfc() {
        // Appendix A.1.
        for (bytes, value) in [
            (&b"\xc2\x19\x7c\x5e\xff\x14\xe8\x8c"[..], 151_288_809_941_952_652),
            (b"\x9d\x7f\x3e\x7d", 494_878_333),
            (b"\x7b\xbd", 15_293),
            (b"\x25", 37),
            (b"\x40\x25", 37),
        ] {
            assert_eq!(read(bytes), Some((value, &[][..])));
            assert_eq!(read(&bytes[..bytes.len() - 1]), None);
        }
    }

    proptest! {
        #[test]
        fn numbers_come_back(shift in 0..62_u32, value in 0..=MOST) {
            let (value, mut out) = (value >> shift, Vec::new());
            write(&mut out, value);
            prop_assert!(out.len() <= LONGEST);
            out.push(7);
            prop_assert_eq!(read(&out), Some((value, &[7][..])));
        }
    }
}
