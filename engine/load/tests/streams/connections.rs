//! Connections of HTTP/2: how they begin, frames outside requests, how they end.

use crate::world::guard::both_ways;
use crate::world::loading::{at_rate, errors, for_ms, load, requests, run, size, workers};
use crate::world::servers::serve;
use crate::world::streams::{Peer, answer};
use std::io::Read;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use volley_load::errors::ErrorKind;
use volley_load::pace::Pace;
use volley_load::scheme::Scheme;
use volley_load::target::Target;
use volley_load::workers::Workers;
use volley_net::IoChoice;
use volley_protocol::h2::frame::{self, code};

const MS: u64 = 1_000_000;

fn target(address: SocketAddr, streams: usize) -> Target {
    let target = crate::world::loading::target(address);
    Target { scheme: Scheme::H2c, pipeline: streams, ..target }
}

/// Expects every connection to fail for this reason.
fn is_never_open(io: IoChoice, mut target: Target, kind: ErrorKind, words: &str) {
    target.route.connect_timeout_ns = 50 * MS;
    let mut workers = Workers::start(&size(io), &[Arc::new(target)]).unwrap();
    let opened = workers.open(0).unwrap();
    let bad = opened.first_bad.unwrap();
    assert_eq!((opened.open, bad.kind), (0, kind), "{}", bad.detail);
    assert!(bad.detail.contains(words), "{}", bad.detail);
    let outcome = run(&mut workers, &for_ms(30));
    assert_eq!((outcome.tally.requests_all, outcome.tally.connects), (0, 0));
}

