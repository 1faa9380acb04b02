//! Which connection may take the next request.

use crate::pace::Pacer;
use crate::pool::{Flight, State};
use crate::turn::Turn;
use volley_net::Backend;
use volley_protocol::Protocol;

impl<B: Backend, P: Protocol<Flight>> Turn<'_, B, P> {
    /// A connection may take requests: gives it some, or offers it to due requests.
    pub(crate) fn go_on(&mut self, slot: usize, now_ns: u64) {
        match (&self.pacer, self.pool.room_of(slot)) {
            (_, Some(room)) => self.speak(room, now_ns),
            (Pacer::Open { .. }, None) => self.offer(slot),
            _ => self.refill(slot, now_ns),
        }
    }

    /// Offers a connection to due requests, if it can take one.
    pub(crate) fn offer(&mut self, slot: usize) {
        if self.has_room(slot) {
            self.pool.available.push_back(slot);
        }
    }

    pub(crate) fn has_room(&self, slot: usize) -> bool {
        let connection = &self.pool.connections[slot];
        let most = self.pool.target.requests_per_connection.unwrap_or(u64::MAX);
        connection.state.is_open()
            && connection.protocol.room(self.pool.target.pipeline) > 0
            && connection.sent < most
    }

    /// The connection that takes the next due request.
    pub(crate) fn take_available(&mut self, now_ns: u64) -> Option<usize> {
        loop {
            let slot = self.pool.available.pop_front()?;
            let connection = &self.pool.connections[slot];
            if let Some(room) = self.pool.room_of(slot) {
                if self.take_room(room, now_ns) {
                    return Some(slot);
                }
            } else if self.pool.is_one_shot() {
                if connection.state == State::Offered {
                    return Some(slot);
                }
            } else if self.has_room(slot) {
                return Some(slot);
            } else if connection.state == State::Closed && connection.alarm_ns <= now_ns {
                // It may be opened again; one that pauses continues to pause.
                self.set_alarm(slot, now_ns);
            }
        }
    }
}
