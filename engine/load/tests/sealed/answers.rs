//! Right answers, however they are sealed, and the counts of handshakes.

use crate::world::guard::both_ways;
use crate::world::loading::{GOOD, book, errors, load, request, requests, run, size, workers};
use crate::world::sealed::{Server, Trickle, sealed};
use crate::world::servers::answer_with;
use std::sync::atomic::AtomicU64;
use volley_load::scheme::Scheme;
use volley_load::slice::Outcome;
use volley_load::target::Target;

/// Expects this many right answers, and nothing else.
fn assert_right(outcome: &Outcome, count: u64) {
    assert_eq!(errors(outcome), []);
    let tally = &outcome.tally;
    assert_eq!((tally.requests_all, tally.misses, tally.right()), (count, 0, count));
}

#[test]
fn they_come_over_both_versions_and_each_connection_has_one_handshake() {
    both_ways(|io| {
        for (old, version) in [(false, "1.3"), (true, "1.2")] {
            let server = Server { old, alpn: &["http/1.1"], ..Server::default() };
            let (address, ca) = server.serve(|mut talk| talk.answer_all(GOOD, &AtomicU64::new(0)));
            let target = sealed(address, Scheme::H1Tls, Some(&ca), false);
            let mut workers = workers(&size(io), Target { pipeline: 8, ..target });
            for _ in 0..2 {
                let outcome = run(&mut workers, &requests(200));
                assert_right(&outcome, 200);
                // They were opened before, and stay open.
                assert_eq!((outcome.tally.connects, outcome.tally.handshakes), (0, 0));
            }
            let opened = workers.open(0).unwrap();
            assert_eq!(opened.open, 0);
            drop(workers);
            let outcome = load_unopened(io, sealed(address, Scheme::H1Tls, Some(&ca), false), 40);
            assert_right(&outcome, 40);
            let tally = &outcome.tally;
            assert_eq!((tally.connects, tally.handshakes, tally.resumed), (4, 4, 0));
            assert!(tally.handshake_mean_us().is_some_and(|mean_us| mean_us > 0.0));
            let agreed = tally.terms.tls.unwrap();
            assert_eq!((agreed.tls_version, agreed.alpn), (version, Some("http/1.1")));
            assert!(agreed.cipher.contains("AES_256") || agreed.cipher.contains("AES_128"));
        }
    });
}

/// A slice whose connections were not opened ahead, so that they are in its counts.
fn load_unopened(io: volley_net::IoChoice, target: Target, count: u64) -> Outcome {
    let target = std::sync::Arc::new(target);
    let mut workers = volley_load::workers::Workers::start(&size(io), &[target]).unwrap();
    run(&mut workers, &requests(count))
}

#[test]
fn they_may_be_many_records_and_records_may_come_in_pieces() {
    both_ways(|io| {
        // Records hold 16 KiB at most.
        let body: Vec<u8> = (0..=250).cycle().take(200_000).collect();
        let answer = answer_with(&body);
        let books = book(&request(b""), Some(&body), 2);
        let through = answer.clone();
        let (address, ca) =
            Server::default().serve(move |mut talk| talk.answer_all(&answer, &AtomicU64::new(0)));
        let target = sealed(address, Scheme::H1Tls, Some(&ca), false);
        let target = Target { books: books.clone(), pipeline: 2, ..target };
        assert_right(&load(io, target, &requests(40)), 40);

        let (address, ca) = Server::default().serve_through(Trickle::new, move |mut talk| {
            talk.answer_all(&through, &AtomicU64::new(0));
        });
        let target = sealed(address, Scheme::H1Tls, Some(&ca), false);
        assert_right(&load(io, Target { books, ..target }, &requests(4)), 4);
    });
}

#[test]
fn bodies_of_requests_are_sealed_whole() {
    both_ways(|io| {
        let body = vec![b'x'; 100_000];
        let (address, ca) = Server::default().serve(|mut talk| {
            while let Some(request) = talk.next_request() {
                assert!(request.ends_with(&vec![b'x'; 100_000]));
                talk.say(GOOD);
            }
        });
        let books = book(&request(&body), None, 1);
        let target = sealed(address, Scheme::H1Tls, Some(&ca), false);
        assert_right(&load(io, Target { books, ..target }, &requests(12)), 12);
    });
}

#[test]
fn a_connection_for_each_request_has_a_handshake_for_each_resumed_where_that_is_wanted() {
    both_ways(|io| {
        for old in [false, true] {
            for (resumes, server_resumes) in [(false, true), (true, true), (true, false)] {
                let server = Server { old, resumes: server_resumes, ..Server::default() };
                let (address, ca) = server.serve(|mut talk| {
                    if talk.next_request().is_some() {
                        talk.say(GOOD);
                    }
                    crate::world::sealed::say_goodbye(talk);
                });
                let target = sealed(address, Scheme::H1Tls, Some(&ca), resumes);
                let target = Target { requests_per_connection: Some(1), ..target };
                let outcome = load_unopened(io, target, 60);
                assert_right(&outcome, 60);
                let tally = &outcome.tally;
                assert_eq!((tally.connects, tally.handshakes), (60, 60));
                // The first connection of each of the four places has no session to resume.
                let resumed = if resumes && server_resumes { 56 } else { 0 };
                assert_eq!(tally.resumed, resumed, "TLS 1.2: {old}, {resumes} {server_resumes}");
            }
        }
    });
}
