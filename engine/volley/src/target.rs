//! A server under load: where it is, how to reach it, what to ask it, which answer is right.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use volley_requests::Book;

/// One server, and how it is loaded.
#[derive(Debug)]
pub struct Target {
    /// Where it listens.
    pub address: Address,
    /// Where connections come from.
    pub sources: Sources,
    /// What is sent: one for each thread, or one for all.
    pub books: Vec<Arc<Book>>,
    /// Connections to hold at a time, all threads together.
    pub connections: usize,
    /// A connection is closed after so many answers. With 1, latency runs from its `connect`.
    pub requests_per_connection: Option<u64>,
    /// Requests on their way at a time on one connection; 1 or more.
    pub pipeline: usize,
    /// From `connect` to the established connection.
    pub connect_timeout_ns: u64,
    /// From the start of a request to the last byte of its answer.
    pub request_timeout_ns: u64,
    /// Sizes of the socket's buffers in bytes, where not the system's.
    pub buffers: SocketBuffers,
}

/// Sizes of a socket's buffers in bytes; `None`: the system's.
#[derive(Debug, Clone, Copy, Default)]
pub struct SocketBuffers {
    /// `SO_SNDBUF`.
    pub send: Option<usize>,
    /// `SO_RCVBUF`.
    pub receive: Option<usize>,
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A host and port.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => path.display().fmt(f),
        }
    }
}

/// Where connections come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sources {
    /// The system chooses.
    System,
    /// These IPv4 addresses in turn, the last one included.
    Range(Ipv4Addr, Ipv4Addr),
}
