//! One slice: reopen, ramp, window, stop sending, drain. Afterwards nothing is in flight.

use crate::by_request::ByRequest;
use crate::intervals::{Interval, Log};
use crate::pace::{Pace, Pacer, Window};
use crate::pool::{Flight, Pool, Share, State};
use crate::shared::{Control, Live, Spares};
use crate::tally::Tally;
use crate::turn::Turn;
use serde::{Deserialize, Serialize};
use std::io::Result;
use volley_net::clock::{MS, cpu_ns_of, now_ns, thread_cpu_ns, thread_delay_ns};
use volley_net::{Backend, Patience};
use volley_protocol::Protocol;

/// The duration and the kind of a load.
#[derive(Debug, Clone)]
pub struct Plan {
    /// When the ramp begins; it begins at once if this is `None` or has passed.
    pub at_ns: Option<u64>,
    /// The length of the ramp, which is loaded but not counted.
    pub ramp_ns: u64,
    /// The window; `None`: until `requests` are done.
    pub duration_ns: Option<u64>,
    /// After the ramp, at most this many requests are sent by all threads together.
    pub requests: Option<u64>,
    /// When requests are sent.
    pub pace: Pace,
    /// Whether intervals are kept.
    pub intervals: bool,
    /// The server's processes, whose CPU time is read.
    pub server_pids: Vec<i32>,
}

/// The measurement of a slice.
#[derive(Debug)]
pub struct Outcome {
    /// The counted time.
    pub window: Window,
    /// When nothing was in flight any more.
    pub drained_ns: u64,
    /// The threads' CPU time within the window.
    pub cpu_ns: u64,
    /// How long they waited for their cores within it; `None`: the kernel does not report it.
    pub delayed_ns: Option<u64>,
    /// What the server's processes did in the window; `None`: there are none to read, or one has
    /// ended.
    pub server: Option<ServerCost>,
    /// The share of its window that each thread did not spend waiting for the kernel, by its
    /// number. With [`Plan::requests`], the window of a thread ends with its last answer.
    pub busy_threads: Vec<f64>,
    /// The counts.
    pub tally: Tally,
    /// Datagrams that arrived at this machine in the meantime and were dropped for want of a
    /// buffer, ours or the server's; `None`: none are sent, or the kernel does not report it.
    pub dropped: Option<u64>,
}

/// A server's CPU time, over which time, and how many answers it gave in that.
///
/// The readings are at the ends of a window as each thread comes to them: one that others keep from
/// its core comes late, and then has this time and its answers in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerCost {
    /// CPU time of all its processes, user and system.
    pub cpu_ns: u64,
    /// The time between the readings.
    pub over_ns: u64,
    /// Answers to all threads between the readings.
    pub requests: u64,
}

impl ServerCost {
    /// Since its start. One thread reads the CPU time for all.
    fn now(plan: &Plan, share: Share, requests: u64) -> Option<Self> {
        let cpu_ns = match &*plan.server_pids {
            [] => return None,
            processes if share.thread == 0 => cpu_ns_of(processes)?,
            _ => 0,
        };
        Some(Self { cpu_ns, over_ns: now_ns(), requests })
    }

    /// Of all threads.
    pub(crate) fn merged(self, other: Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns + other.cpu_ns,
            over_ns: self.over_ns.max(other.over_ns),
            requests: self.requests + other.requests,
        }
    }

    fn since(&self, before: &Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns.saturating_sub(before.cpu_ns),
            over_ns: self.over_ns.saturating_sub(before.over_ns),
            requests: self.requests.saturating_sub(before.requests),
        }
    }
}

impl Outcome {
    /// The length of the window.
    pub fn duration_ns(&self) -> u64 {
        self.window.end_ns - self.window.start_ns
    }

    /// How many threads there were.
    pub fn threads(&self) -> usize {
        self.busy_threads.len()
    }

    /// The mean of the threads' shares.
    pub fn busy(&self) -> f64 {
        self.busy_threads.iter().sum::<f64>() / self.threads().max(1) as f64
    }
}

/// A watcher's request to the slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Continue as planned.
    GoOn,
    /// Send nothing more: the window ends now.
    Drain,
    /// Do not wait for answers either.
    Leave,
}

impl Plan {
    /// The counted time, for a ramp that begins at `begin_ns`.
    pub(crate) fn window(&self, begin_ns: u64) -> Window {
        let start_ns = begin_ns.saturating_add(self.ramp_ns);
        let end_ns = start_ns.saturating_add(self.duration_ns.unwrap_or(u64::MAX));
        Window { start_ns, end_ns }
    }
}

