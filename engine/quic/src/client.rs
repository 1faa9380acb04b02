//! A [`Backend`] of connections of QUIC, each on its own UDP socket, over epoll.
//!
//! Servers also tell connections apart by the source of datagrams: some servers drop many
//! connections on one socket (`docs/decisions/engine.md`).

mod backend;

use crate::line::{Line, News};
use crate::socket::{Inbox, Socket};
use crate::timers::Timers;
use crate::{failures, transport};
use quinn_proto::crypto::rustls::{NoInitialCipherSuite, QuicClientConfig};
use quinn_proto::{ClientConfig, Endpoint, EndpointConfig};
use quinn_udp::UdpSocketState;
use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Instant;
use volley_net::clock::now_ns;
use volley_net::socket;
use volley_net::{Address, Agreed, Datagrams, Event, Failure, Polled, Queue, Route, What};
use volley_protocol::h3::frame::code;
use volley_tls::{Config, certificates_looked_at};

/// Pieces that are received at a time from one socket. Each may contain several datagrams.
const PIECES_AT_ONCE: usize = 4;

/// See the module.
pub struct Quic {
    client: Config,
    endpoint: Endpoint,
    /// What the kernel can do with datagrams, once there was a connection.
    datagrams: Option<Arc<UdpSocketState>>,
    /// Requests that may be in flight at a time on a connection.
    depth: usize,
    queue: Queue,
    /// Slots that need attention: each with its socket's generation.
    ready: VecDeque<Ready>,
    slots: Vec<Slot>,
    /// Slots with something to send.
    dirty: Vec<usize>,
    timers: Timers,
    inbox: Inbox,
    /// Records of the connection that was read last.
    records: Vec<u8>,
    /// Events of that connection, and failures of others, that are not taken yet.
    events: VecDeque<Event<Records>>,
    /// The buffer in which datagrams are assembled.
    buffer: Vec<u8>,
    /// The counts of connections that are closed.
    former: Datagrams,
}

/// The last received records.
#[derive(Debug)]
pub struct Records(());

#[derive(Debug, Clone, Copy)]
struct Ready {
    slot: usize,
    generation: u32,
    what: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Datagrams have arrived, or there is room for ours.
    Socket,
    /// Its timer has expired.
    Time,
    /// It has to be read, though nothing has arrived.
    News,
}

#[derive(Debug)]
struct Slot {
    /// Contains the state of a connection that the next one may resume.
    config: ClientConfig,
    open: Option<Connected>,
    /// The number of sockets that were in this slot: separates events of a former one from this
    /// one's.
    generation: u32,
    is_dirty: bool,
    /// The server has shown its certificate: its handshake is a full one.
    shown: bool,
    start_ns: u64,
    agreed: Option<Agreed>,
}

#[derive(Debug)]
struct Connected {
    line: Line,
    socket: Socket,
    established: bool,
    /// It is over, and this was reported.
    lost: bool,
    /// The kernel has no room for datagrams.
    blocked: bool,
}

impl fmt::Debug for Quic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quic").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl Slot {
    fn new(config: ClientConfig) -> Self {
        Self {
            config,
            open: None,
            generation: 0,
            is_dirty: false,
            shown: false,
            start_ns: 0,
            agreed: None,
        }
    }
}

impl Quic {
    /// For connections in this many slots, which carry `depth` requests at a time, and `is_single`:
    /// one in all.
    pub fn new(client: Config, slots: usize, depth: usize, is_single: bool) -> io::Result<Self> {
        let transport = Arc::new(transport(0, !is_single));
        let slot = |_| {
            let crypto = QuicClientConfig::try_from(client.memory().quic_client())?;
            let mut config = ClientConfig::new(Arc::new(crypto));
            config.transport_config(transport.clone());
            Ok(Slot::new(config))
        };
        let slots = (0..slots).map(slot).collect::<Result<_, _>>();
        Ok(Self {
            slots: slots.map_err(io::Error::other::<NoInitialCipherSuite>)?,
            client,
            endpoint: Endpoint::new(Arc::new(EndpointConfig::default()), None, true, None),
            datagrams: None,
            depth,
            queue: Queue::new()?,
            ready: VecDeque::new(),
            dirty: Vec::new(),
            timers: Timers::default(),
            inbox: Inbox::new(PIECES_AT_ONCE),
            records: Vec::new(),
            events: VecDeque::new(),
            buffer: Vec::new(),
            former: Datagrams::default(),
        })
    }

    /// Returns whether the connection takes bytes ahead of its handshake.
    fn start(&mut self, slot: usize, route: &Route, nth: u64) -> Result<bool, Errno> {
        let Address::Tcp(address) = route.address else { return Err(Errno::PROTONOSUPPORT) };
        let in_errno = |error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
        let fd = socket::open_datagrams(&address, route, nth)?;
        let has_own_buffer = route.buffers.receive.is_some();
        let socket = Socket::connected(fd, &address, has_own_buffer, &mut self.datagrams)
            .map_err(in_errno)?;
        let place = &mut self.slots[slot];
        self.queue.add(&socket, (slot, place.generation), EventFlags::IN | EventFlags::ET)?;
        let name = self.client.called();
        let (handle, connection) = self
            .endpoint
            .connect(Instant::now(), place.config.clone(), address, &name)
            .map_err(|_| Errno::INVAL)?;
        let line = Line::new(handle, connection, self.depth);
        let takes_early = line.takes_early();
        place.open =
            Some(Connected { line, socket, established: false, lost: false, blocked: false });
        (place.start_ns, place.agreed, place.shown) = (now_ns(), None, false);
        self.soil(slot);
        Ok(takes_early)
    }

