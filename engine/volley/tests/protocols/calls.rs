//! Calls of gRPC on real sockets: right ones, and each kind of wrong one. The permitted bytes are
//! tested in `protocol/tests/verdicts/calls`.

use crate::common::conversations::serve;
use crate::common::driver::{Driver, errors, has_uring, job};
use crate::misbehaving::{Peer, frame, saying, settings};
use crate::{load, loads_rightly, ways};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use volley::drive::messages::{ExpectSpec, Job, RequestSpec, TargetSpec};
use volley_load::errors::ErrorKind;
use volley_load::scheme::Scheme;
use volley_net::IoChoice;
use volley_protocol::grpc;
use volley_protocol::h2::frame::{flag, kind};
use volley_protocol::h2::hpack::{self, Indexing};

const TYPE: (&str, &str) = ("content-type", "application/grpc");

fn fields(stream: u32, flags: u8, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        hpack::write_literal(&mut block, Indexing::Without, name, value);
    }
    frame(kind::HEADERS, flags | flag::END_HEADERS, stream, &block)
}

/// An answer with this body and these trailers.
fn answer(stream: u32, body: &[u8], trailers: &[(&str, &str)]) -> Vec<u8> {
    let head = fields(stream, 0, &[(":status", "200"), TYPE]);
    let trailers = fields(stream, flag::END_STREAM, trailers);
    [head, frame(kind::DATA, 0, stream, body), trailers].concat()
}

/// A server that answers each call with `hello`, and keeps the received bytes.
fn right() -> (SocketAddr, Arc<Mutex<Vec<u8>>>) {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let kept = sent.clone();
    let address = serve(move |conversation| {
        let Some(mut peer) = Peer::new(conversation) else { return };
        peer.say(&settings(&[]));
        while let Some((head, payload)) = peer.frame() {
            if head.kind == kind::DATA {
                kept.lock().unwrap().extend_from_slice(&payload);
            }
            if head.kind == kind::DATA && head.has(flag::END_STREAM) {
                let hello = grpc::framed(b"hello").unwrap();
                peer.say(&answer(head.stream, &hello, &[("grpc-status", "0")]));
            }
        }
    });
    (address, sent)
}

const CALL: [&str; 7] = ["--protocol", "h2c", "--grpc", "-c", "1", "--expect-body", "hello"];

#[test]
fn calls_are_framed_and_answered() {
    for io in ways() {
        let (address, sent) = right();
        let url = format!("http://{address}/a.B/C");
        assert_eq!(loads_rightly(&[&CALL[..], &["-n", "5", "-b", "hi", io, &url]].concat()), 5);
        assert_eq!(*sent.lock().unwrap(), grpc::framed(b"hi").unwrap().repeat(5));
    }
}

#[test]
fn what_is_wrong_with_a_call_is_named() {
    let hello = grpc::framed(b"hello").unwrap();
    let compressed = [b"\x01", &hello[1..]].concat();
    let fine = [("grpc-status", "0")];
    let failed = [("grpc-status", "14"), ("grpc-message", "no%20peer")];
    let in_head = [&[(":status", "200"), TYPE], &failed[..]].concat();
    let proxy = [(":status", "502"), ("content-type", "text/html")];
    let page = [(":status", "200"), ("content-type", "text/html")];
    for (bytes, kind, words) in [
        (answer(1, &hello, &failed), "grpc_status", r#"14 (UNAVAILABLE): "no peer""#),
        (fields(1, flag::END_STREAM, &in_head), "grpc_status", "14 (UNAVAILABLE)"),
        (answer(1, &hello, &[("a", "b")]), "grpc_status", "grpc-status is missing"),
        (answer(1, &hello[..9], &fine), "mismatch_body", "5 bytes, and 4 came"),
        (answer(1, &compressed, &fine), "mismatch_body", "compressed"),
        (answer(1, &hello.repeat(2), &fine), "mismatch_body", "2 messages"),
        (answer(1, b"", &fine), "mismatch_body", "no message"),
        (answer(1, &grpc::framed(b"jello").unwrap(), &fine), "mismatch_body", "at byte 0"),
        (fields(1, flag::END_STREAM, &page), "mismatch_header", "text/html"),
        (fields(1, flag::END_STREAM, &proxy), "status", "502"),
    ] {
        for io in ways() {
            let url = format!("http://{}/a.B/C", saying(bytes.clone()));
            let (status, value) = load(&[&CALL[..], &["-n", "1", io, &url]].concat());
            assert_eq!(value["errors"], serde_json::json!({ kind: 1 }), "{words}: {value:#}");
            assert_eq!(status, 1, "{words}");
            let detail = value["first_bad"]["detail"].as_str().unwrap_or_default();
            assert!(detail.contains(words), "{words}: {detail}");
        }
    }
}

#[test]
fn a_job_may_expect_a_call() {
    let message = |text: &[u8]| STANDARD.encode(grpc::framed(text).unwrap());
    for io in has_uring().then_some(IoChoice::Uring).into_iter().chain([IoChoice::Epoll]) {
        for (expected, wrong) in [
            (None, None),
            (Some(message(b"hello")), None),
            (Some(message(b"other")), Some(ErrorKind::MismatchBody)),
        ] {
            let (address, _) = right();
            let plain = job(io, &[address]);
            let request = RequestSpec {
                method: "POST".into(),
                path: "/a.B/C".into(),
                host: address.to_string(),
                headers: vec![("te".into(), "trailers".into())],
                body_base64: message(b"hi"),
            };
            let expect =
                ExpectSpec { status: 200, body_base64: expected, grpc: true, events: None };
            let target = TargetSpec {
                protocol: Scheme::H2c,
                request: Some(request),
                expect: Some(expect),
                ..plain.targets[0].clone()
            };
            let (mut driver, _) = Driver::job(Job { targets: vec![target], ..plain });
            let event = driver.slice_that(0, 50, |event| event.requests > 0);
            let kinds: Vec<_> = errors(&event).into_iter().map(|(kind, _)| kind).collect();
            assert_eq!(kinds, Vec::from_iter(wrong));
        }
    }
}
