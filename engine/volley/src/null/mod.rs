//! The null server: fixed bytes for whoever sends anything. It bounds what any generator can show.
//!
//! It does not parse, so that it costs as little as a server on this machine can: what a generator
//! reaches against it is the generator's own limit, or the kernel's.

mod debt;
mod epoll;
#[cfg(test)]
mod tests;
mod uring;

use crate::io::{Io, IoChoice};
use debt::Answers;
use std::io::{Error, ErrorKind, Result};
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Connections that may wait to be accepted; the system may allow fewer (`somaxconn`).
const BACKLOG: i32 = 4096;

/// How long to poll before sleeping: whoever wakes a sleeper pays for it, and that would be the
/// generator.
const POLL: Duration = Duration::from_micros(50);

/// The longest sleep: so late `stop` is looked at.
const PATIENCE_NS: u32 = 40_000_000;

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
    /// must have one request in flight, of 2 KiB at most.
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
        let io = match io {
            IoChoice::Epoll => Io::Epoll,
            IoChoice::Uring => uring::probe().map(|()| Io::Uring)?,
            IoChoice::Auto => uring::probe().map_or(Io::Epoll, |()| Io::Uring),
        };
        let listener = TcpListener::bind(address)?;
        rustix::net::listen(&listener, BACKLOG)?;
        // Accepted sockets inherit it.
        rustix::net::sockopt::set_tcp_nodelay(&listener, true)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, io, answer, request_length })
    }

    /// Where it listens.
    pub fn address(&self) -> Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// How it does its input and output.
    #[must_use]
    pub fn io(&self) -> Io {
        self.io
    }

    /// Answers on the calling thread until `stop` is set, and then closes all connections.
    ///
    /// Fails if connections cannot be accepted any more, for want of open files for instance: a
    /// figure measured against a server that serves fewer connections would mislead.
    pub fn run(self, stop: &AtomicBool) -> Result<()> {
        let answers = Answers::new(&self.answer, self.request_length);
        match self.io {
            Io::Uring => uring::run(&self.listener, answers, stop),
            Io::Epoll => epoll::run(&self.listener, answers, stop),
        }
    }
}
