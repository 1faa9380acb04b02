//! A server that stalls, under load that does not wait for it.
//!
//! It stalls for S every T, serves one request after the other in 1/C otherwise, and is asked R
//! times a second; ρ = R/C. A request that comes within a stall, or while what came within it is
//! still being worked off, waits: P(W > x) = (S−x)/((1−ρ)T) for 0 ≤ x ≤ S, if S/(1−ρ) ≤ T. So
//! Q(p) = s + max(0, S − (1−p)(1−ρ)T) with the latency s of a request that does not wait, and the
//! mean wait is S²/(2(1−ρ)T).

use crate::agreement::{Bounds, assert_agrees, disagreements, percents, quantile_ns, tolerance_ns};
use crate::laws::{Pauses, Stalling};
use crate::trial::{Setup, Trial};
use crate::weather::Reach;
use crate::world::guard::both_ways_alone;
use crate::world::loading::at_rate;
use volley::clock::{MS, S, now_ns};
use volley::io::IoChoice;
use volley::pace::Pace;
use volley::schedule::Shape;

/// T. Not a multiple of the distance between requests, so that stalls meet them anywhere.
const PERIOD_NS: u64 = 97 * MS;

/// Stalls within the window.
const STALLS: u64 = 21;

/// 1/C.
const SERVICE_NS: u64 = S / 2000;

/// Connections of which all are busy while the server stalls: most requests wait for one.
const FEW: usize = 4;

/// Connections enough for all that wait.
const AMPLE: usize = 64;

#[derive(Clone, Copy)]
struct Case {
    rate: f64,
    stall_ns: u64,
}

impl Case {
    /// (1−ρ)T.
    fn spread_ns(self) -> f64 {
        let load = self.rate * SERVICE_NS as f64 / S as f64;
        let spread_ns = (1.0 - load) * PERIOD_NS as f64;
        assert!(self.stall_ns as f64 <= spread_ns, "a stall's queue is gone before the next");
        spread_ns
    }

    /// Where 1−p is 0.1 to 0.9 of S/((1−ρ)T).
    fn range(self) -> Vec<f64> {
        let most = self.stall_ns as f64 / self.spread_ns();
        (2..=18).map(|step| 1.0 - f64::from(step) / 20.0 * most).collect()
    }

    /// Q(p).
    fn formula_ns(self, p: f64) -> f64 {
        SERVICE_NS as f64 + (self.stall_ns as f64 - (1.0 - p) * self.spread_ns()).max(0.0)
    }

    fn mean_ns(self) -> f64 {
        let stall_ns = self.stall_ns as f64;
        SERVICE_NS as f64 + stall_ns * stall_ns / (2.0 * self.spread_ns())
    }

    fn setup(self, io: IoChoice, connections: usize) -> Setup<Stalling> {
        let (start_ns, stall_ns) = (now_ns(), self.stall_ns);
        let pauses = Pauses { start_ns, period_ns: PERIOD_NS, stall_ns };
        Setup {
            io,
            threads: 1,
            connections,
            plan: at_rate(self.rate, PERIOD_NS / MS, STALLS * PERIOD_NS / MS),
            law: Stalling { pauses, service_ns: SERVICE_NS, free_ns: 0 },
            // The server has nothing to do for this part of the time, once in each cycle.
            reach: Reach {
                before_ns: stall_ns,
                recovery: PERIOD_NS as f64 / (self.spread_ns() - stall_ns as f64),
                after_ns: PERIOD_NS,
            },
        }
    }

    fn bounds(self, trial: &Trial) -> Bounds {
        Bounds::open_loop(tolerance_ns(self.stall_ns), trial.disturbed)
    }

    fn agrees_with_the_formula(self, trial: &Trial) {
        let (found, bounds) = (&trial.outcome.tally.latencies, self.bounds(trial));
        assert_agrees("the formula", found, self.range(), |p| self.formula_ns(p), bounds);
        let (mean_ns, expected_ns) = (found.mean_us() * 1e3, self.mean_ns());
        assert!(mean_ns >= expected_ns - bounds.tolerance_ns, "{mean_ns} for {expected_ns}");
        // How late disturbed requests are, nobody knows.
        let most_ns = if trial.disturbed > 0.0 { f64::INFINITY } else { expected_ns };
        assert!(mean_ns <= most_ns + bounds.tolerance_ns, "{mean_ns} for {expected_ns}");
    }

    /// The simulation and the server's log know every request.
    fn agrees_with_each_request(self, setup: &Setup<Stalling>, trial: &Trial) {
        let found = &trial.outcome.tally.latencies;
        let (ideal_ns, logged_ns) = (setup.ideal_ns(trial), setup.logged_ns(trial));
        for (what, expected_ns) in [("the simulation", ideal_ns), ("the log", logged_ns)] {
            let quantile_ns = |p| quantile_ns(&expected_ns, p);
            assert_agrees(what, found, percents(), quantile_ns, self.bounds(trial));
        }
    }
}

#[test]
fn at_a_fifth_of_capacity_with_connections_for_all() {
    both_ways_alone(|io| {
        let case = Case { rate: 400.0, stall_ns: 50 * MS };
        let setup = Setup { threads: 2, ..case.setup(io, AMPLE) };
        let trial = setup.run();
        case.agrees_with_the_formula(&trial);
        case.agrees_with_each_request(&setup, &trial);
        // No request waited for a connection, so that the time from its sending is right, too.
        let (service, bounds) = (&trial.outcome.tally.service, case.bounds(&trial));
        // It is shorter where the generator was late.
        let bounds = Bounds { below: trial.disturbed, ..bounds };
        assert_agrees("from the sending", service, case.range(), |p| case.formula_ns(p), bounds);
    });
}

/// Where requests wait for a connection, the time from their sending hides the stalls. The check
/// must see that, else it proves nothing.
fn with_few_connections(io: IoChoice, case: Case) {
    let setup = case.setup(io, FEW);
    let trial = setup.run();
    case.agrees_with_the_formula(&trial);
    case.agrees_with_each_request(&setup, &trial);
    let (service, bounds) = (&trial.outcome.tally.service, case.bounds(&trial));
    // A request waits for those on the other connections at most, but for the few of each stall, and
    // for those that were disturbed.
    let longest_ns = FEW as f64 * SERVICE_NS as f64 + 2.0 * bounds.tolerance_ns;
    let is_hidden = |p: &f64| p + trial.disturbed < 0.95 && case.formula_ns(*p) > longest_ns;
    let hidden: Vec<f64> = case.range().into_iter().filter(is_hidden).collect();
    assert!(hidden.len() > case.range().len() / 2 || trial.disturbed > 0.1);
    let wrong = disagreements(service, hidden.clone(), |p| case.formula_ns(p), bounds);
    assert_eq!(wrong.len(), hidden.len(), "{wrong:#?}");
}

#[test]
fn at_half_of_capacity_with_few_connections() {
    both_ways_alone(|io| with_few_connections(io, Case { rate: 1000.0, stall_ns: 30 * MS }));
}

#[test]
fn at_seven_tenths_of_capacity_with_few_connections() {
    both_ways_alone(|io| with_few_connections(io, Case { rate: 1400.0, stall_ns: 18 * MS }));
}

#[test]
fn at_half_of_capacity_with_random_arrivals() {
    both_ways_alone(|io| {
        let case = Case { rate: 1000.0, stall_ns: 30 * MS };
        let mut setup = case.setup(io, FEW);
        let Pace::Open(process) = &mut setup.plan.pace else { unreachable!() };
        process.shape = Shape::Poisson;
        let trial = setup.run();
        case.agrees_with_each_request(&setup, &trial);
    });
}
