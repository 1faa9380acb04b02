//! The same answers over HTTP/2.

use std::sync::Arc;
use volley_protocol::h2::frame::{self, flag, kind};
use volley_protocol::{Awaited, Expectation, Http2, Io, Protocol, Request, Step};

/// The trailers count for the verdict, and a call that failed is wrong whatever was expected of its
/// headers, with a body and without one.
#[test]
fn trailers() {
    let anything = super::anything();
    let told = |name, value| super::with_headers(&[(name, value)]);
    for (expectation, trailers, words) in [
        (&anything, &[("a", "b")][..], "as expected"),
        (&anything, &[("grpc-status", "0")], "as expected"),
        (&anything, &[("grpc-status", "14")], r#"header grpc-status is "14", expected "0""#),
        (
            &anything,
            &[("a", "b"), ("grpc-status", "")],
            r#"header grpc-status is "", expected "0""#,
        ),
        (&told("grpc-status", "5"), &[("grpc-status", "5")], "as expected"),
        (&told("a", "b"), &[("a", "b"), ("grpc-status", "0")], "as expected"),
        (&told("a", "b"), &[("a", "c")], r#"header a is "c", expected "b""#),
        (&told("a", "b"), &[("c", "b")], r#"header a is missing, expected "b""#),
    ] {
        let fields: Vec<u8> =
            trailers.iter().flat_map(|(name, value)| field(name, value)).collect();
        let ends = flag::END_HEADERS | flag::END_STREAM;
        for body in [None, Some(b"hello")] {
            let mut bytes = Vec::new();
            frame::write_settings(&mut bytes, &[]);
            frame::write(&mut bytes, kind::HEADERS, flag::END_HEADERS, 1, b"\x88");
            if let Some(body) = body {
                frame::write(&mut bytes, kind::DATA, 0, 1, body);
            }
            frame::write(&mut bytes, kind::HEADERS, ends, 1, &fields);
            check_whole_and_cut(expectation, &bytes, words);
        }
        let mut bytes = Vec::new();
        frame::write_settings(&mut bytes, &[]);
        let head = [&b"\x88"[..], &fields].concat();
        frame::write(&mut bytes, kind::HEADERS, ends, 1, &head);
        check_whole_and_cut(expectation, &bytes, words);
    }
}

/// A field as a literal that no table takes in.
pub(crate) fn field(name: &str, value: &str) -> Vec<u8> {
    let [name_length, value_length] = [name, value].map(|text| u8::try_from(text.len()).unwrap());
    [&[0, name_length], name.as_bytes(), &[value_length], value.as_bytes()].concat()
}

/// Expects these words about an answer with this body and status 200: whole, byte by byte, and cut
/// at each point.
pub(crate) fn check(expectation: &Expectation, body: &str, words: &str) {
    let mut bytes = Vec::new();
    frame::write_settings(&mut bytes, &[]);
    frame::write(&mut bytes, kind::HEADERS, flag::END_HEADERS, 1, b"\x88");
    let (start, end) = body.as_bytes().split_at(body.len() / 2);
    frame::write(&mut bytes, kind::DATA, 0, 1, start);
    frame::write(&mut bytes, kind::DATA, flag::END_STREAM, 1, end);
    check_whole_and_cut(expectation, &bytes, words);
}

pub(crate) fn check_whole_and_cut(expectation: &Expectation, bytes: &[u8], words: &str) {
    assert_eq!(run(&[bytes], expectation), words, "whole");
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(run(&single, expectation), words, "byte by byte");
    for cut in 1..bytes.len() {
        let (front, back) = bytes.split_at(cut);
        assert_eq!(run(&[front, back], expectation), words, "cut at {cut}");
    }
}

/// The same for an answer with this status and no body.
pub(crate) fn check_status(expectation: &Expectation, status: &str, words: &str) {
    let mut bytes = Vec::new();
    frame::write_settings(&mut bytes, &[]);
    // `:status` by its index, and the value as it is.
    let block = [b"\x08\x03", status.as_bytes()].concat();
    frame::write(&mut bytes, kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, 1, &block);
    assert_eq!(run(&[&bytes], expectation), words, "{status}");
}

fn run(pieces: &[&[u8]], expectation: &Expectation) -> String {
    let (method, path, host) = ("GET".into(), "/".into(), "localhost".into());
    let request = Arc::new(Request { method, path, host, ..Request::default() });
    let mut shared = Http2::<u32>::shared(&[Arc::new(expectation.clone())], &[request]);
    let (mut client, mut out) = (Http2::<u32>::default(), Vec::new());
    client.greet(&mut shared, &mut out);
    client.write(1, 0, &mut shared, &mut out);
    let awaited = |_| Awaited { expectation: 0, to_head: false };
    for piece in pieces {
        match client.receive(piece, awaited, &mut shared, &mut Io { now_ns: 1, out: &mut out }) {
            Some(Step::Complete(answer)) => {
                return client.describe(&answer, awaited(1), &shared, piece);
            }
            step => assert_eq!(step, Some(Step::Incomplete)),
        }
    }
    panic!("the answer is not complete")
}
