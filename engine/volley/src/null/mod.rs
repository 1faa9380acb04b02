//! The null server answers whatever it receives with fixed bytes.
//!
//! It inspects no more than its protocol requires, so it costs as little as a server can on this
//! machine. The rate that a generator reaches against it is the limit of the generator, or of the
//! kernel.

mod channel;
mod http1;
mod http2;
mod http3;
mod speaker;
#[cfg(test)]
mod tests;
mod websocket;

use channel::{Channel, Clear, Sealed};
use http1::Http1;
use http2::Http2;
use http3::Http3;
use rustix::fd::{AsRawFd, OwnedFd};
use speaker::{Due, Speaker};
use std::io::{Error, ErrorKind, Result};
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use volley_net::clock::{MS, now_ns};
use volley_net::socket::Opened;
use volley_net::{Backend, Epoll, Event, Io, IoChoice, Kernel, Patience, RingSize, Uring, What};
use volley_tls::{Identity, Serving};
use websocket::WebSocket;

/// Connections that may wait to be accepted; the system may allow fewer (`somaxconn`).
const BACKLOG: i32 = 4096;

/// The longest sleep, and so the delay with which `stop` is seen.
const SLEEP_NS: u64 = 40 * MS;

/// The outbox contains the answer this often, so that simultaneous answers are sent at once.
const COPIES: usize = 64;

/// The outbox is not larger than this, or than one answer: more would not fit a socket anyway.
const OUTBOX_BYTES: usize = 256 * 1024;

/// The number of clients is unknown.
const RING: RingSize = RingSize { buffers: None, completions: Some(32_768) };

/// The kinds of answers.
#[derive(Debug)]
pub enum Answers {
    /// HTTP/1: these bytes.
    ///
    /// With a `request_length`, one answer for every so many received bytes: requests may be
    /// pipelined or come in pieces. Without it, one for each receive: connections must have one
    /// request in flight, of 4 KiB at most.
    Http1 {
        /// Head and body.
        answer: Vec<u8>,
        /// The length in bytes.
        request_length: Option<usize>,
    },
    /// HTTP/2, by ALPN or prior knowledge: status 200 with this body, to each request.
    Http2 {
        /// The body's bytes.
        body: Vec<u8>,
    },
    /// WebSocket: each message's echo.
    WebSocket,
    /// HTTP/3: status 200 with this body, to each request.
    Http3 {
        /// The body's bytes.
        body: Vec<u8>,
    },
}

/// A server that listens, and answers once it runs.
#[derive(Debug)]
pub struct Null {
    io: Io,
    bound: Bound,
}

/// The listening socket and its address.
#[derive(Debug)]
enum Bound {
    Tcp { listener: TcpListener, ready: Ready, serving: Option<Serving> },
    Udp(Box<volley_quic::Server>, Http3),
}

/// The checked answer.
#[derive(Debug)]
enum Ready {
    /// With the answer.
    Http1(Http1, Vec<u8>),
    Http2(Http2),
    WebSocket,
}

impl Null {
    /// Listens on `address`; with an `identity`, for TLS.
    pub fn bind(
        address: SocketAddr,
        answers: Answers,
        identity: Option<Identity>,
        io: IoChoice,
    ) -> Result<Self> {
        let wrong = |text: String| Error::new(ErrorKind::InvalidInput, text);
        let (ready, alpn) = match answers {
            Answers::Http1 { answer, request_length } => {
                let request_length = match request_length.map(NonZeroUsize::new) {
                    Some(None) => return Err(wrong("the length of a request is 0".into())),
                    given => given.flatten(),
                };
                if answer.is_empty() {
                    return Err(wrong("the answer has no bytes".into()));
                }
                (Ready::Http1(Http1::new(&answer, request_length), answer), "http/1.1")
            }
            Answers::WebSocket => (Ready::WebSocket, "http/1.1"),
            Answers::Http2 { body } => (Ready::Http2(Http2::new(body)), "h2"),
            Answers::Http3 { body } => {
                let identity =
                    identity.ok_or_else(|| wrong("HTTP/3 needs a certificate".into()))?;
                let serving = Serving::new(identity, "h3").map_err(wrong)?;
                let answering = Http3::new(&body);
                let server = volley_quic::Server::bind(address, &serving, answering.length())?;
                return Ok(Self { io: Io::Epoll, bound: Bound::Udp(Box::new(server), answering) });
            }
        };
        let serving = identity.map(|own| Serving::new(own, alpn)).transpose().map_err(wrong)?;
        let io = io.resolve()?;
        let listener = TcpListener::bind(address)?;
        rustix::net::listen(&listener, BACKLOG)?;
        // Accepted sockets inherit this option.
        rustix::net::sockopt::set_tcp_nodelay(&listener, true)?;
        Ok(Self { io, bound: Bound::Tcp { listener, ready, serving } })
    }

    /// Where it listens.
    pub fn address(&self) -> Result<SocketAddr> {
        match &self.bound {
            Bound::Tcp { listener, .. } => listener.local_addr(),
            Bound::Udp(server, _) => Ok(server.address()),
        }
    }

