//! The threads that load: each has its share of the connections. Their common state is in `shared`.

#![expect(clippy::disallowed_types, reason = "orders and outcomes go to and fro between slices")]

use crate::intervals::{Assembly, Interval};
use crate::pace::Window;
use crate::pool::Share;
use crate::scheme::{self, Scheme};
use crate::shared::{Control, Live};
use crate::slice::{Outcome, Part, Plan, Wish};
use crate::tally::{Bad, Tally, Terms};
use crate::target::Target;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use volley_net::clock::now_ns;
use volley_net::{Io, IoChoice, Patience, RingSize, limits, udp};

/// The time between two snapshots.
const SNAPSHOT_EVERY: Duration = Duration::from_millis(20);

/// How many threads there are, where they run, and how they do I/O.
#[derive(Debug, Clone)]
pub struct Size {
    /// The number of threads, 1 or more.
    pub threads: usize,
    /// Thread n runs on the core n modulo their number; if empty, anywhere.
    pub cpus: Vec<usize>,
    /// How to do I/O.
    pub io: IoChoice,
    /// For tests: sizes of an `io_uring`.
    pub ring: RingSize,
}

/// Running threads, with a pool of connections for each target.
#[derive(Debug)]
pub struct Workers {
    io: Io,
    targets: Vec<Arc<Target>>,
    threads: Vec<Worker>,
    replies: Receiver<Reply>,
}

#[derive(Debug)]
struct Worker {
    /// An order for the thread; `None` ends it.
    orders: Option<Sender<Order>>,
    /// Returns intervals that have been reported.
    spares: Sender<Interval>,
    thread: Option<JoinHandle<()>>,
    live: Arc<Live>,
}

/// The result of opening a target's connections.
#[derive(Debug, Default)]
pub struct Opened {
    /// Connections established, except those that hold streams.
    pub open: u64,
    /// The first failure.
    pub first_bad: Option<Bad>,
    /// Streams that are held.
    pub held: u64,
    /// The first of them that could not be opened.
    pub held_bad: Option<Bad>,
    /// What was agreed on with the server in the handshake.
    pub terms: Terms,
}

/// The state of a running slice, taken every 20 ms.
#[derive(Debug)]
pub struct Snapshot<'a> {
    /// `CLOCK_MONOTONIC`.
    pub now_ns: u64,
    /// The counted time, [`Window::CLOSED`] before it is known. Without a duration its end is
    /// `u64::MAX`.
    pub window: &'a Window,
    /// Answers within the window so far.
    pub requests: u64,
    /// Failures so far.
    pub errors: u64,
    /// Intervals that are over for every thread, merged, each once and in order. Empty without
    /// [`Plan::intervals`].
    pub intervals: Vec<Interval>,
}

impl Workers {
    /// Starts the threads. Nothing is connected yet.
    pub fn start(size: &Size, targets: &[Arc<Target>]) -> io::Result<Self> {
        let io = size.io.resolve()?;
        for target in targets {
            check_share(size.threads, target.units())?;
        }
        let (sender, replies) = channel();
        let mut workers = Self { io, targets: targets.to_vec(), threads: Vec::new(), replies };
        for thread in 0..size.threads {
            let share = Share { thread, threads: size.threads };
            let cpu = (!size.cpus.is_empty()).then(|| size.cpus[thread % size.cpus.len()]);
            let (orders, inbox) = channel();
            let (spares, returned) = channel();
            let live = Arc::new(Live::default());
            let assignment = Assignment {
                io,
                share,
                cpu,
                ring: size.ring,
                targets: targets.to_vec(),
                live: live.clone(),
                orders: inbox,
                spares: returned,
                replies: sender.clone(),
            };
            let handle = thread::Builder::new()
                .name(format!("load {thread}"))
                .spawn(move || work(&assignment))?;
            let (orders, thread) = (Some(orders), Some(handle));
            workers.threads.push(Worker { orders, spares, thread, live });
        }
        workers.await_all_ready()?;
        Ok(workers)
    }

    /// How the threads do I/O.
    pub fn io(&self) -> Io {
        self.io
    }

