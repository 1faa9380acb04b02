//! Connections that log in, and use the values that they were given.

use crate::shop::{Asked, LOGIN, h1, h1_tls, h2, h2_tls, target};
use crate::world::guard::both_ways;
use crate::world::loading::{at_rate, errors, requests, run, size, workers};
use crate::world::sealed::sealed;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use volley_load::scheme::Scheme;
use volley_load::target::Target;
use volley_net::IoChoice;
use volley_protocol::h2::frame::setting;

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::SeqCst)
}

fn check(io: IoChoice, (address, asked): (SocketAddr, Arc<Asked>), scheme: Scheme, depth: usize) {
    check_target(io, target(address, LOGIN, scheme, depth), &asked);
}

/// Two slices of requests by two connections, which log in once, before the first.
fn check_target(io: IoChoice, target: Target, asked: &Asked) {
    let mut workers = workers(&size(io), target);
    assert_eq!((read(&asked.logins), read(&asked.forms), read(&asked.free)), (2, 2, 0));
    for _ in 0..2 {
        let outcome = run(&mut workers, &requests(150));
        let tally = &outcome.tally;
        assert_eq!((errors(&outcome), tally.right(), tally.connects), (vec![], 150, 0));
        assert_eq!((tally.requests_all, tally.latencies.count()), (150, 150));
    }
    let rated = run(&mut workers, &at_rate(500.0, 20, 200));
    assert_eq!((errors(&rated), rated.tally.misses), (vec![], 0));
    assert_eq!((read(&asked.logins), read(&asked.forms), read(&asked.wrong)), (2, 2, 0));
    let (free, carts) = (read(&asked.free), read(&asked.carts));
    assert_eq!(free + carts, 300 + rated.tally.requests_all);
    assert!(free > 50 && carts > 50, "{asked:?}");
}

#[test]
fn each_connection_logs_in_once() {
    both_ways(|io| {
        check(io, h1(usize::MAX), Scheme::H1, 1);
        check(io, h1(usize::MAX), Scheme::H1, 5);
    });
}

#[test]
fn each_connection_of_http_2_logs_in_once() {
    both_ways(|io| {
        check(io, h2(&[]), Scheme::H2c, 1);
        check(io, h2(&[(setting::MAX_CONCURRENT_STREAMS, 3)]), Scheme::H2c, 5);
        // Each body waits for its window, and the table has no room.
        let tight = &[(setting::INITIAL_WINDOW_SIZE, 7), (setting::HEADER_TABLE_SIZE, 0)];
        check(io, h2(tight), Scheme::H2c, 2);
    });
}

#[test]
fn they_do_so_in_tls() {
    both_ways(|io| {
        let served = [(Scheme::H1Tls, h1_tls()), (Scheme::H2, h2_tls())];
        for (scheme, (address, asked, ca)) in served {
            let tls = sealed(address, scheme, Some(&ca), false).tls;
            check_target(io, Target { tls, ..target(address, LOGIN, scheme, 3) }, &asked);
        }
    });
}

#[test]
fn a_connection_that_was_closed_logs_in_anew() {
    both_ways(|io| {
        let (address, asked) = h1(7);
        let mut workers = workers(&size(io), target(address, LOGIN, Scheme::H1, 1));
        let outcome = run(&mut workers, &requests(100));
        let tally = &outcome.tally;
        // Five requests on a connection, and the chain's two.
        assert_eq!((errors(&outcome), tally.requests), (vec![], 100));
        assert!(tally.connects >= 18 && read(&asked.logins) >= tally.connects, "{asked:?}");
        assert_eq!(tally.requests_all, 100 + 2 * tally.connects);
        assert_eq!((read(&asked.wrong), tally.latencies.count()), (0, 100));
    });
}

#[test]
fn so_does_one_that_we_close() {
    both_ways(|io| {
        for (scheme, (address, asked)) in [(Scheme::H1, h1(usize::MAX)), (Scheme::H2c, h2(&[]))] {
            let target = target(address, LOGIN, scheme, 1);
            let target = Target { requests_per_connection: Some(4), ..target };
            let mut workers = workers(&size(io), target);
            let outcome = run(&mut workers, &requests(40));
            let tally = &outcome.tally;
            assert_eq!((errors(&outcome), tally.requests, read(&asked.wrong)), (vec![], 40, 0));
            assert_eq!(tally.requests_all, 40 + 2 * tally.connects);
            assert!(read(&asked.logins) >= 10, "{asked:?}");
        }
    });
}
