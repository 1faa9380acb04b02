//! How connections are made, written to and read from: `io_uring` where it works, else epoll.
//!
//! A [`Backend`] owns the sockets of one pool's connections, numbered as slots, and reports in
//! [`Event`]s what happens on them. It drops late completions of sockets that it has closed.

use crate::failure::Failure;
use crate::route::Route;
use crate::socket::{self, Opened};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Events to handle before what they led to is handed over to the kernel.
///
/// A turn of `io_uring` sends all its requests in one system call, in which each takes its 2 µs or
/// so. Longer turns save little more and make the requests at their end late.
pub const EVENTS_AT_ONCE: usize = 64;

/// Which way was asked for.
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
    /// What is used on this machine. The error says why `io_uring`, if asked for, is not available.
    pub fn resolve(self) -> io::Result<Io> {
        match self {
            Self::Epoll => Ok(Io::Epoll),
            Self::Uring => crate::uring::probe().map(|()| Io::Uring),
            Self::Auto => Ok(if crate::uring::probe().is_ok() { Io::Uring } else { Io::Epoll }),
        }
    }
}

/// Which way is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Io {
    /// `io_uring`.
    Uring,
    /// epoll.
    Epoll,
}

/// Sizes of an `io_uring`, where not those that fit the connections. Small ones are for tests: they
/// make the kernel run out of buffers and of places for completions.
#[derive(Debug, Clone, Copy, Default)]
pub struct RingSize {
    /// Buffers for received bytes, a power of two.
    pub buffers: Option<u16>,
    /// Completions that may wait.
    pub completions: Option<u32>,
}

/// So many bytes are worth two receives, one of the head and one that counts the rest.
pub(crate) const WORTH_COUNTING: u64 = 32 * 1024;

/// So much is read of an answer that may be large: its head, and little that would have been counted.
pub(crate) const HEAD_SIZE: u32 = 2 * 1024;

/// Behind a large answer, so many more may be large.
pub(crate) const HEADS_AFTER_LARGE: u8 = 8;

/// What happened on the connection in a slot.
#[derive(Debug)]
pub struct Event<P> {
    /// Which connection.
    pub slot: usize,
    /// What happened there.
    pub what: What<P>,
}

/// See [`Event`].
#[derive(Debug)]
pub enum What<P> {
    /// The connection is there.
    Established,
    /// The connection could not be made.
    Unconnected(Failure),
    /// Bytes came.
    Bytes {
        /// They must be given back.
        piece: P,
        /// There is more to read already, bytes or the end, and its event follows.
        more: bool,
    },
    /// Bytes came that [`Backend::may_count`] let be counted. They have been read by nobody.
    Counted {
        /// How many.
        length: u64,
        /// As with [`What::Bytes`].
        more: bool,
    },
    /// The server has closed its side.
    End,
    /// Reading or writing failed.
    Failed(Failure),
}

/// Bytes to send, or the rest of them.
#[derive(Debug, Clone)]
pub(crate) enum Unsent {
    /// A part of the outbox.
    Part(Range<usize>),
    /// A part of bytes of their own.
    Owned(Arc<[u8]>, Range<usize>),
}

impl Unsent {
    /// All of some bytes.
    pub(crate) fn all(bytes: Arc<[u8]>) -> Self {
        let whole = 0..bytes.len();
        Self::Owned(bytes, whole)
    }

    /// So many bytes have been sent; returns whether any are left.
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

/// What is done with a connection when all is sent.
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
    /// The suite's name as its RFC has it, but for hyphens: `TLS13_AES_128_GCM_SHA256`.
    pub cipher: &'static str,
    /// The protocol, as ALPN names it; `None` where the server said nothing of it.
    pub alpn: Option<&'static str>,
    /// Whether a former session was gone on with.
    pub resumed: bool,
    /// From the established connection to the end of the handshake.
    pub took_ns: u64,
}

/// What QUIC has sent and received in datagrams, on all connections so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Datagrams {
    /// Datagrams sent.
    pub sent: u64,
    /// Bytes in them.
    pub sent_bytes: u64,
    /// System calls that sent them: fewer where one has several of a size (GSO, `UDP_SEGMENT`).
    pub sends: u64,
    /// Datagrams received.
    pub received: u64,
    /// Bytes in them.
    pub received_bytes: u64,
    /// Pieces that the kernel gave them in: fewer where it puts several into one (`UDP_GRO`).
    pub pieces: u64,
    /// Packets of ours that were taken for lost, and what they carried sent again.
    pub lost: u64,
}

