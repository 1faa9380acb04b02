//! A server that stalls, under load that does not wait for it.
//!
//! It stalls for S every T, and otherwise answers at once. A request that comes within a stall waits
//! to its end: P(W > x) = (S−x)/T for 0 ≤ x ≤ S. So Q(p) = max(0, S − (1−p)T), and the mean wait is
//! S²/2T.

use crate::agreement::{
    Bounds, assert_agrees, assert_none_faster, disagreements, percents, quantile_ns, tolerance_ns,
};
use crate::trial::{Setup, Trial};
use crate::weather::Reach;
use crate::world::guard::both_ways_alone;
use crate::world::loading::at_rate;
use volley::clock::MS;
use volley::io::IoChoice;
use volley::pace::Pace;
use volley::schedule::Shape;

/// T. Not a multiple of the distance between requests, so that stalls meet them anywhere.
const PERIOD_NS: u64 = 97 * MS;

/// Stalls within the window.
const STALLS: u64 = 21;

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
    /// Where 1−p is 0.1 to 0.9 of S/T.
    fn range(self) -> Vec<f64> {
        let most = self.stall_ns as f64 / PERIOD_NS as f64;
        (2..=18).map(|step| 1.0 - f64::from(step) / 20.0 * most).collect()
    }

    /// Q(p).
    fn formula_ns(self, p: f64) -> f64 {
        (self.stall_ns as f64 - (1.0 - p) * PERIOD_NS as f64).max(0.0)
    }

    fn mean_ns(self) -> f64 {
        let stall_ns = self.stall_ns as f64;
        stall_ns * stall_ns / (2.0 * PERIOD_NS as f64)
    }

    fn setup(self, io: IoChoice, connections: usize) -> Setup {
        Setup {
            io,
            threads: 1,
            connections,
            plan: at_rate(self.rate, PERIOD_NS / MS, STALLS * PERIOD_NS / MS),
            server: format!("--stall {}ns --every {PERIOD_NS}ns", self.stall_ns),
            // The server has nothing to do for the rest of each cycle.
            reach: Reach {
                before_ns: self.stall_ns,
                recovery: PERIOD_NS as f64 / (PERIOD_NS - self.stall_ns) as f64,
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

    /// Each request that was due within a stall of the server's log waited to its end.
    fn agrees_with_the_log(self, setup: &Setup, trial: &Trial) {
        // A stall begins in the log when it meets a request, which was due before.
        let waiting = |early_ns| {
            setup.latencies_ns(trial, |due_ns| {
                let holds = |begin_ns, end_ns| begin_ns <= due_ns + early_ns && due_ns < end_ns;
                let stall = trial.stalls.iter().find(|stall| holds(stall.begin_ns, stall.end_ns));
                stall.map_or(due_ns, |stall| stall.end_ns)
            })
        };
        let found = &trial.outcome.tally.latencies;
        assert_none_faster(found, &waiting(0));
        let (most_ns, bounds) = (waiting(MS), self.bounds(trial));
        let bounds = Bounds::at_most(bounds.tolerance_ns, trial.disturbed);
        assert_agrees("the log", found, percents(), |p| quantile_ns(&most_ns, p), bounds);
    }
}

#[test]
fn with_connections_for_all_that_wait() {
    both_ways_alone(|io| {
        let case = Case { rate: 400.0, stall_ns: 50 * MS };
        let setup = Setup { threads: 2, ..case.setup(io, AMPLE) };
        let trial = setup.run();
        case.agrees_with_the_formula(&trial);
        case.agrees_with_the_log(&setup, &trial);
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
    case.agrees_with_the_log(&setup, &trial);
    let (service, bounds) = (&trial.outcome.tally.service, case.bounds(&trial));
    // A request waits for those on the other connections at most, but for the few of each stall, and
    // for those that were disturbed.
    let longest_ns = 2.0 * bounds.tolerance_ns;
    let is_hidden = |p: &f64| p + trial.disturbed < 0.95 && case.formula_ns(*p) > longest_ns;
    let hidden: Vec<f64> = case.range().into_iter().filter(is_hidden).collect();
    assert!(hidden.len() > case.range().len() / 2 || trial.disturbed > 0.1);
    let wrong = disagreements(service, hidden.clone(), |p| case.formula_ns(p), bounds);
    assert_eq!(wrong.len(), hidden.len(), "{wrong:#?}");
}

#[test]
fn with_few_connections_and_a_third_of_the_time_stalled() {
    both_ways_alone(|io| with_few_connections(io, Case { rate: 1000.0, stall_ns: 30 * MS }));
}

#[test]
fn with_few_connections_and_half_of_the_time_stalled() {
    both_ways_alone(|io| with_few_connections(io, Case { rate: 1400.0, stall_ns: 50 * MS }));
}

#[test]
fn with_few_connections_and_random_arrivals() {
    both_ways_alone(|io| {
        let case = Case { rate: 1000.0, stall_ns: 30 * MS };
        let mut setup = case.setup(io, FEW);
        let Pace::Open(process) = &mut setup.plan.pace else { unreachable!() };
        process.shape = Shape::Poisson;
        let trial = setup.run();
        case.agrees_with_the_log(&setup, &trial);
    });
}
