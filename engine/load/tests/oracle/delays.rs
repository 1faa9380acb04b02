//! Servers that take the same time for each request, or a longer one now and then.

use crate::agreement::{Bounds, KEPT, assert_agrees, tolerance_ns};
use crate::trial::{BEARABLE, Setup, Trial};
use crate::weather::Reach;
use crate::world::guard::both_ways_alone;
use crate::world::loading::{at_rate, for_ms};
use volley_load::slice::Plan;
use volley_net::IoChoice;
use volley_net::clock::MS;

/// 5 ms for each, and 50 ms more for each tenth.
const HICCUPS: &str = "--delay 5ms --slow-every 10 --slow 50ms";

/// Nothing queues here: a client that does not wait during a disturbance is not affected.
fn setup(io: IoChoice, connections: usize, plan: Plan, server: &str, longest_ns: u64) -> Setup {
    let reach = Reach { before_ns: longest_ns, recovery: 0.0, after_ns: MS };
    let server = server.to_owned();
    Setup { io, threads: 1, connections, plan, server, reach, bearable: BEARABLE }
}

/// Whatever disturbs a run, no latency is shorter than the server made it.
fn none_is_shorter(trial: &Trial, least_ns: u64) {
    let found_ns = trial.outcome.tally.latencies.histogram().min();
    assert!(found_ns as f64 >= least_ns as f64 * KEPT, "{found_ns} ns");
}

#[test]
fn a_fixed_delay_at_a_rate_is_the_latency() {
    both_ways_alone(|io| {
        let delay_ns = 20 * MS;
        let trial = setup(io, 32, at_rate(400.0, 50, 600), "--delay 20ms", delay_ns).run();
        let found = &trial.outcome.tally.latencies;
        let bounds = Bounds::open_loop(tolerance_ns(0), trial.disturbed);
        let quantiles = [0.01, 0.1, 0.5, 0.9, 0.98];
        assert_agrees("the delay", found, quantiles, |_| delay_ns as f64, bounds);
        none_is_shorter(&trial, delay_ns);
    });
}

#[test]
fn a_fixed_delay_in_closed_loop_sets_the_throughput() {
    const CONNECTIONS: usize = 32;
    const DELAY_NS: u64 = 50 * MS;
    // 20 rounds and a half: by the count the half is none or one, by shares it is a half.
    const WINDOW_MS: u64 = 1025;
    both_ways_alone(|io| {
        let plan = Plan { ramp_ns: 2 * DELAY_NS, ..for_ms(WINDOW_MS) };
        let trial = setup(io, CONNECTIONS, plan, "--delay 50ms", DELAY_NS).run();
        none_is_shorter(&trial, DELAY_NS);
        // X = N/d. Each round may be late by the tolerance.
        let (connections, delay_ns) = (CONNECTIONS as f64, DELAY_NS as f64);
        let rounds = trial.outcome.duration_ns() as f64 / delay_ns;
        let late = delay_ns / (delay_ns + tolerance_ns(0));
        let least = connections * rounds * late * (1.0 - trial.disturbed);
        let most = connections * rounds;
        let tally = &trial.outcome.tally;
        for (requests, range) in [
            // A whole round more or less, by what the window's borders cut.
            (tally.requests as f64, least - connections..=most + connections),
            (tally.requests_by_share, least..=most / KEPT),
        ] {
            assert!(range.contains(&requests), "{requests}, expected {range:?}");
        }
    });
}

/// Of every ten requests one takes longer: a step at p = 0.9.
fn has_a_step_at_nine_tenths(trial: &Trial, bounds: Bounds) {
    let step_ns = |p| if p <= 0.9 { 5.0 * MS as f64 } else { 55.0 * MS as f64 };
    let away = [0.1, 0.5, 0.88, 0.92, 0.95, 0.98];
    assert_agrees("the step", &trial.outcome.tally.latencies, away, step_ns, bounds);
    none_is_shorter(trial, 5 * MS);
}

#[test]
fn every_tenth_request_of_a_rate_takes_longer() {
    both_ways_alone(|io| {
        let trial = setup(io, 64, at_rate(400.0, 50, 800), HICCUPS, 55 * MS).run();
        let bounds = Bounds::open_loop(tolerance_ns(0), trial.disturbed);
        has_a_step_at_nine_tenths(&trial, bounds);
    });
}

#[test]
fn every_tenth_request_of_a_closed_loop_takes_longer() {
    both_ways_alone(|io| {
        let plan = Plan { ramp_ns: 50 * MS, ..for_ms(800) };
        let trial = setup(io, 8, plan, HICCUPS, 55 * MS).run();
        let bounds = Bounds::closed_loop(tolerance_ns(0), trial.disturbed);
        has_a_step_at_nine_tenths(&trial, bounds);
    });
}

/// Each request takes 1 ms, and of every `every` one takes 50 ms more: the test gives the
/// percentile that has to show it.
fn a_slow_request_is_seen(trial: &Trial, every: f64, bounds: Bounds) {
    let found = &trial.outcome.tally.latencies;
    let slow_ns = |p: f64| if 1.0 - p > 1.0 / every { MS as f64 } else { 51.0 * MS as f64 };
    let away = [5.0, 3.0, 0.7, 0.5].map(|factor| 1.0 - factor / every);
    assert_agrees("the slow ones", found, away, slow_ns, bounds);
    none_is_shorter(trial, MS);
    // The window's requests are neighbours: whatever the disturbances, no fewer of them are slow.
    let slow = found.histogram().count_between(50 * MS, u64::MAX);
    let expected = (found.count() as f64 / every).floor() - 1.0;
    assert!(expected >= 5.0, "{} requests are too few", found.count());
    assert!(slow as f64 >= expected, "{slow} are slow, {expected} at least");
}

#[test]
fn one_of_a_hundred_is_seen_behind_p99() {
    both_ways_alone(|io| {
        let server = "--delay 1ms --slow-every 100 --slow 50ms";
        let setup = setup(io, 128, at_rate(1000.0, 50, 1500), server, 51 * MS);
        // One disturbance would make more requests slow than the server does.
        let trial = Setup { bearable: 0.0, ..setup }.run();
        a_slow_request_is_seen(&trial, 100.0, Bounds::open_loop(tolerance_ns(0), trial.disturbed));
    });
}

#[test]
fn one_of_a_thousand_is_seen_behind_p99_9() {
    both_ways_alone(|io| {
        let server = "--delay 1ms --slow-every 1000 --slow 50ms";
        let plan = Plan { ramp_ns: 50 * MS, ..for_ms(1500) };
        let trial = Setup { bearable: 0.0, ..setup(io, 8, plan, server, 51 * MS) }.run();
        let bounds = Bounds::closed_loop(tolerance_ns(0), trial.disturbed);
        a_slow_request_is_seen(&trial, 1000.0, bounds);
    });
}

#[test]
fn requests_leave_when_they_are_due() {
    both_ways_alone(|io| {
        // Long enough apart that the thread sleeps in between.
        let trial = setup(io, 4, at_rate(300.0, 50, 500), "--delay 1ms", MS).run();
        let lag = &trial.outcome.tally.send_lag;
        assert_eq!(lag.count(), 150);
        // Sleeps that are rounded to milliseconds would halve it.
        let bounds = Bounds::open_loop(200_000.0, trial.disturbed);
        assert_agrees("the schedule", lag, [0.25, 0.5], |_| 0.0, bounds);
    });
}
