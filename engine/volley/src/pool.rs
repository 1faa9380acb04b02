//! A target's connections, kept from slice to slice.

use crate::connection::{Connection, State};
use crate::epoll::{Epoll, Ready};
use crate::target::Target;
use rustix::fd::OwnedFd;
use rustix::io::Result;
use std::collections::VecDeque;
use volley_http::Learned;

/// Bytes that are read at a time. A read that fills less has emptied the socket.
const READ_SIZE: usize = 64 * 1024;

/// One target's connections. Each pool has its own readiness queue, so that what other targets do
/// between their turns does not wake the generator.
#[derive(Debug)]
pub struct Pool {
    pub(crate) target: Target,
    pub(crate) connections: Vec<Connection>,
    pub(crate) epoll: Epoll,
    pub(crate) learned: Learned,
    /// Sockets whose answer is complete, waiting for the server to close first.
    ///
    /// Who closes first holds the port in `TIME_WAIT` for a minute. In close mode that is the
    /// server's part, as with a client that reads to the end of the connection. Waiting for its
    /// FIN would cost a place among the connections, a reset (`SO_LINGER` 0) frees the port but is
    /// an error in many a server's eyes. So the socket is closed a round of connections later,
    /// when the server's FIN has nearly always come.
    pub(crate) closing: VecDeque<OwnedFd>,
    /// Sockets opened so far: picks the source address.
    pub(crate) opened: u64,
}

impl Pool {
    /// No connection is opened yet.
    pub fn new(target: Target) -> Result<Self> {
        let connections = (0..target.connections).map(|_| Connection::new()).collect();
        Ok(Self {
            target,
            connections,
            epoll: Epoll::new()?,
            learned: Learned::default(),
            closing: VecDeque::new(),
            opened: 0,
        })
    }

    /// Closes all connections.
    pub(crate) fn hang_up(&mut self) {
        for connection in &mut self.connections {
            connection.socket = None;
            connection.state = State::Closed;
        }
    }

    /// Closes a socket, but not before the server had its time to.
    pub(crate) fn retire(&mut self, socket: OwnedFd) {
        if self.closing.len() >= self.target.connections {
            self.closing.pop_front();
        }
        self.closing.push_back(socket);
    }
}

/// The thread's buffers, shared by all connections.
#[derive(Debug)]
pub struct Scratch {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) ready: Vec<Ready>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self { bytes: vec![0; READ_SIZE].into_boxed_slice(), ready: Vec::new() }
    }
}
