//! One thread's connections, which carry plain bytes, whether they travel in TLS or not.

#[cfg(test)]
mod tests;

use crate::{Config, Facts, Plain, Tls};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use volley_net::{Backend, Failure, Kernel, Patience, RingSize, Route, What};

/// An event of a connection.
#[derive(Debug)]
pub enum Event<P> {
    /// The connection is established, and takes requests; with TLS, when the handshake is done.
    Established,
    /// The connection could not be made. No event of it follows.
    Unconnected(Failure),
    /// Bytes were received. They must be read and given back before the next event is taken.
    Bytes(Received<P>),
    /// The server has closed its side; with TLS, by `close_notify`. No event of it follows.
    End,
    /// Reading or writing failed; with TLS, also where the connection ended unannounced. No event
    /// of it follows.
    Failed(Failure),
}

/// Bytes that were received.
#[derive(Debug)]
pub enum Received<P> {
    /// Bytes as they arrived.
    Plain(P),
    /// Bytes out of TLS.
    Opened(Plain),
}

/// See the module.
pub struct Wire<B: Backend> {
    io: Way<B>,
    route: Arc<Route>,
    /// Connections that were established at once, whose event is not taken yet.
    established: VecDeque<usize>,
    /// Connections opened so far: the number selects the source address.
    opened: u64,
}

/// The way in which bytes travel.
enum Way<B: Backend> {
    Plain(B),
    Sealed(Tls<B>),
}

/// The same on either way.
macro_rules! on {
    ($wire:expr, $io:ident => $what:expr) => {
        match &mut $wire.io {
            Way::Plain($io) => $what,
            Way::Sealed($io) => $what,
        }
    };
}

impl<B: Kernel> Wire<B> {
    /// For connections in this many slots, which send parts of `outbox`, with TLS or without.
    pub fn new(
        route: Arc<Route>,
        slots: usize,
        outbox: Arc<[u8]>,
        tls: Option<&Config>,
    ) -> io::Result<Self> {
        let io = B::new(slots, outbox.clone(), RingSize::default())?;
        let io = match tls {
            None => Way::Plain(io),
            Some(client) => Way::Sealed(Tls::new(io, client.clone(), slots, outbox)),
        };
        Ok(Self { io, route, established: VecDeque::new(), opened: 0 })
    }
}

impl<B: Backend> Wire<B> {
    /// Starts to connect. An event reports the result, unless it failed at once.
    pub fn connect(&mut self, slot: usize) -> Result<(), Errno> {
        self.opened += 1;
        let is_established = on!(self, io => io.connect(slot, &self.route, self.opened, None))?;
        self.established.extend(is_established.then_some(slot));
        Ok(())
    }

    /// Sends a part of the outbox.
    #[inline]
    pub fn send(&mut self, slot: usize, part: Range<usize>) {
        on!(self, io => io.send(slot, part));
    }

    /// Sends other bytes.
    #[inline]
    pub fn send_owned(&mut self, slot: usize, bytes: &[u8]) {
        on!(self, io => io.send_owned(slot, Arc::from(bytes)));
    }

    /// Closes our side of a connection, after the bytes that are being sent there.
    pub fn end_sending(&mut self, slot: usize) {
        on!(self, io => io.end_sending(slot));
    }

    /// What client and server agreed on. `None` without TLS, and before it is established.
    pub fn session_facts(&self, slot: usize) -> Option<Facts> {
        match &self.io {
            Way::Plain(_) => None,
            Way::Sealed(io) => io.facts(slot),
        }
    }

    /// Closes a connection. No event of it follows.
    pub fn close(&mut self, slot: usize) {
        self.established.retain(|&other| other != slot);
        on!(self, io => io.close(slot));
    }

    /// Hands over the queued sends, and waits for an event until `until_ns` at the latest. Returns
    /// how long this took, in ns.
    pub fn turn(&mut self, patience: Patience, until_ns: u64) -> io::Result<u64> {
        let until_ns = if self.established.is_empty() { until_ns } else { 0 };
        on!(self, io => patience.turn(io, until_ns))
    }

    /// The next event, with the connection's slot.
    #[inline]
    pub fn next_event(&mut self) -> Option<(usize, Event<B::Piece>)> {
        if let Some(slot) = self.established.pop_front() {
            return Some((slot, Event::Established));
        }
        Some(match &mut self.io {
            Way::Plain(io) => {
                let event = io.next()?;
                (event.slot, Event::of(event.what, Received::Plain))
            }
            Way::Sealed(io) => {
                let event = io.next()?;
                (event.slot, Event::of(event.what, Received::Opened))
            }
        })
    }

    /// The bytes that were received.
    #[inline]
    pub fn bytes<'a>(&'a self, received: &'a Received<B::Piece>) -> &'a [u8] {
        match (received, &self.io) {
            (Received::Plain(piece), Way::Plain(io)) => io.bytes(piece),
            (Received::Opened(piece), Way::Sealed(io)) => io.bytes(piece),
            _ => &[],
        }
    }

    /// Gives the piece's buffer back, for other bytes.
    #[inline]
    pub fn release(&mut self, received: Received<B::Piece>) {
        match (received, &mut self.io) {
            (Received::Plain(piece), Way::Plain(io)) => io.release(piece),
            (Received::Opened(piece), Way::Sealed(io)) => io.release(piece),
            _ => {}
        }
    }
}

impl<P> Event<P> {
    #[inline]
    fn of<Q>(what: What<Q>, received: impl FnOnce(Q) -> Received<P>) -> Self {
        match what {
            What::Established => Self::Established,
            What::Unconnected(failure) => Self::Unconnected(failure),
            What::Bytes { piece, .. } => Self::Bytes(received(piece)),
            What::Counted { .. } => unreachable!("nobody lets bytes be counted here"),
            What::End => Self::End,
            What::Failed(failure) => Self::Failed(failure),
        }
    }
}
