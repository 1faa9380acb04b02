//! One slice: reopen, ramp, window, stop sending, drain. Afterwards nothing is in flight.

use crate::clock::{now_ns, thread_cpu_ns};
use crate::pace::Window;
use crate::pool::{Pool, Scratch};
use crate::tally::{Bad, Tally};
use crate::turn::Turn;
use rustix::io::Result;

/// How long to load.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Loaded, but not counted.
    pub ramp_ns: u64,
    /// Counted.
    pub duration_ns: u64,
}

/// What a slice found.
#[derive(Debug)]
pub struct Outcome {
    /// The counted time.
    pub window: Window,
    /// When nothing was in flight any more.
    pub drained_ns: u64,
    /// The thread's CPU time within the window.
    pub cpu_ns: u64,
    /// The counts.
    pub tally: Tally,
}

impl Outcome {
    /// Length of the window.
    #[must_use]
    pub fn duration_ns(&self) -> u64 {
        self.window.end_ns - self.window.start_ns
    }

    /// Share of the window that the generator did not spend waiting for the kernel.
    #[must_use]
    pub fn busy(&self) -> f64 {
        let waited = self.tally.waited_ns as f64 / self.duration_ns().max(1) as f64;
        (1.0 - waited).clamp(0.0, 1.0)
    }
}

/// What a watcher wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// As planned.
    GoOn,
    /// Nothing more is to be sent: the window ends now.
    Drain,
    /// Not even answers are to be waited for.
    Leave,
}

/// Looks on while a slice runs.
pub trait Watch {
    /// Called after each batch of events.
    fn look(&mut self, now_ns: u64, window: &Window, tally: &Tally) -> Wish;
}

/// Nobody looks on.
#[derive(Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn look(&mut self, _: u64, _: &Window, _: &Tally) -> Wish {
        Wish::GoOn
    }
}

/// Opens a target's connections ahead of its first slice: all, or one in close mode, which is
/// closed again. Returns how many were established and the first failure.
pub fn open(pool: &mut Pool, scratch: &mut Scratch) -> Result<(u64, Option<Bad>)> {
    let count = if pool.target.close { 1 } else { pool.target.connections };
    let mut turn = Turn::new(pool, scratch);
    turn.open(count);
    turn.settle(&mut Unwatched)?;
    let Tally { connects, first_bad, .. } = turn.tally;
    if pool.target.close {
        pool.hang_up();
    }
    Ok((connects, first_bad))
}

/// Runs one slice.
pub fn run(
    pool: &mut Pool,
    scratch: &mut Scratch,
    plan: Plan,
    watch: &mut impl Watch,
) -> Result<Outcome> {
    let mut turn = Turn::new(pool, scratch);
    turn.drop_closed()?;
    if !turn.pool.target.close {
        turn.open(turn.pool.connections.len());
        turn.settle(watch)?;
    }
    let start_ns = now_ns() + plan.ramp_ns;
    turn.window = Window { start_ns, end_ns: start_ns.saturating_add(plan.duration_ns) };
    turn.kick_off();
    turn.send_until(start_ns, watch)?;
    let cpu_ns = thread_cpu_ns();
    turn.send_until(turn.window.end_ns, watch)?;
    let cpu_ns = thread_cpu_ns() - cpu_ns;
    turn.settle(watch)?;
    let Turn { window, tally, pool, .. } = turn;
    pool.closing.clear();
    Ok(Outcome { window, drained_ns: now_ns(), cpu_ns, tally })
}

impl Turn<'_> {
    /// Sends until a moment, or until the watcher has had enough: then the window ends.
    fn send_until(&mut self, until_ns: u64, watch: &mut impl Watch) -> Result<()> {
        let mut at_ns = now_ns();
        while at_ns < until_ns && self.window.sends(at_ns) {
            at_ns = self.step(until_ns)?;
            if watch.look(at_ns, &self.window, &self.tally) != Wish::GoOn {
                self.window.end_ns = self.window.end_ns.min(at_ns);
                self.window.start_ns = self.window.start_ns.min(at_ns);
            }
        }
        Ok(())
    }

    /// Waits until nothing is in flight: every answer and connection has come or timed out, unless
    /// the watcher has had enough.
    fn settle(&mut self, watch: &mut impl Watch) -> Result<()> {
        while self.active > 0 {
            let now_ns = self.step(u64::MAX)?;
            if watch.look(now_ns, &self.window, &self.tally) == Wish::Leave {
                break;
            }
        }
        Ok(())
    }
}
