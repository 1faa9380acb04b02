//! The load itself: threads, each with its own script, for the requested time.

use super::arguments::Arguments;
use super::connections::Counts;
use super::pacing::Pacing;
use super::thread::{self, RunError, Work};
use crate::script::{Script, Setting};
use std::io::{self, Write, stderr};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle, available_parallelism, sleep};
use std::time::Duration;
use volley_net::clock::{S, now_ns};
use volley_net::{Epoll, Io, IoChoice, Patience, Route, Uring};
use volley_tls::{Config, Terms};

/// The time between two checks for an early end.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// More files than any process may have.
const MOST_CONNECTIONS: u64 = 1 << 24;

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) counts: Counts,
    pub(crate) threads: usize,
    pub(crate) runtime_us: u64,
    pub(crate) io: Io,
}

impl Measured {
    /// The mean time between two requests of a connection, from which wrk derives what it adds to
    /// the latencies; `None` where there were fewer requests than connections.
    pub(crate) fn interval_us(&self, connections: u64) -> Option<u64> {
        let each = self.counts.complete / connections;
        (each > 0).then(|| self.runtime_us / each)
    }

    /// The share of the time in which the threads did not wait.
    pub(crate) fn busy(&self) -> f64 {
        let ran_ns = self.counts.ran_ns.max(1) as f64;
        (1.0 - self.counts.waited_ns as f64 / ran_ns).clamp(0.0, 1.0)
    }
}

/// A state with the script in it. If the script cannot be run, its error is printed, and the load
/// goes on.
pub(crate) fn state(arguments: &Arguments, setting: &Setting) -> Result<Script, RunError> {
    let script = Script::new(setting)?;
    if let Some(Err(line)) = arguments.script.as_ref().map(|file| script.run(file)) {
        let _ = writeln!(stderr(), "{line}");
    }
    Ok(script)
}

/// The threads' scripts, and their requests.
pub(crate) struct Threads {
    scripts: Vec<Script>,
    shape: Shape,
}

/// The requests of all threads, by the first one's script.
struct Shape {
    /// Every batch is the same.
    is_fixed: bool,
    /// Requests in a batch.
    depth: usize,
}

/// The threads' scripts, prepared by the main script.
pub(crate) fn prepare(
    arguments: &Arguments,
    setting: &Setting,
    main: &mut Script,
) -> Result<Threads, RunError> {
    let ready = |_| {
        let script = state(arguments, setting)?;
        main.set_up(&script)?;
        script.init(&arguments.operands)?;
        Ok(script)
    };
    let scripts: Vec<Script> =
        (0..arguments.threads).map(ready).collect::<Result<_, RunError>>()?;
    let shape = Shape { is_fixed: scripts[0].is_static(), depth: scripts[0].depth()? };
    Ok(Threads { scripts, shape })
}

/// Loads for the requested time, until `interrupted` or until a thread fails. `pacing` makes a
/// thread's pacing, which ends at that time. Also returns all of them merged.
pub(crate) fn load<M: Pacing>(
    arguments: &Arguments,
    io: IoChoice,
    threads: Threads,
    interrupted: &AtomicBool,
    pacing: impl Fn(u64) -> M,
) -> Result<(Measured, M), RunError> {
    let io = io.resolve()?;
    if arguments.connections > MOST_CONNECTIONS {
        let more = format!("{} connections are more than can be had", arguments.connections);
        return Err(io::Error::other(more).into());
    }
    let Threads { scripts, shape } = threads;
    let threads = scripts.len();
    let stop = Arc::new(AtomicBool::new(false));
    let begin_ns = now_ns();
    let end_ns = begin_ns.saturating_add(arguments.duration_s.saturating_mul(S));
    let start_one = |script: Script| {
        let work = work(arguments, &shape, address(&script)?, &stop);
        start(io, work, script, pacing(end_ns))
    };
    let running: Vec<Running<M>> = scripts.into_iter().map(start_one).collect::<io::Result<_>>()?;
    while now_ns() < end_ns && !interrupted.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed)
    {
        sleep(LOOK_EVERY.min(Duration::from_nanos(end_ns.saturating_sub(now_ns()))));
    }
    stop.store(true, Ordering::Relaxed);
    let (mut counts, mut merged) = (Counts::default(), pacing(end_ns));
    for thread in running {
        let (counted, pacing) = thread.join().expect("a panic ends the process")?;
        counts.merge(&counted);
        merged.merge(&pacing);
    }
    let runtime_us = (now_ns() - begin_ns) / 1000;
    Ok((Measured { counts, threads, runtime_us, io }, merged))
}

type Running<M> = JoinHandle<Result<(Counts, M), RunError>>;

/// The address to which a script directs its thread.
fn address(script: &Script) -> io::Result<SocketAddr> {
    script.address().ok_or_else(|| io::Error::other("the script has taken the address away"))
}

fn work(arguments: &Arguments, shape: &Shape, address: SocketAddr, stop: &Arc<AtomicBool>) -> Work {
    let url = &arguments.url;
    let each = arguments.connections / arguments.threads;
    Work {
        route: Arc::new(Route::to(address)),
        tls: url.is_tls().then(|| Config::new(Some(&url.host), &Terms::resuming())),
        connections: usize::try_from(each).unwrap_or(usize::MAX),
        is_fixed: shape.is_fixed,
        depth: shape.depth,
        patience: patience(arguments.threads),
        stop: stop.clone(),
    }
}

/// Threads that poll need their own cores, and the server one more.
fn patience(threads: u64) -> Patience {
    let cores = available_parallelism().map_or(1, usize::from) as u64;
    if threads < cores { Patience::here() } else { Patience::SLEEPS }
}

fn start<M: Pacing>(io: Io, work: Work, script: Script, pacing: M) -> io::Result<Running<M>> {
    let run = match io {
        Io::Uring => thread::run::<Uring, M>,
        Io::Epoll => thread::run::<Epoll, M>,
    };
    Builder::new().name("wrk".to_owned()).spawn(move || {
        let counted = run(&work, &script, pacing);
        if counted.is_err() {
            work.stop.store(true, Ordering::Relaxed);
        }
        counted
    })
}
