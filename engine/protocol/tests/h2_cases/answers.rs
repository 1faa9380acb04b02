//! Right answers in all their forms; and invalid framing.

use crate::world::{
    END_HEADERS, END_STREAM, OK, check, data, field, frame, good, head, last_data, last_head, with,
};
use volley_protocol::h2::frame::{flag, kind};

const PADDED: u8 = flag::PADDED;

#[test]
fn right_answers() {
    let pairs: Vec<Vec<u8>> = (0..40).map(|_| data(1, b"ab")).collect();
    let cases: &[(&str, Vec<u8>, &str)] = &[
        ("8.1: a head and a body", good(1), "1: 200, 5 bytes"),
        ("8.1: no body", last_head(1, OK), "1: 200"),
        ("8.1: an empty body", [head(1, OK), last_data(1, b"")].concat(), "1: 200"),
        (
            "8.1: an empty frame at the end",
            [head(1, OK), data(1, b"hello"), last_data(1, b"")].concat(),
            "1: 200, 5 bytes",
        ),
        (
            "8.1: in many pieces",
            [head(1, OK), pairs.concat(), last_data(1, b"")].concat(),
            "1: 200, 80 bytes",
        ),
        (
            "8.1.1: a length that is right",
            [head(1, &with("content-length", "5")), last_data(1, b"hello")].concat(),
            "1: 200, 5 bytes",
        ),
        (
            "4.2: the largest frame",
            [head(1, OK), last_data(1, &vec![b'x'; 16_384])].concat(),
            "1: 200, 16384 bytes",
        ),
        (
            "5: answers in any order",
            [good(3), good(1)].concat(),
            "3: 200, 5 bytes; 1: 200, 5 bytes",
        ),
        (
            "5: answers in turn",
            [
                head(3, OK),
                head(1, OK),
                data(3, b"a"),
                data(1, b"bc"),
                last_data(3, b""),
                last_data(1, b"d"),
            ]
            .concat(),
            "3: 200, 1 bytes; 1: 200, 3 bytes",
        ),
        (
            "6.1: padding",
            [head(1, OK), frame(kind::DATA, PADDED | END_STREAM, 1, b"\x03hello\0\0\0")].concat(),
            "1: 200, 5 bytes",
        ),
        (
            "6.1: nothing but padding",
            [head(1, OK), frame(kind::DATA, PADDED, 1, b"\x02\0\0"), last_data(1, b"hello")]
                .concat(),
            "1: 200, 5 bytes",
        ),
        (
            "6.1: padding of no length",
            [head(1, OK), frame(kind::DATA, PADDED | END_STREAM, 1, b"\0hello")].concat(),
            "1: 200, 5 bytes",
        ),
        (
            "6.1: padding is no part of a length",
            [
                head(1, &with("content-length", "5")),
                frame(kind::DATA, PADDED | END_STREAM, 1, b"\x03hello\0\0\0"),
            ]
            .concat(),
            "1: 200, 5 bytes",
        ),
        (
            "6.2: a padded head",
            frame(kind::HEADERS, PADDED | END_HEADERS | END_STREAM, 1, b"\x02\x88\0\0"),
            "1: 200",
        ),
        (
            "6.2: a head with advice",
            frame(
                kind::HEADERS,
                flag::PRIORITY | END_HEADERS | END_STREAM,
                1,
                b"\0\0\0\x03\x10\x88",
            ),
            "1: 200",
        ),
        (
            "6.2: a padded head with advice",
            frame(
                kind::HEADERS,
                flag::PRIORITY | PADDED | END_HEADERS | END_STREAM,
                1,
                b"\x01\0\0\0\x03\x10\x88\0",
            ),
            "1: 200",
        ),
        (
            "6.10: a head that goes on",
            [
                frame(kind::HEADERS, END_STREAM, 1, b""),
                frame(kind::CONTINUATION, 0, 1, OK),
                frame(kind::CONTINUATION, 0, 1, b""),
                frame(kind::CONTINUATION, END_HEADERS, 1, &field("a", "b")),
            ]
            .concat(),
            "1: 200",
        ),
        (
            "6.10: a field that goes on",
            [
                frame(kind::HEADERS, END_STREAM, 1, b"\x88\0\x01"),
                frame(kind::CONTINUATION, END_HEADERS, 1, b"a\x01b"),
            ]
            .concat(),
            "1: 200",
        ),
        (
            "8.1: trailers",
            [head(1, OK), data(1, b"hello"), last_head(1, &field("a", "b"))].concat(),
            "1: 200, 5 bytes",
        ),
        (
            "8.1: trailers behind no body",
            [head(1, OK), last_head(1, &field("a", "b"))].concat(),
            "1: 200",
        ),
        (
            "8.1: trailers that go on",
            [
                head(1, OK),
                data(1, b"a"),
                frame(kind::HEADERS, END_STREAM, 1, b""),
                frame(kind::CONTINUATION, END_HEADERS, 1, &field("a", "b")),
            ]
            .concat(),
            "1: 200, 1 bytes",
        ),
        (
            "8.1: an interim answer",
            [head(1, &field(":status", "103")), good(1)].concat(),
            "1: 200, 5 bytes",
        ),
        (
            "8.1: interim answers",
            [head(1, &field(":status", "100")), head(1, &field(":status", "103")), good(1)]
                .concat(),
            "1: 200, 5 bytes",
        ),
        (
            "8.1.1: a HEAD's answer has a length and no body",
            last_head(5, &with("content-length", "5")),
            "5: 200",
        ),
        ("8.1.1: 204 has no body", last_head(1, b"\x89"), "1: 204"),
        (
            "8.1.1: 304 has a length and no body",
            last_head(1, &[b"\x8b", &field("content-length", "5")[..]].concat()),
            "1: 304",
        ),
        ("8.3.2: another status", last_head(1, b"\x8d"), "1: 404"),
        (
            "4.1: flags that nobody knows",
            [
                frame(kind::HEADERS, END_HEADERS | 0x90, 1, OK),
                frame(kind::DATA, END_STREAM | 0xf6, 1, b"hello"),
            ]
            .concat(),
            "1: 200, 5 bytes",
        ),
        (
            "4.1: the reserved bit",
            [frame(kind::HEADERS, END_HEADERS, 1 | 1 << 31, OK), last_data(1 | 1 << 31, b"hello")]
                .concat(),
            "1: 200, 5 bytes",
        ),
    ];
    for (rule, bytes, expected) in cases {
        check(rule, bytes, expected);
        // In every form, the connection goes on.
        let then = if expected.contains("3: ") { "" } else { "; 3: 200, 5 bytes" };
        let more = if then.is_empty() { vec![] } else { good(3) };
        check(rule, &[bytes.clone(), more].concat(), &format!("{expected}{then}"));
    }
}

