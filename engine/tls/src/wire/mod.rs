//! One thread's connections, on which plain bytes come and go, whether they travel in TLS or not.

mod sessions;
#[cfg(test)]
mod tests;

use crate::{Config, Facts};
use rustix::io::Errno;
use sessions::{Events, Sessions};
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use volley_net::errors::system_words;
use volley_net::{Backend, Patience, RingSize, Route, What, socket};

/// What happened on a connection.
#[derive(Debug)]
pub enum Event<P> {
    /// It is there, and takes requests; with TLS, when the handshake is done.
    Established,
    /// It could not be made. No event of it follows.
    Unconnected(Failure),
    /// Bytes came. They must be read and given back before the next event is taken.
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
    /// As they came.
    Plain(P),
    /// Out of TLS.
    Opened,
}

/// Why a connection could not be made, or broke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// A system call failed.
    System(Errno),
    /// TLS failed, or the connection under it: the words.
    Tls(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(errno) => f.write_str(&system_words(*errno)),
            Self::Tls(words) => f.write_str(words),
        }
    }
}

/// See the module.
pub struct Wire<B: Backend> {
    io: B,
    route: Arc<Route>,
    outbox: Arc<[u8]>,
    /// With TLS.
    sessions: Option<Sessions>,
    /// Those not taken yet.
    events: Events<B::Piece>,
    /// Connections opened so far: picks the source address.
    opened: u64,
}

impl<B: Backend> Wire<B> {
    /// For connections in so many slots, which send parts of `outbox`, with TLS or without.
    pub fn new(
        route: Arc<Route>,
        slots: usize,
        outbox: Arc<[u8]>,
        tls: Option<&Config>,
    ) -> io::Result<Self> {
        let io = B::new(slots, outbox.clone(), RingSize::default())?;
        let sessions = tls.map(|client| Sessions::new(client.clone(), slots));
        Ok(Self { io, route, outbox, sessions, events: VecDeque::new(), opened: 0 })
    }

    /// Starts to connect. Event tell when that has come to something, unless it failed at once.
    pub fn connect(&mut self, slot: usize) -> Result<(), Errno> {
        self.opened += 1;
        let opened = socket::open(&self.route, self.opened)?;
        let established = opened.established;
        self.io.open(slot, opened)?;
        match &mut self.sessions {
            Some(sessions) if established => sessions.start(slot, &mut self.io, &mut self.events),
            None if established => self.events.push_back((slot, Event::Established)),
            _ => {}
        }
        Ok(())
    }

    /// Sends a part of the outbox.
    #[inline]
    pub fn send(&mut self, slot: usize, part: Range<usize>) {
        match &mut self.sessions {
            None => self.io.send(slot, part),
            Some(sessions) => sessions.send(slot, &self.outbox[part], &mut self.io),
        }
    }

    /// Sends other bytes.
    #[inline]
    pub fn send_owned(&mut self, slot: usize, bytes: &[u8]) {
        match &mut self.sessions {
            None => self.io.send_owned(slot, Arc::from(bytes)),
            Some(sessions) => sessions.send(slot, bytes, &mut self.io),
        }
    }

    /// Closes our side of a plain connection, behind what is sent there.
    pub fn end_sending(&mut self, slot: usize) {
        self.io.end_sending(slot);
    }

    /// What client and server agreed on. `None` without TLS, and before it is established.
    pub fn session_facts(&self, slot: usize) -> Option<Facts> {
        self.sessions.as_ref()?.facts(slot)
    }

    /// Closes a connection. No event of it follows.
    pub fn close(&mut self, slot: usize) {
        self.events.retain(|&(other, _)| other != slot);
        if let Some(sessions) = &mut self.sessions {
            sessions.end(slot, &mut self.io);
        }
        self.io.close(slot);
    }

    /// Hands over what is to be sent, and waits for an event until `until_ns` at the latest. Returns
    /// how long that took, in ns.
    pub fn turn(&mut self, patience: Patience, until_ns: u64) -> io::Result<u64> {
        let until_ns = if self.events.is_empty() { until_ns } else { 0 };
        patience.turn(&mut self.io, until_ns)
    }

    /// The next event, with the connection's slot.
    #[inline]
    pub fn next_event(&mut self) -> Option<(usize, Event<B::Piece>)> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            let event = self.io.next()?;
            let Some(sessions) = &mut self.sessions else {
                return Some((event.slot, Event::plain(event.what)));
            };
            sessions.take(event.slot, event.what, &mut self.io, &mut self.events);
        }
    }

    /// The bytes that were received.
    #[inline]
    pub fn bytes<'a>(&'a self, received: &'a Received<B::Piece>) -> &'a [u8] {
        match (received, &self.sessions) {
            (Received::Plain(piece), _) => self.io.bytes(piece),
            (Received::Opened, Some(sessions)) => &sessions.opened,
            (Received::Opened, None) => &[],
        }
    }

    /// Makes room for other bytes.
    #[inline]
    pub fn give_back(&mut self, received: Received<B::Piece>) {
        if let Received::Plain(piece) = received {
            self.io.give_back(piece);
        }
    }
}

impl<P> Event<P> {
    #[inline]
    fn plain(what: What<P>) -> Self {
        match what {
            What::Established => Self::Established,
            What::Unconnected(errno) => Self::Unconnected(Failure::System(errno)),
            What::Bytes { piece, .. } => Self::Bytes(Received::Plain(piece)),
            What::End => Self::End,
            What::Failed(errno) => Self::Failed(Failure::System(errno)),
        }
    }
}
