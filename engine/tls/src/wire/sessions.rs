//! The TLS sessions of a wire's connections.

use super::{Event, Failure, Received};
use crate::{Config, Facts, Memory, Session, Stage};
use std::collections::VecDeque;
use volley_net::errors::system_words;
use volley_net::{Backend, What};

/// See the module.
pub(super) struct Sessions {
    client: Config,
    slots: Vec<Slot>,
    /// Plain bytes, of the last piece that came.
    pub(super) opened: Vec<u8>,
}

struct Slot {
    memory: Memory,
    session: Option<Session>,
}

/// Events that are not taken yet, by slot.
pub(super) type Events<P> = VecDeque<(usize, Event<P>)>;

impl Sessions {
    pub(super) fn new(client: Config, slots: usize) -> Self {
        let slots = (0..slots).map(|_| Slot { memory: client.memory(), session: None }).collect();
        Self { client, slots, opened: Vec::new() }
    }

    /// The connection is there: begins the handshake.
    pub(super) fn start<B: Backend>(
        &mut self,
        slot: usize,
        io: &mut B,
        events: &mut Events<B::Piece>,
    ) {
        let place = &mut self.slots[slot];
        match Session::start(&self.client, &place.memory) {
            Ok(session) => {
                place.session = Some(session);
                self.send_sealed(slot, io);
            }
            Err(error) => {
                events.push_back((slot, Event::Unconnected(Failure::Tls(error.to_string()))));
            }
        }
    }

    /// Something has happened to the connection.
    pub(super) fn take<B: Backend>(
        &mut self,
        slot: usize,
        what: What<B::Piece>,
        io: &mut B,
        events: &mut Events<B::Piece>,
    ) {
        let words = match what {
            What::Established => return self.start(slot, io, events),
            What::Unconnected(errno) => {
                events.push_back((slot, Event::Unconnected(Failure::System(errno))));
                return;
            }
            What::Bytes { piece, .. } => return self.open(slot, piece, io, events),
            // A server that says nothing before it closes may have been cut off.
            What::End => "unexpected eof while reading".to_owned(),
            What::Failed(errno) => system_words(errno),
        };
        self.fail(slot, words, events);
    }

    fn open<B: Backend>(
        &mut self,
        slot: usize,
        piece: B::Piece,
        io: &mut B,
        events: &mut Events<B::Piece>,
    ) {
        self.opened.clear();
        let Some(session) = &mut self.slots[slot].session else { return io.give_back(piece) };
        let before = session.stage();
        let result = session.open(io.bytes(&piece), &mut self.opened);
        let after = session.stage();
        io.give_back(piece);
        self.send_sealed(slot, io);
        if before == Stage::Handshake && matches!(after, Stage::Open | Stage::Ended) {
            events.push_back((slot, Event::Established));
        }
        if !self.opened.is_empty() {
            events.push_back((slot, Event::Bytes(Received::Opened)));
        }
        match result {
            Ok(()) if before != after && after == Stage::Ended => {
                events.push_back((slot, Event::End));
            }
            Ok(()) => {}
            Err(error) => self.push_failure(slot, before, error.to_string(), events),
        }
    }

    fn fail<P>(&mut self, slot: usize, words: String, events: &mut Events<P>) {
        let Some(session) = &mut self.slots[slot].session else { return };
        let stage = session.stage();
        session.cut();
        self.push_failure(slot, stage, words, events);
    }

    /// No event follows a connection's end.
    fn push_failure<P>(
        &mut self,
        slot: usize,
        stage: Stage,
        words: String,
        events: &mut Events<P>,
    ) {
        let event = match stage {
            Stage::Handshake => Event::Unconnected(Failure::Tls(words)),
            Stage::Open => Event::Failed(Failure::Tls(words)),
            Stage::Ended | Stage::Broken => return,
        };
        events.push_back((slot, event));
        // What broke is not gone on with.
        self.slots[slot].memory = self.client.memory();
    }

    /// Sends plain bytes.
    pub(super) fn send<B: Backend>(&mut self, slot: usize, plain: &[u8], io: &mut B) {
        if let Some(session) = &mut self.slots[slot].session {
            session.seal(plain);
        }
        self.send_sealed(slot, io);
    }

    /// Sends `close_notify` on a connection that is about to be closed.
    pub(super) fn end<B: Backend>(&mut self, slot: usize, io: &mut B) {
        if let Some(session) = &mut self.slots[slot].session {
            session.end();
        }
        self.send_sealed(slot, io);
        self.slots[slot].session = None;
    }

    pub(super) fn facts(&self, slot: usize) -> Option<Facts> {
        self.slots[slot].session.as_ref()?.facts()
    }

    fn send_sealed<B: Backend>(&mut self, slot: usize, io: &mut B) {
        let session = self.slots[slot].session.as_mut();
        if let Some(bytes) = session.and_then(Session::sealed) {
            io.send_owned(slot, bytes);
        }
    }
}