    /// Opens a target's connections ahead of its first slice: all of them, or one for each thread
    /// where each carries one request only.
    pub fn open(&mut self, target: usize) -> io::Result<Opened> {
        self.order(|| Order::Open { target });
        let mut opened = Opened::default();
        for _ in 0..self.threads.len() {
            match self.reply()? {
                Reply::Opened(tally) => {
                    opened.open += tally.connects;
                    opened.terms.merge(&tally.terms);
                    opened.first_bad = opened.first_bad.or(tally.first_bad);
                    if let Some(held) = tally.held {
                        opened.held += held.opened;
                        opened.held_bad = opened.held_bad.or(held.first_bad);
                    }
                }
                _ => return Err(out_of_turn()),
            }
        }
        Ok(opened)
    }

    /// Runs one slice. `watch` sees the last intervals after the drain, before this returns.
    pub fn run(
        &mut self,
        target: usize,
        plan: &Plan,
        watch: &mut dyn FnMut(&Snapshot<'_>) -> Wish,
    ) -> io::Result<Outcome> {
        let plan = Arc::new(plan.clone());
        let control = Arc::new(Control::new(self.threads.len()));
        for worker in &self.threads {
            // A thread that begins late must not show its counts of the slice before.
            worker.live.show(0, 0);
        }
        let is_udp = self.targets[target].scheme == Scheme::H3;
        let dropped = is_udp.then(udp::dropped).flatten();
        self.order(|| {
            let (plan, control) = (plan.clone(), control.clone());
            Order::Run { target, plan, control }
        });
        let mut outcome = self.watch(&plan, &control, watch);
        if let (Ok(outcome), Some(before)) = (&mut outcome, dropped) {
            outcome.dropped = udp::dropped().map(|now| now.saturating_sub(before));
        }
        if outcome.is_err() {
            // If one thread has failed, the others need not wait for it.
            control.apply(Wish::Leave, now_ns());
        }
        outcome
    }

    /// Watches until all threads are done, and merges their outcomes.
    fn watch(
        &mut self,
        plan: &Plan,
        control: &Control,
        watch: &mut dyn FnMut(&Snapshot<'_>) -> Wish,
    ) -> io::Result<Outcome> {
        let (mut assembly, mut spares, mut whole, mut done) =
            (Assembly::default(), Vec::new(), None, 0);
        while done < self.threads.len() {
            match self.replies.recv_timeout(SNAPSHOT_EVERY) {
                Ok(Reply::Interval(interval)) => {
                    spares.extend(assembly.add(interval));
                    continue;
                }
                Ok(Reply::Done(outcome)) => {
                    whole = Some(merge(whole, *outcome));
                    done += 1;
                    continue;
                }
                Ok(Reply::Failed(error)) => return Err(error),
                Ok(_) => return Err(out_of_turn()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(ended()),
            }
            let intervals = assembly.take(self.threads.len());
            let window = control.begin_ns().map_or(Window::CLOSED, |ns| plan.window(ns));
            let snapshot = self.snapshot(&window, intervals);
            control.apply(watch(&snapshot), now_ns());
            spares.extend(snapshot.intervals);
            for (worker, mut spare) in self.threads.iter().cycle().zip(spares.drain(..)) {
                spare.clear();
                // A thread that has ended needs no order.
                let _ = worker.spares.send(spare);
            }
        }
        let whole = whole.ok_or_else(ended)?;
        watch(&self.snapshot(&whole.window, assembly.take(1)));
        Ok(whole)
    }

    fn snapshot<'a>(&self, window: &'a Window, intervals: Vec<Interval>) -> Snapshot<'a> {
        Snapshot {
            now_ns: now_ns(),
            window,
            requests: self.threads.iter().map(|worker| worker.live.requests()).sum(),
            errors: self.threads.iter().map(|worker| worker.live.errors()).sum(),
            intervals,
        }
    }

    fn order(&self, order: impl Fn() -> Order) {
        for orders in self.threads.iter().filter_map(|worker| worker.orders.as_ref()) {
            // A thread that has ended is recognised by its missing reply.
            let _ = orders.send(order());
        }
    }

    fn await_all_ready(&mut self) -> io::Result<()> {
        for _ in 0..self.threads.len() {
            if !matches!(self.reply()?, Reply::Ready) {
                return Err(out_of_turn());
            }
        }
        Ok(())
    }

    fn reply(&mut self) -> io::Result<Reply> {
        match self.replies.recv().map_err(|_| ended())? {
            Reply::Failed(error) => Err(error),
            reply => Ok(reply),
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in &mut self.threads {
            worker.orders = None;
        }
        for worker in &mut self.threads {
            let _ = worker.thread.take().map(JoinHandle::join);
        }
    }
}

/// A thread without a connection would keep its share of the requests for ever.
fn check_share(threads: usize, connections: usize) -> io::Result<()> {
    if threads <= connections {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!(
            "{threads} threads cannot share {connections} connection(s): each thread needs one"
        ),
    ))
}

/// A thread ends when it fails: later orders find it gone.
fn ended() -> io::Error {
    io::Error::other("a thread of the engine has ended after a failure")
}

fn out_of_turn() -> io::Error {
    io::Error::other("a thread of the engine replied out of turn")
}

/// Adds one thread's outcome to those of the others.
fn merge(whole: Option<Outcome>, part: Outcome) -> Outcome {
    let Some(mut whole) = whole else { return part };
    whole.window.end_ns = whole.window.end_ns.max(part.window.end_ns);
    whole.drained_ns = whole.drained_ns.max(part.drained_ns);
    whole.cpu_ns += part.cpu_ns;
    whole.delayed_ns = whole.delayed_ns.zip(part.delayed_ns).map(|(whole, part)| whole + part);
    whole.server = whole.server.zip(part.server).map(|(whole, part)| whole.merged(part));
    for (busy, of_part) in whole.busy_threads.iter_mut().zip(part.busy_threads) {
        *busy += of_part;
    }
    whole.tally.merge(part.tally);
    whole
}

/// An order to a thread.
enum Order {
    Open { target: usize },
    Run { target: usize, plan: Arc<Plan>, control: Arc<Control> },
}

/// A thread's reply.
enum Reply {
    Opened(Box<Tally>),
    Ready,
    Interval(Interval),
    Done(Box<Outcome>),
    Failed(io::Error),
}

/// The parts that a thread needs to run.
struct Assignment {
    io: Io,
    share: Share,
    cpu: Option<usize>,
    ring: RingSize,
    targets: Vec<Arc<Target>>,
    live: Arc<Live>,
    orders: Receiver<Order>,
    spares: Receiver<Interval>,
    replies: Sender<Reply>,
}

/// Runs one thread: carries out orders until there are no more.
fn work(assignment: &Assignment) {
    let result = serve(assignment);
    if let Err(error) = result {
        // Without a receiver the workers are being dropped.
        let _ = assignment.replies.send(Reply::Failed(error));
    }
}

fn serve(assignment: &Assignment) -> io::Result<()> {
    if let Some(cpu) = assignment.cpu {
        limits::pin(&[cpu]).map_err(io::Error::other)?;
    }
    limits::wake_on_time();
    let patience = Patience::here();
    let share = assignment.share;
    let mut pools = Vec::new();
    for target in &assignment.targets {
        pools.push(scheme::pool(target, assignment.io, share, assignment.ring)?);
    }
    let mut reply = Reply::Ready;
    while assignment.replies.send(reply).is_ok()
        && let Ok(order) = assignment.orders.recv()
    {
        reply = match order {
            Order::Open { target } => Reply::Opened(Box::new(pools[target].open(patience)?)),
            Order::Run { target, plan, control } => {
                let part = Part {
                    share,
                    plan: &plan,
                    control: &control,
                    live: &assignment.live,
                    spares: &assignment.spares,
                    report: &mut |interval| {
                        let _ = assignment.replies.send(Reply::Interval(interval));
                    },
                };
                Reply::Done(Box::new(pools[target].run(patience, part)?))
            }
        };
    }
    Ok(())
}