/// How often a thread checks whether the slice should end.
pub(crate) const CHECK_EVERY_NS: u64 = 20 * MS;

/// One thread's part of a slice.
pub(crate) struct Part<'a> {
    pub(crate) share: Share,
    pub(crate) plan: &'a Plan,
    pub(crate) control: &'a Control,
    pub(crate) live: &'a Live,
    /// Gets each interval when it is over.
    pub(crate) report: &'a mut dyn FnMut(Interval),
    /// Empty intervals.
    pub(crate) spares: &'a Spares,
}

/// Opens a target's connections ahead of its first slice: all of them, or one where each carries
/// one request only; that one is closed again.
pub(crate) fn open<B: Backend, P: Protocol<Flight>>(
    pool: &mut Pool<B, P>,
    patience: Patience,
) -> Result<Tally> {
    let count = if pool.is_one_shot() { 1 } else { pool.held_from };
    let mut turn = Turn::new(pool, patience, Tally::default());
    turn.open(0..count)?;
    turn.open_streams()?;
    let tally = turn.tally;
    if pool.is_one_shot() {
        pool.hang_up()?;
    }
    Ok(tally)
}

/// Brings a pool to the state in which a slice begins: all connections that it starts with are
/// open. The slice's counts include this.
fn prepare<B: Backend, P: Protocol<Flight>>(
    pool: &mut Pool<B, P>,
    patience: Patience,
    plan: &Plan,
    share: Share,
) -> Result<Tally> {
    let mut turn = Turn::new(pool, patience, Tally::default());
    turn.tally.held = (turn.pool.target.held > 0).then(Box::default);
    turn.await_streams();
    turn.drop_closed()?;
    if !turn.pool.is_one_shot() {
        let units = turn.pool.target.units();
        let limit = Pacer::new(&plan.pace, share, units, 0).limit(0);
        turn.open(0..limit.min(turn.pool.held_from))?;
    }
    turn.open_streams()?;
    turn.tally.by_request = ByRequest::of(turn.pool.book.names());
    turn.tally.events = turn.pool.streams_events.then(Box::default);
    turn.tally.rooms = turn.pool.target.room.map(|_| Box::default());
    Ok(turn.tally)
}

/// Runs one thread's part of a slice.
pub(crate) fn run<B: Backend, P: Protocol<Flight>>(
    pool: &mut Pool<B, P>,
    patience: Patience,
    mut part: Part<'_>,
) -> Result<Outcome> {
    let Part { share, plan, control, .. } = part;
    let datagrams = pool.io.datagrams();
    let prepared = prepare(pool, patience, plan, share)?;
    let units = pool.target.units();
    let most = plan.requests.map_or(u64::MAX, |all| share.of_requests(all, units as u64));
    let log = plan.intervals.then(Log::new);
    let begin_ns = control.begin(plan.at_ns);
    // A tally's histograms take 0.6 MB, which would be cleared right before the window.
    let mut turn = Turn::new(pool, patience, prepared);
    turn.window = plan.window(begin_ns);
    turn.pacer = Pacer::new(&plan.pace, share, units, begin_ns);
    turn.log = log.map(|log| Log { start_ns: turn.window.start_ns, ..log });
    turn.counts_parts = turn.log.is_some() || !turn.tally.by_request.tallies().is_empty();
    turn.allowance = if plan.ramp_ns == 0 { most } else { u64::MAX };
    turn.await_streams();
    turn.kick_off();
    turn.send_until(turn.window.start_ns, &mut part)?;
    if plan.ramp_ns > 0 {
        turn.allowance = most;
    }
    let server = ServerCost::now(plan, share, turn.tally.requests_all);
    let (cpu_ns, delayed_ns) = (thread_cpu_ns(), thread_delay_ns());
    turn.send_until(turn.window.end_ns, &mut part)?;
    let open_streams = turn.pool.open_streams();
    if now_ns() < turn.window.end_ns {
        turn.settle(&mut part)?;
        turn.window.end_ns = turn.window.end_ns.min(now_ns());
    }
    let cpu_ns = thread_cpu_ns() - cpu_ns;
    let delayed_ns = delayed_ns.zip(thread_delay_ns()).map(|(before, after)| after - before);
    let server_after = ServerCost::now(plan, share, turn.tally.requests_all);
    turn.settle(&mut part)?;
    if let Some(held) = &mut turn.tally.held {
        held.open = open_streams;
    }
    turn.count_unfinished()?;
    turn.publish(&mut part, true);
    let Turn { window, mut tally, pool, .. } = turn;
    pool.io.close_retired()?;
    tally.datagrams = pool.io.datagrams().zip(datagrams).map(|(now, before)| now.since(&before));
    let window_ns = (window.end_ns - window.start_ns).max(1) as f64;
    let mut busy_threads = vec![0.0; share.threads];
    busy_threads[share.thread] = (1.0 - tally.waited_ns as f64 / window_ns).clamp(0.0, 1.0);
    Ok(Outcome {
        window,
        drained_ns: now_ns(),
        cpu_ns,
        delayed_ns,
        server: server.zip(server_after).map(|(before, after)| after.since(&before)),
        busy_threads,
        tally,
        dropped: None,
    })
}

