//! The transport of a speaker's bytes: plain, or in TLS.

use super::speaker::Due;
use volley_net::Backend;
use volley_tls::{ServerSession, Serving};

/// The layer between a server's sockets and their protocol.
pub(super) trait Channel {
    /// A connection was accepted.
    fn accept(&mut self, slot: usize) -> Result<(), String>;

    /// Whether to greet the client as soon as it is accepted.
    const GREETS: bool;

    /// Interprets received bytes.
    fn open<'a>(&'a mut self, slot: usize, bytes: &'a [u8]) -> Opened<'a>;

    /// Sends the due bytes.
    fn send<B: Backend>(&mut self, slot: usize, due: &Due, io: &mut B);
}

/// The meaning of received bytes.
pub(super) struct Opened<'a> {
    /// Plain bytes, if any.
    pub(super) plain: &'a [u8],
    /// From now on bytes can be sent.
    pub(super) greets: bool,
    /// From now on none will arrive.
    pub(super) ends: bool,
}

/// The plain transport. The outbox contains the answer several times.
pub(super) struct Clear {
    pub(super) answer_length: usize,
    pub(super) copies: usize,
}

impl Channel for Clear {
    fn accept(&mut self, _: usize) -> Result<(), String> {
        Ok(())
    }

    const GREETS: bool = true;

    #[inline]
    fn open<'a>(&'a mut self, _: usize, plain: &'a [u8]) -> Opened<'a> {
        Opened { plain, greets: false, ends: false }
    }

    #[inline]
    fn send<B: Backend>(&mut self, slot: usize, due: &Due, io: &mut B) {
        let mut answers = due.answers;
        while answers > 0 {
            let at_once = answers.min(self.copies);
            io.send(slot, 0..at_once * self.answer_length);
            answers -= at_once;
        }
        if !due.bytes.is_empty() {
            io.send_owned(slot, due.bytes.as_slice().into());
        }
        if due.ends {
            io.end_sending(slot);
        }
    }
}

/// The transport in TLS, with a session for each slot.
pub(super) struct Sealed {
    serving: Serving,
    answer: Vec<u8>,
    sessions: Vec<Option<ServerSession>>,
    /// Plain bytes of the last piece.
    opened: Vec<u8>,
}

impl Sealed {
    pub(super) fn new(serving: Serving, answer: Vec<u8>) -> Self {
        Self { serving, answer, sessions: Vec::new(), opened: Vec::new() }
    }
}

impl Channel for Sealed {
    fn accept(&mut self, slot: usize) -> Result<(), String> {
        self.sessions.resize_with(self.sessions.len().max(slot + 1), || None);
        let session = ServerSession::start(&self.serving).map_err(|error| error.to_string())?;
        self.sessions[slot] = Some(session);
        Ok(())
    }

    const GREETS: bool = false;

    fn open<'a>(&'a mut self, slot: usize, bytes: &'a [u8]) -> Opened<'a> {
        self.opened.clear();
        let Some(session) = &mut self.sessions[slot] else {
            return Opened { plain: &[], greets: false, ends: false };
        };
        let was_established = session.is_established();
        let result = session.open(bytes, &mut self.opened);
        Opened {
            plain: &self.opened,
            greets: !was_established && session.is_established(),
            ends: result.is_err() || session.has_ended(),
        }
    }

    fn send<B: Backend>(&mut self, slot: usize, due: &Due, io: &mut B) {
        let Some(session) = &mut self.sessions[slot] else { return };
        for _ in 0..due.answers {
            session.seal(&self.answer);
        }
        if !due.bytes.is_empty() {
            session.seal(&due.bytes);
        }
        if due.ends {
            session.end();
        }
        if let Some(bytes) = session.sealed() {
            io.send_owned(slot, bytes);
        }
        if due.ends {
            io.end_sending(slot);
            self.sessions[slot] = None;
        }
    }
}
