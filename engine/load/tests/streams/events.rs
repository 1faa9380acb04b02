//! Streams of server-sent events, and servers that break them off: the measurements, and the kind
//! of each error.

use crate::world::guard::both_ways;
use crate::world::loading::{errors, for_ms, load, request, requests, target};
use crate::world::sealed::{Server, sealed};
use crate::world::servers::{Close, Conversation, serve};
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;
use volley_load::errors::ErrorKind;
use volley_load::events::EventTally;
use volley_load::scheme::Scheme;
use volley_load::slice::Outcome;
use volley_load::target::Target;
use volley_net::clock::MS;
use volley_protocol::events::{EVENT_LIMIT, EventFaults, RightEvents};
use volley_protocol::{BodyRule, Expectation, StatusRule};
use volley_requests::Book;

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\
                    Transfer-Encoding: chunked\r\n\r\n";
const LAST: &[u8] = b"0\r\n\r\n";
const GAP: Duration = Duration::from_millis(20);

fn chunk(data: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", data.len()).as_bytes(), data, b"\r\n"].concat()
}

fn event(number: u64) -> Vec<u8> {
    chunk(format!("id: {number}\r\ndata: {{\"token\": {number}}}\r\n\r\n").as_bytes())
}

/// One connection whose answers are these events, or any.
fn streaming(target: Target, expected: &[&str]) -> Target {
    let data: Vec<Vec<u8>> = expected.iter().map(|data| data.as_bytes().to_vec()).collect();
    let count = (!data.is_empty()).then_some(data.len() as u64);
    let expectation = Expectation {
        body: BodyRule::Events(Arc::new(RightEvents { count, data, is_call: false })),
        ..Expectation::of_status(StatusRule::Exactly(200))
    };
    let book = Arc::new(Book::of(&request(b""), expectation, 1).unwrap());
    Target { connections: 1, books: vec![book], request_timeout_ns: 500 * MS, ..target }
}

fn tally(outcome: &Outcome) -> &EventTally {
    outcome.tally.events.as_ref().expect("events came")
}

/// A server that sends these pieces with a gap after each, then does `then`.
fn says(
    pieces: Vec<Vec<u8>>,
    then: impl Fn(Conversation) -> Option<Conversation> + Send + Sync + 'static,
) -> SocketAddr {
    serve(move |mut talk| {
        while talk.next_request().is_some() {
            for piece in &pieces {
                if !talk.say(piece) {
                    return;
                }
                sleep(GAP);
            }
            match then(talk) {
                Some(again) => talk = again,
                None => return,
            }
        }
    })
}

fn goes_on(mut talk: Conversation) -> Option<Conversation> {
    talk.say(LAST).then_some(talk)
}

fn stalls(mut talk: Conversation) -> Option<Conversation> {
    let _ = talk.next_request();
    None
}

#[test]
fn first_events_and_gaps_are_measured() {
    both_ways(|io| {
        let check = |target: Target| {
            let expected = ["{\"token\": 1}", "{\"token\": 2}", "{\"token\": 3}", "{\"token\": 4}"];
            let outcome = load(io, streaming(target, &expected), &requests(3));
            assert_eq!((errors(&outcome), outcome.tally.right()), (vec![], 3));
            let tally = tally(&outcome);
            assert_eq!((tally.events, tally.open, tally.faults), (12, 0, EventFaults::default()));
            assert_eq!((tally.first.count(), tally.gaps.count()), (3, 9));
            // Its head comes a gap ahead, and its third and fourth event come at once.
            assert!(tally.first.quantile_us(0.0, 0).unwrap() >= 20e3);
            assert!(tally.gaps.count_from(15 * MS) >= 3);
            assert!(tally.gaps.quantile_us(0.3, 0).unwrap() < 1.0);
        };
        let (two, both) = (event(2), [event(3), event(4)].concat());
        let pieces = vec![HEAD.into(), event(1), two, both];
        check(target(says(pieces.clone(), goes_on)));
        let (address, ca) = Server::default().serve(move |mut talk| {
            while talk.next_request().is_some() {
                for piece in &pieces {
                    if !talk.say(piece) || talk.stream.flush().is_err() {
                        return;
                    }
                    sleep(GAP);
                }
                talk.say(LAST);
            }
        });
        check(sealed(address, Scheme::H1Tls, Some(&ca), false));
    });
}

#[test]
fn a_stream_without_an_end_is_cut_off_at_the_end_of_the_window() {
    both_ways(|io| {
        let address = serve(|mut talk| {
            if talk.next_request().is_some() && talk.say(HEAD.as_bytes()) {
                while talk.say(&event(1)) {
                    sleep(GAP / 4);
                }
            }
        });
        let target = Target { connections: 3, ..streaming(target(address), &[]) };
        let outcome = load(io, target, &for_ms(200));
        assert_eq!((errors(&outcome), outcome.tally.misses), (vec![], 0));
        let tally = tally(&outcome);
        assert_eq!((tally.open, tally.first.count(), outcome.tally.requests), (3, 3, 0));
        assert!(tally.events > 6 && tally.faults.doubled >= tally.events - 3);
    });
}

