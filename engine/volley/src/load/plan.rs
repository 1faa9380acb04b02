//! When requests are sent, and when they end.

use crate::cli::{LoadArgs, Unit, nanoseconds};
use volley_load::pace::Pace;
use volley_load::schedule::{Process, Profile, Shape, Stage};
use volley_load::slice::Plan;

pub(super) fn plan(args: &LoadArgs) -> Plan {
    Plan {
        at_ns: None,
        ramp_ns: nanoseconds(args.warm_up()),
        duration_ns: args.duration_ns(),
        requests: args.amount.requests,
        pace: pace(args),
        intervals: args.output.csv.is_some() || args.output.hdr.is_some(),
        server_pids: Vec::new(),
    }
}

fn pace(args: &LoadArgs) -> Pace {
    let amount = &args.amount;
    let counts_connections = amount.stages.iter().any(|stage| stage.unit == Unit::Connections);
    match levels(args) {
        None => Pace::Closed,
        Some(profile) if counts_connections => Pace::Stages(profile),
        Some(rate) => Pace::Open(Process {
            rate,
            shape: amount.arrivals.unwrap_or(Shape::Uniform),
            burst: amount.burst.unwrap_or(1),
            seed: amount.seed,
            phase: 0.5,
        }),
    }
}

/// The stages, or a rate as one stage, after a warm-up at their first level.
fn levels(args: &LoadArgs) -> Option<Profile> {
    let given = args.amount.stages.iter().map(|stage| stage.stage);
    let flat = |duration_ns, level| Stage { duration_ns, from: level, to: level };
    let constant = args.amount.rate.map(|rate| flat(args.duration_ns().unwrap_or(u64::MAX), rate));
    let stages: Vec<Stage> = given.chain(constant).collect();
    let warm_up = flat(nanoseconds(args.warm_up()), stages.first()?.from);
    Some(Profile::new([vec![warm_up], stages].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::load_args;
    use volley_net::clock::{MS, S};

    fn times(options: &str) -> (u64, Option<u64>, Option<u64>) {
        let Plan { ramp_ns, duration_ns, requests, .. } = plan(&load_args(options));
        (ramp_ns / MS, duration_ns.map(|ns| ns / MS), requests)
    }

    #[test]
    fn time_or_requests_or_both_end_it() {
        assert_eq!(times(""), (200, Some(10_000), None));
        assert_eq!(times("-d 2 -w 1"), (1000, Some(2000), None));
        assert_eq!(times("-n 50"), (0, None, Some(50)));
        assert_eq!(times("-n 50 -d 1 -w 1"), (1000, Some(1000), Some(50)));
        assert_eq!(times("--stage 1s:5 --stage 3s:5-9"), (200, Some(4000), None));
        assert_eq!(times("--stage 1s:5 -n 9"), (0, Some(1000), Some(9)));
    }

    #[test]
    fn without_a_level_the_loop_is_closed() {
        assert!(matches!(plan(&load_args("-c 5")).pace, Pace::Closed));
    }

    #[test]
    fn a_rate_holds_from_the_warm_up_to_the_end() {
        let Pace::Open(process) = plan(&load_args("-R 50 --burst 3 --seed 9")).pace else {
            panic!("not open")
        };
        assert_eq!((process.shape, process.burst, process.seed), (Shape::Uniform, 3, 9));
        assert_eq!(process.rate.duration_ns(), 10_200 * MS);
        assert_eq!(format!("{:.6}", process.rate.area(10_200 * MS)), "510.000000");
        let Pace::Open(process) = plan(&load_args("-R 50 -n 9 --arrivals poisson")).pace else {
            panic!("not open")
        };
        assert_eq!((process.shape, process.rate.duration_ns()), (Shape::Poisson, u64::MAX));
    }

    #[test]
    fn stages_begin_behind_a_warm_up_at_their_first_level() {
        let Pace::Stages(profile) = plan(&load_args("--stage 1s:2-9c -w 3")).pace else {
            panic!("not stages")
        };
        let levels = [0, 2, 3, 4].map(|second| profile.level(second * S).to_string());
        assert_eq!(levels, ["2", "2", "2", "9"]);
        assert!(matches!(plan(&load_args("--stage 1s:2-9")).pace, Pace::Open(_)));
    }
}
