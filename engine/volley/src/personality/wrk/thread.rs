//! One thread of wrk's load: sends, takes answers and counts, as wrk does.
//!
//! A batch is what one call of a script's `request` gives, or one request. The next one is sent
//! when the last answer to it has come, and its latency runs from its sending to then.

use super::connections::{Connection, Counts};
use crate::clock::{MS, now_ns, thread_cpu_ns};
use crate::io::Backend;
use crate::limits;
use crate::patience::Patience;
use crate::personality::script::{Failure, Script};
use crate::personality::tls::Client;
use crate::personality::wire::{News, Received, Wire};
use crate::target::Route;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use volley_http::{End, Expectation, Learned, Message, StatusRule, Step};

/// How often a rate is taken, and a thread looks whether it is to stop.
const TICK_NS: u64 = 100 * MS;

/// Events that are handled before what they led to is handed over.
const EVENTS_AT_ONCE: usize = 64;

/// What a thread is to do.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    pub(crate) route: Arc<Route>,
    pub(crate) tls: Option<Client>,
    pub(crate) connections: usize,
    /// Every batch is the same.
    pub(crate) is_fixed: bool,
    /// Requests in a batch.
    pub(crate) depth: usize,
    pub(crate) timeout_s: u64,
    pub(crate) patience: Patience,
    /// The time is over.
    pub(crate) stop: Arc<AtomicBool>,
}

/// Why a thread ended before its time.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The system refused something.
    System(io::Error),
    /// The script did.
    Script(Failure),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Script(failure)
    }
}

/// Loads until it is told to stop.
pub(crate) fn run<B: Backend>(work: &Work, script: &Script) -> Result<Counts, Trouble> {
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
        learned: Learned::new(Arc::new(any)),
        has_delay: script.has_delay(),
        wants_answers: script.wants_response(),
        script,
        counts: Counts::new(work.timeout_s),
        delayed: BinaryHeap::new(),
        tick: Tick::default(),
        batch,
    };
    thread.run()?;
    Ok(thread.counts)
}

struct Thread<'a, B: Backend> {
    work: &'a Work,
    wire: Wire<B>,
    connections: Vec<Connection>,
    learned: Learned,
    script: &'a Script,
    has_delay: bool,
    wants_answers: bool,
    counts: Counts,
    /// When a connection sends again: the time, its slot and its generation.
    delayed: BinaryHeap<Reverse<(u64, usize, u64)>>,
    tick: Tick,
    /// What was sent last; what is always sent.
    batch: Vec<u8>,
}

/// Requests since a rate was last taken.
#[derive(Debug, Default)]
struct Tick {
    requests: u64,
    since_ns: u64,
    due_ns: u64,
}

