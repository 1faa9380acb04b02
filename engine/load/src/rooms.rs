//! Rooms of WebSocket: one connection sends a message, and all connections of its room have to hear
//! it. The room is free for the next message once the last of them has heard it, or is given up.
//! In a closed loop a free room sends at once; in an open loop the room that has been free for
//! longest sends the message that is due.

use crate::errors::ErrorKind;
use crate::histogram::Latencies;
use crate::pace::Pacer;
use crate::pool::{Connection, Flight, State};
use crate::turn::Turn;
use volley_net::Backend;
use volley_net::clock::{MS, now_ns};
use volley_protocol::Protocol;

/// A room is silent for this long after a connection has joined it: servers may agree to the upgrade
/// before they add the listener.
const SETTLING_NS: u64 = 50 * MS;

/// A message that is heard after the timeout is late. After this many timeouts it is lost.
pub(crate) const TIMEOUTS_UNTIL_LOST: u64 = 2;

/// One room of a pool: so many of its connections in a row.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Room {
    /// Listeners that have neither heard the latest message nor lost it.
    waiting: usize,
    /// All of them, when it was sent.
    listeners: usize,
    due_ns: u64,
    sent_ns: u64,
    /// When the latest of them heard it.
    latest_ns: u64,
    /// All others of its listeners have heard it in time, and rightly.
    is_whole: bool,
    /// The book's message that is sent next.
    next_message: usize,
    /// Nothing is sent before.
    quiet_until_ns: u64,
    /// It waits for a message that is due (open loop).
    is_offered: bool,
}

/// The counts of one slice.
#[derive(Debug, Default)]
pub struct RoomTally {
    /// Messages of the window that were sent.
    pub messages: u64,
    /// Messages that were due in the window but never sent (open loop).
    pub unsent: u64,
    /// How many times they should have been heard.
    pub due: u64,
    /// How many times they were heard, in time and rightly.
    pub heard: u64,
    /// The times until the last listener had heard a message, of those that all have heard. Closed
    /// loop: from the sending. Open loop: from the time when it was due.
    pub last: Latencies,
}

impl RoomTally {
    pub(crate) fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
        self.unsent += other.unsent;
        self.due += other.due;
        self.heard += other.heard;
        self.last.merge(&other.last);
    }
}

