//! A target's turn on one thread: its state, its waiting, and the times at which something is due.
//!
//! `link` opens and closes connections, `chain` sends the requests with which each begins,
//! `exchange` sends requests and takes answers.

use crate::errors::ErrorKind;
use crate::intervals::Log;
use crate::pace::{Pacer, Window};
use crate::pool::Pool;
use crate::pool::{Flight, State};
use crate::rooms::TIMEOUTS_UNTIL_LOST;
use crate::tally::Tally;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io::Result;
use volley_net::clock::{MS, now_ns};
use volley_net::{Backend, EVENTS_AT_ONCE, Event, Patience, What};
use volley_protocol::Protocol;

/// How many requests are written one after the other where many are due at once, after a stall or
/// in a burst. Then they are handed over, the answers that have come meanwhile are handled, and the
/// clock is read anew for the next: writing takes the kernel some 2 µs each, and is not the
/// server's time.
pub(crate) const WRITTEN_AT_ONCE: usize = 8;

/// How far apart the turns of a closed loop over HTTP/2 begin: this part of the shortest latency
/// among the latest answers, but no more. So answers are read half of this later on average, and
/// without any delay where they are further apart.
///
/// Servers send an answer in pieces, and the answers on a connection one by one: nginx makes two
/// calls for each. If we read each piece as it comes, it costs us a receive, a send and two system
/// calls, and contends with the server for its connection.
const GATHERED_PART: u64 = 32;
const GATHERED_NS: u64 = 50_000;

/// The state of one target's turn on one thread.
pub(crate) struct Turn<'a, B, P: Protocol<Flight>> {
    pub(crate) pool: &'a mut Pool<B, P>,
    pub(crate) tally: Tally,
    pub(crate) window: Window,
    pub(crate) pacer: Pacer,
    /// How it waits for work.
    patience: Patience,
    /// Requests that may still be started.
    pub(crate) allowance: u64,
    /// When the requests were due that servers have handed back. They are sent before all others.
    pub(crate) requeued: VecDeque<u64>,
    /// Connections from this one on are not used at present.
    pub(crate) limit: usize,
    /// Connections from this one on, up to the limit, have yet to be given their first requests.
    pub(crate) started: usize,
    /// How far the present sweep has come; 0: none is under way.
    swept: usize,
    /// Requests and connections that were written since this was set to 0.
    pub(crate) written: usize,
    /// No connection is due before this time.
    pub(crate) next_alarm_ns: u64,
    /// When the last turn began.
    turned_ns: u64,
    /// The shortest latency of the last turn's answers, or of earlier ones where it had none.
    shortest_ns: u64,
    /// The shortest latency of the answers since.
    pub(crate) latest_ns: u64,
    pub(crate) log: Option<Log>,
    /// Whether answers are counted by interval or by request, too.
    pub(crate) counts_parts: bool,
}

impl<'a, B: Backend, P: Protocol<Flight>> Turn<'a, B, P> {
    /// With a closed window: connections may be opened, but nothing is sent.
    pub(crate) fn new(pool: &'a mut Pool<B, P>, patience: Patience, tally: Tally) -> Self {
        Self {
            pool,
            tally,
            window: Window::CLOSED,
            pacer: Pacer::Closed,
            patience,
            allowance: u64::MAX,
            requeued: VecDeque::new(),
            limit: usize::MAX,
            started: usize::MAX,
            swept: 0,
            written: 0,
            next_alarm_ns: 0,
            turned_ns: 0,
            shortest_ns: 0,
            latest_ns: u64::MAX,
            log: None,
            counts_parts: false,
        }
    }

    /// Whether a request may be started now, or will be later.
    pub(crate) fn wants(&self, now_ns: u64) -> bool {
        if self.allowance == 0 {
            return false;
        }
        match self.next_arrival_ns() {
            None if self.requeued.is_empty() => now_ns < self.window.end_ns,
            None => now_ns < self.give_up_ns(),
            Some(due_ns) => due_ns < self.window.end_ns && now_ns < self.give_up_ns(),
        }
    }

    /// Requests that were due in the window are sent until then (open loop), as are those that
    /// servers have handed back.
    fn give_up_ns(&self) -> u64 {
        self.window.end_ns.saturating_add(self.pool.target.request_timeout_ns)
    }

    /// Whether a connection is used at present.
    fn uses(&self, slot: usize) -> bool {
        slot < self.limit || self.pool.is_held(slot)
    }

    /// Whether the window has been opened.
    pub(crate) fn is_sending(&self) -> bool {
        self.window != Window::CLOSED
    }

