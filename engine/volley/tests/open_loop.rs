//! `volley drive` in an open loop: requests are sent when they are due, and none is forgotten.

#[macro_use]
mod common;

use common::driver::{Driver, errors, histogram, job};
use common::servers::{self, GOOD};
use common::yardstick::Yardstick;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use volley_load::errors::ErrorKind;
use volley_load::schedule::Shape::{Poisson, Uniform};
use volley_net::IoChoice;

both_ways! {
    a_server_that_answers_at_once_is_asked_as_often_as_planned,
    waiting_for_a_connection_counts,
    a_server_that_never_answers_misses_all,
    equal_seeds_give_equal_arrivals,
}

fn a_server_that_answers_at_once_is_asked_as_often_as_planned(io: IoChoice) {
    let (address, served) = servers::counting(GOOD);
    let (mut driver, _) = Driver::job(job(io, &[address]));
    let event = driver.open_slice(1000, 500.0, Uniform, 1);
    assert_eq!((errors(&event), event.misses, event.unsent), (vec![], 0, 0));
    assert!((490..=510).contains(&event.latency_count), "{}", event.latency_count);
    // If the machine is disturbed, answers come after the window.
    assert!((1..=510).contains(&event.requests), "{}", event.requests);
    assert_eq!(served.load(Ordering::SeqCst), event.requests_all);
    for encoded in [&event.latency, &event.service.unwrap(), &event.send_lag.unwrap()] {
        assert_eq!(histogram(encoded).len(), event.latency_count);
    }
}

/// One connection answers a request in 50 ms, and every 10 ms one is due: the last of 20 waits for
/// 19 others, which takes 950 ms, of which 190 ms have passed when it is due.
fn waiting_for_a_connection_counts(io: IoChoice) {
    let server = Yardstick::start("--delay 50ms");
    let mut job = job(io, &[server.address]);
    job.connections = 1;
    let event = Driver::job(job).0.open_slice(200, 100.0, Uniform, 1);
    assert_eq!((errors(&event), event.misses), (vec![], 0));
    assert!((19..=21).contains(&event.latency_count), "{}", event.latency_count);
    let [latency, service, send_lag] =
        [&event.latency, &event.service.unwrap(), &event.send_lag.unwrap()].map(|e| histogram(e));
    assert!(service.min() >= 49_900_000, "{} ns", service.min());
    assert!(send_lag.max() >= 700_000_000, "{} ns", send_lag.max());
    assert!(latency.max() >= send_lag.max() + 45_000_000, "{} ns", latency.max());
    // Requests that were due are sent after the window's end.
    assert!(event.requests <= 4 && event.drained_ns - event.end_ns >= 600_000_000);
}

/// Each of the four connections takes a request, and another one when that has timed out, after 300
/// ms. For a third one it is too late: 300 ms after the window's end no request is sent any more.
fn a_server_that_never_answers_misses_all(io: IoChoice) {
    let mut job = job(io, &[servers::silent()]);
    job.request_timeout_ms = 300;
    let event = Driver::job(job).0.open_slice(200, 500.0, Uniform, 1);
    assert_eq!((event.requests_all, event.latency_count), (0, 0));
    assert!((99..=101).contains(&event.misses), "{}", event.misses);
    let sent = event.misses - event.unsent;
    assert!((4..=8).contains(&sent), "{sent}");
    assert_eq!(errors(&event), vec![(ErrorKind::Timeout, sent)]);
    assert!(event.drained_ns - event.end_ns <= 5_000_000_000);
}

fn equal_seeds_give_equal_arrivals(io: IoChoice) {
    let mut job = job(io, &[servers::always(GOOD)]);
    job.threads = 2;
    let (mut driver, _) = Driver::job(job);
    let mut due = |seed| {
        let event = driver.open_slice(200, 1000.0, Poisson, seed);
        assert_eq!((errors(&event), event.misses), (vec![], 0));
        event.latency_count
    };
    let first = due(7);
    assert_eq!(due(7), first);
    let others: BTreeSet<u64> = (0..5).map(due).collect();
    assert!(others.len() > 1, "five seeds, and each time {others:?} requests were due");
}
