//! The Huffman code of strings (RFC 7541, section 5.2 and appendix B).
//!
//! The code is canonical: shorter codes come first, and among those of a length smaller symbols. So
//! the lengths suffice, and the tables are made from them at compile time.

/// Bits of each byte's code, and of the end of a string.
#[rustfmt::skip]
const LENGTHS: [u8; SYMBOLS] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
     6, 10, 10, 12, 13,  6,  8, 11, 10, 10,  8, 11,  8,  6,  6,  6,
     5,  5,  5,  6,  6,  6,  6,  6,  6,  6,  7,  8, 15,  6, 12, 10,
    13,  6,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,
     7,  7,  7,  7,  7,  7,  7,  7,  8,  7,  8, 13, 19, 13, 14,  6,
    15,  5,  6,  5,  6,  5,  6,  6,  6,  5,  7,  7,  6,  6,  6,  5,
     6,  7,  6,  5,  5,  6,  7,  7,  7,  7,  7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
];

const SYMBOLS: usize = 257;
const END: u16 = 256;
const LONGEST: usize = 30;

/// Codes of up to this many bits, all but the rare ones, are decoded with one look-up.
const SHORT: usize = 8;

struct Tables {
    codes: [u32; SYMBOLS],
    /// All symbols in the order of their codes.
    ordered: [u16; SYMBOLS],
    /// For each length: the first code, at the left of 32 bits, and the index of its symbol in
    /// `ordered`.
    firsts: [(u32, usize); LONGEST + 2],
    /// For the next bits: a symbol and its length; a length of 0 if it is longer.
    short: [(u8, u8); 1 << SHORT],
}

static TABLES: Tables = tables();

// Nothing is cut off: symbols are below 257, lengths at most 30.
#[allow(clippy::cast_possible_truncation)]
const fn tables() -> Tables {
    let mut tables = Tables {
        codes: [0; SYMBOLS],
        ordered: [0; SYMBOLS],
        firsts: [(0, 0); LONGEST + 2],
        short: [(0, 0); 1 << SHORT],
    };
    let (mut code, mut found, mut length) = (0_u32, 0, 1);
    while length <= LONGEST {
        tables.firsts[length] = (code << (32 - length), found);
        let mut symbol = 0;
        while symbol < SYMBOLS {
            if LENGTHS[symbol] as usize == length {
                tables.codes[symbol] = code;
                tables.ordered[found] = symbol as u16;
                if length <= SHORT {
                    let mut at = (code as usize) << (SHORT - length);
                    let end = (code as usize + 1) << (SHORT - length);
                    while at < end {
                        tables.short[at] = (symbol as u8, length as u8);
                        at += 1;
                    }
                }
                code += 1;
                found += 1;
            }
            symbol += 1;
        }
        code <<= 1;
        length += 1;
    }
    tables
}

/// The length of a text's code in bytes.
pub(super) fn length(text: &[u8]) -> usize {
    let bits: usize = text.iter().map(|&byte| usize::from(LENGTHS[usize::from(byte)])).sum();
    bits.div_ceil(8)
}

/// Appends a text's code. The rest of the last byte is filled with ones.
pub(super) fn encode(text: &[u8], out: &mut Vec<u8>) {
    let (mut bits, mut count) = (0_u64, 0);
    for &byte in text {
        let length = LENGTHS[usize::from(byte)];
        bits = bits << length | u64::from(TABLES.codes[usize::from(byte)]);
        count += length;
        while count >= 8 {
            count -= 8;
            out.push((bits >> count).to_le_bytes()[0]);
        }
    }
    if count > 0 {
        let ones = 0xff_u64 >> count;
        out.push((bits << (8 - count) | ones).to_le_bytes()[0]);
    }
}

