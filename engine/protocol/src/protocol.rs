//! The interface between a load and the protocol on its connections.

use crate::check::Expectation;
use crate::events::Pushed;
use crate::h3;
use crate::head::Malformed;
use crate::request::{Request, RequestError};
use crate::verdict::Verdict;
use crate::ws::{UpgradeFault, frame};
use std::fmt;
use std::sync::Arc;

/// The most bytes of a bad answer that are kept to be shown.
pub const EVIDENCE_LIMIT: usize = 64 * 1024;

/// The facts about a request that are needed to read its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Awaited {
    /// Which answer is right: an index into the expectations of [`Protocol::shared`].
    pub expectation: u32,
    /// The request is HEAD: its answer has no body.
    pub to_head: bool,
}

/// The caller's token, which comes back with an answer.
pub trait Ticket: Copy {
    /// The ticket of the request that was sent after this one, in the same run.
    #[must_use]
    fn next(self) -> Self;
}

/// Answers that came together, to requests of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answers<T> {
    /// The ticket of the first request.
    pub first: T,
    /// The number of answers.
    pub count: usize,
    /// How many of the bytes belong to them.
    pub consumed: usize,
    /// The status of each answer.
    pub status: u16,
}

/// The moment at which bytes are taken, and the bytes for the server.
#[derive(Debug)]
pub struct Io<'a> {
    /// The reading of the clock that belongs to the bytes.
    pub now_ns: u64,
    /// Bytes for the server are appended to this.
    pub out: &'a mut Vec<u8>,
}

/// The client's side of one connection: which requests are in flight, and what received bytes mean
/// for them. No I/O. `T` is a [`Ticket`], or, where no requests are sent in runs, any value that
/// the caller wants back with an answer.
///
/// A new connection begins with [`Protocol::greet`], on a value that is new or that a former
/// connection has left, with nothing in flight.
pub trait Protocol<T>: Default {
    /// Whether a request's bytes depend on the connection, so that [`Protocol::write`] makes them.
    /// Otherwise they are sent as they are in the book, and [`Protocol::start`] is called.
    const WRITES: bool;

    /// Whether the server speaks first, without a request: a connection carries no request before
    /// it [`is_ready`](Protocol::is_ready), except a first one that is [written](Protocol::WRITES).
    const GREETS: bool;

    /// What a server has done by then, as text.
    const GREETING: &'static str = "announced its settings";

    /// The common state of all connections of one thread to one target: what was learned from
    /// answers, and the prepared requests.
    type Shared;

    /// The initial state, in which nothing is learned. `expectations`: the right answers.
    /// `requests`: the requests, by message number.
    fn shared(expectations: &[Arc<Expectation>], requests: &[Arc<Request>]) -> Self::Shared;

    /// A new connection is established: clears the state of a former one, and appends a client's
    /// first bytes to `out`.
    fn greet(&mut self, _shared: &mut Self::Shared, _out: &mut Vec<u8>) {}

    /// The connection belongs to this room, in which a message is for all.
    fn enter_room(&mut self, _room: usize) {}

    /// Our side ends the connection after its last answer: appends its last bytes to `out`.
    fn write_goodbye(&mut self, _out: &mut Vec<u8>) {}

    /// Whether the server has sent what requests have to wait for.
    fn is_ready(&self) -> bool {
        true
    }

    /// What the server has announced. `None` before that, and where the protocol has no
    /// announcement.
    fn announced(&self) -> Option<Announced> {
        None
    }

    /// How many more requests may be started, if `depth` may be in flight at a time.
    fn room(&self, depth: usize) -> usize;

    /// How many requests are in flight.
    fn in_flight(&self) -> usize;

    /// The ticket of the oldest request in flight.
    fn oldest(&self) -> Option<T>;

    /// This many requests were sent, in the order in which they are in the book.
    fn start(&mut self, first: T, count: usize);

    /// Starts a request, where there is room: appends its bytes to `out`. `message`: its number, an
    /// index into the requests of [`Protocol::shared`].
    fn write(&mut self, ticket: T, message: usize, shared: &mut Self::Shared, out: &mut Vec<u8>);

