//! How connections are made, written to and read from: `io_uring` where it works, else epoll.
//!
//! A [`Backend`] owns the sockets of one pool's connections, numbered as slots, and reports their
//! events as [`Event`]s. It drops late completions of sockets that it has closed.

use crate::failure::Failure;
use crate::route::Route;
use crate::socket::{self, Opened};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Events to handle before the sends that they caused are handed over to the kernel.
///
/// A turn of `io_uring` sends all its requests in one system call, in which each takes its 2 µs or
/// so. Longer turns save little more and make the requests at their end late.
pub const EVENTS_AT_ONCE: usize = 64;

/// The requested way of I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum IoChoice {
    /// `uring` where a probe finds that it works, else `epoll`.
    Auto,
    /// `io_uring`.
    Uring,
    /// epoll.
    Epoll,
}

impl IoChoice {
    /// The way that this machine supports. The error says why `io_uring`, if requested, is not
    /// available.
    pub fn resolve(self) -> io::Result<Io> {
        match self {
            Self::Epoll => Ok(Io::Epoll),
            Self::Uring => crate::uring::probe().map(|()| Io::Uring),
            Self::Auto => Ok(if crate::uring::probe().is_ok() { Io::Uring } else { Io::Epoll }),
        }
    }
}

/// The way of I/O in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Io {
    /// `io_uring`.
    Uring,
    /// epoll.
    Epoll,
}

/// Sizes of an `io_uring`, where they differ from those that fit the connections. Tests use small
/// ones: they make the kernel run out of buffers and of places for completions.
#[derive(Debug, Clone, Copy, Default)]
pub struct RingSize {
    /// Buffers for received bytes, a power of two.
    pub buffers: Option<u16>,
    /// How many completions may wait.
    pub completions: Option<u32>,
}

/// From this many bytes on, two receives pay: one of the head, and one that counts the rest.
pub(crate) const WORTH_COUNTING: u64 = 32 * 1024;

/// How much is read of an answer that may be large: its head, and few of the bytes that could have
/// been counted.
pub(crate) const HEAD_SIZE: u32 = 2 * 1024;

/// After a large answer, this many more answers may be large.
pub(crate) const HEADS_AFTER_LARGE: u8 = 8;

/// An event of the connection in a slot.
#[derive(Debug)]
pub struct Event<P> {
    /// The connection's slot.
    pub slot: usize,
    /// What happened on it.
    pub what: What<P>,
}

/// See [`Event`].
#[derive(Debug)]
pub enum What<P> {
    /// The connection is established. Where it carried bytes ahead of its handshake
    /// ([`Backend::connect`]), this one is complete.
    Established,
    /// The connection could not be made.
    Unconnected(Failure),
    /// Bytes were received.
    Bytes {
        /// The bytes, which must be given back.
        piece: P,
        /// There is more to read already, bytes or the end, and its event follows.
        more: bool,
    },
    /// Bytes were received that [`Backend::may_count`] allowed to count. Their content was not
    /// read.
    Counted {
        /// How many bytes.
        length: u64,
        /// As with [`What::Bytes`].
        more: bool,
    },
    /// The server has closed its side.
    End,
    /// Reading or writing failed.
    Failed(Failure),
}

/// Bytes to send, of which some may be sent already.
#[derive(Debug, Clone)]
pub(crate) enum Unsent {
    /// A part of the outbox.
    Part(Range<usize>),
    /// A part of bytes outside the outbox.
    Owned(Arc<[u8]>, Range<usize>),
}

impl Unsent {
    /// Notes that this many bytes have been sent; returns whether any are left.
    #[inline]
    pub(crate) fn advance(&mut self, sent: usize) -> bool {
        let (Self::Part(left) | Self::Owned(_, left)) = self;
        left.start += sent;
        left.start < left.end
    }

    /// The bytes that are left.
    #[inline]
    pub(crate) fn bytes<'a>(&'a self, outbox: &'a [u8]) -> &'a [u8] {
        match self {
            Self::Part(range) => &outbox[range.clone()],
            Self::Owned(bytes, range) => &bytes[range.clone()],
        }
    }
}

