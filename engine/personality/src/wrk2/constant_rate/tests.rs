//! A thread's arithmetic, with given times.

use super::*;
use crate::script::Setting;

/// The beginning.
const T: u64 = 1000 * S;

fn script() -> Script {
    let [scheme, host, path] = ["http", "a", "/"].map(str::to_owned);
    Script::new(&Setting { scheme, host, port: None, path, headers: vec![], tells_time: true })
        .unwrap()
}

/// Two connections, ten requests a second each, for 20 s.
fn settings() -> Settings {
    Settings {
        connections: 2,
        rate_per_s: 20.0,
        timeout_ns: 2 * S,
        end_ns: T + 20 * S,
        times_batches: false,
        tells: false,
    }
}

fn begun(settings: Settings) -> (ConstantRate, Script) {
    let (mut thread, script) = (ConstantRate::new(settings), script());
    assert_eq!(thread.begin(T, &script), T);
    (thread, script)
}

/// Sends on the first connection and takes all answers of the batch.
fn exchange(thread: &mut ConstantRate, sent_ns: u64, answered_ns: &[u64]) {
    thread.on_sent(0, sent_ns);
    for (nth, &now_ns) in answered_ns.iter().enumerate() {
        let is_last = nth + 1 == answered_ns.len();
        thread.on_answer(0, sent_ns, now_ns, is_last, &mut Errors::default());
    }
}

/// The latencies in ms.
fn ms(values: &Values) -> (u64, u64, u64) {
    let at = |percent| (values.percentile(percent) + 500) / 1000;
    (values.count(), at(0.0), at(100.0))
}

#[test]
fn connections_open_and_ask_one_after_another() {
    let (mut thread, script) = begun(settings());
    assert_eq!([0, 1].map(|slot| thread.opens_ns(slot)), [T, T + 5 * MS]);
    // The first request is due at the opening, the second a tenth of a second later.
    let opened_ns = T + 6 * MS;
    assert!(thread.next_ns(1, opened_ns, &script).unwrap() <= opened_ns);
    thread.on_sent(1, opened_ns);
    thread.on_answer(1, opened_ns, T + 8 * MS, true, &mut Errors::default());
    assert_eq!(thread.next_ns(1, T + 8 * MS, &script).unwrap(), T + 105 * MS);
    // The latencies from when it was due, and from its sending.
    assert_eq!((ms(&thread.latencies), ms(&thread.uncorrected)), ((1, 3, 3), (1, 2, 2)));
}

#[test]
fn a_late_answer_makes_those_behind_it_late() {
    let (mut thread, _) = begun(settings());
    exchange(&mut thread, T, &[T + 400 * MS]);
    exchange(&mut thread, T + 400 * MS, &[T + 401 * MS]);
    assert_eq!(ms(&thread.latencies), (2, 301, 400));
    assert_eq!(ms(&thread.uncorrected), (2, 1, 400));
}

#[test]
fn a_batch_is_timed_answer_by_answer_or_at_its_end() {
    let answers = [T + 10 * MS, T + 20 * MS, T + 30 * MS];
    let (mut each, _) = begun(settings());
    exchange(&mut each, T, &answers);
    assert_eq!(ms(&each.latencies), (3, 10, 30));
    let (mut last, _) = begun(Settings { times_batches: true, ..settings() });
    exchange(&mut last, T, &answers);
    assert_eq!(ms(&last.latencies), (1, 30, 30));
}

#[test]
fn what_is_sent_again_has_waited_since_it_was_sent_first() {
    let (mut thread, _) = begun(settings());
    thread.on_sent(0, T + MS);
    exchange(&mut thread, T + 50 * MS, &[T + 60 * MS]);
    assert_eq!((ms(&thread.latencies), ms(&thread.uncorrected)), ((1, 60, 60), (1, 59, 59)));
}

