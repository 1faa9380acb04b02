//! Sockets whose last answer has come: they are kept until their server has closed them.

use super::Uring;
use rustix::io::Errno;
use volley_ring::{Key, Operation, Socket};

/// A socket that was taken out of its slot, and the requests that keep it open in the kernel.
#[derive(Debug)]
pub(super) struct Former {
    pub(super) socket: Socket,
    pub(super) key: Key,
    /// A receive, or the wait for the connection, is pending.
    pub(super) awaits: bool,
    /// The number of pending sends.
    pub(super) sends: usize,
    /// The last send waits for room, which never comes where the server reads no more.
    pub(super) is_full: bool,
}

impl Uring {
    /// See [`Backend::retire`](crate::Backend::retire).
    pub(super) fn take_away(&mut self, slot: usize) {
        // Its last bytes need not wait for the report that the bytes before them are sent: the
        // answer to those is there. Where the socket is full, part of a request is missing, and the
        // last bytes are worthless.
        let full = self.slots[slot].is_full;
        let last = std::mem::take(&mut self.slots[slot].queued);
        let mut sends = 0;
        for last in last.into_iter().filter(|_| !full) {
            self.start_sending(slot, last);
            sends += 1;
        }
        if !self.slots[slot].awaits {
            self.receive(slot); // Reports when the socket ends.
        }
        if let Some(former) = self.take(slot) {
            let retired = Former { sends: former.sends + sends, ..former };
            let before = self.slots[slot].retired.replace(retired);
            self.close_former(before);
        }
    }

    /// A retired socket has completed a send; or its server has closed it, and we close it too.
    pub(super) fn on_retired(
        &mut self,
        key: Key,
        operation: Operation,
        result: Result<u32, Errno>,
        goes_on: bool,
    ) {
        let slot = &mut self.slots[key.slot as usize];
        let Some(retired) = slot.retired.as_mut().filter(|retired| retired.key == key) else {
            return;
        };
        match operation {
            Operation::Send | Operation::SendOwned => retired.sends -= 1,
            Operation::Receive | Operation::Count if goes_on => {}
            Operation::Receive | Operation::Count if result.is_ok_and(|length| length > 0) => {
                self.ring.receive(&retired.socket, key);
            }
            Operation::Receive | Operation::Count => {
                retired.awaits = false;
                let retired = slot.retired.take();
                self.close_former(retired);
            }
            _ => {}
        }
    }

    /// Closes a socket and cancels its pending requests.
    pub(super) fn close_former(&mut self, former: Option<Former>) {
        let Some(Former { socket, key, awaits, sends, is_full }) = former else { return };
        if sends == 0 && !awaits {
            return self.ring.close_ended(socket);
        }
        // Where the socket had room for a moment, the kernel is about to try again, or leaves the
        // rest to a thread that blocks: a send that is found in neither place cannot be cancelled.
        if sends > 0 && is_full {
            self.ring.end_sending(&socket);
        }
        self.ring.close(socket, key);
    }
}