/// What happens to a connection when all is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum WhenSent {
    #[default]
    Nothing,
    /// Our side is closed.
    EndSending,
    /// The socket is closed.
    Close,
}

/// What client and server agreed on in the handshake of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreed {
    /// `1.2` or `1.3`.
    pub tls_version: &'static str,
    /// The suite's name as in its RFC, except for hyphens: `TLS13_AES_128_GCM_SHA256`.
    pub cipher: &'static str,
    /// The protocol's ALPN name; `None` where the server named none.
    pub alpn: Option<&'static str>,
    /// Whether a former session was resumed.
    pub resumed: bool,
    /// Whether the server took the bytes that were sent ahead of the handshake (0-RTT). `None`: none
    /// were.
    pub early: Option<bool>,
    /// The time from the established connection to the end of the handshake.
    pub took_ns: u64,
}

/// What QUIC has sent and received in datagrams, on all connections so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Datagrams {
    /// Datagrams sent.
    pub sent: u64,
    /// Bytes in them.
    pub sent_bytes: u64,
    /// System calls that sent them: fewer where one call sends several of one size (GSO,
    /// `UDP_SEGMENT`).
    pub sends: u64,
    /// Datagrams received.
    pub received: u64,
    /// Bytes in them.
    pub received_bytes: u64,
    /// Pieces in which the kernel delivered them: fewer where it joins several into one
    /// (`UDP_GRO`).
    pub pieces: u64,
    /// Packets of ours that were taken for lost, and whose content was sent again.
    pub lost: u64,
    /// Handshakes that a server answered with a Retry: they took one more round trip.
    pub retries: u64,
}

impl Datagrams {
    /// Adds the counts of one more connection, or thread.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.sent_bytes += other.sent_bytes;
        self.sends += other.sends;
        self.received += other.received;
        self.received_bytes += other.received_bytes;
        self.pieces += other.pieces;
        self.lost += other.lost;
        self.retries += other.retries;
    }

    /// The counts since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            sent: self.sent - before.sent,
            sent_bytes: self.sent_bytes - before.sent_bytes,
            sends: self.sends - before.sends,
            received: self.received - before.received,
            received_bytes: self.received_bytes - before.received_bytes,
            pieces: self.pieces - before.pieces,
            lost: self.lost - before.lost,
            retries: self.retries - before.retries,
        }
    }
}

/// A [`Backend`] that the kernel provides and that needs nothing else.
pub trait Kernel: Backend {
    /// A backend for connections in this many slots, which send parts of `outbox`.
    fn new(slots: usize, outbox: Arc<[u8]>, size: RingSize) -> io::Result<Self>;
}

/// One way of doing I/O, for the connections of one pool on one thread.
pub trait Backend: Sized {
    /// Bytes that were received; they must be given back.
    type Piece;

    /// Whether a connection is established by a handshake, so that an event always says when.
    const SHAKES_HANDS: bool = false;

    /// The result of the handshake of a slot's connection, once it is established. `None` where
    /// there is no handshake.
    fn agreed(&self, _slot: usize) -> Option<Agreed> {
        None
    }

    /// The counts of datagrams so far. `None` where no datagrams are used.
    fn datagrams(&self) -> Option<Datagrams> {
        None
    }

    /// Accepts connections from now on: [`Backend::accepted`] gives them.
    fn listen(&mut self, listener: OwnedFd) -> Result<(), Errno>;

    /// The next socket that was accepted, to be opened in a slot, or why no socket can be. To be
    /// called when [`Backend::next`] has nothing left.
    fn accepted(&mut self) -> Option<Result<OwnedFd, Errno>>;

