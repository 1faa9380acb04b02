//! Receiving on each connection, as long as there are buffers to receive into.

use super::Uring;
use crate::backend::HEAD_SIZE;

impl Uring {
    pub(super) fn receive(&mut self, slot: usize) {
        let key = self.key(slot);
        let slot = &mut self.slots[slot];
        let Some(socket) = &slot.socket else { return };
        slot.awaits = true;
        slot.is_starved = false;
        if slot.countable > 0 {
            self.ring.count(socket, key, slot.countable);
        } else if slot.heads > 0 {
            slot.heads -= 1;
            self.ring.receive_once(socket, key, HEAD_SIZE);
        } else {
            self.ring.receive(socket, key);
        }
    }

    /// Resumes the receive that ended with the last event, unless the event has closed the socket.
    #[inline]
    pub(super) fn receive_next(&mut self) {
        if let Some(slot) = self.to_receive.take()
            && !self.slots[slot].awaits
        {
            self.receive(slot);
        }
    }

    /// Resumes receives that found no buffer, as many as there are buffers now. All events have
    /// been handled.
    pub(super) fn receive_starved(&mut self) {
        for _ in 0..self.buffers.min(self.starved.len()) {
            let Some(key) = self.starved.pop_front() else { return };
            let index = key.slot as usize;
            if self.slots[index].generation == key.generation && self.slots[index].is_starved {
                self.receive(index);
            }
        }
    }
}
