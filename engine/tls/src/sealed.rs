//! A [`Backend`] over another, whose bytes travel in TLS.

use crate::{Config, Facts, Memory, Session, Stage, failures};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use volley_net::clock::now_ns;
use volley_net::errors::system_words;
use volley_net::socket::Opened;
use volley_net::{Agreed, Backend, Event, Failure, Fault, Route, What};

/// Connections of `B`, as their client's side of TLS.
///
/// An end without `close_notify` is a failure, since an attacker may have cut the connection.
#[derive(Debug)]
pub struct Tls<B: Backend> {
    io: B,
    outbox: Arc<[u8]>,
    client: Config,
    slots: Vec<Slot>,
    /// Plain bytes of the last piece.
    opened: Vec<u8>,
    /// Events that are not taken yet.
    events: VecDeque<Event<Plain>>,
}

/// The last plain bytes.
#[derive(Debug)]
pub struct Plain(());

#[derive(Debug)]
struct Slot {
    memory: Memory,
    session: Option<Session>,
    start_ns: u64,
    agreed: Option<Agreed>,
}

impl<B: Backend> Tls<B> {
    /// For connections in this many slots of `io`, which send parts of `outbox`.
    pub fn new(io: B, client: Config, slots: usize, outbox: Arc<[u8]>) -> Self {
        let slots = (0..slots).map(|_| Slot::new(&client)).collect();
        Self { io, outbox, client, slots, opened: Vec::new(), events: VecDeque::new() }
    }

    /// What client and server agreed on, in OpenSSL's words. `None` before that.
    pub fn facts(&self, slot: usize) -> Option<Facts> {
        self.slots[slot].session.as_ref()?.facts()
    }

    /// The connection is established: begins the handshake.
    fn start(&mut self, slot: usize) {
        let place = &mut self.slots[slot];
        place.start_ns = now_ns();
        place.agreed = None;
        match Session::start(&self.client, &place.memory) {
            Ok(session) => {
                place.session = Some(session);
                self.send_sealed(slot);
            }
            Err(error) => {
                let failure = Failure::tls(Fault::Other, error.to_string());
                self.events.push_back(Event { slot, what: What::Unconnected(failure) });
            }
        }
    }

    /// An event of the connection.
    fn take(&mut self, slot: usize, what: What<B::Piece>) {
        match what {
            What::Established => self.start(slot),
            What::Unconnected(failure) => {
                self.events.push_back(Event { slot, what: What::Unconnected(failure) });
            }
            What::Bytes { piece, .. } => self.take_bytes(slot, piece),
            What::Counted { .. } => unreachable!("what is sealed is read"),
            What::End => self.fail(slot, failures::cut()),
            What::Failed(failure) => self.fail(slot, failure),
        }
    }

    fn take_bytes(&mut self, slot: usize, mut piece: B::Piece) {
        self.opened.clear();
        let place = &mut self.slots[slot];
        let Some(session) = &mut place.session else { return self.io.release(piece) };
        let before = session.stage();
        let bytes = self.io.bytes_mut(&mut piece);
        let result = session.open(bytes, &mut self.opened);
        let after = session.stage();
        let failure = result.err().map(|error| {
            let cleartext = failures::cleartext(bytes).filter(|_| before == Stage::Handshake);
            cleartext.unwrap_or_else(|| self.client.failure(&error))
        });
        self.io.release(piece);
        self.send_sealed(slot);
        if before == Stage::Handshake && matches!(after, Stage::Open | Stage::Ended) {
            if let Err(failure) = self.establish(slot) {
                return self.events.push_back(Event { slot, what: What::Unconnected(failure) });
            }
            self.events.push_back(Event { slot, what: What::Established });
        }
        let last = match failure {
            Some(failure) => self.failed(slot, before, failure),
            None if before != after && after == Stage::Ended => Some(What::End),
            None => None,
        };
        if !self.opened.is_empty() {
            let what = What::Bytes { piece: Plain(()), more: last.is_some() };
            self.events.push_back(Event { slot, what });
        }
        self.events.extend(last.map(|what| Event { slot, what }));
    }

    /// The handshake is done.
    fn establish(&mut self, slot: usize) -> Result<(), Failure> {
        let place = &mut self.slots[slot];
        let Some(session) = &mut place.session else { return Ok(()) };
        let took_ns = now_ns() - place.start_ns;
        place.agreed = session.agreed(self.client.protocol).map(|of| Agreed { took_ns, ..of });
        if let (Some(asked), Some(Agreed { alpn: None, .. })) =
            (self.client.protocol.filter(|_| self.client.must_agree), place.agreed)
        {
            session.cut();
            return Err(failures::none_agreed(asked));
        }
        Ok(())
    }

    /// The connection under a session has failed.
    fn fail(&mut self, slot: usize, failure: Failure) {
        let Some(session) = &mut self.slots[slot].session else { return };
        let stage = session.stage();
        session.cut();
        let what = self.failed(slot, stage, failure);
        self.events.extend(what.map(|what| Event { slot, what }));
    }

