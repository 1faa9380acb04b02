//! Chains that fail: the connection is closed, and retried after a pause.

use crate::shop::{Reply, as_text, target, written};
use crate::world::guard::both_ways;
use crate::world::loading::for_ms;
use crate::world::loading::{errors, run, size};
use crate::world::servers::{Conversation, serve};
use crate::world::streams::Peer;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use volley_load::errors::ErrorKind;
use volley_load::scheme::Scheme;
use volley_load::target::Target;
use volley_load::workers::Workers;
use volley_net::IoChoice;
use volley_protocol::h2::frame;

const ONE_STEP: &str = r#"
    [[once]]
    method = "POST"
    path = "/login"
    body = "user=ann"
    take = { token = "json /token" }
    [[request]]
    path = "/{{token}}"
"#;

fn answering(answer: Reply) -> SocketAddr {
    serve(move |mut talk: Conversation| {
        while let Some(request) = talk.next_request() {
            assert!(as_text(&request).starts_with("POST /login\n"), "nothing else is asked");
            if !talk.say(&written(&answer)) {
                return;
            }
        }
    })
}

/// Expects the chain to fail in this way each time, and nothing else to be counted.
fn check(io: IoChoice, target: Target, kind: ErrorKind, detail: &str) {
    let mut workers = Workers::start(&size(io), &[Arc::new(target)]).unwrap();
    let opened = workers.open(0).unwrap();
    assert_eq!(opened.open, 0);
    let bad = opened.first_bad.unwrap();
    assert_eq!((bad.kind, bad.detail.as_str()), (kind, detail));
    let request = String::from_utf8(bad.request).unwrap();
    assert!(request.starts_with("POST /login HTTP/1.1\r\n"), "{request}");
    let outcome = run(&mut workers, &for_ms(150));
    let tally = &outcome.tally;
    let [(kind_counted, count)] = errors(&outcome)[..] else { panic!("{:?}", errors(&outcome)) };
    // Pauses limit the number of attempts.
    assert!(kind_counted == kind && (2..60).contains(&count), "{kind_counted:?} {count}");
    assert_eq!((tally.requests, tally.misses, tally.right()), (0, 0, 0));
    assert_eq!((tally.connects, tally.in_flight_ns), (0, 0));
}

fn h1(address: SocketAddr) -> Target {
    target(address, ONE_STEP, Scheme::H1, 1)
}

#[test]
fn an_answer_lacks_what_is_taken_from_it() {
    both_ways(|io| {
        let of = |body: &str| h1(answering((200, vec![], body.into())));
        let is = |what: &str| format!("take.token: json /token{what}");
        let missing = is(" is not in the answer to POST /login");
        check(io, of("{\"other\": 1}"), ErrorKind::Chain, &missing);
        let of_login = is(" of the answer to POST /login is ");
        let object = format!("{of_login}an object, not a string, a number or a boolean");
        check(io, of("{\"token\": {}}"), ErrorKind::Chain, &object);
        let space = format!("{of_login}\"a b\", which a path can't hold");
        check(io, of("{\"token\": \"a b\"}"), ErrorKind::Chain, &space);
        let html = format!(
            "{of_login}not there, as the body is no JSON: expected value at line 1 column 1"
        );
        check(io, of("<html>"), ErrorKind::Chain, &html);
    });
}

#[test]
fn an_answer_is_wrong() {
    both_ways(|io| {
        let refusing = h1(answering((401, vec![], "{\"token\": 1}".into())));
        let detail = "POST /login: status is 401, expected one below 400";
        check(io, refusing, ErrorKind::Status, detail);
        let text = ONE_STEP.replace("take =", "expect.body_contains = [\"for ann\"]\ntake =");
        let other = answering((200, vec![], "{\"token\": 1}".into()));
        let detail = "POST /login: body_contains: \"for ann\" is not in the body";
        check(io, target(other, &text, Scheme::H1, 1), ErrorKind::MismatchBody, detail);
    });
}

#[test]
fn the_server_ends_the_connection() {
    both_ways(|io| {
        let closing = (200, vec![("connection", "close".into())], "{\"token\": 1}".into());
        let detail = "the server closes the connection after its answer to POST /login";
        check(io, h1(answering(closing)), ErrorKind::EarlyClose, detail);
        let slamming = serve(|mut talk| drop(talk.next_request()));
        let detail =
            "the server closed the connection with POST /login, which is sent before all others";
        check(io, h1(slamming), ErrorKind::EarlyClose, detail);
    });
}

#[test]
fn the_server_stays_silent() {
    both_ways(|io| {
        let silent = serve(|mut talk| while talk.next_request().is_some() {});
        let target = Target { request_timeout_ns: 30_000_000, ..h1(silent) };
        let detail = "no complete answer to POST /login within 30 ms";
        check(io, target, ErrorKind::Timeout, detail);
    });
}

#[test]
fn the_server_says_more_than_its_answer() {
    both_ways(|io| {
        let answer = written(&(200, vec![], "{\"token\": 1}".into()));
        let talking = serve(move |mut talk: Conversation| {
            while talk.next_request().is_some() {
                if !talk.say(&answer.repeat(2)) {
                    return;
                }
            }
        });
        let extra = written(&(200, vec![], "{\"token\": 1}".into())).len();
        let detail = format!("{extra} bytes that nobody asked for, after the answer");
        // Its evidence has no request: the request before is answered.
        let mut workers = Workers::start(&size(io), &[Arc::new(h1(talking))]).unwrap();
        let bad = workers.open(0).unwrap().first_bad.unwrap();
        assert_eq!((bad.kind, bad.detail), (ErrorKind::Malformed, detail));
    });
}

#[test]
fn a_stream_is_refused() {
    both_ways(|io| {
        let resetting = serve(|talk| {
            let mut peer = Peer::new(talk.stream, &[]);
            let mut out = Vec::new();
            for stream in peer.requests() {
                frame::write_rst_stream(&mut out, stream, frame::code::CANCEL);
            }
            peer.say(&out);
            while peer.read() {
                thread::yield_now();
            }
        });
        let target = target(resetting, ONE_STEP, Scheme::H2c, 3);
        check(io, target, ErrorKind::StreamReset, "RST_STREAM with CANCEL");
    });
}
