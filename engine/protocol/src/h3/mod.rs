//! HTTP/3 (RFC 9114, and 9204 for its heads), the client's side, without I/O.
//!
//! [`Http3`] is the [`Protocol`](crate::Protocol) of one connection. What it is given and what it writes
//! are [records](record) of QUIC's streams, which `volley-quic` carries: QUIC does the windows, what is
//! lost is sent again there, and streams are reset there. `connection` has the state and what the engine
//! asks of it; `reading` cuts a stream's bytes into frames and says which may come where; `control` is
//! what the server says on streams of its own; `known` are heads that came before; `requests` are those
//! that we send. [`frame`], [`qpack`], [`record`] and [`varint`] have no connection, and serve servers
//! as well.
//!
//! **What is kept.** A request's bytes are the same on every connection, and a head that is equal to the
//! one before is not decoded again, on whichever connection: QPACK has no dynamic table here.
//!
//! **What is strict and what is bounded** is as in [HTTP/2](crate::h2). What breaks a rule is told at the
//! offset of its frame in its stream.

mod connection;
mod control;
pub mod frame;
#[cfg(test)]
mod properties;
pub mod qpack;
mod reading;
pub mod record;
mod requests;
#[cfg(test)]
mod tests;
pub mod varint;

pub use connection::{Http3, Shared};
