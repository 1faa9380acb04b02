//! One TLS session.

use super::{Config, Facts, Memory, records};
use rustls::{ClientConnection, Error, HandshakeKind, ProtocolVersion};
use std::sync::Arc;
use volley_net::Agreed;

/// A session, from its first hello on.
#[derive(Debug)]
pub struct Session {
    connection: ClientConnection,
    stage: Stage,
}

/// The stage of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Both sides agree on keys.
    Handshake,
    /// Bytes come and go.
    Open,
    /// The server has sent `close_notify`.
    Ended,
    /// It has failed.
    Broken,
}

impl Session {
    /// Begins with the client's hello: [`Session::sealed`] has it.
    pub fn start(client: &Config, memory: &Memory) -> Result<Self, Error> {
        let mut connection = ClientConnection::new(memory.0.clone(), client.name.clone())?;
        // Sealed bytes are taken away at once.
        connection.set_buffer_limit(None);
        Ok(Self { connection, stage: Stage::Handshake })
    }

    /// The session's stage.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// What was agreed on. `None` during the handshake.
    pub fn facts(&self) -> Option<Facts> {
        Facts::of(&self.connection)
    }

    /// The same in the terms of our reports. `asked`: the requested protocol. The time is left out.
    pub(crate) fn agreed(&self, asked: Option<&'static str>) -> Option<Agreed> {
        let cipher = self.connection.negotiated_cipher_suite()?.suite().as_str()?;
        let tls_version = match self.connection.protocol_version()? {
            ProtocolVersion::TLSv1_3 => "1.3",
            _ => "1.2",
        };
        // Only the requested protocol can have been agreed on.
        let alpn = asked.filter(|_| self.connection.alpn_protocol().is_some());
        let resumed = self.connection.handshake_kind() == Some(HandshakeKind::Resumed);
        Some(Agreed { tls_version, cipher, alpn, resumed, early: None, took_ns: 0 })
    }

    /// Takes bytes from the server, and appends the plain ones to `opened`. Answers may have to be
    /// sent whether it fails or not.
    pub fn open(&mut self, mut sealed: &[u8], opened: &mut Vec<u8>) -> Result<(), Error> {
        while !sealed.is_empty() && matches!(self.stage, Stage::Handshake | Stage::Open) {
            if let Err(error) = self.open_some(&mut sealed, opened) {
                self.stage = Stage::Broken;
                return Err(error);
            }
        }
        Ok(())
    }

    fn open_some(&mut self, sealed: &mut &[u8], opened: &mut Vec<u8>) -> Result<(), Error> {
        if records::open_some(&mut self.connection, sealed, opened)?.peer_has_closed() {
            self.stage = Stage::Ended;
        } else if !self.connection.is_handshaking() {
            self.stage = Stage::Open;
        }
        Ok(())
    }

    /// Seals bytes for the server: [`Session::sealed`] has them.
    pub fn seal(&mut self, plain: &[u8]) {
        records::seal(&mut self.connection, plain);
    }

    /// Sends `close_notify`, unless the session is broken.
    pub fn end(&mut self) {
        if matches!(self.stage, Stage::Open | Stage::Ended) {
            self.connection.send_close_notify();
        }
    }

    /// The connection under it has ended, or failed.
    pub fn cut(&mut self) {
        if self.stage != Stage::Ended {
            self.stage = Stage::Broken;
        }
    }

    /// The bytes to send to the server now.
    pub fn sealed(&mut self) -> Option<Arc<[u8]>> {
        records::sealed(&mut self.connection)
    }
}
