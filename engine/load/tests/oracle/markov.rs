//! M/M/1: random arrivals, random service. Q(p) = −ln(1−p)/(μ−λ).

use crate::agreement::{Bounds, assert_agrees, percents, quantile_ns, tolerance_ns};
use crate::queue::Queue;
use crate::trial::{BEARABLE, Setup};
use crate::weather::Reach;
use crate::world::guard::both_ways_alone;
use crate::world::loading::{at_rate, level};
use volley_load::pace::Pace;
use volley_load::schedule::{Arrivals, Process, Shape};
use volley_net::clock::{MS, S};

/// λ.
const ARRIVALS_PER_S: f64 = 100.0;

/// 1/μ = 5 ms, so that half of the capacity is used and the mean latency is 10 ms.
const SERVICE_NS: f64 = 5e6;
const SEED: u64 = 7;
const SERVER: &str = "--exponential 5ms --seed 7";

fn theory_ns(p: f64) -> f64 {
    -(-p).ln_1p() / (S as f64 / SERVICE_NS - ARRIVALS_PER_S) * S as f64
}

/// The simulation to which the generator is compared is itself right: over a million requests.
/// Latencies lose their correlation within 1/(√μ−√λ)² = 58 ms, some 6 requests, so these are as
/// good as 80,000 independent ones, whose 99th percentile has a standard error of 1 %.
#[test]
fn the_simulation_agrees_with_the_theory() {
    let rate = level(10_000 * S, ARRIVALS_PER_S);
    let process = Process { rate, shape: Shape::Poisson, burst: 1, seed: 1, phase: 0.5 };
    let (mut arrivals, mut queue) =
        (Arrivals::new(&process, 0, 1, 1), Queue::new(SERVICE_NS, SEED));
    let mut latencies_ns = Vec::new();
    while arrivals.next_ns() < u64::MAX {
        latencies_ns.push(queue.end_ns(arrivals.next_ns()) - arrivals.next_ns());
        arrivals.advance();
    }
    latencies_ns.sort_unstable();
    for p in percents() {
        let wrong = quantile_ns(&latencies_ns, p) / theory_ns(p) - 1.0;
        assert!(wrong.abs() < 0.05, "Q({p}) is {wrong} off");
    }
}

/// The generator finds the latencies that the simulation of the very same arrivals and services
/// has. A bound on its distance from the theory would have to be as wide as the measured latencies:
/// three seconds are worth only 25 independent requests.
#[test]
fn random_arrivals_meet_random_service() {
    both_ways_alone(|io| {
        let mut plan = at_rate(ARRIVALS_PER_S, 200, 2800);
        let Pace::Open(process) = &mut plan.pace else { unreachable!() };
        process.shape = Shape::Poisson;
        // Half of the capacity is left to catch up on delayed work. The longest latency is some 50
        // ms, and the server may be busy without a pause for as long.
        let reach = Reach { before_ns: 50 * MS, recovery: 2.0, after_ns: 50 * MS };
        let (server, bearable) = (SERVER.to_owned(), BEARABLE);
        let setup = Setup { io, threads: 2, connections: 32, plan, server, reach, bearable };
        let trial = setup.run();
        let mut queue = Queue::new(SERVICE_NS, SEED);
        let ideal_ns = setup.latencies_ns(&trial, |due_ns| queue.end_ns(due_ns));
        let found = &trial.outcome.tally.latencies;
        let bounds = Bounds::open_loop(tolerance_ns(0), trial.disturbed);
        assert_agrees("the simulation", found, percents(), |p| quantile_ns(&ideal_ns, p), bounds);
    });
}
