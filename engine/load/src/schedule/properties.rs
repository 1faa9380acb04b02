//! Properties that hold for every rate, shape, burst and number of threads.

use super::{Arrivals, Process, Profile, Shape, Stage};
use proptest::prelude::*;
use volley_net::clock::{MS, S};

/// All due times of one thread.
fn due(process: &Process, thread: usize, threads: usize) -> Vec<u64> {
    due_of(process, thread, threads, threads)
}

/// The same, for threads with more than one connection each.
fn due_of(process: &Process, thread: usize, threads: usize, connections: usize) -> Vec<u64> {
    let mut arrivals = Arrivals::new(process, thread, threads, connections);
    let mut due = Vec::new();
    while arrivals.next_ns() < u64::MAX {
        due.push(arrivals.next_ns());
        arrivals.advance();
    }
    due
}

/// All due times of all threads, in order of time.
fn due_on(process: &Process, threads: usize) -> Vec<u64> {
    let mut all: Vec<u64> = (0..threads).flat_map(|n| due(process, n, threads)).collect();
    all.sort_unstable();
    all
}

fn process(rate: Profile, shape: Shape, burst: u64) -> Process {
    Process { rate, shape, burst, seed: 1, phase: 0.5 }
}

fn steady(rate: f64, seconds: u64) -> Profile {
    Profile::new(vec![Stage { duration_ns: seconds * S, from: rate, to: rate }])
}

fn rates() -> impl Strategy<Value = Profile> {
    let level = || prop_oneof![Just(0.0), Just(0.5), Just(300.0), 0.0..2000.0_f64];
    let stage = (1..2000_u64, level(), level(), any::<bool>()).prop_map(|(ms, from, to, flat)| {
        Stage { duration_ns: ms * MS, from, to: if flat { from } else { to } }
    });
    prop::collection::vec(stage, 1..5).prop_map(Profile::new)
}

fn shapes() -> impl Strategy<Value = Shape> {
    prop_oneof![Just(Shape::Uniform), Just(Shape::Poisson)]
}

proptest! {
    #[test]
    fn uniform_counts_are_those_of_the_rate(
        rate in rates(),
        borders in prop::collection::vec(0.0..1.0_f64, 2),
    ) {
        let due = due(&process(rate.clone(), Shape::Uniform, 1), 0, 1);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let at = |share: f64| (rate.duration_ns() as f64 * share) as u64;
        let (from_ns, to_ns) = (at(borders[0].min(borders[1])), at(borders[0].max(borders[1])));
        let count = due.iter().filter(|&&at| from_ns <= at && at < to_ns).count() as f64;
        let expected = rate.area(to_ns) - rate.area(from_ns);
        // At 2000/s a border that is off by half a nanosecond is off by a millionth of a request.
        prop_assert!((count - expected).abs() <= 1.00001, "{count} of {expected}");
    }

    #[test]
    fn threads_share_what_one_alone_would_do(
        rate in rates(), threads in 1..9_usize, burst in 1..20_u64,
    ) {
        for shape in [Shape::Uniform, Shape::Poisson] {
            if shape == Shape::Uniform || burst > 1 {
                let process = process(rate.clone(), shape, burst);
                prop_assert_eq!(due_on(&process, threads), due(&process, 0, 1));
            }
        }
    }

    /// Several generators, with `rate / n` each, as `Several` of the driver gives it to them.
    #[test]
    fn generators_with_phases_interleave_as_one_alone(
        per_s in 1.0..5000.0_f64, seconds in 1..4_u64, generators in 1..9_u32,
    ) {
        let alone = due(&process(steady(per_s, seconds), Shape::Uniform, 1), 0, 1);
        let count = f64::from(generators);
        let mut all: Vec<u64> = (0..generators)
            .flat_map(|n| {
                let share = process(steady(per_s / count, seconds), Shape::Uniform, 1);
                due(&Process { phase: (f64::from(n) + 0.5) / count, ..share }, 0, 1)
            })
            .collect();
        all.sort_unstable();
        // At the very end, rounding decides whether a request is still due.
        prop_assert!(all.len().abs_diff(alone.len()) <= 1);
        prop_assert!(all.iter().zip(&alone).all(|(a, b)| a.abs_diff(*b) <= 1));
    }

    /// Two connections of a thread beside one of another get two requests of three.
    #[test]
    fn every_connection_gets_as_many_requests(
        shape in shapes(), threads in 1..5_usize, more in 0..9_usize, burst in 1..20_u64,
    ) {
        let connections = threads + more;
        let process = process(steady(2000.0, 5), shape, burst);
        let own: Vec<Vec<u64>> =
            (0..threads).map(|n| due_of(&process, n, threads, connections)).collect();
        let all = own.iter().map(Vec::len).sum::<usize>() as f64;
        for (thread, due) in own.iter().enumerate() {
            let connected = (thread..connections).step_by(threads).count() as f64;
            let expected = all * connected / connections as f64;
            // A burst may be cut anywhere; a separate process has the spread of Poisson counts.
            let alone = shape == Shape::Poisson && burst == 1;
            let spread = if alone { 6.0 * expected.sqrt() } else { connected + 1.0 };
            prop_assert!((due.len() as f64 - expected).abs() <= spread, "{thread}: {}", due.len());
        }
        if shape == Shape::Uniform || burst > 1 {
            let mut merged = own.concat();
            merged.sort_unstable();
            prop_assert_eq!(merged, due(&process, 0, 1));
        }
    }

    #[test]
    fn times_never_go_back_and_end_with_the_last_stage(
        rate in rates(), shape in shapes(), threads in 1..5_usize, burst in 1..20_u64,
    ) {
        let end_ns = rate.duration_ns();
        let due = due(&process(rate, shape, burst), threads - 1, threads);
        prop_assert!(due.is_sorted() && due.last().is_none_or(|&at| at <= end_ns));
    }

    #[test]
    fn a_burst_is_due_at_one_moment_and_spread_evenly(
        rate in rates(), shape in shapes(), burst in 2..20_usize, threads in 1..5_usize,
    ) {
        let process = process(rate, shape, burst as u64);
        let all = due_on(&process, threads);
        prop_assert!(all.chunks(burst).all(|burst| burst.first() == burst.last()));
        prop_assert!(all.len().is_multiple_of(burst));
        for thread in 0..threads {
            let own = due(&process, thread, threads).len();
            prop_assert!(own.abs_diff(all.len() / threads) <= 1);
        }
    }
}

