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

/// How far a session has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Both sides agree on keys.
    Handshake,
    /// Bytes come and go.
    Open,
    /// The server has said that nothing more comes.
    Ended,
    /// It has failed.
    Broken,
}

impl Session {
    /// Says hello: [`Session::sealed`] has it.
    pub fn start(client: &Config, memory: &Memory) -> Result<Self, Error> {
        let mut connection = ClientConnection::new(memory.0.clone(), client.name.clone())?;
        // What is sealed is taken away at once.
        connection.set_buffer_limit(None);
        Ok(Self { connection, stage: Stage::Handshake })
    }

    /// How far it has come.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// What was agreed on. `None` during the handshake.
    pub fn facts(&self) -> Option<Facts> {
        Facts::of(&self.connection)
    }

    /// The same in the words of our reports. `asked`: the protocol that was asked for. The time is
    /// left out.
    pub(crate) fn agreed(&self, asked: Option<&'static str>) -> Option<Agreed> {
        let cipher = self.connection.negotiated_cipher_suite()?.suite().as_str()?;
        let tls_version = match self.connection.protocol_version()? {
            ProtocolVersion::TLSv1_3 => "1.3",
            _ => "1.2",
        };
        // No other than the one that was asked for can have been agreed on.
        let alpn = asked.filter(|_| self.connection.alpn_protocol().is_some());
        let resumed = self.connection.handshake_kind() == Some(HandshakeKind::Resumed);
        Some(Agreed { tls_version, cipher, alpn, resumed, took_ns: 0 })
    }

    /// Takes bytes from the server, and puts the plain ones behind those in `opened`. Answers may
    /// have to be sent whether it fails or not.
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

    /// Says that nothing more will be sent, unless the session is broken.
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

    /// What is to be sent to the server now.
    pub fn sealed(&mut self) -> Option<Arc<[u8]>> {
        records::sealed(&mut self.connection)
    }
}
