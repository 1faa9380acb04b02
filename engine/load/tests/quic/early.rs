//! Requests ahead of their handshakes (0-RTT).

use crate::server::{Server, Treat};
use crate::world::loading::{errors, requests, run, size};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use volley_load::slice::Outcome;
use volley_load::target::Target;
use volley_load::workers::Workers;
use volley_net::IoChoice;

/// A connection for each of 60 requests, four at a time.
fn load(server: &Server, sends_early: bool) -> Outcome {
    let target = server.target(true, sends_early);
    let target = Arc::new(Target { requests_per_connection: Some(1), ..target });
    let mut workers = Workers::start(&size(IoChoice::Epoll), &[target]).unwrap();
    let outcome = run(&mut workers, &requests(60));
    let tally = &outcome.tally;
    assert_eq!((errors(&outcome), &tally.first_bad), (vec![], &None));
    assert_eq!((tally.requests_all, tally.right(), tally.misses), (60, 60, 0));
    assert_eq!((tally.connects, tally.handshakes), (60, 60));
    assert_eq!(server.requests.load(Ordering::SeqCst), 60, "no request is lost or comes twice");
    outcome
}

/// The first connection of each of the four places has no session to resume.
const REPEATED: u64 = 56;

#[test]
fn they_go_with_the_first_datagram_where_the_server_takes_them() {
    let server = Server::start(0, |_| Treat::Well);
    let tally = load(&server, true).tally;
    let counts = (tally.resumed, tally.early_accepted, tally.early_rejected);
    assert_eq!(counts, (REPEATED, REPEATED, 0));
}

#[test]
fn without_the_setting_sessions_are_resumed_only() {
    let server = Server::start(0, |_| Treat::Well);
    let tally = load(&server, false).tally;
    assert_eq!((tally.resumed, tally.early_accepted, tally.early_rejected), (REPEATED, 0, 0));
}

#[test]
fn a_server_that_forgot_the_session_gets_them_again_after_a_full_handshake() {
    let server = Server::start(3, |_| Treat::Well);
    let tally = load(&server, true).tally;
    let forgotten = server.sessions.forgotten.load(Ordering::SeqCst);
    assert!(forgotten >= REPEATED / 3);
    let accepted = REPEATED - forgotten;
    let counts = (tally.resumed, tally.early_accepted, tally.early_rejected);
    assert_eq!(counts, (accepted, accepted, forgotten));
}

#[test]
fn a_server_that_resumes_but_takes_nothing_early_gets_them_after_the_handshake() {
    let server = Server::start(0, |nth| if nth % 3 == 2 { Treat::Late } else { Treat::Well });
    let tally = load(&server, true).tally;
    assert_eq!(tally.resumed, REPEATED);
    // The tickets of connections that took nothing early don't allow it either.
    assert!(tally.early_accepted > 0 && tally.early_rejected > 0);
    assert!(tally.early_accepted + tally.early_rejected < REPEATED);
}

#[test]
fn one_ahead_of_a_handshake_that_fails_is_an_error_and_a_miss() {
    let server = Server::start(0, |_| Treat::Well);
    let target = server.target(true, true);
    let target = Target {
        connections: 1,
        requests_per_connection: Some(1),
        request_timeout_ns: 300_000_000,
        ..target
    };
    let mut workers = Workers::start(&size(IoChoice::Epoll), &[Arc::new(target)]).unwrap();
    assert_eq!(run(&mut workers, &requests(2)).tally.early_accepted, 1);
    server.stop();
    let tally = run(&mut workers, &requests(2)).tally;
    assert_eq!((tally.requests_all, tally.misses, tally.connects), (0, 2, 0));
    assert_eq!((tally.handshakes, tally.early_accepted, tally.early_rejected), (0, 0, 0));
}
