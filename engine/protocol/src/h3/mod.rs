//! HTTP/3 (RFC 9114, and 9204 for its heads), without I/O: the client's side, and what a server
//! hears from a client.
//!
//! [`Http3`] is the [`Protocol`](crate::Protocol) of one connection. It takes and writes
//! [records](record) of QUIC's streams, which `volley-quic` carries: QUIC handles windows, lost
//! data and the reset of streams. `connection` has the state and its interface to the engine;
//! `reading` cuts a stream's bytes into frames and checks which may come where; `control` has the
//! server's own streams; `known` has heads that came before; `requests` has those that we send.
//! [`server`] checks a client's streams. [`frame`], [`qpack`], [`record`] and [`varint`] have no
//! connection, and serve both sides.
//!
//! **What is kept.** A request's bytes are the same on every connection, and a head that is equal to
//! the one before is not decoded again, on any connection: QPACK has no dynamic table here.
//!
//! **What is strict and what is bounded** is as in [HTTP/2](crate::h2). A broken rule is reported
//! at the offset of its frame in its stream.

mod connection;
mod control;
pub mod frame;
#[cfg(test)]
mod properties;
pub mod qpack;
mod reading;
pub mod record;
mod requests;
pub mod server;
#[cfg(test)]
mod tests;
pub mod varint;

pub use connection::{Http3, Shared};

/// A rule that the server has broken, with the error code with which the connection is closed for it
/// (RFC 9114, section 8.1).
type Wrong = (u64, crate::stream::Broken);
