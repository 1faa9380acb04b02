//! A watcher ends a slice before its time.

use crate::world::guard::both_ways;
use crate::world::loading::{GOOD, at_rate, errors, for_ms, requests, run, size, target, workers};
use crate::world::servers::{counting, serve};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;
use volley_load::errors::ErrorKind;
use volley_load::slice::{Outcome, Plan, Wish};
use volley_load::target::Target;
use volley_load::workers::{Size, Snapshot, Workers};
use volley_net::clock::{MS, now_ns};

/// A duration longer than any test waits.
const HOUR_MS: u64 = 3_600_000;

/// Runs a slice, and makes a wish as soon as the slice is ready for it. Also returns how long after
/// the wish it ended.
fn wishing(
    workers: &mut Workers,
    plan: &Plan,
    wish: Wish,
    is_so_far: impl Fn(&Snapshot<'_>) -> bool,
) -> (Outcome, u64) {
    let mut wished_ns = None;
    let mut watch = |look: &Snapshot<'_>| {
        if wished_ns.is_none() && is_so_far(look) {
            wished_ns = Some(look.now_ns);
        }
        if wished_ns.is_some() { wish } else { Wish::GoOn }
    };
    let outcome = workers.run(0, plan, &mut watch).unwrap();
    (outcome, now_ns() - wished_ns.unwrap())
}

/// Reads requests and counts them, but never answers.
fn silent() -> (SocketAddr, Arc<AtomicU64>) {
    let count = Arc::new(AtomicU64::new(0));
    let counted = count.clone();
    let address = serve(move |mut conversation| {
        while conversation.next_request().is_some() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    (address, count)
}

#[test]
fn draining_ends_the_window_and_loses_nothing() {
    both_ways(|io| {
        for threads in [1, 2] {
            let slow = serve(|mut conversation| {
                while conversation.next_request().is_some() {
                    sleep(Duration::from_millis(10));
                    conversation.say(GOOD);
                }
            });
            let mut workers = workers(&Size { threads, ..size(io) }, target(slow));
            for plan in [for_ms(HOUR_MS), at_rate(100.0, 0, HOUR_MS)] {
                let is_so_far = |look: &Snapshot<'_>| look.requests >= 8;
                let (outcome, _) = wishing(&mut workers, &plan, Wish::Drain, is_so_far);
                let tally = &outcome.tally;
                assert_eq!((errors(&outcome), tally.misses, tally.unsent), (vec![], 0, 0));
                // Requests that were sent before a thread saw the wish are not in the window.
                assert!((8..=tally.requests_all).contains(&tally.latencies.count()));
                assert!(outcome.duration_ns() < HOUR_MS * MS / 2);
            }
            assert_eq!(errors(&run(&mut workers, &requests(10))), vec![]);
        }
    });
}

#[test]
fn draining_within_the_ramp_counts_nothing() {
    both_ways(|io| {
        let (address, served) = counting(GOOD);
        let plan = Plan { ramp_ns: HOUR_MS * MS, ..for_ms(HOUR_MS) };
        let mut workers = workers(&size(io), target(address));
        let is_so_far = |_: &Snapshot<'_>| served.load(Ordering::SeqCst) > 10;
        let (outcome, _) = wishing(&mut workers, &plan, Wish::Drain, is_so_far);
        let tally = &outcome.tally;
        assert_eq!((outcome.duration_ns(), tally.requests, tally.latencies.count()), (0, 0, 0));
        assert_eq!(tally.requests_all, served.load(Ordering::SeqCst));
    });
}

#[test]
fn leaving_waits_for_no_answer() {
    both_ways(|io| {
        for threads in [1, 2] {
            for requests_per_connection in [None, Some(1)] {
                let (address, seen) = silent();
                let request_timeout_ns = HOUR_MS * MS;
                let target =
                    Target { requests_per_connection, request_timeout_ns, ..target(address) };
                let mut workers = workers(&Size { threads, ..size(io) }, target);
                for (plan, sent) in [(for_ms(HOUR_MS), 4), (at_rate(1000.0, 0, HOUR_MS), 8)] {
                    let is_so_far = |_: &Snapshot<'_>| seen.load(Ordering::SeqCst) == sent;
                    let (outcome, took_ns) = wishing(&mut workers, &plan, Wish::Leave, is_so_far);
                    let tally = &outcome.tally;
                    assert_eq!((errors(&outcome), tally.requests_all), (vec![], 0));
                    // Four were sent. At a rate, all other due requests never have been.
                    assert_eq!(tally.misses, 4 + tally.unsent);
                    assert!(took_ns < 20_000 * MS, "{} ms", took_ns / MS);
                }
            }
        }
    });
}

#[test]
fn leaving_a_server_that_is_in_time_misses_only_what_is_in_flight() {
    both_ways(|io| {
        let mut workers = workers(&size(io), target(counting(GOOD).0));
        let is_so_far = |look: &Snapshot<'_>| look.requests > 100;
        let (outcome, _) = wishing(&mut workers, &for_ms(HOUR_MS), Wish::Leave, is_so_far);
        assert!(outcome.tally.requests_all > 100 && outcome.tally.misses <= 4);
        let outcome = run(&mut workers, &requests(100));
        assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 100));
    });
}

#[test]
fn draining_waits_for_answers_until_they_are_too_late() {
    both_ways(|io| {
        let (address, seen) = silent();
        let target = Target { request_timeout_ns: 1000 * MS, ..target(address) };
        let mut workers = workers(&size(io), target);
        let is_so_far = |_: &Snapshot<'_>| seen.load(Ordering::SeqCst) == 4;
        let (outcome, _) = wishing(&mut workers, &for_ms(HOUR_MS), Wish::Drain, is_so_far);
        assert_eq!(errors(&outcome), [(ErrorKind::Timeout, 4)]);
        assert_eq!((outcome.tally.requests_all, outcome.tally.misses), (0, 4));
        assert!(outcome.drained_ns - outcome.window.start_ns >= 1000 * MS);
    });
}