    /// Its way of input and output.
    pub fn io(&self) -> Io {
        self.io
    }

    /// Answers on the calling thread until `stop` is set, and then closes all connections.
    ///
    /// Fails if connections cannot be accepted any more, for example for want of open files: a
    /// figure measured against a server with fewer connections would mislead.
    pub fn run(self, stop: &AtomicBool) -> Result<()> {
        match (self.bound, self.io) {
            (Bound::Udp(server, answers), _) => answers.serve(*server, stop),
            (Bound::Tcp { listener, ready, serving }, Io::Uring) => {
                serve::<Uring>(listener, ready, serving, stop)
            }
            (Bound::Tcp { listener, ready, serving }, Io::Epoll) => {
                serve::<Epoll>(listener, ready, serving, stop)
            }
        }
    }
}

fn serve<B: Kernel>(
    listener: TcpListener,
    ready: Ready,
    serving: Option<Serving>,
    stop: &AtomicBool,
) -> Result<()> {
    match ready {
        Ready::Http1(speaker, answer) => serve_in::<B, _>(listener, speaker, answer, serving, stop),
        Ready::WebSocket => serve_in::<B, _>(listener, WebSocket, Vec::new(), serving, stop),
        Ready::Http2(speaker) => serve_in::<B, _>(listener, speaker, Vec::new(), serving, stop),
    }
}

/// Serves in TLS or without. `answer`: the bytes that [`Due::answers`] counts.
fn serve_in<B: Kernel, S: Speaker>(
    listener: TcpListener,
    speaker: S,
    answer: Vec<u8>,
    serving: Option<Serving>,
    stop: &AtomicBool,
) -> Result<()> {
    if let Some(serving) = serving {
        let io = B::new(0, Vec::new().into(), RING)?;
        return Server::new(io, Sealed::new(serving, answer), speaker).run(listener, stop);
    }
    let answer_length = answer.len();
    let copies = (OUTBOX_BYTES / answer_length.max(1)).clamp(1, COPIES);
    let io = B::new(0, answer.repeat(copies).into(), RING)?;
    Server::new(io, Clear { answer_length, copies }, speaker).run(listener, stop)
}

struct Server<B, C, S: Speaker> {
    io: B,
    channel: C,
    speaker: S,
    /// Slots are the sockets' descriptors, which the kernel keeps small.
    connections: Vec<S::Connection>,
    /// The state of the connection that is being served.
    due: Due,
}

impl<B: Backend, C: Channel, S: Speaker> Server<B, C, S> {
    fn new(io: B, channel: C, speaker: S) -> Self {
        Self { io, channel, speaker, connections: Vec::new(), due: Due::default() }
    }

    fn run(mut self, listener: TcpListener, stop: &AtomicBool) -> Result<()> {
        self.io.listen(listener.into())?;
        // A sleeping server would cost the generator, which has to wake it.
        let patience = Patience::here();
        while !stop.load(Ordering::Relaxed) {
            patience.turn(&mut self.io, now_ns() + SLEEP_NS)?;
            self.dispatch()?;
        }
        Ok(())
    }

    /// Answers everything that has arrived.
    fn dispatch(&mut self) -> Result<()> {
        while let Some(Event { slot, what }) = self.io.next() {
            match what {
                What::Bytes { piece, .. } => self.answer(slot, piece),
                // The client sends no more. Its answers are still sent.
                What::End => self.io.close_when_sent(slot),
                What::Failed(_) => self.io.close(slot),
                // The server only accepts, and reads everything.
                What::Established | What::Unconnected(_) | What::Counted { .. } => {}
            }
        }
        while let Some(accepted) = self.io.accepted() {
            self.open(accepted?)?;
        }
        Ok(())
    }

    fn open(&mut self, fd: OwnedFd) -> Result<()> {
        let slot = usize::try_from(fd.as_raw_fd()).expect("an open file has a number from 0 on");
        self.connections.resize_with(self.connections.len().max(slot + 1), S::Connection::default);
        self.connections[slot] = S::Connection::default();
        self.io.open(slot, Opened { fd, established: true })?;
        self.channel.accept(slot).map_err(Error::other)?;
        if C::GREETS {
            self.due.clear();
            self.speaker.greet(&mut self.connections[slot], &mut self.due);
            self.channel.send(slot, &self.due, &mut self.io);
        }
        Ok(())
    }

    /// Bytes were received: sends the answers to the requests that they complete.
    #[inline]
    fn answer(&mut self, slot: usize, piece: B::Piece) {
        let Self { io, channel, speaker, due, .. } = self;
        let connection = &mut self.connections[slot];
        due.clear();
        let opened = channel.open(slot, io.bytes(&piece));
        if opened.greets {
            speaker.greet(connection, due);
        }
        if !opened.plain.is_empty() {
            speaker.receive(connection, opened.plain, due);
        }
        due.ends |= opened.ends;
        io.release(piece);
        channel.send(slot, due, io);
    }
}
