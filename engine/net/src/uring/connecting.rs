//! How connections are made: with a descriptor in the process, or known to the ring alone.

use super::Uring;
use crate::backend::{Backend, What};
use crate::route::{Address, Route, SocketBuffers};
use crate::socket;
use rustix::io::Errno;
use std::ops::Range;
use volley_ring::{Completion, Operation, Piece, Socket, Start};

/// Whether a receive or a send has ended only for now.
pub(super) fn is_passing(operation: Operation, result: Result<u32, Errno>) -> bool {
    matches!(operation, Operation::Receive | Operation::Send)
        && matches!(result, Err(Errno::NOBUFS | Errno::INTR | Errno::AGAIN))
}

impl Uring {
    /// See [`Backend::connect`].
    pub(super) fn start(
        &mut self,
        slot: usize,
        route: &Route,
        nth: u64,
        first: Option<Range<usize>>,
    ) -> Result<bool, Errno> {
        let socket = self.connect_directly(slot, route, nth, first.as_ref());
        let is_established = if let Some(socket) = socket {
            self.slots[slot].connecting = true;
            self.slots[slot].socket = Some(socket);
            false
        } else {
            let opened = socket::open(route, nth)?;
            let is_established = opened.established;
            self.open(slot, opened)?;
            is_established
        };
        if let Some(first) = first {
            self.send(slot, first);
            if !self.slots[slot].awaits {
                self.receive(slot);
            }
        }
        Ok(is_established)
    }

    /// Connects a socket that only the ring knows; `None` where connecting takes system calls.
    fn connect_directly(
        &mut self,
        slot: usize,
        route: &Route,
        nth: u64,
        first: Option<&Range<usize>>,
    ) -> Option<Socket> {
        let Address::Tcp(address) = route.address else { return None };
        let source = socket::source(route.sources, nth);
        // The kernel may refuse any other source, and would then connect from a different one.
        let is_sure = source.is_none_or(|source| source.is_loopback());
        let is_plain = matches!(route.buffers, SocketBuffers { send: None, receive: None });
        if !is_sure || !is_plain || slot >= self.slots.len() {
            return None;
        }
        let first_length = first.map(Range::len);
        let start = Start { first_length, delays_acks: route.delays_acks };
        self.ring.connect(address, source, self.key(slot), start)
    }

    /// The result of connecting. After a failure, the caller still has to close the slot.
    pub(super) fn connected(&mut self, completion: Completion) -> What<Piece> {
        let index = completion.key.slot as usize;
        let slot = &mut self.slots[index];
        slot.connecting = false;
        let descriptor = slot.socket.as_ref().and_then(|socket| self.ring.descriptor(socket));
        let result = match (completion.operation, descriptor) {
            (Operation::Writable, Some(fd)) => {
                completion.result.and_then(|_| rustix::net::sockopt::socket_error(fd).flatten())
            }
            _ => completion.result.map(|_| ()),
        };
        if let Err(errno) = result {
            return What::Unconnected(errno.into());
        }
        if !slot.awaits {
            self.receive(index);
        }
        self.held.push_back(completion);
        What::Established
    }
}
