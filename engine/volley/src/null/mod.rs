//! The null server answers whatever it receives with fixed bytes.
//!
//! It does not parse, so it costs as little as a server can on this machine. The rate that a generator
//! reaches against it is the limit of the generator, or of the kernel.

#[cfg(test)]
mod tests;

use rustix::fd::{AsRawFd, OwnedFd};
use std::io::{Error, ErrorKind, Result};
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use volley_net::clock::{MS, now_ns};
use volley_net::socket::Opened;
use volley_net::{Backend, Epoll, Event, Io, IoChoice, Kernel, Patience, RingSize, Uring, What};

/// Connections that may wait to be accepted; the system may allow fewer (`somaxconn`).
const BACKLOG: i32 = 4096;

/// The longest sleep: so late `stop` is looked at.
const SLEEP_NS: u64 = 40 * MS;

/// The outbox holds the answer this often, so that answers that are due at once go out at once.
const COPIES: usize = 64;

/// But it is no larger than this, or than one answer: more would not fit a socket anyway.
const OUTBOX_BYTES: usize = 256 * 1024;

/// How many clients there will be is not known.
const RING: RingSize = RingSize { buffers: Some(1024), completions: Some(32_768) };

/// A server that listens, and answers once it runs.
#[derive(Debug)]
pub struct Null {
    listener: TcpListener,
    io: Io,
    answer: Vec<u8>,
    request_length: Option<NonZeroUsize>,
}

impl Null {
    /// Listens on `address`.
    ///
    /// With a `request_length`, each so many received bytes get an `answer`: requests may be
    /// pipelined or come in pieces. Without it, whatever one receive brings gets one: connections
    /// must have one request in flight, of 4 KiB at most.
    pub fn bind(
        address: SocketAddr,
        answer: Vec<u8>,
        request_length: Option<usize>,
        io: IoChoice,
    ) -> Result<Self> {
        let wrong = |text| Error::new(ErrorKind::InvalidInput, text);
        let request_length = match request_length.map(NonZeroUsize::new) {
            Some(None) => return Err(wrong("the length of a request is 0")),
            given => given.flatten(),
        };
        if answer.is_empty() {
            return Err(wrong("the answer has no bytes"));
        }
        let io = io.resolve()?;
        let listener = TcpListener::bind(address)?;
        rustix::net::listen(&listener, BACKLOG)?;
        // Accepted sockets inherit it.
        rustix::net::sockopt::set_tcp_nodelay(&listener, true)?;
        Ok(Self { listener, io, answer, request_length })
    }

    /// Where it listens.
    pub fn address(&self) -> Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// How it does its input and output.
    pub fn io(&self) -> Io {
        self.io
    }

    /// Answers on the calling thread until `stop` is set, and then closes all connections.
    ///
    /// Fails if connections cannot be accepted any more, for want of open files for instance: a
    /// figure measured against a server that serves fewer connections would mislead.
    pub fn run(self, stop: &AtomicBool) -> Result<()> {
        match self.io {
            Io::Uring => self.serve::<Uring>(stop),
            Io::Epoll => self.serve::<Epoll>(stop),
        }
    }

    fn serve<B: Kernel>(self, stop: &AtomicBool) -> Result<()> {
        let copies = (OUTBOX_BYTES / self.answer.len()).clamp(1, COPIES);
        let mut io = B::new(0, self.answer.repeat(copies).into(), RING)?;
        io.listen(self.listener.into())?;
        let mut server = Server {
            io,
            received: Vec::new(),
            answer_length: self.answer.len(),
            copies,
            request_length: self.request_length,
        };
        // A sleeping server would cost the generator, which has to wake it.
        let patience = Patience::here();
        while !stop.load(Ordering::Relaxed) {
            patience.turn(&mut server.io, now_ns() + SLEEP_NS)?;
            server.dispatch()?;
        }
        Ok(())
    }
}

struct Server<B> {
    io: B,
    /// Of each connection, how many bytes of a request that is not complete were received. Slots are
    /// the sockets' numbers, which the kernel keeps small.
    received: Vec<usize>,
    answer_length: usize,
    copies: usize,
    request_length: Option<NonZeroUsize>,
}

impl<B: Backend> Server<B> {
    /// Answers all that has come.
    fn dispatch(&mut self) -> Result<()> {
        while let Some(Event { slot, what }) = self.io.next() {
            match what {
                What::Bytes { piece, .. } => {
                    let length = self.io.bytes(&piece).len();
                    self.io.give_back(piece);
                    self.answer(slot, length);
                }
                // The client sends no more. Its answers still go out.
                What::End => self.io.close_when_sent(slot),
                What::Failed(_) => self.io.close(slot),
                What::Established | What::Unconnected(_) => {} // We only accept.
            }
        }
        while let Some(accepted) = self.io.accepted() {
            self.open(accepted?)?;
        }
        Ok(())
    }

    fn open(&mut self, fd: OwnedFd) -> Result<()> {
        let slot = usize::try_from(fd.as_raw_fd()).expect("an open file has a number from 0 on");
        self.received.resize(self.received.len().max(slot + 1), 0);
        self.received[slot] = 0;
        Ok(self.io.open(slot, Opened { fd, established: true })?)
    }

    /// So many bytes were received at once: sends the answers to the requests that they complete.
    #[inline]
    fn answer(&mut self, slot: usize, length: usize) {
        let mut due = match self.request_length {
            None => 1,
            Some(request_length) => {
                let received = self.received[slot] + length;
                self.received[slot] = received % request_length;
                received / request_length
            }
        };
        while due > 0 {
            let at_once = due.min(self.copies);
            self.io.send(slot, 0..at_once * self.answer_length);
            due -= at_once;
        }
    }
}
