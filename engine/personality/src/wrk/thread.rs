//! One thread of wrk's load: sends, takes answers and counts, as wrk does.
//!
//! A batch is the requests from one call of a script's `request`, or one request. The next one is
//! sent when the last answer to it has arrived, or later if the thread's [`Pacing`] requires it.

use super::connections::{Connection, Counts};
use super::pacing::Pacing;
use crate::script::{Failure, Script};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use volley_net::clock::{now_ns, thread_cpu_ns};
use volley_net::{EVENTS_AT_ONCE, Kernel, Patience, Route, limits};
use volley_protocol::{End, Expectation, HeadCache, StatusRule};
use volley_tls::Config;
use volley_tls::wire::{Event, Wire};

/// The task of a thread.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    pub(crate) route: Arc<Route>,
    pub(crate) tls: Option<Config>,
    pub(crate) connections: usize,
    /// Every batch is the same.
    pub(crate) is_fixed: bool,
    /// Requests in a batch.
    pub(crate) depth: usize,
    pub(crate) patience: Patience,
    /// The time is over.
    pub(crate) stop: Arc<AtomicBool>,
}

/// Why a thread ended before its time.
#[derive(Debug)]
pub(crate) enum RunError {
    /// A system call failed.
    System(io::Error),
    /// The script failed.
    Script(Failure),
}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<Failure> for RunError {
    fn from(failure: Failure) -> Self {
        Self::Script(failure)
    }
}

/// Loads until it is told to stop.
pub(crate) fn run<B: Kernel, M: Pacing>(
    work: &Work,
    script: &Script,
    pacing: M,
) -> Result<(Counts, M), RunError> {
    limits::wake_on_time();
    let mut batch = Vec::new();
    if work.is_fixed {
        script.request(&mut batch)?;
    }
    let wire = Wire::<B>::new(
        work.route.clone(),
        work.connections,
        Arc::from(&*batch),
        work.tls.as_ref(),
    )?;
    let any = Expectation::of_status(StatusRule::Below(u16::MAX));
    let mut thread = Thread {
        work,
        wire,
        connections: (0..work.connections).map(|_| Connection::default()).collect(),
        learned: HeadCache::new(Arc::new(any)),
        wants_answers: script.wants_response(),
        script,
        counts: Counts::default(),
        pacing,
        opened: 0,
        delayed: BinaryHeap::new(),
        tick_due_ns: 0,
        batch,
    };
    thread.run()?;
    Ok((thread.counts, thread.pacing))
}

pub(super) struct Thread<'a, B: Kernel, M> {
    pub(super) work: &'a Work,
    pub(super) wire: Wire<B>,
    pub(super) connections: Vec<Connection>,
    pub(super) learned: HeadCache,
    pub(super) script: &'a Script,
    pub(super) wants_answers: bool,
    pub(super) counts: Counts,
    pub(super) pacing: M,
    /// Connections that were opened so far.
    opened: usize,
    /// When a connection sends again: the time, its slot and its generation.
    pub(super) delayed: BinaryHeap<Reverse<(u64, usize, u64)>>,
    tick_due_ns: u64,
    /// The bytes that were sent last; the bytes that are always sent.
    pub(super) batch: Vec<u8>,
}

impl<B: Kernel, M: Pacing> Thread<'_, B, M> {
    fn run(&mut self) -> Result<(), RunError> {
        let (begin_ns, cpu_ns) = (now_ns(), thread_cpu_ns());
        self.tick_due_ns = self.pacing.begin(begin_ns, self.script);
        loop {
            let until_ns = self.tick_due_ns.min(self.open()).min(self.delayed_ns());
            self.counts.waited_ns += self.wire.turn(self.work.patience, until_ns)?;
            for _ in 0..EVENTS_AT_ONCE {
                let Some((slot, event)) = self.wire.next_event() else { break };
                self.on_event(slot, event)?;
                if self.script.stopped() {
                    break;
                }
            }
            let now_ns = now_ns();
            if self.script.stopped() || (now_ns >= self.tick_due_ns && self.on_tick(now_ns)) {
                break;
            }
            self.send_delayed(now_ns)?;
        }
        self.pacing.end(now_ns());
        self.counts.cpu_ns = thread_cpu_ns() - cpu_ns;
        self.counts.ran_ns = now_ns() - begin_ns;
        Ok(())
    }

    /// Opens the due connections. Returns when the next one is due.
    #[inline]
    fn open(&mut self) -> u64 {
        while self.opened < self.connections.len() {
            let opens_ns = self.pacing.opens_ns(self.opened);
            if opens_ns > now_ns() {
                return opens_ns;
            }
            self.opened += 1;
            self.connect(self.opened - 1);
        }
        u64::MAX
    }

    /// When the next delayed batch is to be sent.
    #[inline]
    fn delayed_ns(&self) -> u64 {
        self.delayed.peek().map_or(u64::MAX, |Reverse((due_ns, ..))| *due_ns)
    }

    /// A connection that fails at once is never retried, as with wrk.
    fn connect(&mut self, slot: usize) {
        let connection = &mut self.connections[slot];
        connection.generation += 1;
        connection.decoder.reset();
        connection.answer.clear();
        if self.wire.connect(slot).is_err() {
            self.counts.errors.connect += 1;
        }
    }

    fn reconnect(&mut self, slot: usize) {
        self.wire.close(slot);
        self.connect(slot);
    }

    #[inline]
    fn on_event(&mut self, slot: usize, event: Event<B::Piece>) -> Result<(), RunError> {
        match event {
            Event::Bytes(piece) => {
                let taken = self.on_bytes(slot, &piece);
                self.wire.release(piece);
                if taken? {
                    self.reconnect(slot);
                }
            }
            Event::Established => {
                self.counts.connects += 1;
                self.go_on(slot, now_ns())?;
            }
            Event::Unconnected(_) => {
                // wrk finds out when it writes, unless there is a handshake first.
                let errors = &mut self.counts.errors;
                *if self.work.tls.is_some() { &mut errors.connect } else { &mut errors.write } += 1;
                self.reconnect(slot);
            }
            Event::End => {
                // wrk counts the end of an answer without a length as an answer, except with TLS;
                // and as a read error as well.
                let end = self.connections[slot].decoder.end(&mut self.learned);
                if let End::Complete(answer) = end
                    && self.work.tls.is_none()
                {
                    self.on_answer(slot, answer.status, now_ns())?;
                }
                self.counts.errors.read += 1;
                self.reconnect(slot);
            }
            Event::Failed(_) => {
                self.counts.errors.read += 1;
                self.reconnect(slot);
            }
        }
        Ok(())
    }

    fn send_delayed(&mut self, now_ns: u64) -> Result<(), RunError> {
        while let Some(&Reverse((due_ns, slot, generation))) = self.delayed.peek()
            && due_ns <= now_ns
        {
            self.delayed.pop();
            if self.connections[slot].generation == generation {
                self.send(slot, now_ns)?;
            }
        }
        Ok(())
    }

    /// Returns true if the time is over.
    fn on_tick(&mut self, now_ns: u64) -> bool {
        match self.pacing.tick(now_ns, &mut self.counts.errors) {
            Some(due_ns) => self.tick_due_ns = due_ns,
            None => return true,
        }
        self.work.stop.load(Ordering::Relaxed)
    }
}