impl Datagrams {
    /// Those of one more connection, or thread.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.sent_bytes += other.sent_bytes;
        self.sends += other.sends;
        self.received += other.received;
        self.received_bytes += other.received_bytes;
        self.pieces += other.pieces;
        self.lost += other.lost;
    }

    /// Those since `before`.
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
        }
    }
}

/// A [`Backend`] that the kernel provides, and that needs nothing else.
pub trait Kernel: Backend {
    /// For connections in so many slots, which send parts of `outbox`.
    fn new(slots: usize, outbox: Arc<[u8]>, size: RingSize) -> io::Result<Self>;
}

/// One way of doing I/O, for the connections of one pool on one thread.
pub trait Backend: Sized {
    /// Bytes that were received; they must be given back.
    type Piece;

    /// Whether a connection is established by a handshake, so that an event always says when.
    const SHAKES_HANDS: bool = false;

    /// What the handshake of a slot's connection came to, once it is established. `None` where there
    /// is none.
    fn agreed(&self, _slot: usize) -> Option<Agreed> {
        None
    }

    /// What went in datagrams so far. `None` where nothing does.
    fn datagrams(&self) -> Option<Datagrams> {
        None
    }

    /// Accepts connections from now on: [`Backend::accepted`] gives them.
    fn listen(&mut self, listener: OwnedFd) -> Result<(), Errno>;

    /// The next socket that was accepted, to be opened in a slot, or why none can be. To be asked
    /// when [`Backend::next`] has nothing left.
    fn accepted(&mut self) -> Option<Result<OwnedFd, Errno>>;

    /// Starts to connect a slot's new socket, which `nth` others came before, and to send `first`, a
    /// part of the outbox, unless a [handshake](Backend::SHAKES_HANDS) comes before. Whether it is
    /// established already; if not, an event says when it is, or why it can't be.
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

    /// Takes over a slot's new socket. If it is not yet established, an event says when it is. The
    /// slot may be one more than there were.
    fn open(&mut self, slot: usize, opened: Opened) -> Result<(), Errno>;

    /// Sends a part of the outbox, behind whatever is being sent on that connection.
    fn send(&mut self, slot: usize, part: Range<usize>);

    /// Sends bytes of their own, behind whatever is being sent on that connection.
    fn send_owned(&mut self, slot: usize, bytes: Arc<[u8]>);

    /// The next `length` bytes on a slot's TCP connection are looked at by nobody. Where they are many, they may be
    /// counted instead of being read ([`What::Counted`]). Holds until other bytes come.
    fn may_count(&mut self, _slot: usize, _length: u64) {}

    /// Closes our side of a slot's connection, behind whatever is being sent there.
    fn end_sending(&mut self, slot: usize);

    /// Closes a slot's socket.
    fn close(&mut self, slot: usize);

    /// The same, behind whatever is being sent there, after the other side has ended.
    fn close_when_sent(&mut self, slot: usize);

    /// Takes a slot's socket away after its last answer, to be closed some time later.
    ///
    /// Who closes first holds the port in `TIME_WAIT` for a minute. Where the server was asked to
    /// close, that is its part, as with a client that reads to the end of the connection. Waiting
    /// for its FIN would cost a place among the connections, a reset (`SO_LINGER` 0) frees the
    /// port but is an error in many a server's eyes. So the socket is closed when the server's FIN
    /// has come, which some servers wait for us to answer, or when the slot's next one is retired. What
    /// the socket had no room for is not sent any more.
    fn retire(&mut self, slot: usize);

    /// Closes what was retired. Afterwards all that was closed is gone, though nothing may be done
    /// here for a while.
    fn close_retired(&mut self) -> io::Result<()>;

    /// Hands over what is to be sent.
    fn hand_over(&mut self) -> io::Result<()>;

    /// Hands over what is to be sent, and collects what has happened, without waiting.
    fn turn(&mut self) -> io::Result<()>;

    /// Whether there is something for [`Backend::turn`] and [`Backend::next`] to report.
    fn has_news(&mut self) -> io::Result<bool>;

    /// Hands over what is to be sent, and waits until something has happened, so long at most.
    /// A signal ends the wait early.
    fn wait(&mut self, timeout_ns: u64) -> io::Result<()>;

    /// The next of what has happened.
    fn next(&mut self) -> Option<Event<Self::Piece>>;

    /// The bytes of a piece.
    fn bytes<'a>(&'a self, piece: &'a Self::Piece) -> &'a [u8];

    /// Makes room for other bytes.
    fn release(&mut self, piece: Self::Piece);
}
