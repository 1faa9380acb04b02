//! Kinds of failure, and their counts.

use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use volley_net::{Failure, Fault, QuicFault};
use volley_protocol::ws::frame::is_close_code;
use volley_protocol::{Loss, Refusal, Verdict};

/// What went wrong with a connection or an answer. The kinds from `Status` on are wrong answers;
/// the kinds before it mean that there was no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The server refused the connection.
    ConnectRefused,
    /// The connection was not established in time.
    ConnectTimeout,
    /// Any other failure to connect.
    Connect,
    /// The TLS handshake failed.
    Handshake,
    /// The server's certificate could not be verified.
    Certificate,
    /// The server did not agree on the protocol that was asked for.
    Alpn,
    /// The server did not agree to the upgrade to WebSocket.
    Upgrade,
    /// All local ports to this address are in use or in `TIME_WAIT`.
    AddressExhausted,
    /// The server reset the connection.
    Reset,
    /// The server closed the connection before the answer's end.
    EarlyClose,
    /// Any other failure to read or write.
    Write,
    /// No complete answer in time.
    Timeout,
    /// A listener of a room did not hear a message.
    Lost,
    /// A listener of a room heard a message twice.
    Doubled,
    /// The bytes break the protocol.
    Malformed,
    /// The server reset the request's stream.
    StreamReset,
    /// The server went away (GOAWAY) without looking at the request.
    Goaway,
    /// An answer of the chain lacks a value that the connection takes from it.
    Chain,
    /// An answer with the wrong status.
    Status,
    /// An answer with a body of the wrong length.
    MismatchLength,
    /// An answer with the wrong body.
    MismatchBody,
    /// An answer without an expected header, or with another value of it.
    MismatchHeader,
    /// A gRPC call that failed, or whose answer has no status.
    GrpcStatus,
    /// A listener of a room heard a message after the timeout.
    Late,
}

/// All kinds, in the order in which they are reported.
pub const KINDS: [ErrorKind; 24] = [
    ErrorKind::ConnectRefused,
    ErrorKind::ConnectTimeout,
    ErrorKind::Connect,
    ErrorKind::Handshake,
    ErrorKind::Certificate,
    ErrorKind::Alpn,
    ErrorKind::Upgrade,
    ErrorKind::AddressExhausted,
    ErrorKind::Reset,
    ErrorKind::EarlyClose,
    ErrorKind::Write,
    ErrorKind::Timeout,
    ErrorKind::Lost,
    ErrorKind::Doubled,
    ErrorKind::Malformed,
    ErrorKind::StreamReset,
    ErrorKind::Goaway,
    ErrorKind::Chain,
    ErrorKind::Status,
    ErrorKind::MismatchLength,
    ErrorKind::MismatchBody,
    ErrorKind::MismatchHeader,
    ErrorKind::GrpcStatus,
    ErrorKind::Late,
];

impl ErrorKind {
    /// The kind of a failure to connect, the handshake included.
    pub fn of_connect(failure: &Failure) -> Self {
        match failure {
            Failure::System(Errno::CONNREFUSED) => Self::ConnectRefused,
            Failure::System(Errno::TIMEDOUT) => Self::ConnectTimeout,
            Failure::System(Errno::ADDRNOTAVAIL | Errno::ADDRINUSE) => Self::AddressExhausted,
            Failure::System(_) => Self::Connect,
            Failure::Tls(failure) => match failure.fault {
                Fault::Certificate => Self::Certificate,
                Fault::Alpn => Self::Alpn,
                Fault::Cut | Fault::Other => Self::Handshake,
            },
            Failure::Quic(failure) => match failure.fault {
                QuicFault::Certificate => Self::Certificate,
                QuicFault::Alpn => Self::Alpn,
                QuicFault::Handshake => Self::Handshake,
                QuicFault::Lapsed => Self::ConnectTimeout,
                QuicFault::Refused | QuicFault::Reset | QuicFault::Malformed => Self::Connect,
            },
        }
    }