    /// Waits for events until `until_ns` at the latest, and handles events and whatever is due.
    pub(crate) fn step(&mut self, until_ns: u64) -> Result<u64> {
        let is_behind = self.is_behind();
        if P::WRITES && !is_behind && !matches!(self.pacer, Pacer::Open { .. }) {
            self.gather()?;
        }
        self.pool.io.turn()?;
        if self.dispatch() == 0 && !is_behind {
            let until_ns = until_ns.min(self.next_work_ns());
            let (from_ns, to_ns) = self.patience.wait(&mut self.pool.io, until_ns)?;
            self.tally.waited_ns += self.window.overlap_ns(from_ns, to_ns);
            self.pool.io.turn()?;
            self.dispatch();
        }
        let now_ns = now_ns();
        self.start(now_ns);
        self.release(now_ns);
        if self.swept > 0 || now_ns >= self.next_alarm_ns {
            self.sweep(now_ns);
        }
        if let Some(log) = &mut self.log {
            // Answers of the drain belong to the window's last interval.
            log.roll(now_ns.min(self.window.end_ns.saturating_sub(1)));
        }
        Ok(now_ns)
    }

    /// Whether there is something to write now that the turns before had no room for, except for
    /// requests of an open loop.
    fn is_behind(&self) -> bool {
        self.swept > 0 || self.started < self.limit.min(self.pool.held_from)
    }

    /// Lets pieces that servers send gather before a turn begins.
    fn gather(&mut self) -> Result<()> {
        let latest_ns = std::mem::replace(&mut self.latest_ns, u64::MAX);
        if latest_ns < u64::MAX {
            self.shortest_ns = latest_ns;
        }
        let until_ns = self.turned_ns + (self.shortest_ns / GATHERED_PART).min(GATHERED_NS);
        let (from_ns, to_ns) = self.patience.gather(&mut self.pool.io, until_ns)?;
        self.tally.waited_ns += self.window.overlap_ns(from_ns, to_ns);
        self.turned_ns = to_ns;
        Ok(())
    }

    /// The time of the next action if there is no event.
    fn next_work_ns(&self) -> u64 {
        let arrival_ns = match self.next_arrival_ns() {
            Some(due_ns) if due_ns < self.window.end_ns && !self.pool.available.is_empty() => {
                due_ns
            }
            _ => u64::MAX,
        };
        let roll_ns = self.log.as_ref().map_or(u64::MAX, Log::next_ns);
        let roll_ns = if roll_ns < self.window.end_ns { roll_ns } else { u64::MAX };
        arrival_ns.min(self.next_alarm_ns).min(roll_ns)
    }

    /// Handles the events; returns how many there were.
    pub(crate) fn dispatch(&mut self) -> usize {
        let mut handled = 0;
        while handled < EVENTS_AT_ONCE
            && let Some(event) = self.pool.io.next()
        {
            self.on_event(event);
            handled += 1;
        }
        handled
    }

    #[inline]
    fn on_event(&mut self, Event { slot, what }: Event<B::Piece>) {
        match what {
            What::Bytes { piece, more } => self.on_bytes(slot, piece, more),
            What::Counted { length, more } => self.on_counted(slot, length, more),
            What::Established => self.on_established(slot),
            What::Unconnected(failure) => self.fail_connect(slot, &failure),
            What::End => self.on_end(slot),
            What::Failed(failure) => self.on_failed(slot, &failure),
        }
    }

    /// When the next request is due, or was, in open loop.
    #[inline]
    pub(crate) fn next_arrival_ns(&self) -> Option<u64> {
        let arrival_ns = self.pacer.next_arrival_ns()?;
        Some(self.requeued.front().copied().unwrap_or(arrival_ns))
    }

    /// Takes the request that is due next; returns whether it was never sent before.
    #[inline]
    pub(crate) fn take_arrival(&mut self) -> bool {
        let is_first = self.requeued.pop_front().is_none();
        if is_first {
            self.pacer.take_arrival();
        }
        is_first
    }

    /// Gives connections their first requests, some at a time, or offers them to requests that
    /// become due.
    fn start(&mut self, now_ns: u64) {
        self.written = 0;
        let end = self.limit.min(self.pool.held_from);
        while self.started < end && self.written < WRITTEN_AT_ONCE {
            if self.pool.connections[self.started].state.is_open() {
                self.go_on(self.started, now_ns);
            }
            self.started += 1;
        }
    }

