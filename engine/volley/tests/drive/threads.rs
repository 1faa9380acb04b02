//! Threads of `volley drive`: their shares, their cores, and delays by other threads.

use crate::common::driver::{Driver, errors, histogram, job};
use crate::common::servers::{self, GOOD};
use crate::common::yardstick::Yardstick;
use rustix::thread::{CpuSet, sched_getaffinity};
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use volley_net::IoChoice;
use volley_net::clock::MS;

both_ways! {
    two_threads_share_the_connections,
    each_thread_keeps_to_its_core_and_says_how_busy_it_was,
    fixed_work_is_timed_and_moves_no_thread,
    a_trip_between_cores_is_timed_where_they_are_two,
    the_time_of_the_servers_processes_is_read_in_the_window,
    others_on_the_generators_core_delay_it,
}

/// The cores that a thread of a process may run on, in the kernel's format, by the thread's name.
fn cores_of_threads(pid: u32) -> BTreeMap<String, String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let read = |task: fs::DirEntry| {
        let status = fs::read_to_string(task.path().join("status")).unwrap();
        let value = |key| {
            let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
            line.trim().to_owned()
        };
        (value("Name:"), value("Cpus_allowed_list:"))
    };
    tasks.map(|task| read(task.unwrap())).collect()
}

/// Two of the cores that are allowed, or the only one.
fn some_cores() -> Vec<usize> {
    let allowed = sched_getaffinity(None).unwrap();
    (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu)).take(2).collect()
}

/// If the job does not pin its threads, they stay unpinned.
fn fixed_work_is_timed_and_moves_no_thread(io: IoChoice) {
    let mut job = job(io, &[servers::always(GOOD)]);
    assert_eq!(Driver::job(job.clone()).0.slice(0, 0, 20).fixed_work_ns, None);
    for core in some_cores() {
        job.fixed_work_cpu = Some(core);
        let (mut driver, _) = Driver::job(job.clone());
        let before = cores_of_threads(driver.pid());
        let time_ns = driver.slice(0, 0, 20).fixed_work_ns.unwrap();
        assert!(time_ns > 10_000 && time_ns < 50 * MS, "{time_ns}");
        assert_eq!(cores_of_threads(driver.pid()), before);
    }
}

/// A thread that is kept from its core for 2 ms has no time, so one of a few slices has to have one.
fn a_trip_between_cores_is_timed_where_they_are_two(io: IoChoice) {
    let cores = some_cores();
    let trips_ns = |cpus: &[usize], fixed_work_cpu| -> Vec<Option<u64>> {
        let mut job = job(io, &[servers::always(GOOD)]);
        (job.cpus, job.fixed_work_cpu) = (cpus.to_vec(), fixed_work_cpu);
        let (mut driver, _) = Driver::job(job);
        (0..20).map(|_| driver.slice(0, 0, 5).core_trip_ns).collect()
    };
    let none = vec![None; 20];
    assert_eq!(trips_ns(&[], Some(cores[0])), none);
    assert_eq!(trips_ns(&cores, Some(cores[0])), none);
    assert_eq!(trips_ns(&cores[..1], None), none);
    if let [one, other] = cores[..] {
        let timed: Vec<u64> = trips_ns(&[one], Some(other)).into_iter().flatten().collect();
        assert!(!timed.is_empty() && timed.iter().all(|&trip_ns| trip_ns < MS), "{timed:?}");
    }
}

/// The server is a thread of this test.
fn the_time_of_the_servers_processes_is_read_in_the_window(io: IoChoice) {
    let (mut driver, _) = Driver::job(job(io, &[servers::always(GOOD)]));
    let own = std::process::id().cast_signed();
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let event = driver.slice_of(vec![own]);
    let server = event.server.unwrap();
    assert!(server.cpu_ns > MS && server.cpu_ns < 64 * server.over_ns, "{server:?}");
    assert!(server.over_ns > 40 * MS && server.over_ns < event.drained_ns - event.start_ns + MS);
    assert!(server.requests > 0 && server.requests < event.requests_all, "{server:?}");
    assert_eq!(driver.slice_of(vec![own, ended.id().cast_signed()]).server, None);
    assert_eq!(driver.slice_of(vec![]).server, None);
}

/// A busy thread of this test has the same core.
fn others_on_the_generators_core_delay_it(io: IoChoice) {
    let core = some_cores()[0];
    let mut job = job(io, &[servers::always(GOOD)]);
    job.cpus = vec![core];
    let (mut driver, _) = Driver::job(job);
    let ended = Arc::new(AtomicBool::new(false));
    let busy = std::thread::spawn({
        let ended = ended.clone();
        move || {
            volley_net::limits::pin(&[core]).unwrap();
            while !ended.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        }
    });
    let event = driver.slice(0, 5, 300);
    ended.store(true, Ordering::Relaxed);
    busy.join().unwrap();
    let counted = fs::read_to_string("/proc/thread-self/schedstat").is_ok_and(|it| it != "0 0 0\n");
    assert_eq!(event.delayed_ns.is_some(), counted);
    let delayed_ns = event.delayed_ns.unwrap_or(30 * MS);
    assert!(delayed_ns > 10 * MS && delayed_ns <= event.end_ns - event.start_ns, "{delayed_ns}");
}

/// In a rotation over two servers. With a single core both threads are on it.
fn each_thread_keeps_to_its_core_and_says_how_busy_it_was(io: IoChoice) {
    let mut cpus = some_cores();
    cpus.reverse();
    let slow = Yardstick::start("--delay 300ms");
    let mut job = job(io, &[servers::always(GOOD), slow.address]);
    (job.threads, job.cpus) = (2, cpus.clone());
    let (mut driver, _) = Driver::job(job);
    for _ in 0..2 {
        let event = driver.slice(0, 5, 100);
        assert_eq!((errors(&event), event.busy_threads.len()), (vec![], 2));
        assert!(event.busy_threads.iter().all(|busy| (0.0..=1.0).contains(busy)));
        let mean = event.busy_threads.iter().sum::<f64>() / 2.0;
        assert!((event.busy - mean).abs() < 1e-9, "{event:?}");
        // Its connections wait for the server, and so does it.
        assert!(driver.slice(1, 0, 200).busy_threads.iter().all(|&busy| busy < 0.9));
    }
    let cores = cores_of_threads(driver.pid());
    for thread in 0..2 {
        assert_eq!(cores[&format!("load {thread}")], cpus[thread % cpus.len()].to_string());
    }
}

fn two_threads_share_the_connections(io: IoChoice) {
    let (address, served) = servers::counting(GOOD);
    let slow = Yardstick::start("--delay 300ms");
    let mut job = job(io, &[address, slow.address]);
    (job.threads, job.connections) = (2, 5);
    let (mut driver, ready) = Driver::job(job);
    let open: Vec<u64> = ready.targets.iter().map(|target| target.open).collect();
    assert_eq!((ready.threads, open), (2, vec![5, 5]));
    let mut sent = 0;
    for _ in 0..2 {
        let event = driver.slice(0, 5, 100);
        assert_eq!((errors(&event), event.connects, event.misses), (vec![], 0, 0));
        assert_eq!(histogram(&event.latency).len(), event.latency_count);
        sent += event.requests_all;
        assert_eq!(served.load(Ordering::SeqCst), sent);
        // Slower than the window: one answer on each connection.
        let event = driver.slice(1, 0, 200);
        assert_eq!((event.requests_all, event.latency_count), (5, 5), "{event:?}");
    }
}