    /// The kind of a failed read or write on an established connection.
    pub fn of_stream(failure: &Failure) -> Self {
        match failure {
            Failure::System(Errno::CONNRESET | Errno::PIPE) => Self::Reset,
            Failure::System(Errno::TIMEDOUT) => Self::Timeout,
            Failure::Tls(failure) if failure.fault == Fault::Cut => Self::EarlyClose,
            Failure::System(_) | Failure::Tls(_) => Self::Write,
            Failure::Quic(failure) => match failure.fault {
                QuicFault::Lapsed => Self::Timeout,
                QuicFault::Malformed | QuicFault::Handshake => Self::Malformed,
                _ => Self::Reset,
            },
        }
    }

    /// The kind of a request that ended without an answer on a connection that lives on.
    pub fn of_refusal(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Reset(_) | Refusal::Aborted(_) => Self::StreamReset,
            Refusal::GoneAway(_) | Refusal::HandedBack => Self::Goaway,
        }
    }

    /// The kind of a connection that the server closed.
    pub fn of_loss(loss: Loss) -> Self {
        match loss {
            Loss::NotUpgraded(_) => Self::Upgrade,
            Loss::Doubled => Self::Doubled,
            Loss::Closed(Some(code)) if !is_close_code(code) => Self::Malformed,
            Loss::Closed(_) => Self::EarlyClose,
        }
    }

    /// The kind of a wrong answer; `None` for a right one.
    pub fn of_verdict(verdict: Verdict) -> Option<Self> {
        match verdict {
            Verdict::Right => None,
            Verdict::Status => Some(Self::Status),
            Verdict::Length => Some(Self::MismatchLength),
            Verdict::Body => Some(Self::MismatchBody),
            Verdict::Header => Some(Self::MismatchHeader),
            Verdict::Call => Some(Self::GrpcStatus),
        }
    }

    /// In words, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::ConnectRefused => "connection refused",
            Self::ConnectTimeout => "connection not established in time",
            Self::Connect => "could not connect",
            Self::Handshake => "TLS was not agreed on",
            Self::Certificate => "certificate not trusted",
            Self::Alpn => "protocol not agreed on",
            Self::Upgrade => "WebSocket not agreed on",
            Self::AddressExhausted => "no local port left",
            Self::Reset => "connection reset by the server",
            Self::EarlyClose => "connection closed before the answer's end",
            Self::Write => "could not read or write",
            Self::Timeout => "no answer in time",
            Self::Lost => "message not heard by a listener",
            Self::Doubled => "message heard twice by a listener",
            Self::Malformed => "answer breaks the protocol",
            Self::StreamReset => "stream reset by the server",
            Self::Goaway => "server went away without the request",
            Self::Chain => "nothing to take from the answer",
            Self::Status => "wrong status",
            Self::MismatchLength => "wrong length of body",
            Self::MismatchBody => "wrong body",
            Self::MismatchHeader => "wrong or missing header",
            Self::GrpcStatus => "gRPC call failed",
            Self::Late => "message heard too late by a listener",
        }
    }
}

/// Why an established connection is lost.
pub(crate) fn broken(failure: &Failure) -> String {
    match failure {
        Failure::Tls(tls) => match tls.fault {
            Fault::Cut => "the server closed the connection before the answer's end, and without \
                           the goodbye of TLS (close_notify)"
                .to_owned(),
            _ => format!("TLS: {}", tls.words),
        },
        Failure::System(_) | Failure::Quic(_) => failure.to_string(),
    }
}

/// How often each kind occurred.
#[derive(Debug, Clone, Default)]
pub struct Counts([u64; KINDS.len()]);

impl Counts {
    /// Adds to the count of a kind.
    pub fn add(&mut self, kind: ErrorKind, count: u64) {
        self.0[kind as usize] += count;
    }

    /// The count of one kind.
    pub fn of(&self, kind: ErrorKind) -> u64 {
        self.0[kind as usize]
    }

    /// The count of all kinds that are wrong answers.
    pub fn wrong_answers(&self) -> u64 {
        self.0[ErrorKind::Status as usize..].iter().sum()
    }

    /// The count of all kinds.
    pub fn sum(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// The kinds that occurred.
    pub fn occurred(&self) -> BTreeMap<ErrorKind, u64> {
        KINDS.into_iter().map(|kind| (kind, self.of(kind))).filter(|&(_, n)| n > 0).collect()
    }
}
