//! One thread's way through a slice.

use crate::clock::{MS, now_ns, thread_cpu_ns};
use crate::connection::State;
use crate::intervals::{Interval, Log};
use crate::io::Backend;
use crate::pace::Pacer;
use crate::patience::Patience;
use crate::pool::{Pool, Share};
use crate::slice::{Control, Live, Outcome, Plan};
use crate::tally::Tally;
use crate::turn::Turn;
use std::io::Result;
use std::sync::atomic::Ordering;

/// A thread looks at least so often whether the slice is to end.
const HEED_EVERY_NS: u64 = 20 * MS;

/// One thread's part of a slice.
pub(crate) struct Part<'a> {
    pub(crate) share: Share,
    pub(crate) plan: &'a Plan,
    pub(crate) control: &'a Control,
    pub(crate) live: &'a Live,
    /// Gets each interval when it is over.
    pub(crate) tell: &'a mut dyn FnMut(Interval),
}

/// Opens a target's connections ahead of its first slice: all, or one where each carries one
/// request only, which is closed again.
pub(crate) fn open<B: Backend>(pool: &mut Pool<B>, patience: Patience) -> Result<Tally> {
    let count = if pool.is_one_shot() { 1 } else { pool.connections.len() };
    let mut turn = Turn::new(pool, patience);
    turn.open(count)?;
    let tally = turn.tally;
    if pool.is_one_shot() {
        pool.hang_up()?;
    }
    Ok(tally)
}

/// Brings a pool to the state in which a slice begins: all connections that it starts with are
/// open. What that took belongs to the slice's counts.
fn prepare<B: Backend>(
    pool: &mut Pool<B>,
    patience: Patience,
    plan: &Plan,
    share: Share,
) -> Result<Tally> {
    let mut turn = Turn::new(pool, patience);
    turn.drop_closed()?;
    if !turn.pool.is_one_shot() {
        turn.open(Pacer::new(&plan.pace, share, 0).limit(0))?;
    }
    Ok(turn.tally)
}

/// Runs one thread's part of a slice.
pub(crate) fn run<B: Backend>(
    pool: &mut Pool<B>,
    patience: Patience,
    mut part: Part<'_>,
) -> Result<Outcome> {
    let Part { share, plan, control, .. } = part;
    let prepared = prepare(pool, patience, plan, share)?;
    let most = plan.requests.map_or(u64::MAX, |all| share.of(all));
    let begin_ns = control.begin();
    let mut turn = Turn::new(pool, patience);
    turn.tally = prepared;
    turn.window = plan.window(begin_ns);
    turn.pacer = Pacer::new(&plan.pace, share, begin_ns);
    turn.log = plan.intervals.then(|| Log::new(turn.window.start_ns));
    turn.allowance = if plan.ramp_ns == 0 { most } else { u64::MAX };
    turn.kick_off();
    turn.send_until(turn.window.start_ns, &mut part)?;
    if plan.ramp_ns > 0 {
        turn.allowance = most;
    }
    let cpu_ns = thread_cpu_ns();
    turn.send_until(turn.window.end_ns, &mut part)?;
    if now_ns() < turn.window.end_ns {
        turn.settle(&mut part)?;
        turn.window.end_ns = turn.window.end_ns.min(now_ns());
    }
    let cpu_ns = thread_cpu_ns() - cpu_ns;
    turn.settle(&mut part)?;
    turn.give_up()?;
    turn.heed(&mut part, true);
    let Turn { window, tally, pool, .. } = turn;
    pool.io.close_retired()?;
    Ok(Outcome { window, drained_ns: now_ns(), cpu_ns, threads: 1, tally })
}

impl<B: Backend> Turn<'_, B> {
    /// Sends the first requests, or offers the connections to those that become due.
    fn kick_off(&mut self) {
        let now_ns = now_ns();
        while let Some(slot) = self.pool.available.pop_front() {
            // It was offered in the slice before, but nobody took it.
            self.pool.connections[slot].due_ns = 0;
        }
        self.limit = self.pacer.limit(now_ns);
        for slot in 0..self.pool.connections.len().min(self.limit) {
            if self.pool.connections[slot].state == State::Open {
                self.go_on(slot, now_ns);
            }
        }
        self.sweep(now_ns);
    }

    /// Sends until a moment, or until nothing more may be sent. A window without an end ends when
    /// nothing more is due.
    fn send_until(&mut self, until_ns: u64, part: &mut Part<'_>) -> Result<()> {
        let mut at_ns = now_ns();
        while at_ns < until_ns.min(self.window.end_ns)
            && self.allowance > 0
            && (self.window.end_ns < u64::MAX || self.wants(at_ns))
        {
            at_ns = self.step(until_ns.min(at_ns + HEED_EVERY_NS))?;
            self.heed(part, false);
        }
        Ok(())
    }

    /// Waits until nothing is in flight: every answer and connection has come or timed out. In
    /// open loop, what was due is still sent.
    fn settle(&mut self, part: &mut Part<'_>) -> Result<()> {
        while (self.active > 0 || self.wants(now_ns()))
            && !part.control.leave.load(Ordering::Relaxed)
        {
            self.step(now_ns() + HEED_EVERY_NS)?;
            self.heed(part, false);
        }
        Ok(())
    }

    /// Tells how it goes, and ends the window where that is wished. `last`: the slice is over.
    fn heed(&mut self, part: &mut Part<'_>, last: bool) {
        part.live.requests.store(self.tally.requests, Ordering::Relaxed);
        part.live.errors.store(self.tally.errors.sum(), Ordering::Relaxed);
        let end_ns = part.control.end_ns.load(Ordering::Relaxed);
        if end_ns < self.window.end_ns {
            self.window.end_ns = end_ns;
            self.window.start_ns = self.window.start_ns.min(end_ns);
        }
        if let Some(log) = &mut self.log {
            if last {
                log.end();
            }
            log.done.drain(..).for_each(&mut *part.tell);
        }
    }

    /// What is not answered by now never will be.
    fn give_up(&mut self) -> Result<()> {
        while let Some(due_ns) = self.pacer.next_arrival_ns()
            && due_ns < self.window.end_ns
            && self.allowance > 0
        {
            let counts = u64::from(self.window.holds(due_ns));
            self.tally.unsent += counts;
            self.tally.misses += counts;
            self.pacer.take_arrival();
        }
        if self.active > 0 {
            for connection in &mut self.pool.connections {
                while let Some(flight) = connection.flights.pop() {
                    self.tally.misses += u64::from(self.window.holds(flight.due_ns));
                }
                connection.decoder.reset();
            }
            self.pool.hang_up()?;
        }
        Ok(())
    }
}
