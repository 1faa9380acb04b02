//! Every answer that a server may give, in one table. Each runs whole, byte by byte, and cut at
//! each point, with an empty and with a learned fast path: the outcome has to be the same.

mod chunked;

use std::sync::Arc;
use volley_protocol::{Answer, Decoder, End, Expectation, HeadCache, StatusRule, Step};

/// The result of a case. Bodies are identified by their length, and compared if one is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    /// Complete: status, body length, whether the connection is kept, bytes left over.
    Complete(u16, u64, bool, usize),
    /// Complete at the end of the connection.
    AtEnd(u16, u64),
    /// Incomplete; at the end of the connection it is short.
    Short,
    /// Not HTTP: the offset of the first wrong byte.
    Malformed(u64),
}
use Outcome::{AtEnd, Complete, Malformed, Short};

/// Any answer will do.
fn anything() -> HeadCache {
    HeadCache::new(Arc::new(Expectation::of_status(StatusRule::Below(600))))
}

fn run(pieces: &[&[u8]], to_head: bool, learned: &mut HeadCache) -> Outcome {
    let mut decoder = Decoder::default();
    let mut rest: usize = pieces.iter().map(|piece| piece.len()).sum();
    for piece in pieces {
        rest -= piece.len();
        match decoder.feed(piece, to_head, learned) {
            Step::Incomplete => {}
            Step::Malformed(bad) => return Malformed(bad.at),
            Step::Refused { .. } | Step::Lost(_) => panic!("HTTP/1 has no refusals"),
            Step::Complete(Answer { consumed, status, body_length, keep_alive, .. }) => {
                let left = rest + piece.len() - consumed;
                return Complete(status, body_length, keep_alive, left);
            }
        }
    }
    match decoder.end(learned) {
        End::Complete(answer) => AtEnd(answer.status, answer.body_length),
        End::Short(_) => Short,
    }
}

fn check(bytes: &[u8], to_head: bool, expected: &Outcome) {
    let mut learned = anything();
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    // The first run teaches the fast path, the second may take it.
    for round in ["full", "fast"] {
        assert_eq!(&run(&[bytes], to_head, &mut learned), expected, "{round}, whole: {shown:?}");
    }
    if bytes.len() > 2000 {
        return;
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(&run(&single, to_head, &mut learned), expected, "byte by byte: {shown:?}");
    for cut in 1..bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        let outcome = run(&[head, tail], to_head, &mut learned);
        assert_eq!(&outcome, expected, "cut at {cut}: {shown:?}");
    }
}

#[test]
fn lengths() {
    let cases: &[(&str, Outcome)] = &[
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", Complete(200, 2, true, 0)),
        ("HTTP/1.1 200 OK\r\ncontent-length:2\r\n\r\nhi", Complete(200, 2, true, 0)),
        ("HTTP/1.1 200 OK\r\nContent-Length: \t 2 \t\r\n\r\nhi", Complete(200, 2, true, 0)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Complete(200, 0, true, 0)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0002\r\n\r\nhi", Complete(200, 2, true, 0)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi!!", Complete(200, 2, true, 2)),
        ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", Complete(200, 0, true, 0)),
        ("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", Complete(200, 0, true, 0)),
        ("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", Complete(200, 2, true, 0)),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nx", Complete(404, 1, true, 0)),
        (
            "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 20:55:18 GMT\r\nContent-Length: 1\r\n\r\nx",
            Complete(200, 1, true, 0),
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh", Short),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", Short),
        ("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nx", Short),
        ("H", Short),
        ("", Short),
    ];
    for (text, outcome) in cases {
        check(text.as_bytes(), false, outcome);
    }
}

#[test]
fn wrong_lengths() {
    // 33 bytes come before the value.
    for value in
        ["", "x", "+2", "-2", "2,2", "2, 2", "2 2", "0x2", "2.0", "1_0", "18446744073709551616"]
    {
        let text = format!("HTTP/1.1 200 OK\r\nContent-Length: {value}\r\n\r\nhi");
        let at = if value.is_empty() { None } else { Some(33) };
        match run(&[text.as_bytes()], false, &mut anything()) {
            Malformed(found) => assert!(at.is_none_or(|at| at == found), "{value:?} at {found}"),
            other => panic!("{value:?} gave {other:?}"),
        }
    }
    for second in ["2", "3"] {
        let text =
            format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: {second}\r\n\r\nhi");
        check(text.as_bytes(), false, &Malformed(52));
    }
    let both =
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    check(both.as_bytes(), false, &Malformed(55));
}