#[test]
fn a_connection_is_open_when_the_server_has_announced_itself() {
    both_ways(|io| {
        let silent = serve(|talk| {
            let _ = Peer::silent(talk.stream).stream.read_to_end(&mut Vec::new());
        });
        let words = "has not announced its settings in time";
        is_never_open(io, target(silent, 1), ErrorKind::ConnectTimeout, words);
        let closing = serve(|talk| drop(Peer::silent(talk.stream)));
        let words = "closed the connection before it announced its settings";
        is_never_open(io, target(closing, 1), ErrorKind::EarlyClose, words);
        let other = serve(|mut talk| {
            talk.await_bytes();
            talk.say(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            thread::sleep(Duration::from_millis(500));
        });
        let words = "the server answers in HTTP/1";
        is_never_open(io, target(other, 1), ErrorKind::Malformed, words);
    });
}

#[test]
fn what_is_asked_on_an_idle_connection_is_answered() {
    both_ways(|io| {
        let pongs = Arc::new(AtomicU64::new(0));
        let counted = pongs.clone();
        let address = serve(move |talk| {
            let mut peer = Peer::new(talk.stream, &[]);
            peer.ping();
            loop {
                let (streams, mut out) = (peer.requests(), Vec::new());
                for &stream in &streams {
                    answer(&mut out, stream);
                }
                counted.fetch_add(std::mem::take(&mut peer.pongs), Ordering::SeqCst);
                if streams.is_empty() || !peer.say(&out) || !peer.ping() {
                    return;
                }
            }
        });
        let target = Target { connections: 1, ..target(address, 1) };
        let mut workers = workers(&size(io), target);
        for round in 1..=3 {
            let outcome = run(&mut workers, &requests(20));
            let tally = &outcome.tally;
            assert_eq!((errors(&outcome), tally.right()), (vec![], 20));
            assert_eq!((tally.connects, tally.idle_closed), (0, 0));
            // The acknowledgement of the last answer may be on its way.
            assert!(pongs.load(Ordering::SeqCst) >= 20 * round - 1);
            thread::sleep(Duration::from_millis(20));
        }
    });
}

/// Answers ten requests on each connection and goes away; later requests get no answer. Also
/// returns how many connections there were.
fn going_away() -> (SocketAddr, Arc<AtomicU64>) {
    let connections = Arc::new(AtomicU64::new(0));
    let counted = connections.clone();
    let address = serve(move |talk| {
        counted.fetch_add(1, Ordering::SeqCst);
        let mut peer = Peer::new(talk.stream, &[]);
        let mut left = 10;
        while left > 0 {
            let (streams, mut out) = (peer.requests(), Vec::new());
            for &stream in streams.iter().take(left) {
                if left == 1 {
                    frame::write_goaway(&mut out, stream, code::NO_ERROR);
                }
                answer(&mut out, stream);
                left -= 1;
            }
            if streams.is_empty() || !peer.say(&out) {
                return;
            }
        }
        while !peer.requests().is_empty() {}
    });
    (address, connections)
}

#[test]
fn a_server_that_goes_away_is_called_again() {
    both_ways(|io| {
        let (address, connections) = going_away();
        let one_by_one = Target { connections: 1, ..target(address, 1) };
        let outcome = load(io, one_by_one, &requests(100));
        assert_eq!((errors(&outcome), outcome.tally.right()), (vec![], 100));
        let made = connections.load(Ordering::SeqCst);
        assert!((10..=11).contains(&made), "{made} connections");

        let (address, _) = going_away();
        let ahead = Target { connections: 1, ..target(address, 4) };
        let outcome = load(io, ahead, &requests(100));
        assert_eq!(
            (errors(&outcome), outcome.tally.misses, outcome.tally.right()),
            (vec![], 0, 100)
        );

        let (address, _) = going_away();
        let due = Target { connections: 1, ..target(address, 4) };
        let mut plan = at_rate(2000.0, 0, 100);
        if let Pace::Open(process) = &mut plan.pace {
            process.burst = 4;
        }
        let outcome = load(io, due, &plan);
        let tally = &outcome.tally;
        assert_eq!((errors(&outcome), tally.misses, tally.right()), (vec![], 0, 200));
        let lags = (tally.send_lag.count(), tally.latencies.count());
        assert_eq!(lags, (200, 200), "each is due once, however often it is sent");
    });
}

/// Delays the first request of each connection, answers it and hands back all others.
fn handing_back(pause: Duration) -> SocketAddr {
    serve(move |talk| {
        let mut peer = Peer::new(talk.stream, &[]);
        let (first, mut out) = (peer.requests(), Vec::new());
        if let Some(&first) = first.first() {
            thread::sleep(pause);
            frame::write_goaway(&mut out, first, code::NO_ERROR);
            answer(&mut out, first);
            peer.say(&out);
            while !peer.requests().is_empty() {}
        }
    })
}

#[test]
fn what_is_handed_back_counts_from_its_first_sending() {
    both_ways(|io| {
        let target = || {
            let address = handing_back(Duration::from_millis(300));
            Target { connections: 1, ..target(address, 3) }
        };
        // One is answered on the first connection, one on the second, one on the third.
        let outcome = load(io, target(), &requests(3));
        let tally = &outcome.tally;
        assert_eq!((errors(&outcome), tally.misses, tally.right()), (vec![], 0, 3));
        let of = |quantile| tally.latencies.quantile_us(quantile, 0).unwrap();
        assert!(of(0.0) >= 299e3 && of(0.5) >= 598e3 && of(1.0) >= 897e3, "{outcome:?}");
        // If the window has ended meanwhile, they are sent all the same.
        let outcome = load(io, target(), &for_ms(200));
        let tally = &outcome.tally;
        assert_eq!((errors(&outcome), tally.misses, tally.right()), (vec![], 0, 3));
        assert_eq!(tally.latencies.count(), 3);
    });
}

#[test]
fn a_server_that_only_goes_away_is_not_called_without_a_pause() {
    both_ways(|io| {
        let address = serve(|talk| {
            let mut peer = Peer::new(talk.stream, &[]);
            if !peer.requests().is_empty() {
                let mut out = Vec::new();
                frame::write_goaway(&mut out, 0, code::NO_ERROR);
                peer.say(&out);
                while !peer.requests().is_empty() {}
            }
        });
        let target = Target { connections: 1, ..target(address, 1) };
        let outcome = load(io, target, &for_ms(200));
        let refused = outcome.tally.errors.of(ErrorKind::Goaway);
        assert_eq!((outcome.tally.right(), outcome.tally.errors.sum()), (0, refused));
        // After pauses of 0, 1, 2, 4, … ms.
        assert!((1..=20).contains(&refused), "{refused} were refused");
    });
}

#[test]
fn a_server_that_breaks_a_rule_is_told_which_by_the_error_code() {
    both_ways(|io| {
        let (said, heard) = channel();
        let said = Mutex::new(said);
        let address = serve(move |talk| {
            let mut peer = Peer::new(talk.stream, &[]);
            assert_eq!(peer.requests(), [1]);
            peer.say(b"\0\0\0\x06\0\0\0\0\0"); // A PING without its bytes.
            assert_eq!(peer.requests(), [] as [u32; 0]);
            said.lock().unwrap().send(peer.left).unwrap();
        });
        let target = Target { connections: 1, ..target(address, 1) };
        let outcome = load(io, target, &requests(1));
        assert_eq!(errors(&outcome), [(ErrorKind::Malformed, 1)]);
        assert_eq!(heard.recv().unwrap(), Some(code::FRAME_SIZE_ERROR));
    });
}

#[test]
fn a_connection_for_each_request_is_left_in_due_form() {
    both_ways(|io| {
        let left = Arc::new(AtomicU64::new(0));
        let counted = left.clone();
        let address = serve(move |talk| {
            let mut peer = Peer::new(talk.stream, &[]);
            let mut out = Vec::new();
            peer.requests().iter().for_each(|&stream| answer(&mut out, stream));
            peer.say(&out);
            assert_eq!(peer.requests(), [] as [u32; 0]);
            counted.fetch_add(u64::from(peer.left == Some(code::NO_ERROR)), Ordering::SeqCst);
        });
        let target = Target { requests_per_connection: Some(1), ..target(address, 1) };
        let outcome = load(io, target, &requests(40));
        let tally = &outcome.tally;
        assert_eq!((errors(&outcome), tally.right(), tally.connects), (vec![], 40, 40));
        assert!(tally.terms.announced.is_some());
        // The server's threads may be late.
        for _ in 0..200 {
            if left.load(Ordering::SeqCst) == 40 {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("{} of 40 were left with GOAWAY", left.load(Ordering::SeqCst));
    });
}
