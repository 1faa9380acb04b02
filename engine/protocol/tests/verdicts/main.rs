//! Verdicts on answers that are not the expected ones. Each answer runs whole, byte by byte, and
//! cut at each point, with an empty memory and with one that has learned: the messages are the
//! same.

mod calls;
mod content;
mod streams;

use sha2::{Digest, Sha256};
use std::sync::Arc;
use volley_protocol::{
    BodyRule, Decoder, End, Expectation, HeadCache, LengthRule, StatusRule, Step, Verdict,
};

const OK: StatusRule = StatusRule::Exactly(200);

fn anything() -> Expectation {
    Expectation::of_status(OK)
}

fn exactly(body: &str) -> Expectation {
    Expectation { body: BodyRule::Exactly(body.into()), ..anything() }
}

fn hash_of(body: &[u8]) -> Expectation {
    Expectation { body: BodyRule::Sha256(Sha256::digest(body).into()), ..anything() }
}

fn with_headers(headers: &[(&str, &str)]) -> Expectation {
    let headers = headers.iter().map(|&(name, value)| (name.into(), value.into())).collect();
    Expectation { headers, ..anything() }
}

/// The answer's verdict, and its message.
fn run(pieces: &[&[u8]], learned: &mut HeadCache) -> (Verdict, String) {
    let mut decoder = Decoder::default();
    for piece in pieces {
        match decoder.feed(piece, false, learned) {
            Step::Complete(answer) => {
                return (answer.verdict, decoder.describe(&answer, learned, piece));
            }
            step => assert_eq!(step, Step::Incomplete),
        }
    }
    match decoder.end(learned) {
        End::Complete(answer) => (answer.verdict, decoder.describe(&answer, learned, b"")),
        short @ End::Short(_) => panic!("{short:?}"),
    }
}

fn check(expectation: Expectation, bytes: &[u8], words: &str) {
    let expectation = Arc::new(expectation);
    let shown = String::from_utf8_lossy(bytes);
    let mut learned = HeadCache::new(expectation.clone());
    for round in ["full", "fast"] {
        let (verdict, got) = run(&[bytes], &mut learned);
        assert_eq!(got, words, "{round}, whole: {shown:?}");
        assert_eq!(verdict == Verdict::Right, words == "as expected");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(run(&single, &mut learned).1, words, "byte by byte, learned: {shown:?}");
    let mut learned = HeadCache::new(expectation.clone());
    assert_eq!(run(&single, &mut learned).1, words, "byte by byte: {shown:?}");
    for cut in 1..bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(run(&[head, tail], &mut learned).1, words, "cut at {cut}, learned: {shown:?}");
        let mut empty = HeadCache::new(expectation.clone());
        assert_eq!(run(&[head, tail], &mut empty).1, words, "cut at {cut}: {shown:?}");
    }
}

/// An answer with its length, in chunks, and until the end.
fn framed(body: &str) -> [String; 3] {
    let (start, end) = body.split_at(body.len() / 2);
    let chunk = |data: &str| match data.len() {
        0 => String::new(),
        length => format!("{length:x}\r\n{data}\r\n"),
    };
    let chunks = chunk(start) + &chunk(end) + "0\r\n\r\n";
    [
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}"),
        format!("HTTP/1.1 200 OK\r\n\r\n{body}"),
    ]
}

