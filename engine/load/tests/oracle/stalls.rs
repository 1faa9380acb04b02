//! A server that stalls, under load that does not wait for it.
//!
//! It stalls for S every T, and otherwise answers at once. A request that comes within a stall
//! waits to its end: P(W > x) = (S−x)/T for 0 ≤ x ≤ S. So Q(p) = max(0, S − (1−p)T), and the mean
//! wait is S²/2T.

use crate::agreement::{
    Bounds, assert_agrees, assert_none_faster, disagreements, mean_of_shortest_ns, percents,
    quantile_ns, tolerance_ns,
};
use crate::queue::Queue;
use crate::trial::{BEARABLE, Setup, Trial};
use crate::weather::Reach;
use crate::world::guard::both_ways_alone;
use crate::world::loading::at_rate;
use crate::world::yardstick::Stall;
use volley_load::pace::Pace;
use volley_load::schedule::Shape;
use volley_net::IoChoice;
use volley_net::clock::MS;

/// T. Not a multiple of the distance between requests, so that stalls meet them anywhere.
const PERIOD_NS: u64 = 97 * MS;

/// Stalls within the window.
const STALLS: u64 = 21;

/// So few connections that all are busy while the server stalls: most requests wait for one.
const FEW: usize = 4;

/// Enough connections for all waiting requests.
const AMPLE: usize = 64;

/// A stall begins in the log when it meets a request. This was due before, but hardly more than
/// this.
const EARLY_NS: u64 = MS;

/// When a server processes a request that arrives at a moment: at the end of the stall, if it
/// stalls then or begins to within `early_ns`.
fn served_ns(stalls: &[Stall], at_ns: u64, early_ns: u64) -> u64 {
    let holds = |stall: &&Stall| stall.begin_ns <= at_ns + early_ns && at_ns < stall.end_ns;
    stalls.iter().find(holds).map_or(at_ns, |stall| stall.end_ns)
}

#[derive(Clone, Copy)]
struct Case {
    rate: f64,
    stall_ns: u64,
}

impl Case {
    /// The quantiles where 1−p is 0.1 to 0.9 of S/T.
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
            bearable: BEARABLE,
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
        // There is no bound on how late disturbed requests are. Without the same number of the
        // latest, the mean is no larger than that of the requests that were not disturbed.
        let calm = 1.0 - trial.disturbed;
        let (mean_ns, most_ns) = (mean_of_shortest_ns(found, calm), expected_ns / calm);
        assert!(mean_ns <= most_ns + bounds.tolerance_ns, "{mean_ns} for {most_ns} at most");
    }

    /// Each request that was due within a stall of the server's log waited to its end.
    fn agrees_with_the_log(self, setup: &Setup, trial: &Trial) {
        let waiting = |early_ns| {
            setup.latencies_ns(trial, |due_ns| served_ns(&trial.stalls, due_ns, early_ns))
        };
        let found = &trial.outcome.tally.latencies;
        assert_none_faster(found, &waiting(0));
        let (most_ns, bounds) = (waiting(EARLY_NS), self.bounds(trial));
        let bounds = Bounds { below: 1.0, ..bounds };
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
        // No request waited for a connection, so the time from its sending is right, too.
        let (service, bounds) = (&trial.outcome.tally.service, case.bounds(&trial));
        // The latency is shorter where the generator was late.
        let bounds = Bounds { below: trial.disturbed, ..bounds };
        assert_agrees("from the sending", service, case.range(), |p| case.formula_ns(p), bounds);
    });
}

/// Where requests wait for a connection, the time from their sending hides the stalls. The check
/// must see this, else it proves nothing.
fn with_few_connections(io: IoChoice, case: Case) {
    let setup = case.setup(io, FEW);
    let trial = setup.run();
    case.agrees_with_the_formula(&trial);
    case.agrees_with_the_log(&setup, &trial);
    let (service, bounds) = (&trial.outcome.tally.service, case.bounds(&trial));
    // A request waits for those on the other connections at most, except for the few of each stall,
    // and for those that were disturbed.
    let longest_ns = 2.0 * bounds.tolerance_ns;
    let is_hidden = |p: &f64| p + trial.disturbed < 0.95 && case.formula_ns(*p) > longest_ns;
    let hidden: Vec<f64> = case.range().into_iter().filter(is_hidden).collect();
    assert!(hidden.len() > case.range().len() / 3, "of {hidden:?} too few are left");
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

/// One worker with random service times, which is busy for half of the time and stalls for a third:
/// a simulation knows what its log and its random numbers make of each request.
#[test]
fn with_a_queue_behind_each_stall() {
    both_ways_alone(|io| {
        let case = Case { rate: 1000.0, stall_ns: 30 * MS };
        let mut setup = case.setup(io, AMPLE);
        setup.server += " --exponential 500us --seed 7";
        // T over the part of it that stalls and work leave.
        setup.reach.recovery = 97.0 / (97.0 - 30.0 - 97.0 / 2.0);
        let trial = setup.run();
        let waiting = |early_ns| {
            let mut queue = Queue::new(500_000.0, 7);
            setup.latencies_ns(&trial, |due_ns| {
                let end_ns = queue.end_ns(served_ns(&trial.stalls, due_ns, early_ns));
                served_ns(&trial.stalls, end_ns, 0)
            })
        };
        let (least_ns, most_ns) = (waiting(0), waiting(EARLY_NS));
        let (found, bounds) = (&trial.outcome.tally.latencies, case.bounds(&trial));
        let at_least = Bounds { above: 1.0, ..bounds };
        assert_agrees("at least", found, percents(), |p| quantile_ns(&least_ns, p), at_least);
        let at_most = Bounds { below: 1.0, ..bounds };
        assert_agrees("at most", found, percents(), |p| quantile_ns(&most_ns, p), at_most);
    });
}
