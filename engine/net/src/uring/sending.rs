//! Sending on each connection, one send at a time.

use super::Uring;
use crate::backend::{Backend, Unsent, WhenSent};
use rustix::io::Errno;

impl Uring {
    #[inline]
    pub(super) fn queue(&mut self, slot: usize, unsent: Unsent) {
        if self.slots[slot].sending.is_none() {
            self.start_sending(slot, unsent);
        } else {
            self.slots[slot].queued.push_back(unsent);
        }
    }

    #[inline]
    pub(super) fn start_sending(&mut self, slot: usize, unsent: Unsent) {
        let key = self.key(slot);
        let slot = &mut self.slots[slot];
        if let Some(socket) = &slot.socket {
            match &unsent {
                Unsent::Part(part) => self.ring.send(socket, key, part.clone()),
                Unsent::Owned(bytes, part) => {
                    self.ring.send_owned(socket, key, bytes.clone(), part.clone());
                }
            }
            slot.sending = Some(unsent);
        }
    }

    /// A part has been sent, in full or partly: goes on with the rest.
    pub(super) fn sent(&mut self, index: usize, result: Result<u32, Errno>) -> Result<(), Errno> {
        let slot = &mut self.slots[index];
        let sent = match result {
            Ok(sent) => sent as usize,
            Err(Errno::INTR | Errno::AGAIN) => 0,
            Err(_) if slot.when_sent == WhenSent::Close => {
                self.close(index);
                return Ok(());
            }
            // The server may have answered before it closed: the receive will report it.
            Err(errno @ (Errno::PIPE | Errno::CONNRESET)) => {
                slot.was_reset = errno == Errno::CONNRESET;
                return Ok(());
            }
            Err(errno) => return Err(errno),
        };
        let Some(mut rest) = slot.sending.take() else { return Ok(()) };
        slot.is_full = rest.advance(sent);
        if slot.is_full {
            self.start_sending(index, rest);
        } else if let Some(next) = slot.queued.pop_front() {
            self.start_sending(index, next);
        } else {
            self.end_if_sent(index);
        }
        Ok(())
    }

    /// Closes our side or the socket, if this was requested and all is sent.
    #[inline]
    pub(super) fn end_if_sent(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        match (slot.when_sent, &slot.socket) {
            (WhenSent::EndSending, Some(socket)) if slot.sending.is_none() => {
                slot.when_sent = WhenSent::Nothing;
                self.ring.end_sending(socket);
            }
            (WhenSent::Close, _) if slot.sending.is_none() => self.close(index),
            _ => {}
        }
    }
}
