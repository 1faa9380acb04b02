//! Why a connection could not be made, or broke.

use crate::errors::system_words;
use rustix::io::Errno;
use std::fmt;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// A system call failed.
    System(Errno),
    /// TLS failed, or the connection failed during its handshake. Boxed, because events are moved
    /// often.
    Tls(Box<TlsFailure>),
    /// QUIC failed, or its handshake did.
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
    /// The server's certificate could not be verified.
    Certificate,
    /// The server did not agree on the protocol that was asked for.
    Alpn,
    /// TLS failed otherwise.
    Handshake,
    /// The server supports none of our versions of QUIC, or refuses the connection.
    Refused,
    /// Nothing arrived during the idle timeout that both sides had agreed on.
    Lapsed,
    /// The server closed the connection.
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
    /// The connection ended without TLS's `close_notify`.
    Cut,
    /// The server's certificate could not be verified.
    Certificate,
    /// The server did not agree on the protocol that was asked for.
    Alpn,
    /// Anything else.
    Other,
}

impl Failure {
    /// A failure of TLS.
    pub fn tls(fault: Fault, words: impl Into<String>) -> Self {
        Self::Tls(Box::new(TlsFailure { fault, words: words.into() }))
    }

    /// A failure of QUIC.
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