    /// The same for a request that is not one of those.
    fn write_other(
        &mut self,
        ticket: T,
        request: Request,
        shared: &mut Self::Shared,
        out: &mut Vec<u8>,
    ) -> Result<(), RequestError>;

    /// Takes the next bytes; `None` if they were not requested. After [`Step::Complete`] the answer
    /// may be described, and has to be finished, as has a request after [`Step::Refused`]; only
    /// then are the bytes after it fed. `awaited` looks a ticket up.
    fn receive(
        &mut self,
        bytes: &[u8],
        awaited: impl Fn(T) -> Awaited,
        shared: &mut Self::Shared,
        io: &mut Io<'_>,
    ) -> Option<Step>;

    /// The events that the last bytes brought at `now_ns` in one answer, complete or in progress,
    /// and the ticket of its request. `None`: there are no more.
    fn take_pushed(&mut self, _now_ns: u64) -> Option<(T, Pushed)> {
        None
    }

    /// Since when the longest waiting request waits: since the latest event of its answer, or since
    /// its sending, which `sent_ns` gives. `None`: none is in flight.
    #[inline]
    fn waits_since_ns(&self, sent_ns: impl Fn(T) -> u64) -> Option<u64> {
        self.oldest().map(sent_ns)
    }

    /// How many of the next bytes no rule needs: the answer in progress is right if they arrive.
    fn unread(&self, _awaited: impl Fn(T) -> Awaited, _shared: &Self::Shared) -> u64 {
        0
    }

    /// This many of them arrived at `now_ns`, and were counted instead of read.
    fn count(
        &mut self,
        _length: u64,
        _awaited: impl Fn(T) -> Awaited,
        _shared: &mut Self::Shared,
        _now_ns: u64,
    ) -> Step {
        Step::Incomplete
    }

    /// Finishes the requests whose answers `bytes` begin with, if all of these are right, known
    /// byte by byte, and followed by others on their connection. `None`: they have to be received.
    #[inline]
    fn take_known(
        &mut self,
        _bytes: &[u8],
        _awaited: impl Fn(T) -> Awaited,
        _shared: &mut Self::Shared,
    ) -> Option<Answers<T>> {
        None
    }

    /// The server has closed the connection. After [`End::Complete`], proceed as after
    /// [`Step::Complete`].
    fn end(&mut self, awaited: impl Fn(T) -> Awaited, shared: &mut Self::Shared) -> End;

    /// The verdict on the complete answer as a message, given the bytes that were received last.
    fn describe(
        &self,
        answer: &Answer,
        awaited: Awaited,
        shared: &Self::Shared,
        last: &[u8],
    ) -> String;

    /// The first bytes of the answer in progress, given the bytes that were received last.
    fn evidence(&self, last: &[u8]) -> Vec<u8>;

    /// The body of the complete answer, where its rule inspects it.
    fn collected(&self) -> &[u8];

    /// The ticket of the complete answer, or of the refused request, until it is finished.
    fn completed(&self) -> Option<T>;

    /// When the first byte of the complete answer's body arrived. `None`: with its last, or there
    /// is no body.
    fn first_byte_ns(&self) -> Option<u64>;

    /// Takes that ticket.
    fn finish(&mut self) -> Option<T>;

    /// Gives up the longest waiting request ([`Protocol::waits_since_ns`]) if others on its
    /// connection may go on without it: then it has to be finished. Otherwise the connection has to
    /// be closed. Bytes for the server are appended to `out`.
    fn cancel(&mut self, _sent_ns: impl Fn(T) -> u64, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Takes the ticket of a request that will not be answered, because the connection is lost.
    fn take_unanswered(&mut self) -> Option<T>;
}

/// The announcements of a server (HTTP/2's SETTINGS).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Announced {
    /// Requests that may be in flight at a time; `None`: any number.
    pub max_concurrent_streams: Option<u32>,
    /// Bytes of a request's body that may be sent before the server allows more.
    pub initial_window: u32,
    /// Bytes of the table that compresses our requests' heads.
    pub header_table_size: u32,
    /// Bytes that a frame of ours may carry.
    pub max_frame_size: u32,
}