impl<B: Backend, P: Protocol<Flight>> Turn<'_, B, P> {
    /// A connection has joined its room, if there are rooms.
    pub(crate) fn enter_room(&mut self, slot: usize) {
        if let Some(room) = self.pool.room_of(slot) {
            self.pool.rooms[room].quiet_until_ns = now_ns() + SETTLING_NS;
        }
    }

    /// A room may be free: sends it the next message, or offers it to those that become due.
    pub(crate) fn speak(&mut self, room: usize, now_ns: u64) {
        if self.pool.rooms[room].is_offered || !self.is_free(room, now_ns) {
            return;
        }
        if let Pacer::Open { .. } = self.pacer {
            self.pool.rooms[room].is_offered = true;
            self.pool.available.push_back(self.pool.slots_of(room).start);
        } else if self.wants(now_ns) {
            self.send_to(room, now_ns, now_ns);
        }
    }

    /// Takes back the offer of a room; returns whether it may be sent a message.
    pub(crate) fn take_room(&mut self, room: usize, now_ns: u64) -> bool {
        self.pool.rooms[room].is_offered = false;
        self.is_free(room, now_ns)
    }

    /// Whether a room may be sent a message: nobody in it waits for one, or is about to join it.
    fn is_free(&mut self, room: usize, now_ns: u64) -> bool {
        let pool = &*self.pool;
        let connections = &pool.connections[pool.slots_of(room)];
        let is_joining = |connection: &Connection<P>| {
            matches!(connection.state, State::Connecting | State::Greeting)
        };
        let Room { waiting, quiet_until_ns, .. } = pool.rooms[room];
        if waiting > 0 || connections.iter().any(is_joining) {
            return false;
        }
        if now_ns < quiet_until_ns {
            self.next_alarm_ns = self.next_alarm_ns.min(quiet_until_ns);
            return false;
        }
        connections.iter().any(|connection| connection.state == State::Idle)
    }

    /// Sends the next message to a free room: by the first of its connections that is open, to all
    /// that are.
    pub(crate) fn send_to(&mut self, room: usize, due_ns: u64, now_ns: u64) {
        let message = self.pool.rooms[room].next_message;
        let timeout_ns = self.pool.target.request_timeout_ns.saturating_mul(TIMEOUTS_UNTIL_LOST);
        let flight = Flight { due_ns, sent_ns: now_ns, message };
        let (mut sender, mut listeners) = (None, 0);
        for slot in self.pool.slots_of(room) {
            let connection = &mut self.pool.connections[slot];
            if connection.state == State::Idle {
                connection.protocol.start(flight, 1);
                connection.sent += 1;
                self.pool.enter(slot, State::Busy);
                self.set_alarm(slot, now_ns.saturating_add(timeout_ns));
                sender = sender.or(Some(slot));
                listeners += 1;
            }
        }
        let pool = &mut *self.pool;
        pool.io.send(sender.expect("the room is free"), pool.book.bytes(message, 1));
        self.written += 1;
        pool.rooms[room] = Room {
            waiting: listeners,
            listeners,
            due_ns,
            sent_ns: now_ns,
            latest_ns: now_ns,
            is_whole: true,
            next_message: (message + 1) % pool.book.cycle(),
            ..pool.rooms[room]
        };
        self.allowance = self.allowance.saturating_sub(listeners as u64);
        if self.window.holds(due_ns) {
            let tally = self.tally.rooms.get_or_insert_default();
            tally.messages += 1;
            tally.due += listeners as u64;
        }
    }

    /// A message of the window was due, but could not be sent: none of its room's listeners has
    /// heard it.
    pub(crate) fn count_unsent_to_room(&mut self, size: usize) {
        let listeners = size as u64;
        self.tally.unsent += listeners;
        self.tally.misses += listeners;
        let tally = self.tally.rooms.get_or_insert_default();
        tally.unsent += 1;
        tally.due += listeners;
    }

    /// A listener has heard the message, or `is_right` is false: it has lost it, or heard another.
    #[inline]
    pub(crate) fn on_heard(&mut self, slot: usize, is_right: bool, now_ns: u64) {
        let Some(room) = self.pool.room_of(slot) else { return };
        let Room { due_ns, sent_ns, .. } = self.pool.rooms[room];
        let is_late = now_ns - sent_ns > self.pool.target.request_timeout_ns;
        if is_right && is_late {
            self.count_late(room, now_ns - sent_ns);
        }
        let is_heard = is_right && !is_late;
        let state = &mut self.pool.rooms[room];
        // Who has heard it waits for the others.
        let done = (state.listeners - state.waiting) as u64;
        self.tally.in_flight_ns += done * self.window.overlap_ns(state.latest_ns, now_ns);
        state.latest_ns = now_ns;
        state.waiting -= 1;
        state.is_whole &= is_heard;
        if state.waiting == 0 && !is_right {
            // Its connection is closed: nothing else shows that the room is free.
            self.next_alarm_ns = now_ns;
        }
        if self.window.holds(due_ns) {
            let tally = self.tally.rooms.get_or_insert_default();
            tally.heard += u64::from(is_heard);
            if state.waiting == 0 && state.is_whole {
                tally.last.record(now_ns - due_ns);
            }
        }
    }

    #[cold]
    fn count_late(&mut self, room: usize, after_ns: u64) {
        let pool = &self.pool;
        let cycle = pool.book.cycle();
        let message = (pool.rooms[room].next_message + cycle - 1) % cycle;
        self.tally.count_error(ErrorKind::Late, 1, || {
            let words =
                format!("a listener heard the message {} ms after it was sent", after_ns / MS);
            (words, pool.book.evidence(message), Vec::new())
        });
        if let Some(log) = &mut self.log {
            log.current.errors += 1;
        }
    }
}
