//! One connection of QUIC: records into its streams, and out of them.

mod early;

use crate::socket::{Piece, Socket};
use bytes::{Bytes, BytesMut};
use quinn_proto::{
    Connection, ConnectionError, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointEvent,
    Event, ReadError, Side, StreamEvent, StreamId, VarInt,
};
use std::collections::VecDeque;
use std::io;
use std::time::Instant;
use volley_net::Datagrams;
use volley_protocol::h3::frame::code;
use volley_protocol::h3::record::{Kind, Record};
use volley_protocol::h3::varint;

/// As many requests as there are numbers for.
const NO_LIMIT: u64 = varint::MOST / 4;

/// The events of a connection, besides those of its streams.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// It is established.
    pub(crate) connected: bool,
    /// What went ahead of the handshake was accepted; if not, it is sent again.
    pub(crate) early: Option<bool>,
    /// What resumes the session has come.
    pub(crate) has_ticket: bool,
    /// It is over.
    pub(crate) lost: Option<ConnectionError>,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Line {
    connection: Connection,
    handle: ConnectionHandle,
    side: Side,
    /// Streams that our side has opened, of requests and of its own.
    opened: [u64; 2],
    /// How many streams of requests carry one, or did.
    used: u64,
    /// How many streams are kept open ahead for requests.
    depth: u64,
    /// The limit that was last reported to the reader.
    told: u64,
    /// Bytes that wait for flow control: the stream, its bytes, and whether they are its last.
    waiting: VecDeque<(StreamId, Bytes, bool)>,
    /// Records of ours that went ahead of the handshake: a server may reject them.
    early: Vec<u8>,
    /// Somebody has answered it before.
    is_met: bool,
    /// What went ahead was accepted, and may be answered before the server sends what resumes the
    /// session: without this the next connection would begin anew.
    awaits_ticket: bool,
    /// The endpoint has dropped it.
    is_drained: bool,
    /// Datagrams that the kernel had no room for.
    unsent: Option<(quinn_proto::Transmit, Vec<u8>)>,
    /// Pieces received.
    pub(crate) pieces: u64,
    /// Packets of Retry among the datagrams received.
    retries: u64,
}

impl Line {
    /// A new connection. `depth`: requests of ours that may be in flight at a time.
    pub(crate) fn new(handle: ConnectionHandle, connection: Connection, depth: usize) -> Self {
        Self {
            side: connection.side(),
            connection,
            handle,
            opened: [0; 2],
            used: 0,
            depth: depth as u64,
            told: NO_LIMIT,
            waiting: VecDeque::new(),
            early: Vec::new(),
            is_met: false,
            awaits_ticket: false,
            is_drained: false,
            unsent: None,
            pieces: 0,
            retries: 0,
        }
    }

    /// Datagrams have arrived.
    pub(crate) fn take(
        &mut self,
        piece: Piece<'_>,
        endpoint: &mut Endpoint,
        now: Instant,
        reply: &mut Vec<u8>,
    ) {
        self.pieces += 1;
        let mut bytes = BytesMut::from(piece.bytes);
        while !bytes.is_empty() {
            let datagram = bytes.split_to(piece.stride.min(bytes.len()));
            self.retries += u64::from(is_retry(&datagram));
            reply.clear();
            let event = endpoint.handle(now, piece.from, piece.to, piece.ecn, datagram, reply);
            if let Some(DatagramEvent::ConnectionEvent(handle, event)) = event
                && handle == self.handle
            {
                self.connection.handle_event(event);
            }
        }
    }

    /// One datagram has arrived that the endpoint has routed.
    pub(crate) fn take_one(&mut self, event: quinn_proto::ConnectionEvent) {
        self.connection.handle_event(event);
    }

    /// The deadline of [`Line::due`] has passed.
    pub(crate) fn take_time(&mut self, now: Instant) {
        if self.connection.poll_timeout().is_some_and(|at| at <= now) {
            self.connection.handle_timeout(now);
        }
    }

    /// When it needs attention though nothing has arrived.
    #[inline]
    pub(crate) fn due(&mut self) -> Option<Instant> {
        self.connection.poll_timeout()
    }