impl<B: Backend, P: Protocol<Flight>> Turn<'_, B, P> {
    /// Lets the turns that follow send the first requests, or offer the connections to those that
    /// become due.
    pub(crate) fn kick_off(&mut self) {
        let now_ns = now_ns();
        while let Some(slot) = self.pool.available.pop_front() {
            // It was offered in the slice before, but no request took it.
            if self.pool.connections[slot].state == State::Offered {
                self.pool.enter(slot, State::Closed);
            }
            if let Some(room) = self.pool.room_of(slot) {
                self.take_room(room, now_ns);
            }
        }
        self.limit = self.pacer.limit(now_ns);
        self.started = 0;
    }

    /// Sends until a moment, or until nothing more may be sent. A window without an end ends when
    /// no request is due any more.
    fn send_until(&mut self, until_ns: u64, part: &mut Part<'_>) -> Result<()> {
        let mut at_ns = now_ns();
        while at_ns < until_ns.min(self.window.end_ns)
            && self.allowance > 0
            && (self.window.end_ns < u64::MAX || self.wants(at_ns))
        {
            at_ns = self.step(until_ns.min(at_ns + CHECK_EVERY_NS))?;
            self.publish(part, false);
        }
        Ok(())
    }

    /// Waits until nothing is in flight: every answer and connection has arrived or timed out. In
    /// open loop, due requests are still sent.
    fn settle(&mut self, part: &mut Part<'_>) -> Result<()> {
        while (self.pool.active() > 0 || self.wants(now_ns())) && !part.control.wants_to_leave() {
            self.step(now_ns() + CHECK_EVERY_NS)?;
            self.publish(part, false);
        }
        Ok(())
    }

    /// Publishes the counts, and ends the window if the control requires it. `last`: the slice is
    /// over.
    fn publish(&mut self, part: &mut Part<'_>, last: bool) {
        part.live.show(self.tally.requests, self.tally.errors.sum());
        let end_ns = part.control.end_ns();
        if end_ns < self.window.end_ns {
            self.window.end_ns = end_ns;
            self.window.start_ns = self.window.start_ns.min(end_ns);
        }
        if let Some(log) = &mut self.log {
            if last {
                log.end();
            }
            log.done.drain(..).for_each(&mut *part.report);
            log.spares.extend(part.spares.try_iter());
        }
    }

    /// Counts the unanswered requests as misses.
    fn count_unfinished(&mut self) -> Result<()> {
        while let Some(due_ns) = self.next_arrival_ns()
            && due_ns < self.window.end_ns
            && self.allowance > 0
        {
            let (message, _) = self.pool.take_messages(1);
            match self.pool.target.room {
                _ if !self.window.holds(due_ns) => {}
                Some(size) => self.count_unsent_to_room(size),
                None => {
                    self.tally.unsent += 1;
                    self.tally.count_miss(self.pool.book.entry(message));
                }
            }
            self.take_arrival();
        }
        for due_ns in std::mem::take(&mut self.requeued) {
            let (message, _) = self.pool.take_messages(1);
            if self.window.holds(due_ns) {
                self.tally.count_miss(self.pool.book.entry(message));
            }
        }
        if self.pool.active() > 0 {
            let now_ns = now_ns();
            for slot in 0..self.pool.connections.len() {
                while let Some(flight) = self.pool.connections[slot].take_unanswered() {
                    if self.window.holds(flight.due_ns) {
                        self.tally.count_miss(self.pool.book.entry(flight.message));
                    }
                    self.on_heard(slot, false, now_ns);
                }
            }
            self.pool.hang_up()?;
        }
        Ok(())
    }
}
