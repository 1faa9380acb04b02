//! The server's side, on one socket: for the null server.

use crate::line::Line;
use crate::socket::{Inbox, Socket};
use crate::timers::Timers;
use crate::{DATAGRAM, transport};
use bytes::BytesMut;
use quinn_proto::crypto::rustls::QuicServerConfig;
use quinn_proto::{
    ConnectionError, ConnectionHandle, DatagramEvent, Endpoint, EndpointConfig, EndpointEvent,
    ServerConfig,
};
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
    /// By the number of the connections' handles.
    places: Vec<Place>,
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

/// What the endpoint has under a number.
enum Place {
    Free,
    Open(Box<Line>),
    /// The client has closed it. Until then the endpoint knows its datagrams, and nobody answers
    /// what comes late (RFC 9000, section 10.2.2); its memory is for others.
    Draining(Instant),
}

/// What is sent from now on reaches nobody.
fn is_close(error: &ConnectionError) -> bool {
    matches!(error, ConnectionError::ApplicationClosed(_) | ConnectionError::ConnectionClosed(_))
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
            places: Vec::new(),
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
            match &mut self.places[nth] {
                Place::Open(line) => {
                    line.take_time(now);
                    self.mark(nth);
                }
                Place::Draining(until) if *until > now => self.timers.set(nth, *until),
                Place::Draining(_) => {
                    self.endpoint.handle_event(ConnectionHandle(nth), EndpointEvent::drained());
                    self.places[nth] = Place::Free;
                }
                Place::Free => {}
            }
        }
        for nth in std::mem::take(&mut self.blocked) {
            self.mark(nth);
        }
        let mut out = Vec::new();
        while let Some(nth) = self.ready.pop_front() {
            self.is_ready[nth] = false;
            let Place::Open(line) = &mut self.places[nth] else { continue };
            self.records.clear();
            let news = line.deliver(&mut self.endpoint, &mut self.records);
            if news.lost.as_ref().is_some_and(is_close)
                && let Some(until) = line.due()
            {
                self.places[nth] = Place::Draining(until);
                self.timers.set(nth, until);
                continue;
            }
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
                self.places[nth] = Place::Free;
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
                        if let Place::Open(line) = &mut self.places[handle.0] {
                            line.take_one(event);
                            touched.push(handle.0);
                        }
                    }
                    Some(DatagramEvent::NewConnection(incoming)) => {
                        self.buffer.clear();
                        match self.endpoint.accept(incoming, now, &mut self.buffer, None) {
                            Ok((handle, connection)) => {
                                let count = self.places.len().max(handle.0 + 1);
                                self.places.resize_with(count, || Place::Free);
                                self.is_ready.resize(count, false);
                                let line = Box::new(Line::new(handle, connection, 0));
                                self.places[handle.0] = Place::Open(line);
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

#[cfg(test)]
mod tests {
    use super::*;
    use quinn_proto::ClientConfig;
    use quinn_proto::crypto::rustls::QuicClientConfig;
    use volley_net::{Route, socket::open_datagrams};
    use volley_protocol::h3::frame::code;
    use volley_tls::{Config, Identity, OWN_NAME, Terms};

    /// A client's connection, whose datagrams pass through our hands.
    struct Client {
        endpoint: Endpoint,
        line: Line,
        socket: Socket,
        /// What the client takes for the server, and what the server takes for the client.
        hands: [UdpSocket; 2],
        /// The last datagram of the client.
        last: Vec<u8>,
    }

    impl Client {
        fn of(server: &Server) -> Self {
            let config = Config::new(Some(OWN_NAME), &Terms::measuring_quic("h3", false));
            let crypto = QuicClientConfig::try_from(config.memory().quic_client()).unwrap();
            let config = ClientConfig::new(Arc::new(crypto));
            let hands = [(); 2].map(|()| {
                let hand = UdpSocket::bind("127.0.0.1:0").unwrap();
                hand.set_nonblocking(true).unwrap();
                hand
            });
            hands[1].connect(server.address()).unwrap();
            let address = hands[0].local_addr().unwrap();
            let mut endpoint = Endpoint::new(Arc::new(EndpointConfig::default()), None, true, None);
            let (handle, connection) =
                endpoint.connect(Instant::now(), config, address, OWN_NAME).unwrap();
            let fd = open_datagrams(&address, &Route::to(address), 0).unwrap();
            let socket = Socket::connected(fd, &address, false, &mut None).unwrap();
            let own = SocketAddr::try_from(rustix::net::getsockname(&socket).unwrap()).unwrap();
            hands[0].connect(own).unwrap();
            let line = Line::new(handle, connection, 1);
            Self { endpoint, line, socket, hands, last: Vec::new() }
        }

        /// Sends what the client has, and takes what comes of it: how many datagrams, and whether
        /// the connection is established now.
        fn exchange(&mut self, server: &mut Server) -> (usize, bool) {
            let (mut buffer, mut datagram) = (Vec::new(), [0; 2048]);
            self.line.flush(&self.socket, Instant::now(), &mut buffer).unwrap();
            while let Ok(length) = self.hands[0].recv(&mut datagram) {
                self.last = datagram[..length].to_vec();
                self.hands[1].send(&self.last).unwrap();
            }
            server.turn(Duration::from_millis(20), |_, _, _, _| None).unwrap();
            let mut count = 0;
            let mut inbox = Inbox::new(4);
            while let Ok(length) = self.hands[1].recv(&mut datagram) {
                self.hands[0].send(&datagram[..length]).unwrap();
                assert_eq!(inbox.receive(&self.socket).unwrap(), 1);
                self.line.take(inbox.piece(0), &mut self.endpoint, Instant::now(), &mut buffer);
                count += 1;
            }
            (count, self.line.deliver(&mut self.endpoint, &mut Vec::new()).connected)
        }
    }

    #[test]
    fn who_has_closed_gets_no_answer_whatever_comes_late_and_is_forgotten_in_time() {
        let (identity, _) = Identity::of_its_own().unwrap();
        let serving = Serving::new(identity, "h3").unwrap();
        let mut server = Server::bind("127.0.0.1:0".parse().unwrap(), &serving, 0).unwrap();
        let mut client = Client::of(&server);
        while !client.exchange(&mut server).1 {}
        while client.exchange(&mut server).0 > 0 {}
        assert!(matches!(server.places[..], [Place::Open(_)]));

        client.line.close(Instant::now(), code::NO_ERROR);
        assert_eq!(client.exchange(&mut server).0, 0);
        let [Place::Draining(until)] = server.places[..] else { panic!("it is not draining") };
        // It would be answered with a stateless reset if the connection were unknown.
        client.hands[1].send(&client.last).unwrap();
        assert_eq!(client.exchange(&mut server).0, 0);

        std::thread::sleep(until.saturating_duration_since(Instant::now()));
        client.exchange(&mut server);
        assert!(matches!(server.places[..], [Place::Free]));
        client.hands[1].send(&client.last).unwrap();
        assert_eq!(client.exchange(&mut server).0, 1);
    }
}
