//! A server under load: where it is, what to ask it, which answer is right.

use std::net::SocketAddr;
use volley_http::Expectation;

/// One server and one request.
#[derive(Debug)]
pub struct Target {
    /// Where it listens.
    pub address: SocketAddr,
    /// The request's bytes.
    pub request: Vec<u8>,
    /// The request is HEAD: answers have no body.
    pub to_head: bool,
    /// Which answer is right.
    pub expectation: Expectation,
    /// Connections to hold at a time.
    pub connections: usize,
    /// One connection per request, instead of keeping them.
    pub close: bool,
    /// From `connect` to the established connection.
    pub connect_timeout_ns: u64,
    /// From the start of a request to the last byte of its answer.
    pub request_timeout_ns: u64,
}
