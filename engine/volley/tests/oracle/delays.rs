//! Servers that take the same time for each request, or a longer one now and then.

use crate::agreement::{Bounds, assert_agrees, tolerance_ns};
use crate::laws::Hiccups;
use crate::trial::{Setup, Trial};
use crate::weather::Reach;
use crate::world::guard::both_ways_alone;
use crate::world::loading::{at_rate, for_ms};
use volley::clock::MS;
use volley::io::IoChoice;
use volley::slice::Plan;

/// The same time for each.
fn delay(delay_ns: u64) -> Hiccups {
    Hiccups { delay_ns, every: u64::MAX, longer_ns: 0, count: 0 }
}

/// 5 ms for each, and 50 ms more for each tenth.
fn hiccups() -> Hiccups {
    Hiccups { every: 10, longer_ns: 50 * MS, ..delay(5 * MS) }
}

/// Nothing queues here: whoever does not wait meanwhile does not feel a disturbance.
fn setup(io: IoChoice, connections: usize, plan: Plan, law: Hiccups) -> Setup<Hiccups> {
    let reach = Reach { before_ns: law.delay_ns + law.longer_ns, recovery: 0.0, after_ns: MS };
    Setup { io, threads: 1, connections, plan, law, reach }
}

#[test]
fn a_fixed_delay_at_a_rate_is_the_latency() {
    both_ways_alone(|io| {
        let delay_ns = 20 * MS;
        let trial = setup(io, 32, at_rate(400.0, 50, 600), delay(delay_ns)).run();
        let found = &trial.outcome.tally.latencies;
        let bounds = Bounds::open_loop(tolerance_ns(0), trial.disturbed);
        let quantiles = [0.01, 0.1, 0.5, 0.9, 0.98];
        assert_agrees("the delay", found, quantiles, |_| delay_ns as f64, bounds);
        // Three digits are kept.
        assert!(found.histogram().min() >= delay_ns - delay_ns / 1000, "nothing is too early");
    });
}

#[test]
fn a_fixed_delay_in_closed_loop_sets_the_throughput() {
    const CONNECTIONS: usize = 32;
    const DELAY_NS: u64 = 50 * MS;
    const ROUNDS: u64 = 20;
    both_ways_alone(|io| {
        let plan = Plan { ramp_ns: 2 * DELAY_NS, ..for_ms(ROUNDS * DELAY_NS / MS) };
        let trial = setup(io, CONNECTIONS, plan, delay(DELAY_NS)).run();
        // X = N/d, to within a round at the borders. Each round may be late by the tolerance.
        let (connections, delay_ns) = (CONNECTIONS as f64, DELAY_NS as f64);
        let rounds = trial.outcome.duration_ns() as f64 / delay_ns;
        let late = delay_ns / (delay_ns + tolerance_ns(0));
        let least = connections * (rounds * late * (1.0 - trial.disturbed) - 1.0);
        let most = connections * (rounds + 1.0);
        let requests = trial.outcome.tally.requests as f64;
        assert!((least..=most).contains(&requests), "{requests}, expected {least} to {most}");
    });
}

/// Of every ten requests one takes longer: a step at p = 0.9.
fn has_a_step_at_nine_tenths(trial: &Trial, bounds: Bounds) {
    let step_ns = |p| if p <= 0.9 { 5.0 * MS as f64 } else { 55.0 * MS as f64 };
    let away = [0.1, 0.5, 0.88, 0.92, 0.95, 0.98];
    assert_agrees("the step", &trial.outcome.tally.latencies, away, step_ns, bounds);
}

#[test]
fn every_tenth_request_of_a_rate_takes_longer() {
    both_ways_alone(|io| {
        let trial = setup(io, 64, at_rate(400.0, 50, 800), hiccups()).run();
        let bounds = Bounds::open_loop(tolerance_ns(0), trial.disturbed);
        has_a_step_at_nine_tenths(&trial, bounds);
    });
}

#[test]
fn every_tenth_request_of_a_closed_loop_takes_longer() {
    both_ways_alone(|io| {
        let plan = Plan { ramp_ns: 50 * MS, ..for_ms(800) };
        let trial = setup(io, 8, plan, hiccups()).run();
        let bounds = Bounds::closed_loop(tolerance_ns(0), trial.disturbed);
        has_a_step_at_nine_tenths(&trial, bounds);
    });
}

#[test]
fn requests_leave_when_they_are_due() {
    both_ways_alone(|io| {
        // Long enough apart that the thread sleeps in between.
        let trial = setup(io, 4, at_rate(300.0, 50, 500), delay(MS)).run();
        let lag = &trial.outcome.tally.send_lag;
        assert_eq!(lag.count(), 150);
        // Sleeps that are rounded to milliseconds would make it half of one.
        let bounds = Bounds::open_loop(200_000.0, trial.disturbed);
        assert_agrees("the schedule", lag, [0.25, 0.5], |_| 0.0, bounds);
    });
}