    /// Sends requests that are due (open loop), some at a time, as far as there are connections for
    /// them. Others that are due end the next turn's wait before it begins.
    fn release(&mut self, now_ns: u64) {
        self.written = 0;
        while self.written < WRITTEN_AT_ONCE
            && let Some(due_ns) = self.next_arrival_ns()
            && due_ns <= now_ns
            && self.wants(now_ns)
            && let Some(slot) = self.take_available(now_ns)
        {
            let is_first = self.take_arrival();
            if is_first && self.window.holds(due_ns) {
                self.tally.send_lag.record(now_ns - due_ns);
            }
            if let Some(room) = self.pool.room_of(slot) {
                self.send_to(room, due_ns, now_ns);
            } else if self.pool.is_one_shot() {
                self.connect_for(slot, due_ns, now_ns);
            } else {
                self.send(slot, 1, due_ns, now_ns);
                self.offer(slot);
            }
        }
    }

    /// Handles connections whose time has come, and finds the next such time. Where that writes
    /// much, the next turn goes on with it.
    fn sweep(&mut self, now_ns: u64) {
        self.written = 0;
        if self.swept == 0 {
            self.next_alarm_ns = u64::MAX;
            self.adjust_limit(now_ns);
        }
        let connections = self.pool.connections.len();
        while self.swept < connections + self.pool.rooms.len() {
            if self.written >= WRITTEN_AT_ONCE {
                return;
            }
            match self.swept.checked_sub(connections) {
                None => self.attend(self.swept, now_ns),
                Some(room) => self.speak(room, now_ns),
            }
            self.swept += 1;
        }
        self.swept = 0;
        // At most one sweep a millisecond, however many connections there are.
        self.next_alarm_ns = self.next_alarm_ns.max(now_ns + MS);
        if let Pacer::Stages { .. } = self.pacer {
            self.next_alarm_ns = self.next_alarm_ns.min(now_ns + 10 * MS);
        }
    }

    /// Handles a connection if its time has come.
    #[inline]
    fn attend(&mut self, slot: usize, now_ns: u64) {
        let connection = &self.pool.connections[slot];
        let is_due = connection.alarm_ns <= now_ns;
        match connection.state {
            State::Closed if !self.uses(slot) || !self.wants(now_ns) => return,
            State::Closed if is_due => self.reopen(slot, now_ns),
            State::Connecting if is_due => self.fail_connect(slot, &Errno::TIMEDOUT.into()),
            State::Greeting if is_due => self.fail_greeting(slot),
            State::Once if is_due => self.time_out_chain(slot),
            State::Streaming if is_due => self.time_out_held(slot),
            State::Offered | State::Idle => return,
            State::Busy if is_due => self.time_out(slot, now_ns),
            State::Lingering if is_due => self.replace(slot, false, now_ns),
            _ => {}
        }
        self.next_alarm_ns = self.next_alarm_ns.min(self.pool.connections[slot].alarm_ns);
    }

    /// Uses more connections, or fewer, according to the stages.
    fn adjust_limit(&mut self, now_ns: u64) {
        let before = std::mem::replace(&mut self.limit, self.pacer.limit(now_ns));
        self.started = self.started.min(before);
    }

    /// Requests have waited too long: gives them up, alone if the protocol can do that, else with
    /// their connection.
    fn time_out(&mut self, slot: usize, now_ns: u64) {
        let timeout_ns = self.pool.target.request_timeout_ns;
        let (kind, what, times) = if self.pool.target.room.is_some() {
            (ErrorKind::Lost, "message to the room", TIMEOUTS_UNTIL_LOST)
        } else if self.pool.streams_events {
            (ErrorKind::Timeout, "event", 1)
        } else {
            (ErrorKind::Timeout, "complete answer", 1)
        };
        let detail = || format!("no {what} within {} ms", times * timeout_ns / MS);
        let had_room = self.has_room(slot);
        loop {
            let pool = &mut *self.pool;
            if !pool.connections[slot].protocol.cancel(|flight| flight.sent_ns, &mut pool.out) {
                return self.close_with_error(slot, kind, None, detail);
            }
            self.end_unanswered(slot, kind, detail, &[], now_ns);
            let protocol = &self.pool.connections[slot].protocol;
            let since_ns = protocol.waits_since_ns(|flight| flight.sent_ns);
            if since_ns.is_none_or(|since_ns| since_ns.saturating_add(timeout_ns) > now_ns) {
                break;
            }
        }
        self.flush(slot);
        self.after_answers(slot, false, had_room, now_ns);
    }

    pub(crate) fn set_alarm(&mut self, slot: usize, alarm_ns: u64) {
        self.pool.connections[slot].alarm_ns = alarm_ns;
        self.next_alarm_ns = self.next_alarm_ns.min(alarm_ns);
    }
}
