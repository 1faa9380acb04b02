//! Streams that are held beside requests: open before the first slice and after the last, apart from
//! the requests, and opened anew however they end.

use crate::world::guard::both_ways;
use crate::world::loading::{at_rate, errors, load, request, run, size, target};
use crate::world::sealed::{Server, sealed};
use crate::world::servers::{Conversation, GOOD, serve};
use crate::world::streams::{Peer, answer};
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;
use volley_load::errors::ErrorKind;
use volley_load::held::HeldTally;
use volley_load::scheme::Scheme;
use volley_load::slice::{Outcome, Plan};
use volley_load::target::Target;
use volley_load::workers::Workers;
use volley_net::clock::MS;
use volley_protocol::events::{EventFaults, RightEvents};
use volley_protocol::h2::frame;
use volley_protocol::{BodyRule, Expectation, Request, StatusRule};
use volley_requests::Book;

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
                    Transfer-Encoding: chunked\r\n\r\n";
const GAP: Duration = Duration::from_millis(10);
/// Streams beside two connections with requests.
const STREAMS: usize = 3;

fn event(number: u64) -> String {
    let event = format!("id: {number}\ndata: tick\n\n");
    format!("{:x}\r\n{event}\r\n", event.len())
}

/// Two connections with requests to `/`, beside streams of `/ticks`.
fn beside(target: Target, count: Option<u64>) -> Target {
    let right = RightEvents { count, ..RightEvents::default() };
    let body = BodyRule::Events(Arc::new(right));
    let expectation = Expectation { body, ..Expectation::of_status(StatusRule::Exactly(200)) };
    let ticks = Request { path: "/ticks".into(), ..request(b"") };
    let any = Expectation::of_status(StatusRule::Exactly(200));
    let book = Book::of(&request(b""), any, 1).unwrap().holding(ticks, expectation).unwrap();
    Target {
        connections: 2,
        held: STREAMS,
        books: vec![Arc::new(book)],
        request_timeout_ns: 300 * MS,
        ..target
    }
}

/// A server of HTTP/1 that answers requests at once, and does `stream` with those of `/ticks`.
fn ticking(stream: impl Fn(&mut Conversation) -> bool + Send + Sync + 'static) -> SocketAddr {
    serve(move |mut talk| {
        while let Some(asked) = talk.next_request() {
            let is_stream = asked.starts_with(b"GET /ticks ");
            if !(if is_stream { stream(&mut talk) } else { talk.say(GOOD) }) {
                return;
            }
        }
    })
}

/// Sends events without an end.
fn ticks<S: Read + Write>(talk: &mut Conversation<S>) -> bool {
    talk.say(HEAD.as_bytes());
    let mut number = 0;
    while talk.say(event(number).as_bytes()) && talk.stream.flush().is_ok() {
        number += 1;
        sleep(GAP);
    }
    false
}

/// Requests at a rate that leaves both cores to the tests that run beside this one.
fn requests_for_ms(duration_ms: u64) -> Plan {
    at_rate(500.0, 0, duration_ms)
}

fn held(outcome: &Outcome) -> &HeldTally {
    outcome.tally.held.as_ref().expect("streams are held")
}

fn kinds(outcome: &Outcome) -> Vec<ErrorKind> {
    held(outcome).errors.occurred().into_keys().collect()
}

/// Whether requests go on as if there were no streams.
fn are_undisturbed(outcome: &Outcome) {
    let tally = &outcome.tally;
    assert_eq!((errors(outcome), tally.misses), (vec![], 0));
    assert!(tally.requests > 10 && tally.events.is_none());
    assert_eq!(tally.latencies.count(), tally.right());
}

/// Runs three slices on the same streams.
fn holds(io: volley_net::IoChoice, target: Target) {
    let mut workers = Workers::start(&size(io), &[Arc::new(target)]).unwrap();
    let opened = workers.open(0).unwrap();
    assert_eq!((opened.open, opened.held), (2, STREAMS as u64));
    assert_eq!((opened.first_bad, opened.held_bad), (None, None));
    for _ in 0..3 {
        // Longer than the timeout: nobody reads them meanwhile.
        sleep(Duration::from_millis(350));
        let outcome = run(&mut workers, &requests_for_ms(150));
        are_undisturbed(&outcome);
        let held = held(&outcome);
        assert_eq!((held.open, held.opened, held.ended), (STREAMS as u64, 0, 0));
        assert_eq!((kinds(&outcome), held.events.faults), (vec![], EventFaults::default()));
        let (events, gaps) = (held.events.events, &held.events.gaps);
        assert!(events > 2 * STREAMS as u64, "{events}");
        // What waited in the meantime has no gap, and neither has the first event after it.
        assert!(held.events.events_all > 30 * STREAMS as u64);
        assert_eq!(gaps.count(), events - STREAMS as u64);
        assert_eq!(gaps.count_from(340 * MS), 0);
        assert_eq!(outcome.tally.connects, 0);
    }
}

#[test]
fn streams_are_held_over_http1() {
    both_ways(|io| {
        holds(io, beside(target(ticking(ticks)), None));
        let (address, ca) = Server::default().serve(|mut talk| {
            while let Some(asked) = talk.next_request() {
                let is_stream = asked.starts_with(b"GET /ticks ");
                if !(if is_stream { ticks(&mut talk) } else { talk.say(GOOD) }) {
                    return;
                }
                let _ = talk.stream.flush();
            }
        });
        holds(io, beside(sealed(address, Scheme::H1Tls, Some(&ca), false), None));
    });
}

