//! Requests as streams: several at a time, answered in any order, reset.

use crate::world::guard::both_ways;
use crate::world::loading::{at_rate, errors, for_ms, load, requests, run, size, workers};
use crate::world::sealed::{Server, sealed};
use crate::world::servers::serve;
use crate::world::streams::{Peer, answer};
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use volley_load::errors::ErrorKind;
use volley_load::scheme::Scheme;
use volley_load::target::Target;
use volley_protocol::h2::frame::{self, code, setting};

/// Four connections with this many streams each.
fn target(address: SocketAddr, streams: usize) -> Target {
    let target = crate::world::loading::target(address);
    Target { scheme: Scheme::H2c, pipeline: streams, ..target }
}

/// Answers all pending requests in one piece, the latest first.
fn answer_backwards(mut peer: Peer<impl Read + Write>) {
    loop {
        let streams = peer.requests();
        let mut out = Vec::new();
        streams.iter().rev().for_each(|&stream| answer(&mut out, stream));
        if streams.is_empty() || !peer.say(&out) {
            return;
        }
    }
}

#[test]
fn answers_come_in_any_order() {
    both_ways(|io| {
        let address = serve(|talk| answer_backwards(Peer::new(talk.stream, &[])));
        for streams in [1, 7] {
            let mut workers = workers(&size(io), target(address, streams));
            for _ in 0..3 {
                let outcome = run(&mut workers, &requests(500));
                let tally = &outcome.tally;
                assert_eq!((errors(&outcome), tally.right(), tally.connects), (vec![], 500, 0));
                assert_eq!((tally.misses, tally.latencies.count()), (0, 500));
            }
        }
    });
}

#[test]
fn they_do_so_in_tls() {
    both_ways(|io| {
        let server = Server { alpn: &["h2"], ..Server::default() };
        let (address, ca) = server.serve(|talk| answer_backwards(Peer::new(talk.stream, &[])));
        let target = Target { pipeline: 5, ..sealed(address, Scheme::H2, Some(&ca), false) };
        let outcome = load(io, target, &requests(300));
        assert_eq!((errors(&outcome), outcome.tally.right()), (vec![], 300));
    });
}

#[test]
fn requests_are_on_their_way_at_a_time_as_many_as_both_sides_want() {
    both_ways(|io| {
        for (most, streams) in [(2, 8), (8, 2)] {
            let highest = Arc::new(AtomicU64::new(0));
            let seen = highest.clone();
            let address = serve(move |talk| {
                let mut peer = Peer::new(talk.stream, &[(setting::MAX_CONCURRENT_STREAMS, most)]);
                let mut waiting = Vec::new();
                loop {
                    let came = peer.requests();
                    if came.is_empty() {
                        return;
                    }
                    waiting.extend(came);
                    seen.fetch_max(waiting.len() as u64, Ordering::SeqCst);
                    // One at a time, so that others stay in flight.
                    let mut out = Vec::new();
                    answer(&mut out, waiting.remove(0));
                    if waiting.len() == 1 {
                        answer(&mut out, waiting.remove(0));
                    }
                    peer.say(&out);
                }
            });
            let target = Target { connections: 1, ..target(address, streams) };
            let mut workers =
                volley_load::workers::Workers::start(&size(io), &[Arc::new(target)]).unwrap();
            let opened = workers.open(0).unwrap();
            assert_eq!(opened.terms.announced.unwrap().max_concurrent_streams, Some(most));
            let outcome = run(&mut workers, &for_ms(100));
            assert_eq!(errors(&outcome), []);
            assert!(outcome.tally.right() > 0);
            assert_eq!(highest.load(Ordering::SeqCst), 2);
        }
    });
}

#[test]
fn a_stream_that_is_reset_is_one_error_and_the_others_live_on() {
    both_ways(|io| {
        let address = serve(|talk| {
            let mut peer = Peer::new(talk.stream, &[]);
            loop {
                let (streams, mut out) = (peer.requests(), Vec::new());
                for &stream in &streams {
                    // Stream numbers are odd: this selects every fifth stream.
                    if stream % 10 == 9 {
                        frame::write_rst_stream(&mut out, stream, code::REFUSED_STREAM);
                    } else {
                        answer(&mut out, stream);
                    }
                }
                if streams.is_empty() || !peer.say(&out) {
                    return;
                }
            }
        });
        let target = Target { connections: 1, ..target(address, 3) };
        let outcome = load(io, target, &requests(100));
        let tally = &outcome.tally;
        assert_eq!(errors(&outcome), [(ErrorKind::StreamReset, 20)]);
        assert_eq!((tally.right(), tally.requests_all, tally.misses), (80, 80, 20));
        assert_eq!(tally.connects, 0);
        let bad = tally.first_bad.as_ref().unwrap();
        assert_eq!(bad.detail, "RST_STREAM with REFUSED_STREAM");
        assert!(bad.request.starts_with(b"GET / HTTP/1.1\r\n"));
    });
}

#[test]
fn an_open_loop_finds_its_streams() {
    both_ways(|io| {
        let address = serve(|talk| answer_backwards(Peer::new(talk.stream, &[])));
        for streams in [1, 3] {
            let outcome = load(io, target(address, streams), &at_rate(2000.0, 0, 200));
            let tally = &outcome.tally;
            assert_eq!((errors(&outcome), tally.right(), tally.unsent), (vec![], 400, 0));
        }
    });
}

#[test]
fn a_server_that_does_not_answer_is_waited_for_no_longer_than_said() {
    both_ways(|io| {
        let address = serve(|talk| {
            let mut peer = Peer::new(talk.stream, &[]);
            while !peer.requests().is_empty() {}
        });
        let request_timeout_ns = 50_000_000;
        let target = Target { connections: 1, request_timeout_ns, ..target(address, 4) };
        let outcome = load(io, target, &requests(4));
        assert_eq!(errors(&outcome), [(ErrorKind::Timeout, 4)]);
        assert_eq!((outcome.tally.requests_all, outcome.tally.misses), (0, 4));
    });
}

#[test]
fn a_request_that_waits_too_long_is_given_up_alone() {
    both_ways(|io| {
        // The first request of each connection is answered only after it was reset.
        let address = serve(|talk| {
            let mut peer = Peer::new(talk.stream, &[]);
            let (mut first, mut answered) = (None, 0);
            loop {
                let (streams, mut out) = (peer.requests(), Vec::new());
                for stream in streams.iter().copied() {
                    match first {
                        None => first = Some(stream),
                        Some(_) => answer(&mut out, stream),
                    }
                    answered += 1;
                    if answered == 800 {
                        answer(&mut out, first.unwrap_or(stream));
                    }
                }
                thread::sleep(Duration::from_millis(2));
                if streams.is_empty() || !peer.say(&out) {
                    return;
                }
            }
        });
        let request_timeout_ns = 300_000_000;
        let target = Target { connections: 1, request_timeout_ns, ..target(address, 4) };
        let outcome = load(io, target, &requests(1000));
        let tally = &outcome.tally;
        assert_eq!(errors(&outcome), [(ErrorKind::Timeout, 1)]);
        assert_eq!((tally.right(), tally.misses, tally.connects), (999, 1, 0));
    });
}
