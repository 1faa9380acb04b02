//! Why a connection could not be made, or broke.

use crate::errors::system_words;
use rustix::io::Errno;
use std::fmt;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// A system call failed.
    System(Errno),
    /// TLS failed, or the connection under its handshake. Boxed: events are passed along a lot.
    Tls(Box<TlsFailure>),
    /// QUIC failed, or what it is agreed on by.
    Quic(Box<QuicFailure>),
}

/// How QUIC failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuicFailure {
    /// What kind of failure it is.
    pub fault: QuicFault,
    /// In words.
    pub words: String,
}

/// Kinds of failures of QUIC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuicFault {
    /// The server's certificate is not believed.
    Certificate,
    /// The server did not agree on the protocol that was asked for.
    Alpn,
    /// TLS failed otherwise.
    Handshake,
    /// The server speaks no version of QUIC that we do, or takes no connection.
    Refused,
    /// Nothing came for as long as both sides had agreed on.
    Lapsed,
    /// The server gave the connection up.
    Reset,
    /// The server breaks QUIC's rules.
    Malformed,
}

/// How TLS failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFailure {
    /// What kind of failure it is.
    pub fault: Fault,
    /// In words.
    pub words: String,
}

/// Kinds of failures of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection ended without the goodbye of TLS (`close_notify`).
    Cut,
    /// The server's certificate is not believed.
    Certificate,
    /// The server did not agree on the protocol that was asked for.
    Alpn,
    /// Anything else.
    Other,
}

impl Failure {
    /// Of TLS.
    pub fn tls(fault: Fault, words: impl Into<String>) -> Self {
        Self::Tls(Box::new(TlsFailure { fault, words: words.into() }))
    }

    /// Of QUIC.
    pub fn quic(fault: QuicFault, words: impl Into<String>) -> Self {
        Self::Quic(Box::new(QuicFailure { fault, words: words.into() }))
    }
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Self::System(errno)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(errno) => f.write_str(&system_words(*errno)),
            Self::Tls(failure) => f.write_str(&failure.words),
            Self::Quic(failure) => f.write_str(&failure.words),
        }
    }
}