    /// Appends the bytes of the streams to `out`, in records.
    pub(crate) fn deliver(&mut self, endpoint: &mut Endpoint, out: &mut Vec<u8>) -> News {
        let mut news = News::default();
        self.tell(endpoint);
        while let Some(event) = self.connection.poll() {
            match event {
                Event::Connected => {
                    news.connected = true;
                    news.early = self.settle_early();
                    self.awaits_ticket = news.early == Some(true);
                }
                Event::ConnectionLost { reason } => news.lost = Some(reason),
                Event::Stream(StreamEvent::Readable { id }) => self.read(id, out),
                Event::Stream(StreamEvent::Opened { dir }) => {
                    while let Some(id) = self.connection.streams().accept(dir) {
                        self.read(id, out);
                    }
                }
                Event::Stream(StreamEvent::Available { .. } | StreamEvent::Writable { .. }) => {
                    self.write_waiting();
                }
                Event::Stream(StreamEvent::Stopped { id, error_code }) => {
                    self.waiting.retain(|(other, ..)| *other != id);
                    // The stream may be over already.
                    let _ = self.connection.send_stream(id).reset(error_code);
                }
                _ => {}
            }
        }
        // The server sends it with its confirmation of the handshake.
        if self.awaits_ticket && self.connection.stats().frame_rx.handshake_done > 0 {
            self.awaits_ticket = false;
            news.has_ticket = true;
        }
        if self.side == Side::Client && !self.connection.is_handshaking() {
            let limit = self.open_ahead();
            if limit != self.told {
                self.told = limit;
                Record { stream: 4 * limit, kind: Kind::Limit, length: 0 }.write(out);
            }
        }
        news
    }

    /// Whether this is the first time that somebody answers it.
    pub(crate) fn meet(&mut self) -> bool {
        !std::mem::replace(&mut self.is_met, true)
    }

    /// Exchanges the messages of connection and endpoint.
    pub(crate) fn tell(&mut self, endpoint: &mut Endpoint) {
        while let Some(event) = self.connection.poll_endpoint_events() {
            self.is_drained |= event.is_drained();
            if let Some(event) = endpoint.handle_event(self.handle, event) {
                self.connection.handle_event(event);
            }
        }
    }

    /// Appends the bytes that arrived on a stream. Successive bytes are one record.
    #[inline]
    fn read(&mut self, id: StreamId, out: &mut Vec<u8>) {
        let mut stream = self.connection.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else { return };
        let mut kind = Kind::Bytes;
        let mut reset = None;
        let number = VarInt::from(id).into_inner();
        let start = out.len();
        Record::write_by(out, number, kind, |out| {
            loop {
                match chunks.next(usize::MAX) {
                    Ok(Some(chunk)) => out.extend_from_slice(&chunk.bytes),
                    Ok(None) => break kind = Kind::Last,
                    Err(ReadError::Blocked) => break,
                    Err(ReadError::Reset(code)) => break reset = Some(code),
                }
            }
        });
        // The result is sent with the next datagrams, at once.
        let _ = chunks.finalize();
        if let Some(code) = reset {
            Record::write_by(out, number, Kind::Reset, |out| varint::write(out, code.into_inner()));
        } else if kind == Kind::Last {
            Record::set_last(&mut out[start..]);
        } else if out.len() == start + volley_protocol::h3::record::HEAD_LENGTH {
            out.truncate(start);
        }
    }

    /// Writes records into their streams. Returns whether the reader is to get a report.
    pub(crate) fn write(&mut self, mut records: &[u8]) -> bool {
        if self.side == Side::Client && self.connection.is_handshaking() {
            self.early.extend_from_slice(records);
        }
        while let Some((record, bytes, rest)) = Record::first(records) {
            records = rest;
            let Some(id) = VarInt::from_u64(record.stream).ok().map(StreamId::from) else {
                continue;
            };
            match record.kind {
                Kind::Limit => {}
                Kind::Close => self.close(Instant::now(), code_in(bytes)),
                Kind::Reset => self.reset(id, bytes),
                Kind::Bytes | Kind::Last => self.write_one(id, bytes, record.kind == Kind::Last),
            }
        }
        self.side == Side::Client && self.open_ahead() != self.told
    }

    #[inline]
    fn write_one(&mut self, id: StreamId, bytes: &[u8], last: bool) {
        self.open(id);
        let is_behind =
            !self.waiting.is_empty() && self.waiting.iter().any(|(other, ..)| *other == id);
        let written = if is_behind { Some(0) } else { self.push(id, bytes, last) };
        if let Some(written) = written {
            self.waiting.push_back((id, Bytes::copy_from_slice(&bytes[written..]), last));
        }
    }

    /// Writes as much as a stream takes. `None`: this was all, or it takes no more bytes.
    #[inline]
    fn push(&mut self, id: StreamId, bytes: &[u8], last: bool) -> Option<usize> {
        let mut stream = self.connection.send_stream(id);
        let mut written = 0;
        while written < bytes.len() {
            match stream.write(&bytes[written..]) {
                Ok(length) => written += length,
                Err(quinn_proto::WriteError::Blocked) => return Some(written),
                // A stream that is not open yet is a blocked one.
                Err(_) if !self.is_open(id) => return Some(written),
                Err(_) => return None,
            }
        }
        if last {
            // It may have been stopped: then its bytes are not wanted.
            let _ = stream.finish();
        }
        None
    }