/// By the static table alone: `:status: 200`, and `content-type` as a literal.
const H2_HEAD: &[u8] = b"\x88\x0f\x10\x11text/event-stream";

/// A server of HTTP/2. The first connections are those with requests.
fn h2(mut peer: Peer<impl Read + Write>, number: u64) {
    loop {
        let asked = peer.requests();
        let mut out = Vec::new();
        for &stream in &asked {
            if number < 2 {
                answer(&mut out, stream);
                continue;
            }
            frame::write_headers(&mut out, stream, H2_HEAD, false, frame::DEFAULT_FRAME_SIZE);
            for number in 0.. {
                let event = format!("id: {number}\ndata: tick\n\n");
                let size = frame::DEFAULT_FRAME_SIZE;
                frame::write_data(&mut out, stream, event.as_bytes(), false, size);
                if !peer.say(&out) {
                    return;
                }
                out.clear();
                sleep(GAP);
            }
        }
        if asked.is_empty() || !peer.say(&out) {
            return;
        }
    }
}

#[test]
fn streams_are_held_over_http2() {
    both_ways(|io| {
        let address = serve(|talk| {
            let number = talk.number;
            h2(Peer::new(talk.stream, &[]), number);
        });
        holds(io, beside(Target { scheme: Scheme::H2c, ..target(address) }, None));
    });
}

#[test]
fn a_stream_that_ends_rightly_is_opened_anew() {
    both_ways(|io| {
        for closes in [false, true] {
            let address = ticking(move |talk| {
                talk.say(HEAD.as_bytes());
                for number in 0..3 {
                    talk.say(event(number).as_bytes());
                    sleep(GAP);
                }
                talk.say(b"0\r\n\r\n") && !closes
            });
            let outcome = load(io, beside(target(address), Some(3)), &requests_for_ms(300));
            are_undisturbed(&outcome);
            let held = held(&outcome);
            assert_eq!(kinds(&outcome), vec![], "{:?}", held.first_bad);
            assert!(held.ended >= STREAMS as u64 && held.opened > 0);
            assert!(held.opened + STREAMS as u64 >= held.ended);
        }
    });
}

/// Expects errors of this kind alone, each from one stream; the others go on.
fn comes_to(kind: ErrorKind, words: &'static str, deed: fn(&mut Conversation) -> bool) {
    both_ways(move |io| {
        let asked = AtomicU64::new(0);
        let address = ticking(move |talk| {
            if asked.fetch_add(1, Ordering::SeqCst) == 1 { deed(talk) } else { ticks(talk) }
        });
        let outcome = load_anyhow(io, beside(target(address), None), 500);
        are_undisturbed(&outcome);
        let held = held(&outcome);
        let bad = held.first_bad.as_ref().expect("one breaks");
        assert_eq!((held.errors.sum(), bad.kind), (1, kind), "{bad:?}");
        assert!(bad.detail.contains(words), "{}", bad.detail);
        assert!(String::from_utf8_lossy(&bad.request).starts_with("GET /ticks "));
        assert_eq!((held.open, held.opened), (STREAMS as u64, 1), "it is opened anew");
    });
}

/// One slice on streams of which one breaks in it, 50 ms after its first event.
fn load_anyhow(io: volley_net::IoChoice, target: Target, duration_ms: u64) -> Outcome {
    let mut workers = Workers::start(&size(io), &[Arc::new(target)]).unwrap();
    assert_eq!(workers.open(0).unwrap().held, STREAMS as u64);
    run(&mut workers, &requests_for_ms(duration_ms))
}

/// Begins a stream.
fn begins(talk: &mut Conversation) {
    talk.say(HEAD.as_bytes());
    talk.say(event(0).as_bytes());
    sleep(5 * GAP);
}

#[test]
fn a_stream_that_breaks_has_its_error_and_is_opened_anew() {
    comes_to(ErrorKind::EarlyClose, "closed it after", |talk| {
        begins(talk);
        false
    });
    comes_to(ErrorKind::Timeout, "no event within 300 ms", |talk| {
        begins(talk);
        talk.next_request().is_some()
    });
    comes_to(ErrorKind::MismatchBody, "ends within an event", |talk| {
        // The first one ends within an event, which does not count.
        begins(talk);
        talk.say(b"5\r\ndata:\r\n0\r\n\r\n")
    });
    comes_to(ErrorKind::Malformed, "at byte", |talk| {
        begins(talk);
        talk.say(b"no chunk\r\n")
    });
}

#[test]
fn a_server_that_takes_no_streams_is_named() {
    both_ways(|io| {
        for (answer, kind) in [
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", ErrorKind::Status),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ErrorKind::MismatchHeader),
            ("", ErrorKind::EarlyClose),
        ] {
            let address = ticking(move |talk| talk.say(answer.as_bytes()) && !answer.is_empty());
            let target = Arc::new(beside(target(address), None));
            let mut workers = Workers::start(&size(io), &[target]).unwrap();
            let opened = workers.open(0).unwrap();
            assert_eq!((opened.open, opened.held, opened.first_bad), (2, 0, None));
            assert_eq!(opened.held_bad.map(|bad| bad.kind), Some(kind));
            let outcome = run(&mut workers, &requests_for_ms(100));
            are_undisturbed(&outcome);
            let held = held(&outcome);
            assert_eq!((kinds(&outcome), held.open, held.opened), (vec![kind], 0, 0));
            // It is not asked without a pause.
            assert!(held.errors.sum() < 60 * STREAMS as u64, "{}", held.errors.sum());
        }
    });
}