/// Appends the text of a code. `Err`: it contains the end's code, or does not end in fewer than
/// eight ones.
pub(super) fn decode(mut bytes: &[u8], text: &mut Vec<u8>) -> Result<(), &'static str> {
    text.reserve(bytes.len() * 8 / 5);
    // The next bits, at the left, and their number.
    let (mut bits, mut count) = (0_u64, 0_u32);
    loop {
        if let Some((four, rest)) = bytes.split_first_chunk::<4>()
            && count < 32
        {
            bits |= u64::from(u32::from_be_bytes(*four)) << (32 - count);
            (bytes, count) = (rest, count + 32);
        }
        while count <= 48
            && bytes.len() < 4
            && let Some((&byte, rest)) = bytes.split_first()
        {
            bits |= u64::from(byte) << (56 - count);
            (bytes, count) = (rest, count + 8);
        }
        // Short codes, as long as any of them fits: of five bits at least, so there are twelve at
        // most.
        let (mut several, mut found) = ([0; 16], 0);
        while count as usize >= SHORT {
            let (symbol, length) = TABLES.short[(bits >> 56) as usize];
            if length == 0 {
                break;
            }
            several[found & 15] = symbol;
            found += 1;
            bits <<= length;
            count -= u32::from(length);
        }
        text.extend_from_slice(&several[..found.min(16)]);
        if count < 30 && !bytes.is_empty() {
            continue;
        }
        // As if ones followed it: only the end's code consists of ones.
        let padded = bits | (u64::MAX >> count);
        if padded == u64::MAX && count < 8 {
            return Ok(());
        }
        let (symbol, length) = match TABLES.short[(padded >> 56) as usize] {
            (_, 0) => look_long(padded),
            (symbol, length) => (u16::from(symbol), u32::from(length)),
        };
        if length > count {
            return Err("a Huffman code that does not end in fewer than eight ones");
        }
        let Ok(symbol) = u8::try_from(symbol) else {
            return Err("a Huffman code that holds the end of a string");
        };
        text.push(symbol);
        bits <<= length;
        count -= length;
    }
}

/// The symbol of a longer code at the left of these bits, and its length.
#[cold]
fn look_long(bits: u64) -> (u16, u32) {
    let next = u32::try_from(bits >> 32).expect("32 bits are left");
    let mut length = SHORT + 1;
    while length < LONGEST && next >= TABLES.firsts[length + 1].0 {
        length += 1;
    }
    let (first, at) = TABLES.firsts[length];
    let nth = ((next - first) >> (32 - length)) as usize;
    let symbol = TABLES.ordered.get(at + nth).copied().unwrap_or(END);
    (symbol, u32::try_from(length).expect("it is at most 30"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        decode(bytes, &mut text).ok().map(|()| text)
    }

    #[test]
    fn the_code_leaves_no_gap() {
        let whole: u64 = LENGTHS.iter().map(|length| 1 << (LONGEST - usize::from(*length))).sum();
        assert_eq!(whole, 1 << LONGEST);
        assert_eq!(TABLES.codes[usize::from(END)], 0x3fff_ffff);
        assert_eq!((TABLES.codes[0], TABLES.codes[249]), (0x1ff8, 0x0fff_fffe));
    }

    #[test]
    fn examples_of_the_rfc() {
        // Sections C.4.1, C.6.1.
        let cases: [(&str, &[u8]); 3] = [
            ("www.example.com", b"\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff"),
            ("private", b"\xae\xc3\x77\x1a\x4b"),
            ("no-cache", b"\xa8\xeb\x10\x64\x9c\xbf"),
        ];
        for (text, code) in cases {
            let mut out = Vec::new();
            encode(text.as_bytes(), &mut out);
            assert_eq!((&out[..], length(text.as_bytes())), (code, code.len()), "{text}");
            assert_eq!(decoded(code).unwrap(), text.as_bytes());
        }
    }

    #[test]
    fn every_byte_comes_back() {
        for byte in 0..=255 {
            for text in [vec![byte], vec![b'a', byte, b'!', byte], vec![byte; 9]] {
                let mut out = Vec::new();
                encode(&text, &mut out);
                assert_eq!(out.len(), length(&text));
                assert_eq!(decoded(&out), Some(text));
            }
        }
        assert_eq!(decoded(b""), Some(Vec::new()));
    }

    #[test]
    fn only_a_few_ones_may_pad() {
        // `0` is 00000.
        assert_eq!(decoded(&[0b0000_0111]), Some(b"0".to_vec()));
        for padding in 0..0b111 {
            assert!(decoded(&[padding]).is_none_or(|text| text != b"0"), "{padding:03b}");
        }
        assert_eq!(decoded(&[0b0000_0111, 0xff]), None, "eleven ones");
        assert_eq!(decoded(&[0xff]), None, "eight ones");
        assert_eq!(decoded(&[0xff, 0xff, 0xff, 0xff]), None, "the end");
        assert_eq!(decoded(&[0xff, 0xff, 0xff, 0xfc, 0xff]), None, "the end and more");
    }
}
