//! The numbers of requests and connections: exactly as planned.

use crate::world::guard::both_ways;
use crate::world::loading::{
    GOOD, at_rate, errors, for_ms, load, requests, run, size, target, unix_target, workers,
};
use crate::world::servers::{Conversation, counting, good, listen_unix, serve};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;
use volley_load::intervals::Interval;
use volley_load::pace::Pace;
use volley_load::schedule::{Process, Profile, Stage};
use volley_load::slice::{Plan, Wish};
use volley_load::tally::Tally;
use volley_load::target::Target;
use volley_load::workers::{Size, Snapshot, Workers};
use volley_net::IoChoice;
use volley_net::clock::MS;

/// Exactly this many requests are sent and counted, slice after slice.
fn exactly(io: IoChoice, threads: usize, count: u64, change: impl Fn(Target) -> Target) {
    let (address, served) = counting(GOOD);
    let mut workers = workers(&Size { threads, ..size(io) }, change(target(address)));
    for slice in 1..=3 {
        let outcome = run(&mut workers, &requests(count));
        let tally = &outcome.tally;
        assert_eq!((errors(&outcome), tally.misses), (vec![], 0));
        assert_eq!([tally.requests, tally.requests_all, tally.latencies.count()], [count; 3]);
        assert_eq!(served.load(Ordering::SeqCst), slice * count);
        assert!(outcome.window.end_ns <= outcome.drained_ns);
    }
}

#[test]
fn a_number_of_requests() {
    both_ways(|io| {
        for threads in [1, 3] {
            for count in [0, 1, 2, 5, 200] {
                exactly(io, threads, count, |target| target);
                exactly(io, threads, count, |target| Target { pipeline: 8, ..target });
                let few = Some(3);
                exactly(io, threads, count, |target| Target {
                    requests_per_connection: few,
                    pipeline: 2,
                    ..target
                });
            }
        }
    });
}

/// Two connections of one thread beside one of another: each connection carries a third.
#[test]
fn requests_are_shared_by_connections_and_not_by_threads() {
    both_ways(|io| {
        let by_connection = Arc::new(Mutex::new(vec![0; 3]));
        let counted = by_connection.clone();
        let address = serve(move |mut conversation| {
            let number = usize::try_from(conversation.number).unwrap();
            while conversation.next_request().is_some() {
                counted.lock().unwrap()[number] += 1;
                conversation.say(GOOD);
            }
        });
        let target = Target { connections: 3, ..target(address) };
        let mut workers = workers(&Size { threads: 2, ..size(io) }, target);
        for plan in [requests(300), at_rate(3000.0, 0, 100)] {
            by_connection.lock().unwrap().fill(0);
            let outcome = run(&mut workers, &plan);
            assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 300));
            let counts = by_connection.lock().unwrap().clone();
            assert!(counts.contains(&100), "{counts:?}");
        }
    });
}

/// The second thread has one request of three, and is idle while the last is answered.
#[test]
fn a_thread_that_is_done_is_not_busy() {
    both_ways(|io| {
        let address = serve(|mut conversation| {
            while conversation.next_request().is_some() {
                thread::sleep(Duration::from_millis(200));
                conversation.say(GOOD);
            }
        });
        let target = Target { connections: 2, ..target(address) };
        let outcome = run(&mut workers(&Size { threads: 2, ..size(io) }, target), &requests(3));
        assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 3));
        assert!(outcome.busy_threads.iter().all(|&busy| busy < 0.4), "{:?}", outcome.busy_threads);
    });
}

/// A burst leaves request by request, and each is timed when it leaves: waiting here is send lag,
/// and not the server's service time. The first answers come, and count, before the last request
/// leaves.
#[test]
fn requests_of_a_burst_have_clock_readings_of_their_own() {
    both_ways(|io| {
        let Pace::Open(process) = at_rate(5000.0, 0, 600).pace else { unreachable!() };
        let pace = Pace::Open(Process { burst: 1000, ..process });
        let target = Target { connections: 1000, ..target(good()) };
        let outcome = load(io, target, &Plan { pace, ..for_ms(600) });
        assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 3000));
        let Tally { latencies, send_lag, .. } = &outcome.tally;
        let (latencies, lags) = (latencies.histogram(), send_lag.histogram());
        let different = lags.iter_recorded().count();
        assert!(different > 50, "{different} different lags");
        let (first, last) = (latencies.min(), lags.max());
        assert!(first < last, "the first answer came after {first} ns, the last left at {last}");
    });
}

