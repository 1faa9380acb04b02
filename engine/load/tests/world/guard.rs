//! No test hangs, and each is run with both ways of I/O.

use std::io::{ErrorKind, Write};
use std::panic::resume_unwind;
use std::sync::mpsc::channel;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::Duration;
use volley_net::IoChoice;

/// No test takes longer, even on a slow machine, or if it has to repeat its run some times.
const PATIENCE: Duration = Duration::from_mins(1);

/// Why a test can't be run here. One that unwinds with this has neither failed nor passed, which is
/// printed.
pub struct NotRun(pub String);

/// A read lock of tests that may run at the same time.
static ROOM: RwLock<()> = RwLock::new(());

/// Runs a test with each way of I/O that is available here.
pub fn both_ways(test: impl Fn(IoChoice) + Send + Sync + 'static) {
    let _shared = ROOM.read().unwrap_or_else(PoisonError::into_inner);
    each_way(test);
}

/// The same, while no other test of this binary runs: for measurements of the whole process.
pub fn both_ways_alone(test: impl Fn(IoChoice) + Send + Sync + 'static) {
    let _alone = ROOM.write().unwrap_or_else(PoisonError::into_inner);
    each_way(test);
}

/// The test's thread has the name of the way of I/O, so that a failure shows which it was.
fn each_way(test: impl Fn(IoChoice) + Send + Sync + 'static) {
    let test = Arc::new(test);
    for io in [IoChoice::Uring, IoChoice::Epoll] {
        match io.resolve().map_err(|error| (error.kind(), error)) {
            Ok(_) => {}
            // The kernel lacks it or forbids it.
            Err((ErrorKind::Unsupported | ErrorKind::PermissionDenied, error)) => {
                not_run(&format!("{io:?}"), &error.to_string());
                continue;
            }
            Err((_, error)) => panic!("{io:?}: {error}"),
        }
        let test = test.clone();
        within(PATIENCE, &format!("{io:?}"), move || test(io));
    }
}

/// Runs a function on a thread of that name; fails if it fails, or if it takes too long.
fn within(patience: Duration, name: &str, run: impl FnOnce() + Send + 'static) {
    let (alive, ended) = channel::<()>();
    let run = move || {
        let _alive = alive; // Dropped at the end, even by a panic.
        run();
    };
    let thread = thread::Builder::new().name(name.to_owned()).spawn(run).unwrap();
    let waited = ended.recv_timeout(patience);
    assert!(
        waited != Err(std::sync::mpsc::RecvTimeoutError::Timeout),
        "with {name} it did not end within {patience:?}"
    );
    if let Err(panic) = thread.join() {
        match panic.downcast::<NotRun>() {
            Ok(why) => not_run(name, &why.0),
            Err(panic) => resume_unwind(panic),
        }
    }
}

/// The harness would hide the output of `eprintln`.
fn not_run(name: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "NOT RUN with {name}: {why}");
}
