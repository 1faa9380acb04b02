//! Answers that come drop by drop, that are huge, or that never end.

use crate::world::guard::{both_ways, both_ways_alone};
use crate::world::loading::{GOOD, book, errors, load, request, requests, size, target, workers};
use crate::world::servers::{Conversation, counting, serve};
use std::net::SocketAddr;
use volley_load::errors::ErrorKind;
use volley_load::slice::{Outcome, Plan, Wish};
use volley_load::target::Target;
use volley_load::workers::Snapshot;
use volley_net::IoChoice;
use volley_net::clock::MS;

/// The memory that a load may take, whatever the server sends.
const BOUND_KIB: u64 = 64 * 1024;

/// The memory of this process, including the server.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Runs one slice, and watches the memory all the time.
fn bounded(io: IoChoice, target: Target, plan: &Plan) -> Outcome {
    let mut workers = workers(&size(io), target);
    let before_kib = resident_kib();
    let mut most_kib = before_kib;
    let mut watch = |_: &Snapshot<'_>| {
        most_kib = most_kib.max(resident_kib());
        Wish::GoOn
    };
    let outcome = workers.run(0, plan, &mut watch).unwrap();
    let grown_kib = most_kib - before_kib;
    assert!(grown_kib < BOUND_KIB, "{grown_kib} KiB more");
    outcome
}

/// Answers each request with `start`, and then sends `again` for ever.
fn without_end(start: &'static [u8], again: &'static [u8]) -> SocketAddr {
    serve(move |mut conversation| {
        let again = again.repeat(8192 / again.len());
        if conversation.next_request().is_some() && conversation.say(start) {
            while conversation.say(&again) {}
        }
    })
}

#[test]
fn answers_byte_by_byte() {
    const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
        6;x=y\r\nHello,\r\n7\r\n World!\r\n0\r\nTrailer: x\r\n\r\n";
    const INTERIM: &[u8] = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n\
        HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!";
    both_ways(|io| {
        for answer in [GOOD, CHUNKED, INTERIM] {
            let address = serve(move |mut conversation: Conversation| {
                while conversation.next_request().is_some() {
                    for &byte in answer {
                        conversation.say(&[byte]);
                    }
                }
            });
            let outcome = load(io, target(address), &requests(50));
            let tally = &outcome.tally;
            assert_eq!((errors(&outcome), tally.requests_all, tally.connects), (vec![], 50, 0));
        }
    });
}

#[test]
fn bytes_that_are_no_answer_are_malformed_at_once() {
    both_ways(|io| {
        for answer in ["220 mail.example ESMTP\r\n", "HTTP/1.1 200 OK\r\nno\r\n\r\n"] {
            let outcome = load(io, target(counting(answer).0), &requests(8));
            let tally = &outcome.tally;
            assert_eq!(errors(&outcome), [(ErrorKind::Malformed, 8)], "{answer:?}");
            assert_eq!((tally.requests_all, tally.misses, tally.latencies.count()), (0, 8, 0));
        }
    });
}

#[test]
fn a_head_without_end_is_malformed() {
    both_ways_alone(|io| {
        for again in ["X-Again: and again\r\n", "x", "\r", "HTTP/1.1 100 Continue\r\n\r\n"] {
            let start = if again.starts_with("HTTP") { "" } else { "HTTP/1.1 200 OK\r\nA: b" };
            let address = without_end(start.as_bytes(), again.as_bytes());
            let outcome = bounded(io, Target { connections: 16, ..target(address) }, &requests(64));
            let tally = &outcome.tally;
            assert_eq!(errors(&outcome), [(ErrorKind::Malformed, 64)], "{again:?}");
            assert_eq!((tally.requests_all, tally.misses), (0, 64));
            let bad = tally.first_bad.as_ref().unwrap();
            assert!(bad.response.len() <= 64 * 1024 && !bad.response.is_empty());
            if again.len() > 1 {
                assert!(
                    bad.detail.contains("larger than 65536 bytes"),
                    "{again:?}: {}",
                    bad.detail
                );
            }
        }
    });
}

#[test]
fn a_body_of_a_gibibyte() {
    const LENGTH: usize = 1 << 30;
    const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n";
    both_ways_alone(|io| {
        let address = serve(|mut conversation| {
            let part = vec![b'x'; 1 << 20];
            while conversation.next_request().is_some() {
                conversation.say(HEAD.as_bytes());
                for _ in 0..LENGTH / part.len() {
                    conversation.say(&part);
                }
            }
        });
        let books = book(&request(b""), None, 1);
        let outcome =
            bounded(io, Target { connections: 1, books, ..target(address) }, &requests(1));
        assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 1));
        assert_eq!(outcome.tally.bytes, (HEAD.len() + LENGTH) as u64);
    });
}

#[test]
fn a_body_without_end_takes_too_long() {
    both_ways_alone(|io| {
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let until_close = b"HTTP/1.1 200 OK\r\n\r\n";
        let trailers = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
        for (start, again, kind, timeout_ms) in [
            (&chunked[..], &b"5\r\nagain\r\n"[..], ErrorKind::Timeout, 300),
            (until_close, b"again", ErrorKind::Timeout, 300),
            (trailers, b"X-Again: and again\r\n", ErrorKind::Malformed, 20_000),
        ] {
            let books = book(&request(b""), None, 1);
            let request_timeout_ns = timeout_ms * MS;
            let address = without_end(start, again);
            let target = Target { books, request_timeout_ns, ..target(address) };
            let outcome = bounded(io, target, &requests(4));
            assert_eq!(errors(&outcome), [(kind, 4)]);
            assert_eq!((outcome.tally.requests_all, outcome.tally.misses), (0, 4));
        }
    });
}