impl<B: Backend> Thread<'_, B> {
    fn run(&mut self) -> Result<(), Trouble> {
        let cpu_ns = thread_cpu_ns();
        for slot in 0..self.connections.len() {
            self.connect(slot);
        }
        let begin_ns = now_ns();
        self.tick = Tick { requests: 0, since_ns: begin_ns, due_ns: begin_ns + TICK_NS };
        loop {
            let delayed_ns = self.delayed.peek().map_or(u64::MAX, |Reverse((due_ns, ..))| *due_ns);
            let until_ns = self.tick.due_ns.min(delayed_ns);
            self.counts.waited_ns += self.wire.turn(self.work.patience, until_ns)?;
            for _ in 0..EVENTS_AT_ONCE {
                let Some((slot, news)) = self.wire.next() else { break };
                self.on_news(slot, news)?;
            }
            let now_ns = now_ns();
            self.send_delayed(now_ns)?;
            if self.script.stopped() || (now_ns >= self.tick.due_ns && self.on_tick(now_ns)) {
                break;
            }
        }
        self.counts.cpu_ns = thread_cpu_ns() - cpu_ns;
        Ok(())
    }

    /// A connection that fails at once is given up for good, as wrk does.
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
    fn on_news(&mut self, slot: usize, news: News<B::Piece>) -> Result<(), Trouble> {
        match news {
            News::Bytes(piece) => {
                let taken = self.on_bytes(slot, &piece);
                self.wire.give_back(piece);
                if taken? {
                    self.reconnect(slot);
                }
            }
            News::Established => {
                self.counts.connects += 1;
                self.go_on(slot, now_ns())?;
            }
            News::Unconnected(_) => {
                // wrk finds out when it writes, unless it has to shake hands first.
                let errors = &mut self.counts.errors;
                *if self.work.tls.is_some() { &mut errors.connect } else { &mut errors.write } += 1;
                self.reconnect(slot);
            }
            News::End => {
                match self.connections[slot].decoder.end(&mut self.learned) {
                    // The end of TLS is an error to wrk, even where it ends an answer.
                    End::Complete(answer) if self.work.tls.is_none() => {
                        self.on_answer(slot, answer.status, now_ns())?;
                    }
                    _ => self.counts.errors.read += 1,
                }
                self.reconnect(slot);
            }
            News::Failed(_) => {
                self.counts.errors.read += 1;
                self.reconnect(slot);
            }
        }
        Ok(())
    }

    /// Takes what came. True: the connection is at its end.
    #[inline]
    fn on_bytes(&mut self, slot: usize, piece: &Received<B::Piece>) -> Result<bool, Trouble> {
        let now_ns = now_ns();
        let length = self.wire.bytes(piece).len();
        let mut at = 0;
        while at < length {
            let bytes = &self.wire.bytes(piece)[at..];
            let connection = &mut self.connections[slot];
            let step = connection.decoder.feed(bytes, false, &mut self.learned);
            let (taken, complete) = match step {
                Step::Incomplete => (bytes.len(), None),
                Step::Complete(answer) => (answer.consumed, Some(answer)),
                Step::Malformed(_) => {
                    self.counts.errors.read += 1;
                    return Ok(true);
                }
            };
            if self.wants_answers {
                connection.answer.extend_from_slice(&bytes[..taken]);
            }
            at += taken;
            if let Some(answer) = complete {
                connection.decoder.reset();
                self.on_answer(slot, answer.status, now_ns)?;
                if !answer.keep_alive {
                    self.counts.bytes += length as u64;
                    return Ok(true);
                }
            }
        }
        self.counts.bytes += length as u64;
        if self.connections[slot].pending == 0 {
            self.go_on(slot, now_ns)?;
        }
        Ok(false)
    }

    #[inline]
    fn on_answer(&mut self, slot: usize, status: u16, now_ns: u64) -> Result<(), Trouble> {
        let connection = &mut self.connections[slot];
        self.counts.complete += 1;
        self.tick.requests += 1;
        self.counts.redirects += u64::from((300..400).contains(&status));
        self.counts.errors.status += u64::from(status > 399);
        if self.wants_answers {
            if let Some(message) = Message::read(&connection.answer) {
                self.script.response(status, message.headers, &message.body)?;
            }
            connection.answer.clear();
        }
        connection.pending = connection.pending.saturating_sub(1);
        if connection.pending == 0 {
            let latency_us = now_ns / 1000 - connection.start_ns / 1000;
            self.counts.errors.timeout += u64::from(!self.counts.latencies.record(latency_us));
        }
        Ok(())
    }

    /// Sends the next batch on a connection, now or as late as the script wants.
    #[inline]
    fn go_on(&mut self, slot: usize, now_ns: u64) -> Result<(), Trouble> {
        if !self.has_delay {
            return self.send(slot, now_ns);
        }
        let due_ns = now_ns.saturating_add(self.script.delay()?.saturating_mul(MS));
        self.delayed.push(Reverse((due_ns, slot, self.connections[slot].generation)));
        Ok(())
    }

    #[inline]
    fn send(&mut self, slot: usize, now_ns: u64) -> Result<(), Trouble> {
        let connection = &mut self.connections[slot];
        connection.start_ns = now_ns;
        connection.pending = self.work.depth;
        if self.work.is_fixed {
            self.wire.send(slot, 0..self.batch.len());
        } else {
            self.script.request(&mut self.batch)?;
            self.wire.send_owned(slot, &self.batch);
        }
        Ok(())
    }

    fn send_delayed(&mut self, now_ns: u64) -> Result<(), Trouble> {
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

    /// Takes the rate. True: the time is over.
    fn on_tick(&mut self, now_ns: u64) -> bool {
        let elapsed_ms = (now_ns - self.tick.since_ns) / MS;
        if self.tick.requests > 0 && elapsed_ms > 0 {
            let per_s = self.tick.requests as f64 / elapsed_ms as f64 * 1000.0;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as wrk")]
            self.counts.rates.record(per_s as u64);
            self.tick = Tick { requests: 0, since_ns: now_ns, due_ns: 0 };
        }
        self.tick.due_ns = now_ns + TICK_NS;
        self.work.stop.load(Ordering::Relaxed)
    }
}
