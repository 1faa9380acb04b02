//! Numbers that begin within a byte (RFC 7541, section 5.1).

/// Appends a number after a byte's first bits. `prefix`: how many of its bits belong to the number.
pub(crate) fn write(out: &mut Vec<u8>, first: u8, prefix: u32, value: usize) {
    let most = (1_usize << prefix) - 1;
    let byte = |value: usize| value.to_le_bytes()[0];
    if value < most {
        return out.push(first | byte(value));
    }
    out.push(first | byte(most));
    let mut rest = value - most;
    while rest >= 0x80 {
        out.push(byte(rest) | 0x80);
        rest >>= 7;
    }
    out.push(byte(rest));
}

/// Takes a number off the front of `bytes`, whose first byte has `prefix` bits of it.
#[inline]
pub(crate) fn read(bytes: &mut &[u8], prefix: u32) -> Result<usize, &'static str> {
    const CUT: &str = "the head ends within a field";
    let (&first, rest) = bytes.split_first().ok_or(CUT)?;
    *bytes = rest;
    let most = (1_usize << prefix) - 1;
    let mut value = usize::from(first) & most;
    if value < most {
        return Ok(value);
    }
    // Four more bytes hold more than any head's length.
    for shift in [0, 7, 14, 21] {
        let (&next, rest) = bytes.split_first().ok_or(CUT)?;
        *bytes = rest;
        value += usize::from(next & 0x7f) << shift;
        if next & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err("a number in a head is larger than any can be")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_rfc() {
        // Section C.1.
        for (value, prefix, bytes) in
            [(10, 5, &[0b01010][..]), (1337, 5, &[0b11111, 154, 10]), (42, 8, &[42])]
        {
            let mut out = Vec::new();
            write(&mut out, 0, prefix, value);
            assert_eq!(out, bytes);
            assert_eq!(read(&mut &out[..], prefix), Ok(value));
        }
    }

    #[test]
    fn numbers_come_back_and_nothing_more_is_taken() {
        for prefix in 4..=7 {
            for value in (0..600).chain([16_383, 16_384, 1 << 20, 1 << 28]) {
                let mut out = Vec::new();
                write(&mut out, 0x80, prefix, value);
                assert!(out.iter().skip(1).count() < 5);
                let cut = &out[..out.len() - 1];
                assert!(read(&mut &cut[..], prefix).is_err());
                out.push(7);
                let mut rest = &out[..];
                assert_eq!((read(&mut rest, prefix), rest), (Ok(value), &[7][..]));
            }
        }
    }

    #[test]
    fn no_number_is_too_large_to_be_refused() {
        assert!(read(&mut &[0xff_u8, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f][..], 7).is_err());
        assert!(read(&mut &[0xff_u8, 0x80, 0x80, 0x80, 0x80, 0x00][..], 7).is_err());
    }
}
