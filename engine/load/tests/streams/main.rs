//! Loads over HTTP/2 and of streams: the first bytes of bodies, server-sent events, many streams on
//! a connection, answers in any order, servers that reset streams, go away, or send unrequested
//! bytes.
//!
//! The meaning of the bytes is tested in `volley-protocol`; these tests check the load. Each test
//! is run with `io_uring` and with epoll; the name of the failing thread shows which.

#[path = "../world/mod.rs"]
mod world;

mod connections;
mod events;
mod first_byte;
mod held;
mod mix;
mod pushed;
mod requests;
