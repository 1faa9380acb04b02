//! One slice of load on a server with a law, and what is known about it.

use crate::laws::Law;
use crate::weather::{self, Reach, Weather};
use crate::world::loading::{crew, errors, size, target};
use crate::world::timed::{Served, Timed};
use volley::crew::{Look, Size};
use volley::io::IoChoice;
use volley::pace::Pace;
use volley::schedule::Arrivals;
use volley::slice::{Outcome, Plan, Wish};
use volley::target::Target;

/// Attempts to have calm weather.
const ATTEMPTS: usize = 3;

/// The share of disturbed requests that is good enough.
const BEARABLE: f64 = 0.1;

/// What is tried.
pub(crate) struct Setup<L> {
    pub(crate) io: IoChoice,
    pub(crate) threads: usize,
    pub(crate) connections: usize,
    pub(crate) plan: Plan,
    pub(crate) law: L,
    /// How far a disturbance reaches here.
    pub(crate) reach: Reach,
}

/// A slice that is over.
pub(crate) struct Trial {
    pub(crate) outcome: Outcome,
    /// The server's log, ramp included, in the order of arrival.
    pub(crate) served: Vec<Served>,
    /// The share of the window's requests that may have met a disturbance.
    pub(crate) disturbed: f64,
}

impl<L: Law> Setup<L> {
    /// The first run in bearable weather, or the calmest of all.
    pub(crate) fn run(&self) -> Trial {
        let mut calmest = self.attempt();
        for _ in 1..ATTEMPTS {
            if calmest.disturbed <= BEARABLE {
                break;
            }
            let trial = self.attempt();
            if trial.disturbed < calmest.disturbed {
                calmest = trial;
            }
        }
        eprintln!("{:?}: {:.1} % disturbed", self.io, calmest.disturbed * 100.0);
        calmest
    }

    fn attempt(&self) -> Trial {
        let mut law = self.law.clone();
        let timed = Timed::start(move |arrival_ns| law.end_ns(arrival_ns));
        let target = Target { connections: self.connections, ..target(timed.address) };
        let mut crew = crew(&Size { threads: self.threads, ..size(self.io) }, target);
        let mut weather = Weather::begin();
        let mut watch = |_: &Look<'_>| {
            weather.look();
            Wish::GoOn
        };
        let outcome = crew.run(0, &self.plan, &mut watch).unwrap();
        let served = timed.served();
        assert_eq!((errors(&outcome), outcome.tally.misses), (vec![], 0));
        assert_eq!(served.len() as u64, outcome.tally.requests_all);
        let disturbed = weather::share(&weather.disturbed(&served), outcome.window, self.reach);
        Trial { outcome, served, disturbed }
    }

    /// The latencies of the window's requests, sorted, had each been sent when it was due.
    pub(crate) fn ideal_ns(&self, trial: &Trial) -> Vec<u64> {
        let mut law = self.law.clone();
        let due_ns = self.due_ns(trial);
        trial.latencies_ns(due_ns.into_iter().map(|due_ns| (due_ns, law.end_ns(due_ns))))
    }

    /// The latencies of the window's requests, sorted, up to the moments when the server answered.
    pub(crate) fn logged_ns(&self, trial: &Trial) -> Vec<u64> {
        let due_ns = self.due_ns(trial);
        assert_eq!(due_ns.len(), trial.served.len());
        let sent_ns = trial.served.iter().map(|served| served.sent_ns);
        trial.latencies_ns(due_ns.into_iter().zip(sent_ns))
    }

    /// When the requests of an open loop were due, ramp included.
    fn due_ns(&self, trial: &Trial) -> Vec<u64> {
        let Pace::Open(process) = &self.plan.pace else { panic!("not an open loop") };
        let window = trial.outcome.window;
        let begin_ns = window.start_ns - self.plan.ramp_ns;
        let mut due_ns = Vec::new();
        for thread in 0..self.threads {
            let mut arrivals = Arrivals::new(process, thread, self.threads);
            while begin_ns.saturating_add(arrivals.next_ns()) < window.end_ns {
                due_ns.push(begin_ns + arrivals.next_ns());
                arrivals.advance();
            }
        }
        due_ns.sort_unstable();
        due_ns
    }
}

impl Trial {
    fn latencies_ns(&self, requests: impl Iterator<Item = (u64, u64)>) -> Vec<u64> {
        let window = self.outcome.window;
        let counted = requests.filter(|&(due_ns, _)| window.holds(due_ns));
        let mut latencies: Vec<u64> = counted.map(|(due_ns, end_ns)| end_ns - due_ns).collect();
        latencies.sort_unstable();
        assert_eq!(latencies.len() as u64, self.outcome.tally.latencies.count());
        latencies
    }
}
