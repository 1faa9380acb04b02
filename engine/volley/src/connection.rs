//! One connection's state.

use rustix::fd::OwnedFd;
use volley_http::Decoder;

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// There is none; it may be opened from `due_ns` on.
    Closed,
    /// Not established yet; given up at `due_ns`.
    Connecting,
    /// Established, with nothing in flight.
    Idle,
    /// A request is on its way, or its answer; given up at `due_ns`.
    Waiting,
}

/// One of a target's connections. It may be closed and opened many times.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) state: State,
    pub(crate) socket: Option<OwnedFd>,
    /// Counts the sockets that were opened here: tells events of a closed one from this one's.
    pub(crate) generation: u32,
    /// When the request was started.
    pub(crate) started_ns: u64,
    /// When something has to be done about it unless an event comes first.
    pub(crate) due_ns: u64,
    /// Bytes of the request written.
    pub(crate) written: usize,
    /// Failures since the last answer.
    pub(crate) failures: u32,
    pub(crate) decoder: Decoder,
}

impl Connection {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Closed,
            socket: None,
            generation: 0,
            started_ns: 0,
            due_ns: 0,
            written: 0,
            failures: 0,
            decoder: Decoder::default(),
        }
    }
}