#[test]
fn connections() {
    let with = |version: &str, fields: &str| {
        format!("HTTP/1.{version} 200 OK\r\n{fields}Content-Length: 1\r\n\r\nx")
    };
    for (version, fields, kept) in [
        ("1", "", true),
        ("1", "Connection: close\r\n", false),
        ("1", "connection: CLOSE\r\n", false),
        ("1", "Connection: foo, close\r\n", false),
        ("1", "Connection: foo\r\nConnection: close\r\n", false),
        ("1", "Connection: keep-alive\r\n", true),
        ("1", "Connection: closed\r\n", true),
        ("0", "", false),
        ("0", "Connection: keep-alive\r\n", true),
        ("0", "Connection: Keep-Alive, close\r\n", false),
    ] {
        check(with(version, fields).as_bytes(), false, &Complete(200, 1, kept, 0));
    }
}

#[test]
fn codings() {
    let with = |version: &str, coding: &str| {
        format!("HTTP/1.{version} 200 OK\r\nTransfer-Encoding: {coding}\r\n\r\n0\r\n\r\n")
    };
    for (version, coding, outcome) in [
        ("1", "Chunked", Complete(200, 0, true, 0)),
        ("1", "gzip, chunked", Complete(200, 0, true, 0)),
        ("1", "chunked, gzip", AtEnd(200, 5)),
        ("1", "xchunked", AtEnd(200, 5)),
        ("1", "chunked,", Complete(200, 0, true, 0)),
        ("1", " , chunked , ", Complete(200, 0, true, 0)),
        ("1", "gzip;q=1 , chunked", Complete(200, 0, true, 0)),
        ("1", "chunked, chunked", Malformed(36)),
        ("1", "chunked, gzip, chunked", Malformed(36)),
        ("1", "chunked\r\nTransfer-Encoding: chunked", Malformed(64)),
        ("1", "chunked\r\nTransfer-Encoding: gzip", AtEnd(200, 5)),
        ("1", "gzip\r\nTransfer-Encoding: chunked", Complete(200, 0, true, 0)),
        ("1", "chunked;a=b", Malformed(36)),
        ("1", "chunked ;", Malformed(36)),
        ("0", "chunked", Malformed(0)),
    ] {
        check(with(version, coding).as_bytes(), false, &outcome);
    }
}

/// RFC 9112, section 5.2: a space stands for the line break.
#[test]
fn folded_fields() {
    let with = |fields: &str| format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\nhi");
    for (fields, outcome) in [
        ("Content-Length:\r\n 2", Complete(200, 2, true, 0)),
        ("Content-Length:\r\n\t2\r\n \r\nA: b", Complete(200, 2, true, 0)),
        ("A: b\n folded\nContent-Length: 2", Complete(200, 2, true, 0)),
        ("Content-Length: 2\r\nConnection: a,\r\n close", Complete(200, 2, false, 0)),
        ("Content-Length: 2\r\nDate: Sat,\r\n 21 Nov 2026 20:55:18 GMT", Complete(200, 2, true, 0)),
        ("Transfer-Encoding: gzip,\r\n chunked", Malformed(55)),
        ("Content-Length: 2\r\n 2", Malformed(33)),
        (" A: b\r\nContent-Length: 2", Malformed(17)),
        ("Content-Length: 2\r\nA: b\r\r\n c", Malformed(41)),
        ("Content-Length: 2\r\nA: b\r\n \0", Malformed(43)),
    ] {
        check(with(fields).as_bytes(), false, &outcome);
    }
    let folded = "HTTP/1.1 100 A\r\nB: c\r\n d\r\n\r\nHTTP/1.1 204 X\r\nE: f\r\n g\r\n\r\n";
    check(folded.as_bytes(), false, &Complete(204, 0, true, 0));
}

#[test]
fn bodies_until_the_end() {
    for (text, outcome) in [
        ("HTTP/1.1 200 OK\r\n\r\nall of it", AtEnd(200, 9)),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nx", AtEnd(200, 1)),
        ("HTTP/1.1 200 OK\r\n\r\n", AtEnd(200, 0)),
    ] {
        check(text.as_bytes(), false, &outcome);
    }
}

#[test]
fn answers_without_a_body() {
    for status in [204, 304] {
        let text = format!("HTTP/1.1 {status} X\r\nContent-Length: 9\r\n\r\n");
        check(text.as_bytes(), false, &Complete(status, 0, true, 0));
        let text = format!("HTTP/1.1 {status} X\r\n\r\n");
        check(text.as_bytes(), false, &Complete(status, 0, true, 0));
    }
    for fields in ["Content-Length: 9\r\n", "Transfer-Encoding: chunked\r\n", ""] {
        let text = format!("HTTP/1.1 200 OK\r\n{fields}\r\n");
        check(text.as_bytes(), true, &Complete(200, 0, true, 0));
    }
}

