//! Events of several streams on one connection of HTTP/2: each has its own first event, gaps,
//! faults and time.

use crate::world::guard::both_ways;
use crate::world::loading::{errors, for_ms, load, request, requests};
use crate::world::sealed::{Server, sealed};
use crate::world::servers::serve;
use crate::world::streams::Peer;
use std::io::{Read, Write};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;
use volley_load::errors::ErrorKind;
use volley_load::events::EventTally;
use volley_load::scheme::Scheme;
use volley_load::slice::Outcome;
use volley_load::target::Target;
use volley_net::clock::MS;
use volley_protocol::events::{EventFaults, RightEvents};
use volley_protocol::h2::frame;
use volley_protocol::{BodyRule, Expectation, StatusRule};
use volley_requests::Book;

const GAP: Duration = Duration::from_millis(20);
/// By the static table alone: `:status: 200`, and `content-type` as a literal.
const HEAD: &[u8] = b"\x88\x0f\x10\x11text/event-stream";
const JSON: &[u8] = b"\x88\x0f\x10\x10application/json";

/// One connection with this many streams, each with a number of events, or with any number.
fn streaming(target: Target, streams: usize, count: Option<u64>) -> Target {
    let right = RightEvents { count, ..RightEvents::default() };
    let body = BodyRule::Events(Arc::new(right));
    let expectation = Expectation { body, ..Expectation::of_status(StatusRule::Exactly(200)) };
    let book = Arc::new(Book::of(&request(b""), expectation, streams).unwrap());
    let (connections, request_timeout_ns) = (1, 300 * MS);
    Target { connections, books: vec![book], pipeline: streams, request_timeout_ns, ..target }
}

fn tally(outcome: &Outcome) -> &EventTally {
    outcome.tally.events.as_ref().expect("events were asked for")
}

fn head(out: &mut Vec<u8>, stream: u32, block: &[u8]) {
    frame::write_headers(out, stream, block, false, frame::DEFAULT_FRAME_SIZE);
}

fn event(out: &mut Vec<u8>, stream: u32, number: u64, ends: bool) {
    let event = format!("id: {number}\ndata: {stream}\n\n");
    frame::write_data(out, stream, event.as_bytes(), ends, frame::DEFAULT_FRAME_SIZE);
}

/// Takes requests in pairs, and answers both at a time: their first events at once, two gaps before
/// the others.
fn answers_in_pairs(mut peer: Peer<impl Read + Write>) {
    let mut waiting = Vec::new();
    loop {
        let asked = peer.requests();
        waiting.extend(&asked);
        if asked.is_empty() {
            return;
        }
        while waiting.len() >= 2 {
            let pair: Vec<u32> = waiting.drain(..2).collect();
            let mut out = Vec::new();
            for &stream in &pair {
                head(&mut out, stream, HEAD);
            }
            for number in [1, 2, 3] {
                for &stream in &pair {
                    event(&mut out, stream, number, number == 3);
                }
                if !peer.say(&out) {
                    return;
                }
                sleep(GAP);
                out.clear();
            }
        }
    }
}

#[test]
fn each_stream_has_its_own_gaps() {
    both_ways(|io| {
        let check = |target: Target| {
            let outcome = load(io, streaming(target, 2, Some(3)), &requests(4));
            assert_eq!((errors(&outcome), outcome.tally.right()), (vec![], 4));
            let tally = tally(&outcome);
            assert_eq!((tally.events, tally.events_all, tally.open), (12, 12, 0));
            assert_eq!((tally.faults, tally.first.count()), (EventFaults::default(), 4));
            assert_eq!(tally.gaps.count(), 8);
            // Half of the gaps between two streams would be next to nothing. A machine that stands
            // still for as long as a gap makes two of these short.
            assert!(tally.gaps.count_from(MS) > 4, "they are between two streams");
        };
        let address = serve(|talk| answers_in_pairs(Peer::new(talk.stream, &[])));
        check(Target { scheme: Scheme::H2c, ..crate::world::loading::target(address) });
        let server = Server { alpn: &["h2"], ..Server::default() };
        let (address, ca) = server.serve(|talk| answers_in_pairs(Peer::new(talk.stream, &[])));
        check(sealed(address, Scheme::H2, Some(&ca), false));
    });
}