    /// Starts to connect a slot's new socket (`nth`: how many came before it), and to send `first`,
    /// a part of the outbox, unless a [handshake](Backend::SHAKES_HANDS) comes first. Returns
    /// whether the socket is established already, or takes bytes ahead of its handshake: nothing is
    /// [agreed](Backend::agreed) on then. If not, or then, an event reports when it is established,
    /// or why it cannot be.
    fn connect(
        &mut self,
        slot: usize,
        route: &Route,
        nth: u64,
        first: Option<Range<usize>>,
    ) -> Result<bool, Errno> {
        let opened = socket::open(route, nth)?;
        let established = opened.established;
        self.open(slot, opened)?;
        if let Some(first) = first {
            self.send(slot, first);
        }
        Ok(established)
    }

    /// Takes over a slot's new socket. If it is not yet established, an event reports when it is.
    /// The slot may be one more than there were.
    fn open(&mut self, slot: usize, opened: Opened) -> Result<(), Errno>;

    /// Sends a part of the outbox, after any bytes that are still being sent on that connection.
    fn send(&mut self, slot: usize, part: Range<usize>);

    /// Sends bytes outside the outbox, after any that are still being sent on that connection.
    #[inline]
    fn send_owned(&mut self, slot: usize, bytes: Arc<[u8]>) {
        let whole = 0..bytes.len();
        self.send_part_of(slot, bytes, whole);
    }

    /// The same for a part of them. All are held until it is sent.
    fn send_part_of(&mut self, slot: usize, bytes: Arc<[u8]>, part: Range<usize>);

    /// The content of the next `length` bytes on a slot's TCP connection is not needed. If there
    /// are many, they may be counted instead of being read ([`What::Counted`]). Holds until other
    /// bytes arrive.
    fn may_count(&mut self, _slot: usize, _length: u64) {}

    /// Closes our side of a slot's connection, after any bytes that are still being sent there.
    fn end_sending(&mut self, slot: usize);

    /// Closes a slot's socket.
    fn close(&mut self, slot: usize);

    /// Closes a slot's socket after any bytes that are still being sent there. The other side has
    /// ended.
    fn close_when_sent(&mut self, slot: usize);

    /// Whether a slot's connection may be taken away after its last answer. If not, an event follows
    /// when it may: what the next connection needs is still on its way.
    fn may_retire(&self, _slot: usize) -> bool {
        true
    }

    /// Takes a slot's socket away after its last answer; the socket is closed some time later.
    ///
    /// The side that closes first holds the port in `TIME_WAIT` for a minute. Where the server was
    /// asked to close, it closes first, as with a client that reads to the end of the connection.
    /// Waiting for its FIN would occupy a place among the connections; a reset (`SO_LINGER` 0)
    /// frees the port but is an error to many servers. So the socket is closed when the server's
    /// FIN has arrived, which some servers wait for us to answer, or when the slot's next socket is
    /// retired. Bytes for which the socket had no room are not sent any more.
    fn retire(&mut self, slot: usize);

    /// Closes the retired sockets. Afterwards all closed sockets are gone, even if the backend is
    /// not used for a while.
    fn close_retired(&mut self) -> io::Result<()>;

    /// Hands over the queued sends.
    fn hand_over(&mut self) -> io::Result<()>;

    /// Hands over the queued sends and collects events, without waiting.
    fn turn(&mut self) -> io::Result<()>;

    /// Whether there is something for [`Backend::turn`] and [`Backend::next`] to report.
    fn has_news(&mut self) -> io::Result<bool>;

    /// Hands over the queued sends and waits for an event, up to the timeout. A signal ends the
    /// wait early.
    fn wait(&mut self, timeout_ns: u64) -> io::Result<()>;

    /// The next event.
    fn next(&mut self) -> Option<Event<Self::Piece>>;

    /// The bytes of a piece.
    fn bytes<'a>(&'a self, piece: &'a Self::Piece) -> &'a [u8];

    /// The same, to be changed in place.
    fn bytes_mut<'a>(&'a mut self, piece: &'a mut Self::Piece) -> &'a mut [u8];

    /// Gives the piece's buffer back, for other bytes.
    fn release(&mut self, piece: Self::Piece);
}
