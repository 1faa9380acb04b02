//! The limit that a report names.

use super::*;

fn limit(args: &LoadArgs, run: Run) -> Limit {
    Report::new(args, run).limit()
}

/// 64 connections, 2000 requests/s: 32 ms each fill them by Little's law.
#[test]
fn connections_that_lie_idle_are_the_generators_fault() {
    let args = load_args("");
    let little = |tally| Report::new(&args, run(tally)).little().unwrap();
    assert!((little(tally(4000, 32_000_000, 0)) - 1.0).abs() < 1e-9);
    assert_eq!(limit(&args, run(tally(4000, 31_500_000, 0))), Limit::Unknown);
    let Limit::Idle(share) = limit(&args, run(tally(4000, 30_000_000, 0))) else { panic!() };
    assert!((share - 0.9375).abs() < 1e-9);
    let deep = load_args("-c 16 --pipeline 4");
    assert_eq!(limit(&deep, run(tally(4000, 32_000_000, 0))), Limit::Unknown);
    // A connection with as many streams as its server takes is full.
    let wide = args_for("http://a --protocol h2c -c 16 --streams 9");
    let terms = |most| Terms { announced: Some(announced(most)), ..Terms::default() };
    let full = || Tally { connects: 16, ..tally(4000, 32_000_000, 0) };
    let of = |most| run(Tally { terms: terms(most), ..full() });
    assert_eq!(limit(&wide, of(Some(4))), Limit::Unknown);
    assert_eq!(limit(&wide, of(None)).by(), LimitedBy::Client);
}

#[test]
fn littles_law_is_silent_where_it_says_nothing_of_the_generator() {
    let args = load_args("");
    let idle = || tally(4000, 20_000_000, 0);
    assert_eq!(limit(&args, run(idle())).by(), LimitedBy::Client);
    // Time was spent on timeouts, or on connecting.
    assert_eq!(limit(&args, run(Tally { misses: 1, ..idle() })), Limit::Unknown);
    assert_eq!(limit(&args, run(Tally { connects: 264, ..idle() })), Limit::Unknown);
    assert_eq!(limit(&load_args("-n 4000"), run(idle())), Limit::Unknown);
    let close = load_args("--close");
    assert_eq!(limit(&close, run(Tally { connects: 4000, ..idle() })).by(), LimitedBy::Client);
    let stages = load_args("--stage 2s:1-64c");
    assert!(Report::new(&stages, run(idle())).little().is_none());
}

#[test]
fn a_busy_generator_may_be_the_limit() {
    let args = load_args("");
    let busy = |threads: &[f64]| {
        let mut run = run(tally(4000, 32_000_000, 0));
        run.outcome.busy_threads = threads.to_vec();
        run
    };
    assert_eq!(limit(&args, busy(&[0.875, 0.875])), Limit::Unknown);
    assert!(matches!(limit(&args, busy(&[0.92])), Limit::Busy { .. }));
    assert_eq!(limit(&load_args("-R 2000"), busy(&[0.92])).by(), LimitedBy::Client);
    // On average they were busy for a third of the time.
    let one_of_three = limit(&args, busy(&[0.0, 0.95, 0.0]));
    assert!(matches!(one_of_three, Limit::Busy { thread: 1, threads: 3, .. }));
    assert!(one_of_three.words().contains("its thread 2 of 3 was busy 95 % of the time"));
}

#[test]
fn a_rate_that_is_reached_is_the_limit() {
    let args = load_args("-R 2000");
    assert_eq!(limit(&args, run(tally(4000, 1_000_000, 1000))), Limit::Rate);
    let behind = |requests| Tally { requests, ..tally(4000, 1_000_000, 1000) };
    assert_eq!(limit(&args, run(behind(3960))), Limit::Rate);
    assert_eq!(limit(&args, run(behind(3950))), Limit::Unknown);
}

#[test]
fn requests_that_leave_late_are_the_generators_fault_if_there_was_a_connection() {
    let args = load_args("-R 2000 -c 64");
    let late = |latency_us: u64, lag_us: u64| run(tally(4000, latency_us * 1000, lag_us * 1000));
    assert_eq!(limit(&args, late(1000, 49)), Limit::Rate);
    assert!(matches!(limit(&args, late(1000, 60)), Limit::Late(_)));
    // 5 % of the latency are allowed.
    assert_eq!(limit(&args, late(2000, 60)), Limit::Rate);
    // In 40 ms as many requests are due as there are connections.
    assert_eq!(limit(&args, late(42_000, 5000)), Limit::Rate);
    let behind = || Tally { requests: 3000, ..tally(4000, 42_000_000, 5_000_000) };
    assert_eq!(limit(&args, run(behind())), Limit::Crowded);
    assert_eq!(limit(&load_args("-R 2000 -c 200"), run(behind())).by(), LimitedBy::Client);
}

#[test]
fn a_generator_that_can_do_much_more_is_not_the_limit() {
    let args = load_args("");
    let share = |ceiling| Run { ceiling: Some(Ok(ceiling)), ..run(tally(4000, 32_000_000, 0)) };
    assert_eq!(limit(&args, share(2500.0)), Limit::Unknown);
    assert_eq!(limit(&args, share(2600.0)).by(), LimitedBy::Target);
    let words = limit(&args, share(8000.0)).words();
    assert!(words.starts_with("the server") && words.contains(" 4 times as fast"), "{words}");
    // At a rate that was reached, the server could perhaps do more.
    let open = load_args("-R 2000");
    let reached = Run { ceiling: Some(Ok(9e9)), ..run(tally(4000, 1_000_000, 1000)) };
    assert_eq!(limit(&open, reached), Limit::Rate);
}
