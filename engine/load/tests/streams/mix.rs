//! Several requests as streams: in whatever order the answers come, each counts for its own
//! request.

use crate::world::guard::both_ways;
use crate::world::loading::{errors, load, requests};
use crate::world::servers::serve;
use crate::world::streams::{Peer, answer};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use volley_load::by_request::RequestTally;
use volley_load::errors::ErrorKind;
use volley_load::scheme::Scheme;
use volley_load::slice::Outcome;
use volley_load::target::Target;
use volley_protocol::h2::frame::{self, code};
use volley_protocol::{Expectation, StatusRule};
use volley_requests::{Book, DRAWN, Defaults, RequestFile};

const STREAMS: usize = 5;

/// Counts of each request.
fn counts(outcome: &Outcome, of: impl Fn(&RequestTally) -> u64) -> Vec<u64> {
    outcome.tally.by_request.tallies().iter().map(of).collect()
}

/// Three requests, of which the second is to have a body that the server never sends.
fn book() -> Book {
    let text = "[[request]]\nweight = 3\npath = \"/a\"\n\
                [[request]]\npath = \"/b\"\nexpect.body = \"Jello, World!\"\n\
                [[request]]\npath = \"/c\"\n";
    let expectation = Expectation::of_status(StatusRule::Exactly(200));
    let defaults = Defaults { expectation, ..Defaults::of("test") };
    let file = RequestFile::parse(text, Path::new("r.toml"), |_| unreachable!()).unwrap();
    file.book(&defaults, 7, DRAWN, STREAMS).unwrap()
}

/// One connection.
fn target(address: SocketAddr, book: Arc<Book>) -> Target {
    Target {
        scheme: Scheme::H2c,
        connections: 1,
        pipeline: STREAMS,
        books: vec![book],
        ..crate::world::loading::target(address)
    }
}

#[test]
fn answers_in_any_order_count_for_their_requests() {
    both_ways(|io| {
        let book = Arc::new(book());
        let known = book.clone();
        let address = serve(move |talk| {
            let mut peer = Peer::new(talk.stream, &[]);
            loop {
                let (streams, mut out) = (peer.requests(), Vec::new());
                for &stream in streams.iter().rev() {
                    // On the one connection, streams are numbered like the book's messages.
                    if known.entry((stream as usize / 2) % known.cycle()) == 2 {
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
        let outcome = load(io, target(address, book.clone()), &requests(400));
        let sent = |entry| (0..400).filter(|&number| book.entry(number) == entry).count() as u64;
        assert_eq!(
            errors(&outcome),
            [(ErrorKind::StreamReset, sent(2)), (ErrorKind::MismatchBody, sent(1))]
        );
        let counts = |of: fn(&RequestTally) -> u64| counts(&outcome, of);
        assert_eq!(counts(|part| part.requests), [sent(0), sent(1), 0]);
        assert_eq!(counts(|part| part.latencies.count()), [sent(0), sent(1), 0]);
        assert_eq!(counts(|part| part.misses), [0, 0, sent(2)]);
        assert_eq!(counts(|part| part.errors.of(ErrorKind::MismatchBody)), [0, sent(1), 0]);
        assert_eq!(counts(|part| part.errors.of(ErrorKind::StreamReset)), [0, 0, sent(2)]);
        assert_eq!(counts(|part| part.errors.sum()), [0, sent(1), sent(2)]);
    });
}

#[test]
fn one_that_waits_too_long_is_the_only_one_that_is_late() {
    both_ways(|io| {
        let book = Arc::new(book());
        let first = book.entry(0);
        let address = serve(|talk| {
            let mut peer = Peer::new(talk.stream, &[]);
            loop {
                let (streams, mut out) = (peer.requests(), Vec::new());
                streams.iter().filter(|&&stream| stream > 1).for_each(|&stream| {
                    answer(&mut out, stream);
                });
                // Not as fast as possible: the first is to be late while others are answered.
                thread::sleep(Duration::from_millis(5));
                if streams.is_empty() || !peer.say(&out) {
                    return;
                }
            }
        });
        // Longer than a busy machine stands still.
        let target = Target { request_timeout_ns: 500_000_000, ..target(address, book) };
        let outcome = load(io, target, &requests(450));
        assert_eq!(outcome.tally.errors.of(ErrorKind::Timeout), 1);
        let late = |entry| u64::from(entry == first);
        assert_eq!(counts(&outcome, |part| part.misses), [late(0), late(1), late(2)]);
        let timeouts = counts(&outcome, |part| part.errors.of(ErrorKind::Timeout));
        assert_eq!(timeouts, [late(0), late(1), late(2)]);
    });
}
