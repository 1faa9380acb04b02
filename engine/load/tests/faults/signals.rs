//! Signals that interrupt system calls.

use crate::world::guard::both_ways_alone;
use crate::world::loading::{at_rate, errors, for_ms, run, size, target, workers};
use crate::world::servers::good;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use volley_load::workers::Size;

/// The number of signals to each thread.
const SIGNALS: usize = 3000;

/// The threads of this process that load.
fn loading_threads() -> Vec<Pid> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let loading = tasks.filter(|task| {
        // A server's thread may be gone by now.
        fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.starts_with("load "))
    });
    let number = |task: fs::DirEntry| task.file_name().to_string_lossy().parse().unwrap();
    loading.filter_map(|task| Pid::from_raw(number(task))).collect()
}

/// Signals threads until each has had its number. A signal for a process goes to the very thread
/// whose number is given, if that thread does not block it.
fn pester(threads: &[Pid], enough: &AtomicBool) {
    for _ in 0..SIGNALS {
        for &thread in threads {
            kill_process(thread, Signal::USR1).unwrap();
        }
        thread::sleep(Duration::from_micros(50));
    }
    enough.store(true, Ordering::Relaxed);
}

#[test]
fn interrupted_calls_are_no_errors() {
    // No call that waits for events is restarted after a handler, whatever its flags.
    let handled = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGUSR1, handled.clone()).unwrap();
    both_ways_alone(move |io| {
        let mut workers = workers(&Size { threads: 2, ..size(io) }, target(good()));
        let (threads, enough) = (loading_threads(), AtomicBool::new(false));
        assert_eq!(threads.len(), 2);
        thread::scope(|scope| {
            scope.spawn(|| pester(&threads, &enough));
            let mut answers = 0;
            while !enough.load(Ordering::Relaxed) {
                for plan in [for_ms(50), at_rate(500.0, 0, 50)] {
                    let outcome = run(&mut workers, &plan);
                    let tally = &outcome.tally;
                    assert_eq!((errors(&outcome), tally.misses), (vec![], 0));
                    answers += tally.requests_all;
                }
            }
            assert!(answers > 0);
        });
        assert!(handled.load(Ordering::Relaxed));
    });
}
