//! One TLS session.

use super::{Config, Facts, Memory};
use crate::outgoing::Outgoing;
use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::unbuffered::{
    ConnectionState, EncodeError, EncodeTlsData, EncryptError, UnbufferedStatus, WriteTraffic,
};
use rustls::{Error, HandshakeKind, ProtocolVersion};
use std::fmt;
use std::sync::Arc;
use volley_net::Agreed;

/// A record's kind, version and length (RFC 8446, section 5.1).
const HEADER: usize = 5;

/// A session, from its first hello on.
pub struct Session {
    connection: UnbufferedClientConnection,
    stage: Stage,
    /// The beginning of a record whose end is still to come.
    rest: Vec<u8>,
    outgoing: Outgoing,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("stage", &self.stage).finish_non_exhaustive()
    }
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
        Ok(Self {
            connection: UnbufferedClientConnection::new(memory.0.clone(), client.name.clone())?,
            stage: Stage::Handshake,
            rest: Vec::new(),
            outgoing: Outgoing::default(),
        })
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

    /// Takes bytes from the server, which are opened in place, and appends the plain ones to
    /// `opened`. Answers may have to be sent whether it fails or not.
    pub fn open(&mut self, mut sealed: &mut [u8], opened: &mut Vec<u8>) -> Result<(), Error> {
        if !matches!(self.stage, Stage::Handshake | Stage::Open) {
            return Ok(());
        }
        if !self.rest.is_empty() {
            let mut rest = std::mem::take(&mut self.rest);
            let end;
            (end, sealed) = sealed.split_at_mut(missing(&rest, sealed));
            rest.extend_from_slice(end);
            self.open_some(&mut rest, opened)?;
            if !rest.is_empty() && !sealed.is_empty() {
                // A message of several records.
                rest.extend_from_slice(sealed);
                sealed = &mut [];
                self.open_some(&mut rest, opened)?;
            }
            self.rest = rest;
        }
        if !sealed.is_empty() {
            let used = self.open_records(sealed, opened)?;
            self.rest.extend_from_slice(&sealed[used..]);
        }
        if self.stage == Stage::Handshake && !self.connection.is_handshaking() {
            self.stage = Stage::Open;
        }
        Ok(())
    }

    /// Takes away what it has opened.
    fn open_some(&mut self, sealed: &mut Vec<u8>, opened: &mut Vec<u8>) -> Result<(), Error> {
        let used = self.open_records(sealed, opened)?;
        sealed.drain(..used);
        Ok(())
    }

    /// Returns how many bytes are done with.
    fn open_records(&mut self, sealed: &mut [u8], opened: &mut Vec<u8>) -> Result<usize, Error> {
        let mut at = 0;
        loop {
            let UnbufferedStatus { mut discard, state } =
                self.connection.process_tls_records(&mut sealed[at..]);
            match state {
                Ok(ConnectionState::ReadTraffic(mut records)) => {
                    while let Some(record) = records.next_record() {
                        let record = record.inspect_err(|_| self.stage = Stage::Broken)?;
                        opened.extend_from_slice(record.payload);
                        discard += record.discard;
                    }
                }
                Ok(ConnectionState::EncodeTlsData(data)) => encode(data, &mut self.outgoing),
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                Ok(ConnectionState::PeerClosed) => self.stage = Stage::Ended,
                Ok(_) => return Ok(at + discard),
                // Records before the wrong one are right.
                Err(error) => {
                    self.stage = Stage::Broken;
                    return Err(error);
                }
            }
            at += discard;
        }
    }

    /// Seals bytes for the server, once the handshake is done: [`Session::sealed`] has them.
    pub fn seal(&mut self, plain: &[u8]) {
        self.write(|traffic, room| traffic.encrypt(plain, room));
    }

    /// Sends `close_notify`, unless the session is broken.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method's path would name a single lifetime"
    )]
    pub fn end(&mut self) {
        self.write(|traffic, room| traffic.queue_close_notify(room));
    }

    /// Nothing is written before the handshake is done, nor in a session that is broken.
    fn write(
        &mut self,
        mut write: impl FnMut(
            &mut WriteTraffic<'_, ClientConnectionData>,
            &mut [u8],
        ) -> Result<usize, EncryptError>,
    ) {
        while matches!(self.stage, Stage::Open | Stage::Ended) {
            match self.connection.process_tls_records(&mut self.rest).state {
                Ok(ConnectionState::EncodeTlsData(data)) => encode(data, &mut self.outgoing),
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                Ok(ConnectionState::WriteTraffic(mut traffic)) => {
                    return self.outgoing.write(|room| match write(&mut traffic, room) {
                        Ok(length) => Ok(length),
                        Err(EncryptError::InsufficientSize(size)) => Err(size.required_size),
                        // Only after more records than a connection ever has.
                        Err(EncryptError::EncryptExhausted) => Ok(0),
                    });
                }
                _ => return, // Both sides have ended.
            }
        }
    }

    /// The connection under it has ended, or failed.
    pub fn cut(&mut self) {
        if self.stage != Stage::Ended {
            self.stage = Stage::Broken;
        }
    }

    /// The bytes to send to the server now: so many of these. Their memory is used again when nobody
    /// else holds it.
    pub fn sealed(&mut self) -> Option<(Arc<[u8]>, usize)> {
        while self.connection.wants_write() {
            match self.connection.process_tls_records(&mut self.rest).state {
                Ok(ConnectionState::EncodeTlsData(data)) => encode(data, &mut self.outgoing),
                _ => break,
            }
        }
        self.outgoing.take()
    }
}

/// How many of the next bytes complete the record that `rest` begins.
fn missing(rest: &[u8], next: &[u8]) -> usize {
    let mut length = rest.iter().chain(next).skip(HEADER - 2);
    match (length.next(), length.next()) {
        (Some(&high), Some(&low)) => {
            let whole = HEADER + usize::from(u16::from_be_bytes([high, low]));
            whole.saturating_sub(rest.len()).min(next.len())
        }
        _ => next.len(),
    }
}

/// A message of the handshake, or an alert.
fn encode(mut data: EncodeTlsData<'_, ClientConnectionData>, outgoing: &mut Outgoing) {
    outgoing.write(|room| match data.encode(room) {
        Ok(length) => Ok(length),
        Err(EncodeError::InsufficientSize(size)) => Err(size.required_size),
        Err(EncodeError::AlreadyEncoded) => Ok(0),
    });
}

#[cfg(test)]
impl Session {
    /// The bytes to send to the server now, in memory of their own.
    pub(crate) fn sent(&mut self) -> Option<Vec<u8>> {
        self.sealed().map(|(bytes, length)| bytes[..length].to_vec())
    }
}