#[test]
fn the_calibration_throws_away_what_was_and_chooses_the_interval() {
    let (mut thread, _) = begun(settings());
    let errors = &mut Errors::default();
    exchange(&mut thread, T, &[T + 40 * MS]);
    assert_eq!(thread.tick(T + 10 * S, errors), Some(T + 10 * S + 10 * MS));
    let calibrated_ns = T + 10 * S + 10 * MS;
    // Twice 40 ms, to three digits of the histogram.
    assert_eq!(thread.tick(calibrated_ns, errors), Some(calibrated_ns + 80 * MS));
    assert_eq!((thread.latencies.count(), thread.uncorrected.count()), (0, 0));
    assert_eq!(thread.calibrated, 1);
    // Two answers in 80 ms are 25 a second; then there are none.
    exchange(&mut thread, calibrated_ns, &[calibrated_ns + MS, calibrated_ns + 2 * MS]);
    for nth in 1..=2 {
        thread.tick(calibrated_ns + nth * 80 * MS, errors);
    }
    let spread = thread.rates.spread();
    assert!((spread.mean - 12.5).abs() < 1e-9 && (spread.max - 25.0).abs() < 1e-9);
}

#[test]
fn where_nothing_takes_time_there_is_no_calibration_yet() {
    let (mut thread, _) = begun(settings());
    exchange(&mut thread, T, &[T]);
    thread.tick(T + 10 * S + 10 * MS, &mut Errors::default());
    assert_eq!((thread.calibrated, thread.sample_due_ns()), (0, T + 20 * S + 10 * MS));
    // If there was no answer at all, it is counted.
    let (mut silent, _) = begun(settings());
    silent.tick(T + 10 * S + 10 * MS, &mut Errors::default());
    assert_eq!(silent.calibrated, 1);
}

#[test]
fn the_calibration_in_words() {
    for (mean_us, interval_ms, line) in [
        (6_643_256.7, 15_499, "mean lat.: 6643.256ms, rate sampling interval: 15499ms"),
        (0.9, 10, "mean lat.: 0.000ms, rate sampling interval: 10ms"),
        (f64::NAN, 10, "mean lat.: 0.000ms, rate sampling interval: 10ms"),
    ] {
        let message = calibration(mean_us, interval_ms);
        assert_eq!(message, format!("  Thread calibration: {line}\n"));
    }
}

#[test]
fn timeouts_are_looked_for_every_two_seconds_whether_or_not_one_waits() {
    let (mut thread, _) = begun(settings());
    let errors = &mut Errors::default();
    exchange(&mut thread, T, &[T + MS]);
    thread.on_sent(1, T);
    thread.tick(T + 2 * S + 9 * MS, errors);
    assert_eq!(errors.timeout, 0);
    // Both last sent more than two seconds ago; the first has its answer.
    thread.tick(T + 2 * S + 10 * MS, errors);
    assert_eq!((errors.timeout, thread.idle_timeouts), (2, 1));
    thread.tick(T + 3 * S, errors);
    assert_eq!(errors.timeout, 2);
    thread.tick(T + 4 * S + 10 * MS, errors);
    assert_eq!((errors.timeout, thread.idle_timeouts), (4, 2));
}

#[test]
fn what_comes_when_the_time_is_up_is_missing() {
    let (mut thread, _) = begun(settings());
    let errors = &mut Errors::default();
    let end_ns = T + 20 * S;
    exchange(&mut thread, T, &[end_ns]);
    assert_eq!(thread.latencies.count(), 0);
    assert!(thread.tick(end_ns - MS, errors).is_some());
    assert_eq!(thread.tick(end_ns, errors), None);
    thread.end(end_ns + S);
    // 200 were due on each.
    assert_eq!(thread.missing, 400);
}

#[test]
fn threads_are_merged() {
    let (mut thread, mut other) = (begun(settings()).0, begun(settings()).0);
    exchange(&mut thread, T, &[T + 40 * MS]);
    exchange(&mut other, T, &[T + 10 * MS]);
    other.calibrated = 1;
    other.rates.record(7);
    other.end(T);
    thread.merge(&other);
    assert_eq!((ms(&thread.latencies), thread.calibrated), ((2, 10, 40), 1));
    assert!((thread.rates.spread().max - 7.0).abs() < 1e-9);
}