    fn is_open(&self, id: StreamId) -> bool {
        id.initiator() != self.side || id.index() < self.opened[id.dir() as usize]
    }

    /// Writes the bytes that had to wait.
    #[cold]
    fn write_waiting(&mut self) {
        for _ in 0..self.waiting.len() {
            let Some((id, bytes, last)) = self.waiting.pop_front() else { return };
            self.open(id);
            if let Some(written) = self.push(id, &bytes, last) {
                self.waiting.push_back((id, bytes.slice(written..), last));
            }
        }
    }

    #[cold]
    fn reset(&mut self, id: StreamId, code: &[u8]) {
        self.open(id);
        let code = VarInt::from_u64(code_in(code)).unwrap_or_default();
        self.waiting.retain(|(other, ..)| *other != id);
        // If either is over there is nothing to end.
        let _ = self.connection.send_stream(id).reset(code);
        let _ = self.connection.recv_stream(id).stop(code);
    }

    /// Opens streams of ours up to this one, as far as the other side lets us.
    #[inline]
    fn open(&mut self, id: StreamId) {
        if id.initiator() != self.side {
            return;
        }
        let dir = id.dir();
        while self.opened[dir as usize] <= id.index()
            && self.connection.streams().open(dir).is_some()
        {
            self.opened[dir as usize] += 1;
        }
        if dir == Dir::Bi {
            self.used = self.used.max(id.index() + 1);
        }
    }

    /// Opens streams for the next requests. Returns the number of requests that there are streams
    /// for, if it is a limit.
    #[inline]
    fn open_ahead(&mut self) -> u64 {
        let opened = &mut self.opened[Dir::Bi as usize];
        while *opened < self.used + self.depth && self.connection.streams().open(Dir::Bi).is_some()
        {
            *opened += 1;
        }
        if *opened < self.used + self.depth { *opened } else { NO_LIMIT }
    }

    /// Sends the pending datagrams. Returns whether the kernel had room for all.
    pub(crate) fn flush(
        &mut self,
        socket: &Socket,
        now: Instant,
        buffer: &mut Vec<u8>,
    ) -> io::Result<bool> {
        if let Some((transmit, bytes)) = &self.unsent {
            if !socket.send(transmit, bytes)? {
                return Ok(false);
            }
            self.unsent = None;
        }
        loop {
            buffer.clear();
            let most = socket.most_at_once();
            let Some(transmit) = self.connection.poll_transmit(now, most, buffer) else {
                return Ok(true);
            };
            if !socket.send(&transmit, buffer)? {
                self.unsent = Some((transmit, buffer.clone()));
                return Ok(false);
            }
        }
    }

    /// Closes the connection with an error code of HTTP/3.
    pub(crate) fn close(&mut self, now: Instant, code: u64) {
        let code = VarInt::from_u64(code).unwrap_or_default();
        self.connection.close(now, code, Bytes::new());
    }

    /// Removes it from the endpoint.
    pub(crate) fn leave(&mut self, endpoint: &mut Endpoint) {
        self.tell(endpoint);
        if !self.is_drained {
            self.is_drained = true;
            endpoint.handle_event(self.handle, EndpointEvent::drained());
        }
    }

    /// Whether it has ended completely.
    pub(crate) fn is_over(&self) -> bool {
        self.is_drained
    }

    /// The counts of its datagrams so far.
    pub(crate) fn datagrams(&self) -> Datagrams {
        let stats = self.connection.stats();
        Datagrams {
            sent: stats.udp_tx.datagrams,
            sent_bytes: stats.udp_tx.bytes,
            sends: stats.udp_tx.ios,
            received: stats.udp_rx.datagrams,
            received_bytes: stats.udp_rx.bytes,
            pieces: self.pieces,
            lost: stats.path.lost_packets,
            retries: self.retries,
        }
    }
}

/// Whether a datagram is a Retry of version 1 (RFC 9000, 17.2.5).
#[inline]
fn is_retry(datagram: &[u8]) -> bool {
    datagram.first().is_some_and(|first| first & 0xf0 == 0xf0)
        && datagram.get(1..5) == Some(&1_u32.to_be_bytes())
}

/// The error code in a record.
fn code_in(bytes: &[u8]) -> u64 {
    varint::read(bytes).map_or(code::NO_ERROR, |(code, _)| code)
}
