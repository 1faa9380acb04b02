//! A server that stalls, under load that waits for it.
//!
//! It takes s for a request, any number at a time, and stalls for S every T. With N connections
//! each stall meets N requests, and N only: of those of a cycle, X(T−S)+N at a throughput X while
//! it does not stall, that is the share f = N/(X(T−S)+N). So Q(p) ≈ s if 1−p > f, else ≈ S+s.

use crate::agreement::{Bounds, assert_agrees, tolerance_ns};
use crate::laws::{Freezing, Pauses};
use crate::trial::Setup;
use crate::weather::Reach;
use crate::world::guard::both_ways_alone;
use crate::world::loading::for_ms;
use volley::clock::{MS, now_ns};
use volley::slice::Plan;

const PERIOD_NS: u64 = 97 * MS;
const STALL_NS: u64 = 40 * MS;
const STALLS: u64 = 21;
const DELAY_NS: u64 = 2 * MS;
const CONNECTIONS: usize = 8;

#[test]
fn each_connection_meets_a_stall_once() {
    both_ways_alone(|io| {
        let pauses = Pauses { start_ns: now_ns(), period_ns: PERIOD_NS, stall_ns: STALL_NS };
        let setup = Setup {
            io,
            threads: 1,
            connections: CONNECTIONS,
            plan: Plan { ramp_ns: PERIOD_NS, ..for_ms(STALLS * PERIOD_NS / MS) },
            law: Freezing { pauses, delay_ns: DELAY_NS },
            // Around a disturbance there are requests more than on average, if there is no stall.
            reach: Reach { before_ns: STALL_NS, recovery: 0.0, after_ns: STALL_NS },
        };
        let trial = setup.run();
        let tally = &trial.outcome.tally;
        let connections = CONNECTIONS as f64;
        let share = connections / (tally.requests as f64 / STALLS as f64 + connections);
        // The log knows the share exactly. The formula counts N requests of some 200 twice.
        let stalled =
            trial.served.iter().filter(|served| served.end_ns - served.read_ns > STALL_NS);
        let logged = stalled.count() as f64 / trial.served.len() as f64;
        let wrong = (logged / share - 1.0).abs();
        assert!(wrong < 0.1 + trial.disturbed, "{logged} stalled, expected {share}");
        let stalls = |p| if 1.0 - p > share { DELAY_NS } else { STALL_NS + DELAY_NS };
        let away = [0.3, 0.5, 0.7, 1.3, 2.0, 5.0].map(|factor| 1.0 - factor * share);
        let bounds = Bounds::closed_loop(tolerance_ns(STALL_NS), trial.disturbed);
        assert_agrees("the formula", &tally.latencies, away, |p| stalls(p) as f64, bounds);
    });
}