    /// The event for a failure at that stage. Nothing follows a connection's end.
    fn failed(&mut self, slot: usize, stage: Stage, failure: Failure) -> Option<What<Plain>> {
        let what = match (stage, failure) {
            // The connection was established: the handshake failed.
            (Stage::Handshake, Failure::System(errno)) => {
                What::Unconnected(Failure::tls(Fault::Other, system_words(errno)))
            }
            (Stage::Handshake, failure) => What::Unconnected(failure),
            (Stage::Open, failure) => What::Failed(failure),
            (Stage::Ended | Stage::Broken, _) => return None,
        };
        // A session that failed is not resumed.
        self.slots[slot].memory = self.client.memory();
        Some(what)
    }

    fn send_plain(&mut self, slot: usize, plain: Plaintext<'_>) {
        let plain = match plain {
            Plaintext::Part(part) => &self.outbox[part],
            Plaintext::Own(bytes) => bytes,
        };
        if let Some(session) = &mut self.slots[slot].session {
            session.seal(plain);
        }
        self.send_sealed(slot);
    }

    fn send_sealed(&mut self, slot: usize) {
        let session = self.slots[slot].session.as_mut();
        if let Some((bytes, length)) = session.and_then(Session::sealed) {
            self.io.send_part_of(slot, bytes, 0..length);
        }
    }

    /// Sends `close_notify`.
    fn end(&mut self, slot: usize) {
        if let Some(session) = &mut self.slots[slot].session {
            session.end();
        }
        self.send_sealed(slot);
    }

    /// Clears a connection, after its `close_notify`.
    fn leave(&mut self, slot: usize) {
        self.events.retain(|event| event.slot != slot);
        self.end(slot);
        self.slots[slot].session = None;
    }
}

enum Plaintext<'a> {
    /// A part of the outbox.
    Part(Range<usize>),
    Own(&'a [u8]),
}

impl Slot {
    fn new(client: &Config) -> Self {
        Self { memory: client.memory(), session: None, start_ns: 0, agreed: None }
    }
}

impl<B: Backend> Backend for Tls<B> {
    type Piece = Plain;

    const SHAKES_HANDS: bool = true;

    fn agreed(&self, slot: usize) -> Option<Agreed> {
        self.slots[slot].agreed
    }

    fn listen(&mut self, listener: OwnedFd) -> Result<(), Errno> {
        self.io.listen(listener)
    }

    fn accepted(&mut self) -> Option<Result<OwnedFd, Errno>> {
        self.io.accepted()
    }

    /// Nothing is established before its handshake.
    fn connect(
        &mut self,
        slot: usize,
        route: &Route,
        nth: u64,
        _: Option<Range<usize>>,
    ) -> Result<bool, Errno> {
        if self.io.connect(slot, route, nth, None)? {
            self.start(slot);
        }
        Ok(false)
    }

    fn open(&mut self, slot: usize, opened: Opened) -> Result<(), Errno> {
        let count = self.slots.len().max(slot + 1);
        self.slots.resize_with(count, || Slot::new(&self.client));
        let established = opened.established;
        self.io.open(slot, opened)?;
        if established {
            self.start(slot);
        }
        Ok(())
    }

    #[inline]
    fn send(&mut self, slot: usize, part: Range<usize>) {
        self.send_plain(slot, Plaintext::Part(part));
    }

    #[inline]
    fn send_part_of(&mut self, slot: usize, bytes: Arc<[u8]>, part: Range<usize>) {
        self.send_plain(slot, Plaintext::Own(&bytes[part]));
    }

    fn end_sending(&mut self, slot: usize) {
        self.end(slot);
        self.io.end_sending(slot);
    }

    fn close(&mut self, slot: usize) {
        self.leave(slot);
        self.io.close(slot);
    }

    fn close_when_sent(&mut self, slot: usize) {
        self.leave(slot);
        self.io.close_when_sent(slot);
    }

    fn retire(&mut self, slot: usize) {
        self.leave(slot);
        self.io.retire(slot);
    }

    fn close_retired(&mut self) -> io::Result<()> {
        self.io.close_retired()
    }

    #[inline]
    fn hand_over(&mut self) -> io::Result<()> {
        self.io.hand_over()
    }

    #[inline]
    fn turn(&mut self) -> io::Result<()> {
        self.io.turn()
    }

    #[inline]
    fn has_news(&mut self) -> io::Result<bool> {
        Ok(!self.events.is_empty() || self.io.has_news()?)
    }

    fn wait(&mut self, timeout_ns: u64) -> io::Result<()> {
        self.io.wait(if self.events.is_empty() { timeout_ns } else { 0 })
    }

    #[inline]
    fn next(&mut self) -> Option<Event<Plain>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            let Event { slot, what } = self.io.next()?;
            self.take(slot, what);
        }
    }

    #[inline]
    fn bytes<'a>(&'a self, _: &'a Plain) -> &'a [u8] {
        &self.opened
    }

    fn bytes_mut<'a>(&'a mut self, _: &'a mut Plain) -> &'a mut [u8] {
        &mut self.opened
    }

    fn release(&mut self, _: Plain) {}
}
