//! A server under load: where it is, what to ask it, which answer is right.

use crate::scheme::Scheme;
use std::sync::Arc;
use volley_net::Route;
use volley_requests::Book;
use volley_tls::Config;

/// One server, and how it is loaded.
#[derive(Debug)]
pub struct Target {
    /// Where it listens, and how connections get there.
    pub route: Route,
    /// What is spoken with it.
    pub scheme: Scheme,
    /// How TLS is spoken, where it is.
    pub tls: Option<Config>,
    /// What is sent: one for each thread, or one for all.
    pub books: Vec<Arc<Book>>,
    /// Connections to hold at a time, all threads together.
    pub connections: usize,
    /// A connection is closed after so many answers. With 1, latency runs from its `connect`.
    pub requests_per_connection: Option<u64>,
    /// Requests on their way at a time on one connection, sent ahead or as streams; 1 or more.
    pub pipeline: usize,
    /// From the start of a request to the last byte of its answer.
    pub request_timeout_ns: u64,
    /// Whether a large body that no rule looks at is counted and not read, where the connection can do that.
    pub counts_bodies: bool,
}