#[test]
fn a_number_of_requests_with_a_connection_each() {
    both_ways(|io| {
        for (threads, count) in [(1, 1), (1, 2), (3, 2), (1, 100), (3, 100)] {
            exactly(io, threads, count, |target| Target {
                requests_per_connection: Some(1),
                ..target
            });
        }
    });
}

#[test]
fn a_number_of_requests_at_a_rate() {
    both_ways(|io| {
        for requests_per_connection in [None, Some(1)] {
            let (address, served) = counting(GOOD);
            let target = Target { requests_per_connection, ..target(address) };
            let plan = Plan { requests: Some(50), duration_ns: None, ..at_rate(1000.0, 0, 5000) };
            let outcome = load(io, target, &plan);
            let tally = &outcome.tally;
            assert_eq!((errors(&outcome), tally.misses), (vec![], 0));
            assert_eq!([tally.requests, served.load(Ordering::SeqCst)], [50; 2]);
            // The last one is due after 49.5 ms.
            assert!(outcome.duration_ns() > 49 * MS && outcome.drained_ns < u64::MAX);
        }
    });
}

#[test]
fn connections_for_one_request_each_are_all_there_in_the_next_slice() {
    both_ways(|io| {
        // Answers the first request, and then four at a time: on fewer connections this never
        // happens.
        let gate = Arc::new(Barrier::new(4));
        let address = serve(move |mut conversation| {
            if conversation.next_request().is_some() {
                if conversation.number > 0 {
                    gate.wait();
                }
                conversation.say(GOOD);
            }
        });
        let target = Target { requests_per_connection: Some(1), ..target(address) };
        let mut workers = Workers::start(&size(io), &[Arc::new(target)]).unwrap();
        for burst in [1, 4, 4] {
            let mut plan = at_rate(burst as f64 * 10.0, 0, 100);
            if let Pace::Open(process) = &mut plan.pace {
                process.burst = burst;
            }
            let outcome = run(&mut workers, &plan);
            assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], burst));
        }
    });
}

#[test]
fn intervals_add_up_to_the_whole() {
    both_ways(|io| {
        for plan in [for_ms(350), at_rate(3000.0, 0, 350)] {
            let mut workers = workers(&Size { threads: 3, ..size(io) }, target(good()));
            let mut seen: Vec<Interval> = vec![];
            let mut watch = |look: &Snapshot<'_>| {
                for interval in &look.intervals {
                    let mut copy = Interval { index: interval.index, ..Interval::default() };
                    copy.merge(interval);
                    seen.push(copy);
                }
                Wish::GoOn
            };
            let outcome = workers.run(0, &Plan { intervals: true, ..plan }, &mut watch).unwrap();
            let indices: Vec<u64> = seen.iter().map(|interval| interval.index).collect();
            assert_eq!(indices, (0..seen.len() as u64).collect::<Vec<_>>());
            assert!(seen.len() >= 4);
            let sum = |count: fn(&Interval) -> u64| seen.iter().map(count).sum::<u64>();
            let tally = &outcome.tally;
            assert_eq!(sum(|interval| interval.requests), tally.requests);
            assert_eq!(sum(|interval| interval.bytes), tally.bytes);
            assert_eq!(sum(|interval| interval.latencies.count()), tally.latencies.count());
        }
    });
}

#[test]
fn a_window_lasts_to_its_end_though_nothing_more_is_due() {
    both_ways(|io| {
        // One request, after a quarter of a second.
        let outcome = load(io, target(good()), &at_rate(2.0, 0, 500));
        assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 1));
        assert_eq!(outcome.duration_ns(), 500 * MS);
        assert!(outcome.drained_ns >= outcome.window.end_ns);
    });
}

/// How many connections a server has, how many it had at most, and how many requests each carried.
#[derive(Default)]
struct Visits {
    now: AtomicU64,
    most: AtomicU64,
    requests: Mutex<Vec<u64>>,
}

/// A server that waits before each answer, and its counts of connections.
fn visited(wait: Duration) -> (std::net::SocketAddr, Arc<Visits>) {
    let visits = Arc::new(Visits::default());
    let seen = visits.clone();
    let address = serve(move |mut conversation| {
        let now = seen.now.fetch_add(1, Ordering::SeqCst) + 1;
        seen.most.fetch_max(now, Ordering::SeqCst);
        let mut count = 0;
        while conversation.next_request().is_some() {
            count += 1;
            thread::sleep(wait);
            if !conversation.say(GOOD) {
                break;
            }
        }
        seen.requests.lock().unwrap().push(count);
        seen.now.fetch_sub(1, Ordering::SeqCst);
    });
    (address, visits)
}

