//! Decodes a head's bytes to its fields (RFC 7541, sections 3 and 6).

use super::table::{STATIC, Table};
use super::{LATEST, TABLE_SIZE, huffman, integer};

/// One side of a connection, which has to decode heads in their order.
#[derive(Debug)]
pub struct Decoder {
    table: Table,
    /// A decoded name and value, or copies of those that the table may lose.
    name: Vec<u8>,
    value: Vec<u8>,
    /// Whether the latest head has the same meaning whatever came before it.
    stands_alone: bool,
}

impl Default for Decoder {
    fn default() -> Self {
        let table = Table::new(TABLE_SIZE);
        Self { table, name: Vec::new(), value: Vec::new(), stands_alone: false }
    }
}

impl Decoder {
    /// Resets this to a new one, and keeps its memory.
    pub fn reset(&mut self) {
        self.table.reset(TABLE_SIZE);
    }

    /// A number that changes whenever the table does. While it stays, equal bytes have equal
    /// fields.
    #[inline]
    pub fn version(&self) -> u64 {
        self.table.version()
    }

    /// Whether the latest head has the same meaning whatever came before it: it names no field that
    /// was added to the table, and does not change the table's size.
    pub(crate) fn stands_alone(&self) -> bool {
        self.stands_alone
    }

    /// The fields that were added to the table last, from the older to the later; `None` if it has
    /// fewer.
    pub(crate) fn latest(&self, count: usize) -> Option<impl Iterator<Item = (&[u8], &[u8])>> {
        let indices = (LATEST..LATEST + count).rev();
        (count == 0 || self.table.get(LATEST + count - 1).is_some())
            .then(|| indices.filter_map(|index| self.table.get(index)))
    }

    /// Adds a field to the table, as a head would.
    #[inline]
    pub(crate) fn add(&mut self, name: &[u8], value: &[u8]) {
        self.table.insert(name, value);
    }

    /// Passes each field of a head to `field`, name and value. `Err`: the error, ours or from
    /// `field`; the connection cannot go on then, because the table no longer equals the server's.
    pub fn decode(
        &mut self,
        mut block: &[u8],
        mut field: impl FnMut(&[u8], &[u8]) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        let mut begun = false;
        self.stands_alone = true;
        while let Some(&first) = block.first() {
            match first.leading_zeros() {
                // Section 6.1: a field of a table.
                0 => {
                    let index = integer::read(&mut block, 7)?;
                    self.stands_alone &= index < LATEST;
                    let (name, value) = self.table.get(index).ok_or(BEYOND)?;
                    field(name, value)?;
                }
                // Section 6.2.1: a field that is added to the table.
                1 => self.literal(&mut block, 6, true, &mut field)?,
                // Section 6.3: the size of the table, before the first field only (section 4.2).
                2 => {
                    let size = integer::read(&mut block, 5)?;
                    if begun {
                        return Err("the size of the header table changes within a head");
                    }
                    if size > TABLE_SIZE {
                        return Err("the header table becomes larger than our SETTINGS allow");
                    }
                    self.stands_alone = false;
                    self.table.resize(size);
                    continue;
                }
                // Sections 6.2.2 and 6.2.3: a field that is not added.
                _ => self.literal(&mut block, 4, false, &mut field)?,
            }
            begun = true;
        }
        Ok(())
    }

    fn literal(
        &mut self,
        block: &mut &[u8],
        prefix: u32,
        added: bool,
        field: &mut impl FnMut(&[u8], &[u8]) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        let index = integer::read(block, prefix)?;
        self.stands_alone &= index < LATEST;
        self.name.clear();
        self.value.clear();
        let name: &[u8] = match index {
            0 => string(block, 7, &mut self.name)?,
            1..=61 => STATIC[index - 1].0.as_bytes(),
            // Copied, as the field may go when this one is added.
            _ => {
                self.name.extend_from_slice(self.table.get(index).ok_or(BEYOND)?.0);
                &self.name
            }
        };
        let value = string(block, 7, &mut self.value)?;
        field(name, value)?;
        if added {
            self.table.insert(name, value);
        }
        Ok(())
    }
}

const BEYOND: &str = "an index that no header table has";

