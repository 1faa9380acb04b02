//! Rooms of WebSocket: one connection sends a message, and all connections of its room have to hear
//! it. The next message is sent once the last of them has heard it, or is given up.

use crate::errors::ErrorKind;
use crate::histogram::Latencies;
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
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// Listeners that have neither heard the latest message nor lost it.
    waiting: usize,
    /// All of them, when it was sent.
    listeners: usize,
    sent_ns: u64,
    /// When the latest of them heard it.
    latest_ns: u64,
    /// All others of its listeners have heard it in time, and rightly.
    is_whole: bool,
    /// The book's message that is sent next.
    next_message: usize,
    /// Nothing is sent before.
    quiet_until_ns: u64,
}

/// The counts of one slice.
#[derive(Debug, Default)]
pub struct RoomTally {
    /// Messages that were sent in the window.
    pub messages: u64,
    /// How many times they should have been heard.
    pub due: u64,
    /// How many times they were heard, in time and rightly.
    pub heard: u64,
    /// The times until the last listener had heard a message, of those that all have heard.
    pub last: Latencies,
}

impl RoomTally {
    pub(crate) fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
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

    /// Sends the next message to a room, if it is due: by the first of the room's connections that
    /// is open, to all that are.
    pub(crate) fn speak(&mut self, room: usize, now_ns: u64) {
        let pool = &mut *self.pool;
        let slots = pool.slots_of(room);
        let is_joining = |connection: &Connection<P>| {
            matches!(connection.state, State::Connecting | State::Greeting)
        };
        if pool.rooms[room].waiting > 0
            || pool.connections[slots.clone()].iter().any(is_joining)
            || !self.wants(now_ns)
        {
            return;
        }
        let pool = &mut *self.pool;
        let Room { quiet_until_ns, next_message, .. } = pool.rooms[room];
        if now_ns < quiet_until_ns {
            self.next_due_ns = self.next_due_ns.min(quiet_until_ns);
            return;
        }
        let timeout_ns = pool.target.request_timeout_ns.saturating_mul(TIMEOUTS_UNTIL_LOST);
        let flight = Flight { due_ns: now_ns, sent_ns: now_ns, message: next_message };
        let (mut sender, mut listeners) = (None, 0);
        for slot in slots {
            let connection = &mut self.pool.connections[slot];
            if connection.state == State::Idle {
                connection.protocol.start(flight, 1);
                connection.sent += 1;
                self.pool.enter(slot, State::Busy);
                self.set_due(slot, now_ns.saturating_add(timeout_ns));
                sender = sender.or(Some(slot));
                listeners += 1;
            }
        }
        let Some(sender) = sender else { return };
        let pool = &mut *self.pool;
        pool.io.send(sender, pool.book.bytes(next_message, 1));
        pool.rooms[room] = Room {
            waiting: listeners,
            listeners,
            sent_ns: now_ns,
            latest_ns: now_ns,
            is_whole: true,
            next_message: (next_message + 1) % pool.book.cycle(),
            quiet_until_ns,
        };
        self.allowance = self.allowance.saturating_sub(listeners as u64);
        if self.window.holds(now_ns) {
            let tally = self.tally.rooms.get_or_insert_default();
            tally.messages += 1;
            tally.due += listeners as u64;
        }
    }

    /// A listener has heard the message, or `is_right` is false: it has lost it, or heard another.
    #[inline]
    pub(crate) fn on_heard(&mut self, slot: usize, is_right: bool, now_ns: u64) {
        let Some(room) = self.pool.room_of(slot) else { return };
        let Room { sent_ns, .. } = self.pool.rooms[room];
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
        if self.window.holds(sent_ns) {
            let tally = self.tally.rooms.get_or_insert_default();
            tally.heard += u64::from(is_heard);
            if state.waiting == 0 && state.is_whole {
                tally.last.record(now_ns - sent_ns);
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