#[test]
fn streams_whose_number_of_events_is_known_are_drained_to_their_end() {
    both_ways(|io| {
        let address = serve(|talk| answers_in_pairs(Peer::new(talk.stream, &[])));
        for (count, right, open) in [(Some(3), 2, 0), (None, 0, 2)] {
            let target = Target { scheme: Scheme::H2c, ..crate::world::loading::target(address) };
            let outcome = load(io, streaming(target, 2, count), &for_ms(10));
            assert_eq!((errors(&outcome), outcome.tally.misses), (vec![], 0));
            assert_eq!((outcome.tally.right(), tally(&outcome).open), (right, open));
            assert_eq!((tally(&outcome).events, tally(&outcome).first.count()), (2, 2));
        }
    });
}

/// Expects this error of the second of two streams. The first goes on.
fn comes_to(second: fn(&mut Vec<u8>, u32), kind: ErrorKind, words: &'static str) {
    both_ways(move |io| {
        let address = serve(move |talk| {
            let mut peer = Peer::new(talk.stream, &[]);
            let mut out = Vec::new();
            while out.len() < 2 {
                let asked = peer.requests();
                if asked.is_empty() {
                    return;
                }
                out.extend(asked);
            }
            let [first, other] = [out[0], out[1]];
            out.clear();
            let mut bytes = Vec::new();
            head(&mut bytes, first, HEAD);
            second(&mut bytes, other);
            for number in 1..40 {
                event(&mut bytes, first, number, number == 39);
                if !peer.say(&bytes) {
                    return;
                }
                bytes.clear();
                sleep(GAP / 2);
            }
        });
        let target = Target { scheme: Scheme::H2c, ..crate::world::loading::target(address) };
        let outcome = load(io, streaming(target, 2, Some(39)), &requests(2));
        let bad = outcome.tally.first_bad.as_ref().unwrap();
        assert!(bad.kind == kind && bad.detail.contains(words), "{bad:?}");
        assert!(tally(&outcome).events >= 1);
    });
}

#[test]
fn one_stream_of_several_that_stalls_is_given_up_alone() {
    let stalls = |out: &mut Vec<u8>, stream| {
        head(out, stream, HEAD);
        event(out, stream, 1, false);
    };
    comes_to(stalls, ErrorKind::Timeout, "no event within 300 ms");
    let never_begins = |out: &mut Vec<u8>, stream| head(out, stream, HEAD);
    comes_to(never_begins, ErrorKind::Timeout, "no event within 300 ms");
}

#[test]
fn streams_that_are_wrong_have_their_names() {
    let ends = |out: &mut Vec<u8>, stream| {
        head(out, stream, HEAD);
        event(out, stream, 1, false);
        event(out, stream, 3, true);
    };
    comes_to(ends, ErrorKind::MismatchBody, "of 2 events or more: 1 lost");
    let resets = |out: &mut Vec<u8>, stream| {
        head(out, stream, HEAD);
        event(out, stream, 1, false);
        frame::write_rst_stream(out, stream, 2);
    };
    comes_to(resets, ErrorKind::StreamReset, "INTERNAL_ERROR");
    let other_type = |out: &mut Vec<u8>, stream| {
        head(out, stream, JSON);
        event(out, stream, 1, true);
    };
    comes_to(other_type, ErrorKind::MismatchHeader, "expected \"text/event-stream\"");
    let half_a_letter = |out: &mut Vec<u8>, stream| {
        head(out, stream, HEAD);
        event(out, stream, 1, false);
        frame::write_data(out, stream, b"data: \xc3\n\n", false, frame::DEFAULT_FRAME_SIZE);
    };
    comes_to(half_a_letter, ErrorKind::Malformed, "an event whose data is not UTF-8");
}