/// RFC 9110, section 15: they are read as those of a server's error are.
#[test]
fn statuses_that_there_are_not() {
    for status in ["600", "700", "999", "099", "000", "050"] {
        let text = format!("HTTP/1.1 {status} X\r\nContent-Length: 2\r\n\r\nhi");
        check(text.as_bytes(), false, &Complete(status.parse().unwrap(), 2, true, 0));
    }
}

#[test]
fn interim_answers() {
    let last = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    for (interim, outcome) in [
        ("HTTP/1.1 100 Continue\r\n\r\n", Complete(200, 2, true, 0)),
        ("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", Complete(200, 2, true, 0)),
        ("HTTP/1.1 100 A\r\n\r\nHTTP/1.1 102 B\r\nX: y\r\n\r\n", Complete(200, 2, true, 0)),
        ("HTTP/1.1 100 A\r\n\r\nX", Malformed(18)),
        ("HTTP/1.1 101 Switching\r\n\r\n", Malformed(0)),
        ("HTTP/1.1 100 A\r\n\r\nHTTP/1.1 101 B\r\n\r\n", Malformed(18)),
    ] {
        check(format!("{interim}{last}").as_bytes(), false, &outcome);
    }
    check(b"HTTP/1.1 100 Continue\r\n\r\n", false, &Short);
    let many = "HTTP/1.1 100 Continue\r\n\r\n".repeat(4000);
    check(many.as_bytes(), false, &Malformed(64 * 1024));
}

#[test]
fn what_is_no_answer() {
    for (text, at) in [
        ("GET / HTTP/1.1\r\n\r\n", 0),
        ("\r\nHTTP/1.1 200 OK\r\n\r\n", 0),
        ("HTTP/2 200\r\n\r\n", 5),
        ("HTTP/1.2 200 OK\r\n\r\n", 7),
        ("HTTP/1.1  200 OK\r\n\r\n", 9),
        ("HTTP/1.1 20 OK\r\n\r\n", 11),
        ("HTTP/1.1 2000 OK\r\n\r\n", 12),
        ("HTTP/1.1 abc OK\r\n\r\n", 9),
        ("HTTP/1.1 200 OK\r\nNo colon\r\n\r\n", 19),
        ("HTTP/1.1 200 OK\r\nSpace : x\r\n\r\n", 22),
        ("HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", 20),
    ] {
        check(text.as_bytes(), false, &Malformed(at));
    }
}

#[test]
fn heads_are_bounded() {
    let head = |length: usize| {
        let (start, end) = ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: ", "\r\n\r\n");
        format!("{start}{}{end}", "x".repeat(length - start.len() - end.len()))
    };
    check(head(64 * 1024).as_bytes(), false, &Complete(200, 0, true, 0));
    check(head(64 * 1024 + 1).as_bytes(), false, &Malformed(64 * 1024));
    let endless = format!("HTTP/1.1 200 OK\r\nA: {}", "x".repeat(70_000));
    check(endless.as_bytes(), false, &Malformed(64 * 1024));
    let fields = |count| format!("HTTP/1.1 204 X\r\n{}\r\n", "A: b\r\n".repeat(count));
    check(fields(128).as_bytes(), false, &Complete(204, 0, true, 0));
    let outcome = run(&[fields(129).as_bytes()], false, &mut anything());
    assert!(matches!(outcome, Malformed(_)), "{outcome:?}");
}

#[test]
fn evidence_is_what_came() {
    let text = b"HTTP/1.1 500 Oh\r\nContent-Length: 4\r\n\r\nbody";
    for size in 1..=text.len() {
        let (mut decoder, mut learned) = (Decoder::default(), anything());
        for piece in text.chunks(size) {
            match decoder.feed(piece, false, &mut learned) {
                Step::Complete(_) => assert_eq!(decoder.evidence(piece), text, "by {size}"),
                step => assert_eq!(step, Step::Incomplete),
            }
        }
    }
    let garbage = b"HTTP/1.1 200 OK\r\nno\r\n\r\n";
    for size in 1..=garbage.len() {
        let (mut decoder, mut learned) = (Decoder::default(), anything());
        for piece in garbage.chunks(size) {
            if let Step::Malformed(_) = decoder.feed(piece, false, &mut learned) {
                assert_eq!(decoder.evidence(piece), garbage, "by {size}");
            }
        }
    }
}
