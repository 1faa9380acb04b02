//! Any bytes of an HTTP/2 server, after its SETTINGS. The first byte chooses how they are cut, the
//! second which answers are right and whether the bytes are used as frames unchanged. If not, each
//! piece of them becomes a frame with the right length: kind, flags, stream, length, payload.
//!
//! Cuts must change nothing: neither the outcomes of the requests, down to the messages about
//! errors, nor the bytes for the server. Nor may it matter whether a head and a body are known:
//! each request may have its own expectation, under which none is. No more may be sent or kept than
//! was requested.
#![no_main]

mod streams;

use libfuzzer_sys::fuzz_target;
use std::sync::Arc;
use volley_protocol::events::RightEvents;
use volley_protocol::h2::frame;
use volley_protocol::{BodyRule, Expectation, Http2, LengthRule, Protocol, Request, StatusRule};

/// SHA-256 of `Hello, World!`.
const HASH: &str = "dffd6021bb2bd5b0af676290809ec3a53191dd81c7f70a4b28688a362182986f";

/// The length of the body of the request that has one: more than the initial window.
const BODY: usize = 70_000;

fn expectation(choice: u8) -> Arc<Expectation> {
    let chosen = |bit: u8| choice >> bit & 1 == 1;
    let headers = [("server", "x"), ("A", "")];
    let headers = headers.iter().enumerate().filter(|(bit, _)| chosen(*bit as u8 + 3));
    Arc::new(Expectation {
        status: if chosen(6) { StatusRule::Below(600) } else { StatusRule::Exactly(200) },
        length: chosen(2).then_some(LengthRule::Exactly(13)),
        body: match choice & 3 {
            0 => BodyRule::Any,
            1 => BodyRule::Exactly(b"Hello, World!".to_vec()),
            2 => BodyRule::from_hex(HASH).expect("64 digits"),
            // The messages of a call: any number, or two that are known.
            3 if chosen(5) => BodyRule::Events(Arc::new(messages(chosen(2)))),
            _ => BodyRule::Message(None),
        },
        headers: headers.map(|(_, (name, value))| ((*name).into(), (*value).into())).collect(),
    })
}

fn messages(are_known: bool) -> RightEvents {
    let body: &[u8] = if are_known { b"\0\0\0\0\x01a\0\0\0\0\0" } else { b"" };
    RightEvents::of_call(body).expect("each has its length before it")
}

fn requests() -> [Arc<Request>; 3] {
    let request = |method: &str, length: usize| {
        Arc::new(Request {
            method: method.into(),
            path: "/a".into(),
            host: "localhost:1".into(),
            headers: vec![("Accept".into(), "*/*".into())],
            body: vec![b'x'; length].into(),
            ..Request::default()
        })
    };
    [request("GET", 0), request("HEAD", 0), request("POST", BODY)]
}

fn frames(mut bytes: &[u8], are_frames: bool) -> Vec<u8> {
    let mut all = Vec::new();
    frame::write_settings(&mut all, &[]);
    if are_frames {
        all.extend_from_slice(bytes);
        return all;
    }
    while let [kind, flags, stream, length, rest @ ..] = bytes {
        let (payload, later) = rest.split_at(rest.len().min(usize::from(*length)));
        frame::write(&mut all, kind % 11, *flags, u32::from(*stream % 12), payload);
        bytes = later;
    }
    all
}

/// `expectations`: one for all requests, or one for each.
fn outcome(bytes: &[u8], size: usize, expectations: &[Arc<Expectation>]) -> (String, Vec<u8>) {
    let mut shared = <Http2<u32> as Protocol<u32>>::shared(expectations, &requests());
    let count = expectations.len() as u32;
    let (log, out) = streams::outcome::<Http2<u32>>(bytes, size, b"HTTP/2 ", count, &mut shared);
    assert!(out.len() < 1000 + 3 * bytes.len() + 2 * (BODY + BODY / 100));
    (log, out)
}

fuzz_target!(|input: &[u8]| {
    let [cut, choice, bytes @ ..] = input else { return };
    let expectation = expectation(*choice);
    let bytes = frames(bytes, choice >> 7 == 1);
    let one = [expectation];
    let each = vec![one[0].clone(); streams::COUNT as usize];
    let whole = outcome(&bytes, bytes.len(), &each);
    assert!(outcome(&bytes, bytes.len(), &one) == whole);
    assert!(outcome(&bytes, usize::from(*cut).max(1), &one) == whole);
    assert!(outcome(&bytes, 1, &one) == whole);
});