#[test]
fn a_stream_whose_number_of_events_is_known_is_drained_to_its_end() {
    both_ways(|io| {
        let pieces = vec![HEAD.into(), event(1), event(2), event(3)];
        let address = says(pieces, goes_on);
        let expected = ["{\"token\": 1}", "{\"token\": 2}", "{\"token\": 3}"];
        let outcome = load(io, streaming(target(address), &expected), &for_ms(30));
        assert_eq!((errors(&outcome), outcome.tally.misses), (vec![], 0));
        let tally = tally(&outcome);
        assert_eq!((tally.events_all, tally.open, outcome.tally.right()), (3, 0, 1));
        assert!(tally.events < 3 && outcome.tally.latencies.count() == 1);
    });
}

#[test]
fn lost_doubled_disordered_and_altered_events_are_counted_and_make_the_answer_wrong() {
    both_ways(|io| {
        let numbers = [1, 2, 2, 5, 4].map(event).concat();
        let address = says(vec![[HEAD.as_bytes(), &numbers[..]].concat()], goes_on);
        let expected = ["{\"token\": 1}", "2", "3", "{\"token\": 4}", "{\"token\": 5}"];
        let outcome = load(io, streaming(target(address), &expected), &requests(2));
        assert_eq!(errors(&outcome), [(ErrorKind::MismatchBody, 2)]);
        let faults = EventFaults { lost: 2, doubled: 2, out_of_order: 2, altered: 4 };
        assert_eq!(tally(&outcome).faults, faults);
        let detail = outcome.tally.first_bad.unwrap().detail;
        assert_eq!(detail, "of 5 events or more: 1 lost, 1 doubled, 1 out of order, 2 altered");
    });
}

/// The first error with a server that sends these pieces and then does `then`.
fn comes_to(
    pieces: &[&[u8]],
    then: fn(Conversation) -> Option<Conversation>,
    kind: ErrorKind,
    words: &'static str,
) {
    let pieces: Vec<Vec<u8>> = pieces.iter().map(|piece| piece.to_vec()).collect();
    both_ways(move |io| {
        let address = says(pieces.clone(), then);
        let outcome = load(io, streaming(target(address), &[]), &requests(1));
        assert_eq!(errors(&outcome), [(kind, 1)]);
        let bad = outcome.tally.first_bad.unwrap();
        assert!(bad.detail.contains(words), "{:?}", bad.detail);
    });
}

#[test]
fn a_stream_that_stalls_half_way() {
    let pieces = [HEAD.as_bytes(), &event(1)];
    comes_to(&pieces, stalls, ErrorKind::Timeout, "no event within 500 ms");
}

#[test]
fn a_stream_that_never_begins() {
    comes_to(&[HEAD.as_bytes()], stalls, ErrorKind::Timeout, "no event within 500 ms");
}

#[test]
fn a_stream_of_comments_alone() {
    fn comments(mut talk: Conversation) -> Option<Conversation> {
        while talk.say(&chunk(b": still here\n\n")) {
            sleep(GAP);
        }
        None
    }
    comes_to(&[HEAD.as_bytes()], comments, ErrorKind::Timeout, "no event within 500 ms");
}

#[test]
fn a_stream_that_is_closed_or_reset_half_way() {
    fn close(talk: Conversation) -> Option<Conversation> {
        talk.close(Close::Fin);
        None
    }
    fn reset(talk: Conversation) -> Option<Conversation> {
        talk.close(Close::Reset);
        None
    }
    let pieces = [HEAD.as_bytes(), &event(1)];
    comes_to(&pieces, close, ErrorKind::EarlyClose, "closed the connection after");
    comes_to(&pieces, reset, ErrorKind::Reset, "");
}

#[test]
fn a_stream_that_ends_within_an_event() {
    let pieces = [HEAD.as_bytes(), &event(1), &chunk(b"data: half an ev")];
    comes_to(&pieces, goes_on, ErrorKind::MismatchBody, "ends within an event, after 1");
}

#[test]
fn a_body_of_another_type() {
    let other = HEAD.replace("text/event-stream", "application/json");
    let words = "header content-type is \"application/json; charset=utf-8\", expected \"text/event-stream\"";
    let long = chunk(&vec![b'x'; 2 * EVENT_LIMIT]);
    for body in [event(1), long] {
        comes_to(&[other.as_bytes(), &body], goes_on, ErrorKind::MismatchHeader, words);
    }
}

#[test]
fn an_event_of_ten_megabytes() {
    let long = [b"data: ", &vec![b'x'; 10 << 20][..]].concat();
    let pieces = [HEAD.as_bytes(), &event(1), &chunk(&long)];
    comes_to(&pieces, stalls, ErrorKind::Malformed, "an event of more than 1048576 bytes");
}

#[test]
fn an_event_with_half_a_letter() {
    let pieces = [HEAD.as_bytes(), &event(1), &chunk(b"data: \xc3\n\n")];
    comes_to(&pieces, stalls, ErrorKind::Malformed, "an event whose data is not UTF-8");
}