/// The result of feeding bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// All bytes were taken, and the answer continues.
    Incomplete,
    /// The answer ended within these bytes.
    Complete(Answer),
    /// A request ended without an answer, and the connection lives on.
    Refused {
        /// How many of the bytes fed last belong to it.
        consumed: usize,
        /// How it ended.
        what: Refusal,
    },
    /// The bytes break the protocol.
    Malformed(Malformed),
    /// The server ends the connection, and the requests on it.
    Lost(Loss),
}

/// How a server ends a WebSocket connection, or makes it useless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// It does not agree to the upgrade.
    NotUpgraded(UpgradeFault),
    /// It has sent a close frame, with this code.
    Closed(Option<u16>),
    /// It has sent a message to a room twice.
    Doubled,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = match *self {
            Self::NotUpgraded(fault) => return fault.fmt(f),
            Self::Doubled => return f.write_str("a message that this listener has heard already"),
            Self::Closed(None) => return f.write_str("a close frame without a code"),
            Self::Closed(Some(code)) => code,
        };
        write!(f, "a close frame with code {code}")?;
        match frame::code_words(code) {
            Some(words) => write!(f, " ({words})"),
            None if frame::is_close_code(code) => Ok(()),
            None => f.write_str(", which no server may send"),
        }
    }
}

/// How a request ended without an answer, with the server's error code (RFC 9113, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The server reset its stream.
    Reset(u32),
    /// The same in HTTP/3, with its own codes (RFC 9114, section 8.1).
    Aborted(u64),
    /// The server goes away because of an error, or before it has answered any request.
    GoneAway(u32),
    /// The server takes no more requests on this connection, and has not processed this one: it may
    /// be sent on another (RFC 9113, section 8.7).
    HandedBack,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (frame, code) = match *self {
            Self::Aborted(code) => {
                return write!(f, "RESET_STREAM with {}", h3::frame::name_of(code));
            }
            Self::Reset(code) => ("RST_STREAM", code),
            Self::GoneAway(code) => ("GOAWAY", code),
            Self::HandedBack => ("GOAWAY", 0),
        };
        write!(f, "{frame} with ")?;
        match ERROR_CODES.get(code as usize) {
            Some(name) => f.write_str(name),
            None => write!(f, "error code {code:#x}"),
        }
    }
}

/// The names of HTTP/2's error codes, by code.
const ERROR_CODES: [&str; 14] = [
    "NO_ERROR",
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED",
];

/// A complete answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// How many of the bytes fed last belong to it.
    pub consumed: usize,
    /// The status code.
    pub status: u16,
    /// Bytes of body, without the coding.
    pub body_length: u64,
    /// Whether the connection may carry another request, or carries one.
    pub keep_alive: bool,
    /// Whether it is the expected one.
    pub verdict: Verdict,
}

/// What the end of a connection means for the answer in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It was the answer's proper end.
    Complete(Answer),
    /// It came too early, after this many bytes of the answer.
    Short(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_their_error_codes() {
        for (refusal, words) in [
            (Refusal::Reset(0), "RST_STREAM with NO_ERROR"),
            (Refusal::Reset(7), "RST_STREAM with REFUSED_STREAM"),
            (Refusal::HandedBack, "GOAWAY with NO_ERROR"),
            (Refusal::GoneAway(13), "GOAWAY with HTTP_1_1_REQUIRED"),
            (Refusal::Aborted(0x10b), "RESET_STREAM with H3_REQUEST_REJECTED"),
            (Refusal::Reset(14), "RST_STREAM with error code 0xe"),
            (Refusal::GoneAway(u32::MAX), "GOAWAY with error code 0xffffffff"),
        ] {
            assert_eq!(refusal.to_string(), words);
        }
    }
}
