//! The same answers over HTTP/2.

use std::sync::Arc;
use volley_protocol::h2::frame::{self, flag, kind};
use volley_protocol::{Awaited, Expectation, Http2, Protocol, Request, Step};

/// An answer with this body and status 200 is described in these words: whole, byte by byte, and cut
/// at each point.
pub(crate) fn check(expectation: &Expectation, body: &str, words: &str) {
    let mut bytes = Vec::new();
    frame::write_settings(&mut bytes, &[]);
    frame::write(&mut bytes, kind::HEADERS, flag::END_HEADERS, 1, b"\x88");
    let (start, end) = body.as_bytes().split_at(body.len() / 2);
    frame::write(&mut bytes, kind::DATA, 0, 1, start);
    frame::write(&mut bytes, kind::DATA, flag::END_STREAM, 1, end);
    assert_eq!(run(&[&bytes], expectation), words, "whole: {body:?}");
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(run(&single, expectation), words, "byte by byte: {body:?}");
    for cut in 1..bytes.len() {
        let (front, back) = bytes.split_at(cut);
        assert_eq!(run(&[front, back], expectation), words, "cut at {cut}: {body:?}");
    }
}

/// The same of an answer with this status and no body.
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
        match client.receive(piece, awaited, &mut shared, &mut out) {
            Some(Step::Complete(answer)) => {
                return client.describe(&answer, awaited(1), &shared, piece);
            }
            step => assert_eq!(step, Some(Step::Incomplete)),
        }
    }
    panic!("the answer is not complete")
}
