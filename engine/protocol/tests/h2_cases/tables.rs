//! Heads whose compression is right or wrong (RFC 7541).

use crate::world::{END_HEADERS, END_STREAM, OK, check, field, frame, good, head, last_head};
use volley_protocol::h2::frame::kind;

/// `a: b`, which the table takes in.
const KEPT: &[u8] = b"\x40\x01a\x01b";

#[test]
fn compression_that_is_right() {
    for (rule, blocks) in [
        ("6.1: a field of the static table", vec![b"\x88\xa1\x9a".to_vec()]),
        (
            "6.2.1: a field that the table takes in, and its use",
            vec![[OK, KEPT].concat(), b"\x88\xbe".to_vec()],
        ),
        ("6.2.1: a status that it takes in", vec![b"\x48\x03500".to_vec(), b"\xbe".to_vec()]),
        (
            "6.2.2: a field that it does not, with a name that it has",
            vec![b"\x88\x0f\x27\x01x".to_vec()],
        ),
        ("6.2.3: a field that nobody may take in", vec![b"\x88\x10\x01a\x01b".to_vec()]),
        ("6.3: a smaller table", vec![[b"\x20", OK].concat()]),
        ("6.3: the largest", vec![[b"\x3f\xe1\x1f", OK].concat()]),
        ("6.3: smaller and larger again", vec![[&b"\x20\x3f\xe1\x1f"[..], OK].concat()]),
        ("4.3: a table too small for a field", vec![[b"\x20", OK, KEPT].concat()]),
        ("5.2: Huffman's code", vec![b"\x88\x00\x01a\x82\x10\x01".to_vec()]),
        ("5.2: its padding", vec![b"\x88\x00\x01a\x81\x1f".to_vec()]),
        ("5.2: an empty string in it", vec![b"\x88\x00\x01a\x80".to_vec()]),
        (
            "5.1: a number with needless bytes",
            vec![[&b"\x88\x00\x01a\x7f\x80\x00"[..], &[b'x'; 127]].concat()],
        ),
    ] {
        let streams = [1, 3];
        let bytes: Vec<u8> = blocks
            .iter()
            .zip(streams)
            .flat_map(|(block, stream)| last_head(stream, block))
            .collect();
        let status = if blocks.len() == 2 && blocks[0].starts_with(b"\x48") { 500 } else { 200 };
        let expected: Vec<String> =
            blocks.iter().zip(streams).map(|(_, stream)| format!("{stream}: {status}")).collect();
        check(rule, &bytes, &expected.join("; "));
    }
}

#[test]
fn compression_that_is_wrong() {
    let after_status = |block: &[u8]| [OK, block].concat();
    for (rule, words, block) in [
        ("6.1: index 0", "an index that no header table has", after_status(b"\x80")),
        (
            "2.3.3: an index beyond the tables",
            "an index that no header table has",
            after_status(b"\xbe"),
        ),
        (
            "2.3.3: an index far beyond",
            "an index that no header table has",
            after_status(b"\xff\xff\xff\xff\x07"),
        ),
        (
            "5.1: a number beyond all",
            "a number in a head is larger than any can be",
            after_status(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
        ),
        (
            "5.1: a number that never ends",
            "a number in a head is larger than any can be",
            after_status(&[&[0xff][..], &[0x80; 100]].concat()),
        ),
        ("5.1: a number that is cut", "the head ends within a field", after_status(b"\xff\x80")),
        (
            "6.2: a name beyond the tables",
            "an index that no header table has",
            after_status(b"\x7e\x01x"),
        ),
        (
            "6.2: a field without a value",
            "the head ends within a field",
            after_status(b"\x00\x01a"),
        ),
        ("6.2: a field without a name", "the head ends within a field", after_status(b"\x00")),
        (
            "5.2: a name longer than the head",
            "a string is longer than its head",
            after_status(b"\x00\x05a"),
        ),
        (
            "5.2: a value longer than the head",
            "a string is longer than its head",
            after_status(b"\x00\x01a\x05b"),
        ),
        (
            "5.2: a value of no end of bytes",
            "a string is longer than its head",
            after_status(b"\x00\x01a\x7f\xff\xff\xff\x7fx"),
        ),
        (
            "5.2: Huffman's code, padded with zeros",
            "a Huffman code that does not end in fewer than eight ones",
            after_status(b"\x00\x01a\x81\x18"),
        ),
        (
            "5.2: padded with a byte",
            "a Huffman code that does not end in fewer than eight ones",
            after_status(b"\x00\x01a\x82\x1f\xff"),
        ),
        (
            "5.2: with EOS in it",
            "a Huffman code that holds the end of a string",
            after_status(b"\x00\x01a\x84\xff\xff\xff\xff"),
        ),
        (
            "5.2: with nothing but padding",
            "a Huffman code that does not end in fewer than eight ones",
            after_status(b"\x00\x01a\x81\xff"),
        ),
        (
            "6.3: a table beyond SETTINGS",
            "the header table becomes larger than our SETTINGS allow",
            [b"\x3f\xe2\x1f", OK].concat(),
        ),
        (
            "6.3: a table far beyond",
            "a number in a head is larger than any can be",
            [b"\x3f\xff\xff\xff\xff\x07", OK].concat(),
        ),
        (
            "4.2: a new size behind a field",
            "the size of the header table changes within a head",
            after_status(b"\x20"),
        ),
        (
            "4.2: a new size between fields",
            "the size of the header table changes within a head",
            [OK, b"\x20", &field("a", "b")].concat(),
        ),
        (
            "2.3.3: an index one beyond the tables",
            "an index that no header table has",
            [OK, KEPT, b"\xbe", b"\x40\x01c\x01d", b"\xc0"].concat(),
        ),
    ] {
        check(rule, &head(1, &block), &format!("broken: {words}"));
        let (front, back) = block.split_at(block.len() / 2);
        let parted = [
            frame(kind::HEADERS, END_STREAM, 1, front),
            frame(kind::CONTINUATION, END_HEADERS, 1, back),
        ];
        check(
            rule,
            &[good(3), parted.concat()].concat(),
            &format!("3: 200, 5 bytes; broken: {words}"),
        );
    }
}

/// The table belongs to the connection: a head is decoded though it is not needed.
#[test]
fn heads_that_nobody_needs_keep_the_tables_in_step() {
    let keeps = [OK, KEPT].concat();
    let interim = [&field(":status", "103")[..], KEPT].concat();
    for (rule, before) in [
        ("8.1: of trailers", [head(1, OK), last_head(1, KEPT)].concat()),
        ("8.1: of an interim answer", [head(1, &interim), last_head(1, OK)].concat()),
        (
            "4.3: in two parts",
            [
                frame(kind::HEADERS, END_STREAM, 1, &keeps[..3]),
                frame(kind::CONTINUATION, END_HEADERS, 1, &keeps[3..]),
            ]
            .concat(),
        ),
    ] {
        check(rule, &[before.clone(), last_head(3, b"\x88\xbe")].concat(), "1: 200; 3: 200");
        check(rule, &[before, last_head(3, b"\x88\xbf")].concat(), "1: 200; broken: an index");
    }
}