/// Waits until a server has this many connections.
fn await_connections(visits: &Visits, count: u64) {
    while visits.now.load(Ordering::SeqCst) != count {
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn so_many_requests_on_each_connection() {
    both_ways(|io| {
        for pipeline in [1, 2, 8] {
            let (address, visits) = visited(Duration::ZERO);
            let requests_per_connection = Some(3);
            let target = Target { requests_per_connection, pipeline, ..target(address) };
            let outcome = load(io, target, &requests(300));
            assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 300));
            await_connections(&visits, 0);
            let carried = visits.requests.lock().unwrap();
            assert_eq!(carried.iter().sum::<u64>(), 300);
            // The last connections of each of the four carry the rest.
            assert!(carried.iter().all(|&count| count <= 3), "{carried:?}");
            assert!(carried.iter().filter(|&&count| count < 3).count() <= 4, "{carried:?}");
        }
    });
}

const STAGE_MS: u64 = 1000;

#[test]
fn connections_come_and_go_in_stages() {
    both_ways(|io| {
        // Threads that answer without a pause could keep the one that accepts from its core.
        let (address, visits) = visited(Duration::from_millis(5));
        let target = Target { connections: 24, ..target(address) };
        let stage = |from, to| Stage { duration_ns: STAGE_MS * MS, from, to };
        let stages = Profile::new(vec![stage(2.0, 2.0), stage(24.0, 24.0), stage(5.0, 5.0)]);
        let plan = Plan { pace: Pace::Stages(stages), ..for_ms(3 * STAGE_MS) };
        let mut workers =
            Workers::start(&Size { threads: 2, ..size(io) }, &[Arc::new(target)]).unwrap();
        let mut seen = vec![];
        let outcome = workers
            .run(0, &plan, &mut |look| {
                // A moment in the middle of a stage.
                let into_ms = look.now_ns.saturating_sub(look.window.start_ns) / MS;
                if into_ms % STAGE_MS >= 150 && into_ms < 3 * STAGE_MS {
                    seen.push((into_ms / STAGE_MS, visits.now.load(Ordering::SeqCst)));
                }
                Wish::GoOn
            })
            .unwrap();
        assert_eq!(errors(&outcome), vec![]);
        for (stage, connections) in [(0, 2), (1, 24), (2, 5)] {
            assert!(
                seen.contains(&(stage, connections)),
                "{connections} in stage {stage}: {seen:?}"
            );
        }
        assert_eq!(visits.most.load(Ordering::SeqCst), 24);
    });
}

#[test]
fn a_thread_without_a_connection_is_refused() {
    both_ways(|io| {
        let few = Target { connections: 2, ..target(good()) };
        let workers = Workers::start(&Size { threads: 3, ..size(io) }, &[Arc::new(few)]);
        let words = workers.err().unwrap().to_string();
        assert_eq!(words, "3 threads cannot share 2 connection(s): each thread needs one");
    });
}

#[test]
fn over_a_unix_socket() {
    both_ways(|io| {
        let (listener, path) = listen_unix(&format!("socket-{io:?}"));
        let served = Arc::new(AtomicU64::new(0));
        let count = served.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let count = count.clone();
                thread::spawn(move || Conversation::new(stream, 0).answer_all(GOOD, &count));
            }
        });
        for requests_per_connection in [None, Some(1)] {
            let target = Target { connections: 64, requests_per_connection, ..unix_target(&path) };
            let before = served.load(Ordering::SeqCst);
            let outcome = load(io, target, &requests(1000));
            assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 1000));
            assert_eq!(served.load(Ordering::SeqCst) - before, 1000);
        }
        std::fs::remove_file(&path).unwrap();
    });
}

#[test]
fn connections_for_one_request_each_are_gone_behind_the_slice() {
    both_ways(|io| {
        let (address, visits) = visited(Duration::ZERO);
        let target = Target { requests_per_connection: Some(1), ..target(address) };
        let mut workers = workers(&size(io), target);
        await_connections(&visits, 0);
        assert_eq!(errors(&run(&mut workers, &requests(100))), vec![]);
        await_connections(&visits, 0);
    });
}
