//! A watcher ends a slice before its time.

use crate::world::guard::both_ways;
use crate::world::loading::{at_rate, crew, errors, for_ms, requests, run, size, target};
use crate::world::servers::{good, serve, silent};
use std::thread::sleep;
use std::time::Duration;
use volley::clock::{MS, now_ns};
use volley::crew::{Crew, Look, Size};
use volley::errors::ErrorKind;
use volley::slice::{Outcome, Plan, Wish};
use volley::target::Target;

/// Longer than any test has patience for.
const HOUR_MS: u64 = 3_600_000;

/// Runs a slice, and wishes for something once it has gone on for so long. Also: how long after
/// the wish it took.
fn wishing(crew: &mut Crew, plan: &Plan, wish: Wish, after_ms: u64) -> (Outcome, u64) {
    let begun_ns = now_ns();
    let mut wished_ns = None;
    let mut watch = |look: &Look<'_>| {
        if look.now_ns < begun_ns + after_ms * MS {
            return Wish::GoOn;
        }
        wished_ns.get_or_insert(look.now_ns);
        wish
    };
    let outcome = crew.run(0, plan, &mut watch).unwrap();
    (outcome, now_ns() - wished_ns.unwrap())
}

#[test]
fn draining_ends_the_window_and_loses_nothing() {
    both_ways(|io| {
        for threads in [1, 2] {
            let slow = serve(|mut conversation| {
                while conversation.next_request().is_some() {
                    sleep(Duration::from_millis(10));
                    conversation.say(crate::world::loading::GOOD);
                }
            });
            let mut crew = crew(&Size { threads, ..size(io) }, target(slow));
            for plan in [for_ms(HOUR_MS), at_rate(100.0, 0, HOUR_MS)] {
                let (outcome, _) = wishing(&mut crew, &plan, Wish::Drain, 100);
                let tally = &outcome.tally;
                assert_eq!((errors(&outcome), tally.misses, tally.unsent), (vec![], 0, 0));
                // What was sent before the thread heard of it is no longer the window's.
                assert!(tally.latencies.count() > 0);
                assert!(tally.latencies.count() <= tally.requests_all);
                let length_ms = outcome.duration_ns() / MS;
                assert!((1..20_000).contains(&length_ms), "{length_ms} ms");
            }
            assert_eq!(errors(&run(&mut crew, &requests(10))), vec![]);
        }
    });
}

#[test]
fn draining_within_the_ramp_counts_nothing() {
    both_ways(|io| {
        let plan = Plan { ramp_ns: HOUR_MS * MS, ..for_ms(HOUR_MS) };
        let (outcome, _) = wishing(&mut crew(&size(io), target(good())), &plan, Wish::Drain, 50);
        let tally = &outcome.tally;
        assert_eq!((outcome.duration_ns(), tally.requests, tally.latencies.count()), (0, 0, 0));
        assert!(tally.requests_all > 0);
    });
}

#[test]
fn leaving_waits_for_no_answer() {
    both_ways(|io| {
        for threads in [1, 2] {
            for requests_per_connection in [None, Some(1)] {
                let request_timeout_ns = HOUR_MS * MS;
                let target =
                    Target { requests_per_connection, request_timeout_ns, ..target(silent()) };
                let mut crew = crew(&Size { threads, ..size(io) }, target);
                for plan in [for_ms(HOUR_MS), at_rate(1000.0, 0, HOUR_MS)] {
                    let (outcome, took_ns) = wishing(&mut crew, &plan, Wish::Leave, 50);
                    let tally = &outcome.tally;
                    assert_eq!((errors(&outcome), tally.requests_all), (vec![], 0));
                    // Four were sent. At a rate, all others that were due have never been.
                    assert_eq!(tally.misses, 4 + tally.unsent);
                    assert!(took_ns < 2000 * MS, "{} ms", took_ns / MS);
                }
            }
        }
    });
}

#[test]
fn leaving_a_server_that_is_in_time_misses_only_what_is_in_flight() {
    both_ways(|io| {
        let mut crew = crew(&size(io), target(good()));
        let (outcome, _) = wishing(&mut crew, &for_ms(HOUR_MS), Wish::Leave, 50);
        assert!(outcome.tally.requests_all > 4 && outcome.tally.misses <= 4);
        let outcome = run(&mut crew, &requests(100));
        assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 100));
    });
}

#[test]
fn draining_waits_for_answers_until_they_are_too_late() {
    both_ways(|io| {
        let target = Target { request_timeout_ns: 300 * MS, ..target(silent()) };
        let mut crew = crew(&size(io), target);
        let (outcome, took_ns) = wishing(&mut crew, &for_ms(HOUR_MS), Wish::Drain, 20);
        assert!(outcome.tally.errors.of(ErrorKind::Timeout) >= 4);
        assert_eq!(outcome.tally.misses, outcome.tally.errors.sum());
        assert!(took_ns > 100 * MS, "{} ms", took_ns / MS);
    });
}
