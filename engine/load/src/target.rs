//! A server under load: its address, its requests, its right answers.

use crate::scheme::Scheme;
use std::sync::Arc;
use volley_net::Route;
use volley_requests::Book;
use volley_tls::Config;

/// One server, and how it is loaded.
#[derive(Debug)]
pub struct Target {
    /// Where it listens, and how connections reach it.
    pub route: Route,
    /// The protocol.
    pub scheme: Scheme,
    /// The settings of TLS, where it is used.
    pub tls: Option<Config>,
    /// The requests: one book for each thread, or one for all.
    pub books: Vec<Arc<Book>>,
    /// Connections to hold at a time, of all threads together.
    pub connections: usize,
    /// For WebSocket: so many connections are a room, in which all have to hear a message that one
    /// sends. Each thread has whole rooms.
    pub room: Option<usize>,
    /// The number of the first room: generators of one server have different rooms.
    pub first_room: usize,
    /// Streams to hold open beside the requests, of all threads together. The books have their
    /// request.
    pub held: usize,
    /// A connection is closed after this many answers. With 1, latency runs from its `connect`.
    pub requests_per_connection: Option<u64>,
    /// Requests in flight at a time on one connection, as a pipeline or as streams; 1 or more.
    pub pipeline: usize,
    /// The time from the start of a request to the last byte of its answer.
    pub request_timeout_ns: u64,
    /// Whether a large body that no rule needs is counted and not read, where the connection can do
    /// that.
    pub counts_bodies: bool,
}

impl Target {
    /// How many rooms there are, or connections where there are no rooms: threads share these, and
    /// each takes a message at a time.
    pub(crate) fn units(&self) -> usize {
        self.connections / self.room.unwrap_or(1)
    }
}