/// Takes a string off the front of a head (section 5.2), through `buffer` where it is coded.
/// `prefix`: as in [`super::write_string`].
#[inline]
pub(crate) fn string<'a, 'b: 'a>(
    block: &mut &'b [u8],
    prefix: u32,
    buffer: &'a mut Vec<u8>,
) -> Result<&'a [u8], &'static str> {
    let coded = block.first().is_some_and(|first| first >> prefix & 1 != 0);
    let length = integer::read(block, prefix)?;
    let (text, rest) = block.split_at_checked(length).ok_or("a string is longer than its head")?;
    *block = rest;
    if !coded {
        return Ok(text);
    }
    huffman::decode(text, buffer)?;
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of a head, and how many entries the table has then.
    fn fields(decoder: &mut Decoder, block: &[u8]) -> Result<Vec<(String, String)>, &'static str> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let mut fields = Vec::new();
        decoder.decode(block, |name, value| {
            fields.push((text(name), text(value)));
            Ok(())
        })?;
        Ok(fields)
    }

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
        let pair = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
        digits.chunks(2).map(pair).collect()
    }

    /// Runs the heads of one connection, as one side sends them.
    fn check(heads: &[(&str, &[(&str, &str)])]) -> Decoder {
        let mut decoder = Decoder::default();
        for (block, expected) in heads {
            let expected: Vec<(String, String)> =
                expected.iter().map(|&(name, value)| (name.into(), value.into())).collect();
            assert_eq!(fields(&mut decoder, &bytes(block)), Ok(expected));
        }
        decoder
    }

    const FIRST: &[(&str, &str)] = &[
        (":method", "GET"),
        (":scheme", "http"),
        (":path", "/"),
        (":authority", "www.example.com"),
    ];

    #[test]
    fn single_fields_of_the_rfc() {
        // Sections C.2.1 to C.2.4.
        check(&[
            (
                "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
                &[("custom-key", "custom-header")],
            ),
            ("040c 2f73 616d 706c 652f 7061 7468", &[(":path", "/sample/path")]),
            ("1008 7061 7373 776f 7264 0673 6563 7265 74", &[("password", "secret")]),
            ("82", &[(":method", "GET")]),
            ("be", &[("custom-key", "custom-header")]),
        ]);
    }

    #[test]
    fn requests_of_the_rfc() {
        // Sections C.3 and C.4: the same, the strings in plain and in code.
        let second: Vec<_> = FIRST.iter().copied().chain([("cache-control", "no-cache")]).collect();
        let third = [
            (":method", "GET"),
            (":scheme", "https"),
            (":path", "/index.html"),
            (":authority", "www.example.com"),
            ("custom-key", "custom-value"),
        ];
        let plain = [
            "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
            "8286 84be 5808 6e6f 2d63 6163 6865",
            "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
        ];
        let coded = [
            "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
            "8286 84be 5886 a8eb 1064 9cbf",
            "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
        ];
        for [one, two, three] in [plain, coded] {
            check(&[(one, FIRST), (two, &second), (three, &third)]);
        }
    }

    #[test]
    fn answers_of_the_rfc() {
        // Sections C.5 and C.6, in which the table has 256 bytes, so that fields go.
        let date = ("date", "Mon, 21 Oct 2013 20:13:21 GMT");
        let location = ("location", "https://www.example.com");
        let first = [(":status", "302"), ("cache-control", "private"), date, location];
        let second = [(":status", "307"), ("cache-control", "private"), date, location];
        let third = [
            (":status", "200"),
            ("cache-control", "private"),
            ("date", "Mon, 21 Oct 2013 20:13:22 GMT"),
            location,
            ("content-encoding", "gzip"),
            ("set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"),
        ];
        let coded = [
            // With a change of the table's size before it.
            "3fe101 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 \
             2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
            "4883 640e ffc1 c0bf",
            "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad \
             94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 \
             65c0 03ed 4ee5 b106 3d50 07",
        ];
        let decoder = check(&[(coded[0], &first), (coded[1], &second), (coded[2], &third)]);
        let latest = decoder.table.get(62).unwrap();
        assert_eq!(latest.0, b"set-cookie");
        assert!(decoder.table.get(64).is_some() && decoder.table.get(65).is_none());
    }

    #[test]
    fn what_breaks_a_rule_is_said() {
        let cases = [
            ("80", BEYOND),
            ("be", BEYOND),
            ("7e0161", BEYOND),
            ("0e", "the head ends within a field"),
            ("ff", "the head ends within a field"),
            ("4002 61", "a string is longer than its head"),
            ("ff80 8080 8080 00", "a number in a head is larger than any can be"),
            ("3fe2 1f", "the header table becomes larger than our SETTINGS allow"),
            ("82 20", "the size of the header table changes within a head"),
            ("4081 ff 0161", "a Huffman code that does not end in fewer than eight ones"),
        ];
        for (block, expected) in cases {
            assert_eq!(fields(&mut Decoder::default(), &bytes(block)), Err(expected), "{block}");
        }
        assert_eq!(Decoder::default().decode(&[0x82], |_, _| Err("no")), Err("no"));
    }

    #[test]
    fn its_version_tells_when_the_table_has_changed() {
        let mut decoder = Decoder::default();
        let mut changes = |block: &str| {
            let before = decoder.version();
            fields(&mut decoder, &bytes(block)).unwrap();
            decoder.version() != before
        };
        assert!(!changes("8288") && !changes("0f1f 0161") && !changes("1f1f 0161"));
        assert!(changes("4001 6101 62") && !changes("be") && changes("20") && changes("3fe1 1f"));
    }
}