    /// A slot has something to send.
    #[inline]
    fn soil(&mut self, slot: usize) {
        if !std::mem::replace(&mut self.slots[slot].is_dirty, true) {
            self.dirty.push(slot);
        }
    }

    /// Sends the pending datagrams.
    #[inline]
    fn flush(&mut self) {
        while let Some(slot) = self.dirty.pop() {
            self.slots[slot].is_dirty = false;
            self.flush_one(slot);
        }
    }

    fn flush_one(&mut self, slot: usize) {
        let place = &mut self.slots[slot];
        let Some(open) = &mut place.open else { return };
        match open.line.flush(&open.socket, Instant::now(), &mut self.buffer) {
            Ok(had_room) => {
                if open.blocked == had_room {
                    open.blocked = !had_room;
                    let room = if had_room { EventFlags::empty() } else { EventFlags::OUT };
                    // The socket is there: it was added.
                    let _ = self.queue.modify(
                        &open.socket,
                        (slot, place.generation),
                        EventFlags::IN | EventFlags::ET | room,
                    );
                }
            }
            Err(error) => self.refuse(slot, &error),
        }
        if let Some(open) = &mut self.slots[slot].open
            && let Some(at) = open.line.due()
        {
            self.timers.set(slot, at);
        }
    }

    /// The system reports that the port is closed.
    #[cold]
    fn refuse(&mut self, slot: usize, error: &io::Error) {
        let Some(open) = &mut self.slots[slot].open else { return };
        if std::mem::replace(&mut open.lost, true) {
            return;
        }
        let errno = Errno::from_io_error(error).unwrap_or(Errno::IO);
        let what = match open.established {
            false => What::Unconnected(errno.into()),
            // A server that has gone counts as one that resets.
            true if errno == Errno::CONNREFUSED => What::Failed(Errno::CONNRESET.into()),
            true => What::Failed(errno.into()),
        };
        self.events.push_back(Event { slot, what });
    }

    /// Collects events, without waiting.
    fn poll(&mut self) -> io::Result<()> {
        self.ready.extend(self.queue.poll()?.map(|Polled { slot, generation, .. }| Ready {
            slot,
            generation,
            what: Kind::Socket,
        }));
        if self.timers.next().is_some() {
            let now = Instant::now();
            while let Some(slot) = self.timers.take_due(now) {
                let generation = self.slots[slot].generation;
                self.ready.push_back(Ready { slot, generation, what: Kind::Time });
            }
        }
        Ok(())
    }

    /// Handles the events of a slot.
    fn advance(&mut self, ready: Ready) {
        let Ready { slot, generation, what } = ready;
        let Some(open) = self.slots.get_mut(slot).filter(|place| place.generation == generation)
        else {
            return;
        };
        let Some(Connected { line, socket, .. }) = &mut open.open else { return };
        let now = Instant::now();
        match what {
            Kind::Socket => match self.inbox.receive(socket) {
                Ok(count) => {
                    let before = certificates_looked_at();
                    for nth in 0..count {
                        line.take(self.inbox.piece(nth), &mut self.endpoint, now, &mut self.buffer);
                    }
                    open.shown |= certificates_looked_at() > before;
                    if count == self.inbox.size() {
                        self.ready.push_back(ready);
                    }
                }
                Err(error) => return self.refuse(slot, &error),
            },
            Kind::Time => line.take_time(now),
            Kind::News => {}
        }
        self.records.clear();
        let news = line.deliver(&mut self.endpoint, &mut self.records);
        self.soil(slot);
        self.report(slot, news);
    }

    /// Reports the events of a connection.
    #[inline]
    fn report(&mut self, slot: usize, news: News) {
        let place = &mut self.slots[slot];
        let Some(open) = &mut place.open else { return };
        if open.lost {
            return;
        }
        if news.connected {
            open.established = true;
            place.agreed = Some(Agreed {
                tls_version: "1.3",
                cipher: "TLS13_AES_128_GCM_SHA256", // Nothing else is offered.
                alpn: Some("h3"),
                resumed: !place.shown,
                early: news.early,
                took_ns: now_ns() - place.start_ns,
            });
            self.events.push_back(Event { slot, what: What::Established });
        }
        if (news.has_ticket || !self.records.is_empty()) && open.established {
            let what = What::Bytes { piece: Records(()), more: news.lost.is_some() };
            self.events.push_back(Event { slot, what });
        }
        if let Some(lost) = news.lost {
            open.lost = true;
            let what = match failures::of(&lost, &self.client) {
                Some(failure) if open.established => What::Failed(failure),
                Some(failure) => What::Unconnected(failure),
                None if open.established => What::End,
                None => What::Unconnected(Failure::quic(
                    volley_net::QuicFault::Refused,
                    "the server closed the connection during its handshake",
                )),
            };
            self.events.push_back(Event { slot, what });
        }
    }

    /// Clears a connection, after its close frame.
    fn leave(&mut self, slot: usize) {
        self.events.retain(|event| event.slot != slot);
        let place = &mut self.slots[slot];
        place.generation = place.generation.wrapping_add(1);
        let Some(mut open) = place.open.take() else { return };
        if !open.lost {
            let now = Instant::now();
            open.line.close(now, code::NO_ERROR);
            // Datagrams for which the kernel has no room now are not sent any more.
            let _ = open.line.flush(&open.socket, now, &mut self.buffer);
        }
        open.line.leave(&mut self.endpoint);
        self.former.add(&open.line.datagrams());
    }
}