#[test]
fn answers_out_of_order_or_without_an_end() {
    let trailers = field("a", "b");
    for (rule, bytes, expected) in [
        (
            "8.1: a body without a head",
            data(1, b"hello"),
            "broken: DATA before the head of its answer",
        ),
        (
            "8.1: the end without a head",
            last_data(1, b""),
            "broken: DATA before the head of its answer",
        ),
        (
            "8.1: trailers that are not the end",
            [head(1, OK), data(1, b"a"), head(1, &trailers)].concat(),
            "broken: a second head that does not end its stream",
        ),
        (
            "8.1: two heads",
            [head(1, OK), head(1, OK)].concat(),
            "broken: a second head that does not end its stream",
        ),
        (
            "8.1: an interim answer that is the end",
            last_head(1, &field(":status", "103")),
            "broken: an interim answer that ends its stream",
        ),
        (
            "8.1: a body behind an interim answer",
            [head(1, &field(":status", "103")), data(1, b"a")].concat(),
            "broken: DATA before the head of its answer",
        ),
        (
            "8.6: 101 is not of HTTP/2",
            head(1, &field(":status", "101")),
            "broken: the status is 101, which HTTP/2 does not have",
        ),
        ("8.1: an answer that has a head and no end", [head(1, OK), data(1, b"hel")].concat(), ""),
        (
            "8.1: half of one, and a whole one",
            [head(1, OK), data(1, b"hel"), good(3)].concat(),
            "3: 200, 5 bytes",
        ),
        (
            "5.1: a body behind the end",
            [good(1), data(1, b"a")].concat(),
            "1: 200, 5 bytes; broken: DATA on a stream that is over",
        ),
        (
            "5.1: a head behind the end",
            [good(1), head(1, OK)].concat(),
            "1: 200, 5 bytes; broken: HEADERS on a stream that is over",
        ),
        (
            "5.1: a second answer",
            [good(1), good(1)].concat(),
            "1: 200, 5 bytes; broken: HEADERS on a stream that is over",
        ),
        (
            "8.1.1: more than its length",
            [head(1, &with("content-length", "4")), data(1, b"hello")].concat(),
            "broken: more DATA than the head of the answer allows",
        ),
        (
            "8.1.1: less than its length",
            [head(1, &with("content-length", "6")), last_data(1, b"hello")].concat(),
            "broken: less DATA than content-length says",
        ),
        (
            "8.1.1: a length and no body",
            last_head(1, &with("content-length", "6")),
            "broken: less DATA than content-length says",
        ),
        (
            "8.1.1: less than its length, with trailers",
            [head(1, &with("content-length", "6")), data(1, b"hello"), last_head(1, &trailers)]
                .concat(),
            "broken: less DATA than content-length says",
        ),
        (
            "8.1.1: a HEAD's answer with a body",
            [head(5, OK), last_data(5, b"hello")].concat(),
            "broken: more DATA than the head of the answer allows",
        ),
        (
            "8.1.1: 204 with a body",
            [head(1, b"\x89"), last_data(1, b"hello")].concat(),
            "broken: more DATA than the head of the answer allows",
        ),
        (
            "8.1.1: 304 with a body",
            [head(1, b"\x8b"), last_data(1, b"hello")].concat(),
            "broken: more DATA than the head of the answer allows",
        ),
    ] {
        check(rule, &bytes, expected);
    }
}
