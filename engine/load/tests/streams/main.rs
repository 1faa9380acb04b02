//! Loads over HTTP/2 and of streams: when bodies begin, server-sent events, many streams on a connection, answers in any order, servers that reset them,
//! go away, or say something unasked.
//!
//! What the bytes mean is tested in `volley-protocol`; here it is what a load makes of it. Each test
//! is run with `io_uring` and with epoll; the name of the thread that fails says which.

#[path = "../world/mod.rs"]
mod world;

mod connections;
mod events;
mod first_byte;
mod mix;
mod pushed;
mod requests;
