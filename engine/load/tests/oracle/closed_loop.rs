//! A server that stalls, under load that waits for it.
//!
//! It takes s for a request, any number at a time, and stalls for S every T. With N connections
//! each stall meets exactly N requests. A cycle has X(T−S)+N requests at a throughput X outside
//! stalls, so the share is f = N/(X(T−S)+N). So Q(p) ≈ s if 1−p > f, else ≈ S: a request that was
//! sent within s before the stall waits for the rest of s less, and the one that the stall met
//! first takes its s after it.

use crate::agreement::{Bounds, KEPT, assert_agrees, tolerance_ns};
use crate::trial::Setup;
use crate::weather::Reach;
use crate::world::guard::both_ways_alone;
use crate::world::loading::for_ms;
use volley_load::slice::Plan;
use volley_net::clock::MS;

const PERIOD_NS: u64 = 97 * MS;
const STALL_NS: u64 = 40 * MS;
const STALLS: u64 = 21;
const DELAY_NS: u64 = MS;
const CONNECTIONS: usize = 8;

#[test]
fn each_connection_meets_a_stall_once() {
    both_ways_alone(|io| {
        let setup = Setup {
            io,
            threads: 1,
            connections: CONNECTIONS,
            plan: Plan { ramp_ns: PERIOD_NS, ..for_ms(STALLS * PERIOD_NS / MS) },
            server: "--stall 40ms --every 97ms --delay 1ms".to_owned(),
            // Around a disturbance there are more requests than on average, if there is no stall.
            reach: Reach { before_ns: STALL_NS, recovery: 0.0, after_ns: STALL_NS },
            // The quantiles that are checked are above 0.9.
            bearable: 0.05,
        };
        let trial = setup.run();
        let tally = &trial.outcome.tally;
        let connections = CONNECTIONS as f64;
        let share = connections / (tally.requests as f64 / STALLS as f64 + connections);
        let stalls = |p| if 1.0 - p > share { DELAY_NS } else { STALL_NS };
        let away = [0.3, 0.5, 0.7, 1.3, 2.0, 5.0].map(|factor| 1.0 - factor * share);
        let bounds = Bounds::closed_loop(tolerance_ns(STALL_NS), trial.disturbed);
        assert_agrees("the formula", &tally.latencies, away, |p| stalls(p) as f64, bounds);
        // The request that a stall met was in flight for all of it. After the first stall of the
        // window, it was sent within the window, too.
        let window = trial.outcome.window;
        let within = trial.stalls.iter().filter(|stall| window.holds(stall.begin_ns));
        let longest_ns = within.skip(1).map(|stall| stall.end_ns - stall.begin_ns).max();
        let (found_ns, logged_ns) = (tally.latencies.histogram().max(), longest_ns.unwrap());
        assert!(found_ns as f64 >= logged_ns as f64 * KEPT, "{found_ns} ns, logged {logged_ns}");
    });
}
