//! One slice of load on a server whose behaviour is known.

use crate::weather::{self, Reach, Weather};
use crate::world::guard::NotRun;
use crate::world::loading::{errors, size, target, workers};
use crate::world::yardstick::{Stall, Yardstick};
use std::panic::resume_unwind;
use volley_load::pace::Pace;
use volley_load::schedule::Arrivals;
use volley_load::slice::{Outcome, Plan, Wish};
use volley_load::target::Target;
use volley_load::workers::{Size, Snapshot};
use volley_net::IoChoice;

/// The number of runs after which a test gives up.
const ATTEMPTS: usize = 8;

/// The share of disturbed requests that most tests allow.
pub(crate) const BEARABLE: f64 = 0.1;

/// The parameters of a trial.
pub(crate) struct Setup {
    pub(crate) io: IoChoice,
    pub(crate) threads: usize,
    pub(crate) connections: usize,
    pub(crate) plan: Plan,
    /// The yardstick's options.
    pub(crate) server: String,
    /// How far a disturbance reaches here.
    pub(crate) reach: Reach,
    /// The largest share of disturbed requests with which the test can still find the fault that it
    /// exists for.
    pub(crate) bearable: f64,
}

/// A slice that is over.
pub(crate) struct Trial {
    pub(crate) outcome: Outcome,
    /// The stalls by the server's log, ramp included.
    pub(crate) stalls: Vec<Stall>,
    /// The share of the window's requests that may have met a disturbance.
    pub(crate) disturbed: f64,
}

impl Setup {
    /// The first run with few enough disturbances.
    pub(crate) fn run(&self) -> Trial {
        weather::take_precedence();
        let mut disturbed = Vec::new();
        for _ in 0..ATTEMPTS {
            let trial = self.attempt();
            if trial.disturbed <= self.bearable {
                return trial;
            }
            disturbed.push(trial.disturbed);
        }
        resume_unwind(Box::new(NotRun(format!(
            "the machine is too busy: in each of {ATTEMPTS} runs more than {} of the requests may \
             have been disturbed: {disturbed:.3?}",
            self.bearable
        ))))
    }

    fn attempt(&self) -> Trial {
        let server = Yardstick::start(&self.server);
        let target = Target { connections: self.connections, ..target(server.address) };
        let mut workers = workers(&Size { threads: self.threads, ..size(self.io) }, target);
        let mut weather = Weather::begin(server.pid());
        let mut watch = |_: &Snapshot<'_>| {
            weather.look();
            Wish::GoOn
        };
        let outcome = workers.run(0, &self.plan, &mut watch).unwrap();
        assert_eq!((errors(&outcome), outcome.tally.misses), (vec![], 0));
        let disturbed = weather::share(&weather.disturbed(), outcome.window, self.reach);
        Trial { outcome, stalls: server.stalls(), disturbed }
    }

    /// The latencies of the window's requests of an open loop, sorted. `end_ns`: from the moment
    /// when a request was due to that of its answer; called in the order of time, ramp included.
    pub(crate) fn latencies_ns(
        &self,
        trial: &Trial,
        mut end_ns: impl FnMut(u64) -> u64,
    ) -> Vec<u64> {
        let window = trial.outcome.window;
        let mut latencies = Vec::new();
        for due_ns in self.due_ns(trial) {
            let latency_ns = end_ns(due_ns) - due_ns;
            if window.holds(due_ns) {
                latencies.push(latency_ns);
            }
        }
        latencies.sort_unstable();
        assert_eq!(latencies.len() as u64, trial.outcome.tally.latencies.count());
        latencies
    }

    /// When the requests of an open loop were due, ramp included.
    fn due_ns(&self, trial: &Trial) -> Vec<u64> {
        let Pace::Open(process) = &self.plan.pace else { panic!("not an open loop") };
        let window = trial.outcome.window;
        let begin_ns = window.start_ns - self.plan.ramp_ns;
        let mut due_ns = Vec::new();
        for thread in 0..self.threads {
            let mut arrivals = Arrivals::new(process, thread, self.threads, self.connections);
            while begin_ns.saturating_add(arrivals.next_ns()) < window.end_ns {
                due_ns.push(begin_ns + arrivals.next_ns());
                arrivals.advance();
            }
        }
        due_ns.sort_unstable();
        due_ns
    }
}
