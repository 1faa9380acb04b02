//! The server's side, on one socket: for the null server.

use crate::line::Line;
use crate::socket::{Inbox, Socket};
use crate::timers::Timers;
use crate::{DATAGRAM, transport};
use bytes::BytesMut;
use quinn_proto::crypto::rustls::QuicServerConfig;
use quinn_proto::{DatagramEvent, Endpoint, EndpointConfig, ServerConfig};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};
use volley_tls::Serving;

/// Streams of requests that a client may have open on a connection. quinn-proto makes a place for
/// each when a connection begins: 65,536 took 20 ms.
const REQUESTS: u32 = 256;

/// How long it polls before it sleeps, like the other null servers.
const AWAKE: Duration = Duration::from_micros(50);

/// Pieces that are received at a time.
const PIECES_AT_ONCE: usize = 32;

/// See the module.
pub struct Server {
    socket: Socket,
    address: SocketAddr,
    endpoint: Endpoint,
    /// The connections, by the number of their handle.
    lines: Vec<Option<Line>>,
    timers: Timers,
    inbox: Inbox,
    /// The connections to be read and flushed.
    ready: VecDeque<usize>,
    is_ready: Vec<bool>,
    /// The kernel has no room.
    blocked: Vec<usize>,
    records: Vec<u8>,
    buffer: Vec<u8>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Listens on `address`. `most`: the most bytes of an answer.
    pub fn bind(address: SocketAddr, serving: &Serving, most: usize) -> io::Result<Self> {
        let crypto = QuicServerConfig::try_from(serving.quic_server()).map_err(io::Error::other)?;
        let mut config = ServerConfig::with_crypto(Arc::new(crypto));
        config.transport_config(Arc::new(transport(REQUESTS, most > DATAGRAM)));
        let endpoint =
            Endpoint::new(Arc::new(EndpointConfig::default()), Some(Arc::new(config)), true, None);
        let socket = UdpSocket::bind(address)?;
        let address = socket.local_addr()?;
        Ok(Self {
            socket: Socket::bound(socket.into())?,
            address,
            endpoint,
            lines: Vec::new(),
            timers: Timers::default(),
            inbox: Inbox::new(PIECES_AT_ONCE),
            ready: VecDeque::new(),
            is_ready: Vec::new(),
            blocked: Vec::new(),
            records: Vec::new(),
            buffer: Vec::new(),
        })
    }

    /// The address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes what has arrived, waiting this long at most if nothing has. `answer` gets a
    /// connection's number, whether it is new, and the records that arrived on it, and appends its
    /// own records. The connection is closed with the code that it returns.
    pub fn turn(
        &mut self,
        timeout: Duration,
        mut answer: impl FnMut(usize, bool, &[u8], &mut Vec<u8>) -> Option<u64>,
    ) -> io::Result<()> {
        if !self.receive_soon()? {
            self.wait(timeout)?;
            self.receive()?;
        }
        let now = Instant::now();
        while let Some(nth) = self.timers.take_due(now) {
            if let Some(Some(line)) = self.lines.get_mut(nth) {
                line.take_time(now);
                self.mark(nth);
            }
        }
        for nth in std::mem::take(&mut self.blocked) {
            self.mark(nth);
        }
        let mut out = Vec::new();
        while let Some(nth) = self.ready.pop_front() {
            self.is_ready[nth] = false;
            let Some(line) = &mut self.lines[nth] else { continue };
            self.records.clear();
            let news = line.deliver(&mut self.endpoint, &mut self.records);
            if news.connected || !self.records.is_empty() {
                out.clear();
                // A request may come ahead of its handshake (0-RTT).
                let is_new = line.meet();
                let wrong = answer(nth, is_new, &self.records, &mut out);
                line.write(&out);
                if let Some(code) = wrong {
                    line.close(now, code);
                }
            }
            if !line.flush(&self.socket, Instant::now(), &mut self.buffer).unwrap_or(true) {
                self.blocked.push(nth);
            }
            line.tell(&mut self.endpoint);
            if line.is_over() {
                self.lines[nth] = None;
            } else if let Some(at) = line.due() {
                self.timers.set(nth, at);
            }
        }
        Ok(())
    }

    /// Whether anything has arrived; polls for a while, because the client pays for waking a
    /// sleeper.
    fn receive_soon(&mut self) -> io::Result<bool> {
        let from = Instant::now();
        loop {
            if self.receive()? > 0 {
                return Ok(true);
            }
            let passed = from.elapsed();
            if passed >= AWAKE || self.timers.next().is_some_and(|at| at <= from + passed) {
                return Ok(false);
            }
        }
    }

    fn wait(&mut self, timeout: Duration) -> io::Result<()> {
        let until_due = self.timers.next().map(|at| at.saturating_duration_since(Instant::now()));
        let timeout = until_due.map_or(timeout, |left| left.min(timeout));
        let timeout = Timespec {
            tv_sec: timeout.as_secs().cast_signed(),
            tv_nsec: timeout.subsec_nanos().into(),
        };
        let room = if self.blocked.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
        let sockets = &mut [PollFd::new(&self.socket, PollFlags::IN | room)];
        match rustix::event::poll(sockets, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Returns how many pieces there were.
    fn receive(&mut self) -> io::Result<usize> {
        let now = Instant::now();
        let count = self.inbox.receive(&self.socket)?;
        for nth in 0..count {
            let piece = self.inbox.piece(nth);
            let mut bytes = BytesMut::from(piece.bytes);
            let mut touched = Vec::new();
            while !bytes.is_empty() {
                let datagram = bytes.split_to(piece.stride.min(bytes.len()));
                self.buffer.clear();
                let event = self.endpoint.handle(
                    now,
                    piece.from,
                    piece.to,
                    piece.ecn,
                    datagram,
                    &mut self.buffer,
                );
                match event {
                    Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                        if let Some(Some(line)) = self.lines.get_mut(handle.0) {
                            line.take_one(event);
                            touched.push(handle.0);
                        }
                    }
                    Some(DatagramEvent::NewConnection(incoming)) => {
                        self.buffer.clear();
                        match self.endpoint.accept(incoming, now, &mut self.buffer, None) {
                            Ok((handle, connection)) => {
                                let count = self.lines.len().max(handle.0 + 1);
                                self.lines.resize_with(count, || None);
                                self.is_ready.resize(count, false);
                                self.lines[handle.0] = Some(Line::new(handle, connection, 0));
                                touched.push(handle.0);
                            }
                            Err(refused) => {
                                if let Some(response) = refused.response {
                                    self.socket.send(&response, &self.buffer)?;
                                }
                            }
                        }
                    }
                    Some(DatagramEvent::Response(response)) => {
                        self.socket.send(&response, &self.buffer)?;
                    }
                    None => {}
                }
            }
            for nth in touched {
                self.mark(nth);
            }
        }
        Ok(count)
    }

    fn mark(&mut self, nth: usize) {
        if !std::mem::replace(&mut self.is_ready[nth], true) {
            self.ready.push_back(nth);
        }
    }
}