/// Mean and variance of how many are due in each 20 ms.
fn counts_per_20_ms(due: &[u64], seconds: u64) -> (f64, f64) {
    let mut counts = vec![0.0; usize::try_from(seconds * 50).unwrap()];
    for at in due {
        if let Some(count) = counts.get_mut(usize::try_from(at / (20 * MS)).unwrap()) {
            *count += 1.0;
        }
    }
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let squares = counts.iter().map(|count| (count - mean) * (count - mean)).sum::<f64>();
    (mean, squares / counts.len() as f64)
}

#[test]
fn poisson_counts_vary_as_much_as_they_are_many() {
    for (threads, burst) in [(1, 1), (4, 1), (3, 5)] {
        let process = process(steady(1000.0, 100), Shape::Poisson, burst);
        let (mean, variance) = counts_per_20_ms(&due_on(&process, threads), 100);
        // 20 in each of 5000 stretches; a burst counts as one, so the variance is so many times
        // larger. The bounds are five standard errors and more.
        let burst = burst as f64;
        assert!((mean - 20.0).abs() < 0.4 * burst, "{threads} threads: mean {mean}");
        assert!((variance / burst - 20.0).abs() < 4.0, "{threads} threads: variance {variance}");
    }
}

/// Several generators have a share of the rate each, and unrelated seeds.
#[test]
fn generators_with_seeds_of_their_own_are_poisson_together() {
    let share = process(steady(250.0, 100), Shape::Poisson, 1);
    let seeds = [1, 0x9f1b_33c2_0da7_4e11, u64::MAX, 77];
    let all = seeds.iter().flat_map(|&seed| due_on(&Process { seed, ..share.clone() }, 2));
    let (mean, variance) = counts_per_20_ms(&all.collect::<Vec<_>>(), 100);
    assert!((mean - 20.0).abs() < 0.4 && (variance - 20.0).abs() < 4.0, "{mean} {variance}");
}

#[test]
fn uniform_counts_do_not_vary() {
    let (mean, variance) =
        counts_per_20_ms(&due_on(&process(steady(1000.0, 10), Shape::Uniform, 1), 3), 10);
    assert!((mean - 20.0).abs() < 1e-9 && variance < 1e-9, "{mean} {variance}");
}

#[test]
fn poisson_arrivals_of_a_ramp_are_random_at_its_rate() {
    let rate = Profile::new(vec![Stage { duration_ns: 100 * S, from: 0.0, to: 2000.0 }]);
    let due = due_on(&process(rate.clone(), Shape::Poisson, 1), 4);
    // Seen on the scale of Λ they are a process of rate 1: gaps have mean 1 and variance 1.
    let places: Vec<f64> = due.iter().map(|&at| rate.area(at)).collect();
    let gaps: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>();
    assert!((mean - 1.0).abs() < 0.02, "{mean}");
    assert!((variance / gaps.len() as f64 - 1.0).abs() < 0.05, "{variance}");
}

#[test]
fn the_seed_decides() {
    let seeded = |seed| Process { seed, ..process(steady(100.0, 1), Shape::Poisson, 1) };
    assert_eq!(due(&seeded(5), 1, 2), due(&seeded(5), 1, 2));
    assert_ne!(due(&seeded(5), 1, 2), due(&seeded(6), 1, 2));
    assert_ne!(due(&seeded(5), 0, 2), due(&seeded(5), 1, 2));
}

#[test]
fn half_a_request_per_second_comes_every_two_seconds() {
    let due = due(&process(steady(0.5, 7), Shape::Uniform, 1), 0, 1);
    assert_eq!(due, [S, 3 * S, 5 * S, 7 * S]);
}

#[test]
fn nothing_is_due_at_a_rate_of_0() {
    for shape in [Shape::Uniform, Shape::Poisson] {
        for rate in [steady(0.0, 5), Profile::new(vec![])] {
            assert!(due(&process(rate, shape, 1), 0, 1).is_empty());
        }
    }
}
