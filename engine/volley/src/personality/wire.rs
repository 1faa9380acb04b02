//! One thread's connections, on which plain bytes come and go, whatever they travel in.

use crate::io::socket;
use crate::io::{Backend, RingSize, What};
use crate::patience::Patience;
use crate::target::Route;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// What happened on a connection.
#[derive(Debug)]
pub(crate) enum News<P> {
    /// It is there, and takes requests.
    Established,
    /// It could not be made.
    Unconnected(Errno),
    /// Bytes came. They must be given back.
    Bytes(P),
    /// The server has closed its side.
    End,
    /// Reading or writing failed.
    Failed(Errno),
}

/// See the module.
pub(crate) struct Wire<B: Backend> {
    io: B,
    route: Arc<Route>,
    /// Connections that were there at once, of which that has not been told yet.
    fresh: VecDeque<usize>,
    /// Connections opened so far: picks the source address.
    opened: u64,
}

impl<B: Backend> Wire<B> {
    /// For connections in so many slots, which send parts of `outbox`.
    pub(crate) fn new(route: Arc<Route>, slots: usize, outbox: Arc<[u8]>) -> io::Result<Self> {
        let io = B::new(slots, outbox, RingSize::default())?;
        Ok(Self { io, route, fresh: VecDeque::new(), opened: 0 })
    }

    /// Starts to connect. News tell when that has come to something, unless it failed at once.
    pub(crate) fn connect(&mut self, slot: usize) -> Result<(), Errno> {
        self.opened += 1;
        let opened = socket::open(&self.route, self.opened)?;
        let established = opened.established;
        self.io.open(slot, opened)?;
        if established {
            self.fresh.push_back(slot);
        }
        Ok(())
    }

    /// Sends a part of the outbox.
    #[inline]
    pub(crate) fn send(&mut self, slot: usize, part: Range<usize>) {
        self.io.send(slot, part);
    }

    /// Sends other bytes.
    #[inline]
    pub(crate) fn send_owned(&mut self, slot: usize, bytes: &[u8]) {
        self.io.send_owned(slot, Arc::from(bytes));
    }

    /// Closes our side of a connection, behind what is sent there.
    pub(crate) fn end_sending(&mut self, slot: usize) {
        self.io.end_sending(slot);
    }

    /// Closes a connection. No news of it come any more.
    pub(crate) fn close(&mut self, slot: usize) {
        self.fresh.retain(|&other| other != slot);
        self.io.close(slot);
    }

    /// Hands over what is to be sent, and waits for news until `until_ns` at the latest. Returns
    /// how long that took, in ns.
    pub(crate) fn turn(&mut self, patience: Patience, until_ns: u64) -> io::Result<u64> {
        self.io.turn()?;
        if !self.fresh.is_empty() || self.io.has_news()? {
            return Ok(0);
        }
        let (from_ns, to_ns) = patience.wait(&mut self.io, until_ns)?;
        self.io.turn()?;
        Ok(to_ns - from_ns)
    }

    /// The next news, with the connection's slot.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(usize, News<B::Piece>)> {
        if let Some(slot) = self.fresh.pop_front() {
            return Some((slot, News::Established));
        }
        let event = self.io.next()?;
        let news = match event.what {
            What::Established => News::Established,
            What::Unconnected(errno) => News::Unconnected(errno),
            What::Bytes { piece, .. } => News::Bytes(piece),
            What::End => News::End,
            What::Failed(errno) => News::Failed(errno),
        };
        Some((event.slot, news))
    }

    /// The bytes of a piece.
    #[inline]
    pub(crate) fn bytes<'a>(&'a self, piece: &'a B::Piece) -> &'a [u8] {
        self.io.bytes(piece)
    }

    /// Makes room for other bytes.
    #[inline]
    pub(crate) fn give_back(&mut self, piece: B::Piece) {
        self.io.give_back(piece);
    }
}