/// The trailers count for the verdict, as they do in HTTP/2.
#[test]
fn trailers() {
    let told = |name, value| with_headers(&[(name, value)]);
    for (expectation, trailers, words) in [
        (anything(), "", "as expected"),
        (anything(), "A: b\r\nGrpc-Status: 0\r\n", "as expected"),
        (anything(), "A: b\r\ngrpc-status: 14\r\n", r#"header grpc-status is "14", expected "0""#),
        (told("grpc-status", "5"), "grpc-status: 5\r\n", "as expected"),
        (told("a", "b"), "A: b\r\n", "as expected"),
        (
            told("a", "b c"),
            "X: y\r\n z\r\nA: b\r\n c\r\n",
            r#"header a is "b   c", expected "b c""#,
        ),
        (told("a", "b"), "A: c\r\nA: b\r\n", "as expected"),
        (told("a", "b"), "A: c\r\n", r#"header a is "c", expected "b""#),
        (told("a", "b"), "C: b\r\n", r#"header a is missing, expected "b""#),
        (told("server", "x"), "C: b\r\n", "as expected"),
    ] {
        let head = "HTTP/1.1 200 OK\r\nServer: x\r\nTransfer-Encoding: chunked\r\n\r\n";
        let answer = format!("{head}5\r\nhello\r\n0\r\n{trailers}\r\n");
        check(expectation, answer.as_bytes(), words);
    }
}

#[test]
fn a_body_differs_at_a_byte_or_in_length() {
    let differs = "body differs at byte 7: expected \"W\", got \"w\"";
    for (expected, got, words) in [
        ("Hello, World!", "Hello, World!", "as expected"),
        ("Hello, World!", "Hello, world?", differs),
        ("Hello, World!", "Hello, W", "body has 8 bytes, expected 13"),
        ("Hello, World!", "Hello, w", "body has 8 bytes, expected 13"),
        ("Hello", "Hello\r\n", "body has 7 bytes, expected 5"),
        ("", "x", "body has 1 bytes, expected 0"),
        ("", "", "as expected"),
        ("a\n", "a\0", "body differs at byte 1: expected 0x0a, got 0x00"),
        ("\"", "x", "body differs at byte 0: expected \"\\\"\", got \"x\""),
    ] {
        for answer in framed(got) {
            check(exactly(expected), answer.as_bytes(), words);
        }
    }
}

#[test]
fn a_body_has_another_length() {
    let (five, some) = (LengthRule::Exactly(5), LengthRule::Between(2, 5));
    for (length, body, words) in [
        (five, "12345", "as expected"),
        (five, "1234", "body has 4 bytes, expected 5"),
        (five, "", "body has 0 bytes, expected 5"),
        (some, "1", "body has 1 bytes, expected 2 to 5"),
        (some, "12", "as expected"),
        (some, "12345", "as expected"),
        (some, "123456", "body has 6 bytes, expected 2 to 5"),
    ] {
        for answer in framed(body) {
            check(Expectation { length: Some(length), ..anything() }, answer.as_bytes(), words);
        }
    }
}

#[test]
fn a_body_has_another_hash() {
    let hashes =
        |got: &str, expected: &str| format!("the body's SHA-256 is {got}, expected {expected}");
    let of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    for (expected, got, words) in [
        ("abc", "abc", "as expected".into()),
        ("", "", "as expected".into()),
        ("abc", "", hashes(of_nothing, of_abc)),
        ("", "abc", hashes(of_abc, of_nothing)),
    ] {
        for answer in framed(got) {
            check(hash_of(expected.as_bytes()), answer.as_bytes(), &words);
        }
    }
}

#[test]
fn a_remembered_body_does_not_hide_another() {
    let mut learned = HeadCache::new(Arc::new(hash_of(b"Hello, World!")));
    let wrong = ["Hello, world!", "Hello, World", "Hello, World!!", "hello, World!", ""];
    for round in 0..2 {
        for body in wrong.iter().chain(&["Hello, World!"]) {
            for answer in framed(body) {
                for size in [1, 5, answer.len()] {
                    let pieces: Vec<&[u8]> = answer.as_bytes().chunks(size).collect();
                    let right = match *body {
                        "Hello, World!" => Verdict::Right,
                        _ => Verdict::Body,
                    };
                    assert_eq!(
                        run(&pieces, &mut learned).0,
                        right,
                        "{round}: {answer:?} by {size}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_body_may_become_known_while_another_is_underway() {
    let mut learned = HeadCache::new(Arc::new(hash_of(b"Hello, World!")));
    let [answer, ..] = framed("Hello, World!");
    let (start, end) = answer.as_bytes().split_at(answer.len() - 5);
    let mut first = Decoder::default();
    assert_eq!(first.feed(start, false, &mut learned), Step::Incomplete);
    assert_eq!(run(&[start, end], &mut learned).0, Verdict::Right);
    let Step::Complete(answer) = first.feed(end, false, &mut learned) else { panic!() };
    assert_eq!(answer.verdict, Verdict::Right);
}

#[test]
fn a_header_is_missing_or_another() {
    let answer = |fields: &str| {
        format!("HTTP/1.1 200 OK\r\nX-Other: 1\r\n{fields}Content-Length: 1\r\n\r\nx")
    };
    let json = with_headers(&[("Content-Type", " application/json")]);
    for (fields, words) in [
        ("Content-Type: application/json\r\n", "as expected"),
        ("content-type:application/json \t\r\n", "as expected"),
        ("CONTENT-TYPE: text/plain\r\nContent-Type: application/json\r\n", "as expected"),
        ("", "header Content-Type is missing, expected \" application/json\""),
        (
            "Content-Type: application/JSON\r\n",
            "header Content-Type is \"application/JSON\", expected \" application/json\"",
        ),
        (
            "Content-Type: \r\nContent-Type: b\r\n",
            "header Content-Type is \"\", expected \" application/json\"",
        ),
        ("Content-Type: é\r\n", "header Content-Type is \"é\", expected \" application/json\""),
    ] {
        check(json.clone(), answer(fields).as_bytes(), words);
    }
    let several = with_headers(&[("X-Other", "1"), ("Server", "a"), ("Server", "b")]);
    let second = "header Server is \"a\", expected \"b\"";
    check(several.clone(), answer("Server: a\r\nServer: b\r\n").as_bytes(), "as expected");
    check(several, answer("Server: a\r\n").as_bytes(), second);
}

#[test]
fn a_long_value_is_shown_in_part() {
    let answer = format!("HTTP/1.1 204 No\r\nA: {}\r\n\r\n", "x".repeat(300));
    let expectation = Expectation { status: StatusRule::Below(300), ..with_headers(&[("A", "y")]) };
    let words = format!("header A is \"{}\", expected \"y\"", "x".repeat(200));
    check(expectation, answer.as_bytes(), &words);
}

#[test]
fn headers_of_interim_answers_do_not_count() {
    let expectation = with_headers(&[("A", "b")]);
    let last = "HTTP/1.1 200 OK\r\nA: c\r\nContent-Length: 0\r\n\r\n";
    let answer = format!("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n{last}");
    check(expectation, answer.as_bytes(), "header A is \"c\", expected \"b\"");
}

#[test]
fn an_expected_date_is_held_against_each_answer() {
    let date = |second| format!("Sat, 21 Nov 2026 20:55:1{second} GMT");
    let mut learned = HeadCache::new(Arc::new(with_headers(&[("Date", &date(8))])));
    for (second, right) in [(8, true), (9, false), (8, true)] {
        let answer =
            format!("HTTP/1.1 200 OK\r\nDate: {}\r\nContent-Length: 0\r\n\r\n", date(second));
        let expected = if right { Verdict::Right } else { Verdict::Header };
        assert_eq!(run(&[answer.as_bytes()], &mut learned).0, expected);
    }
}

/// RFC 9110, section 15.
#[test]
fn what_is_no_status_is_wrong() {
    let below = |limit| Expectation::of_status(StatusRule::Below(limit));
    for (status, shown) in
        [("599", "599"), ("600", "600"), ("999", "999"), ("099", "99"), ("000", "0")]
    {
        let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n");
        let words = format!("status is {shown}, expected one below 400");
        check(below(400), answer.as_bytes(), &words);
        streams::check_status(&below(400), status, &words);
        let is_one = status == "599";
        let words = format!("status is {shown}, expected one below 1000");
        check(below(1000), answer.as_bytes(), if is_one { "as expected" } else { &words });
    }
    streams::check_status(&below(400), "399", "as expected");
}

#[test]
fn a_folded_value_is_on_one_line() {
    let folded = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: b\r\n\tc\r\n\r\n";
    check(with_headers(&[("A", "b  \tc")]), folded, "as expected");
    let words = "header A is \"b  \\tc\", expected \"b\"";
    check(with_headers(&[("A", "b")]), folded, words);
    // A body that begins with a space does not continue the last value.
    let words = "header A is \"c\", expected \"b\"";
    check(with_headers(&[("A", "b")]), b"HTTP/1.1 200 OK\r\nA: c\r\n\r\n x", words);
}

#[test]
fn status_goes_before_header_before_length_before_body() {
    let expectation = || Expectation {
        length: Some(LengthRule::Exactly(3)),
        body: BodyRule::Exactly(b"abc".to_vec()),
        ..with_headers(&[("A", "b")])
    };
    for (answer, words) in [
        ("HTTP/1.1 503 Oh\r\nContent-Length: 4\r\n\r\nabcd", "status is 503, expected 200"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabxd", "header A is missing, expected \"b\""),
        (
            "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 4\r\n\r\nabxd",
            "body has 4 bytes, expected 3",
        ),
        (
            "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 3\r\n\r\nabx",
            "body differs at byte 2: expected \"c\", got \"x\"",
        ),
        ("HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 3\r\n\r\nabc", "as expected"),
    ] {
        check(expectation(), answer.as_bytes(), words);
    }
    let below = Expectation::of_status(StatusRule::Below(400));
    let answer = |status| format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n");
    check(below.clone(), answer(304).as_bytes(), "as expected");
    check(below, answer(404).as_bytes(), "status is 404, expected one below 400");
}

#[test]
fn an_answer_to_head_is_not_one_to_get() {
    let mut learned = HeadCache::new(Arc::new(anything()));
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    for _ in 0..2 {
        for (to_head, complete) in [(true, true), (false, false)] {
            let step = Decoder::default().feed(head, to_head, &mut learned);
            assert_eq!(matches!(step, Step::Complete(_)), complete, "to HEAD: {to_head}");
        }
    }
}

#[test]
fn long_bodies_are_checked_as_they_stream_by() {
    let body: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
    let mut answer =
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    let head = answer.len();
    answer.extend_from_slice(&body);
    let mut wrong = answer.clone();
    wrong[head + 200_000] = b'x';
    let differs = "body differs at byte 200000: expected 0xcc, got \"x\"";
    for (expectation, words) in [
        (hash_of(&body), "the body's SHA-256 is "),
        (Expectation { body: BodyRule::Exactly(body), ..anything() }, differs),
    ] {
        let mut learned = HeadCache::new(Arc::new(expectation));
        for (bytes, words) in [(&answer, "as expected"), (&wrong, words)].repeat(2) {
            let pieces: Vec<&[u8]> = bytes.chunks(4096).collect();
            let (_, got) = run(&pieces, &mut learned);
            assert!(got.starts_with(words), "{got}");
        }
    }
}

/// A whole body may be counted if nothing in it can make the answer wrong any more.
#[test]
fn what_no_rule_looks_at_may_be_counted() {
    let between = |least, most| Some(LengthRule::Between(least, most));
    let typed = with_headers(&[("content-type", "text/plain")]);
    for (expectation, unread) in [
        (anything(), 95_000),
        (Expectation { length: between(1, 100_000), ..anything() }, 95_000),
        (Expectation { length: between(1, 99_999), ..anything() }, 0),
        (Expectation::of_status(StatusRule::Exactly(404)), 0),
        (typed, 0),
        (exactly("x"), 0),
        (hash_of(b"x"), 0),
    ] {
        let mut learned = HeadCache::new(Arc::new(expectation.clone()));
        for _ in 0..2 {
            let mut decoder = Decoder::default();
            let head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
            assert_eq!(decoder.unread(&expectation), 0);
            let fed = decoder.feed(&[head, &[b'x'; 5000][..]].concat(), false, &mut learned);
            assert_eq!((fed, decoder.unread(&expectation)), (Step::Incomplete, unread));
            if unread > 0 {
                assert_eq!(decoder.count(unread - 1, &mut learned), Step::Incomplete);
                assert_eq!(decoder.unread(&expectation), 1);
                let Step::Complete(answer) = decoder.count(1, &mut learned) else { panic!() };
                let (length, verdict) = (answer.body_length, answer.verdict);
                assert_eq!((length, answer.consumed, verdict), (100_000, 0, Verdict::Right));
            }
        }
    }
    let mut learned = HeadCache::new(Arc::new(anything()));
    for framing in ["Transfer-Encoding: chunked\r\n\r\nffff\r\n", "\r\n"] {
        let mut decoder = Decoder::default();
        let fed =
            decoder.feed(format!("HTTP/1.1 200 OK\r\n{framing}").as_bytes(), false, &mut learned);
        assert_eq!((fed, decoder.unread(&anything())), (Step::Incomplete, 0), "{framing:?}");
    }
}
