//! Loads over TLS, against a real server's side of it: right answers and right counts, and for each
//! way in which a handshake fails its kind of error.
//!
//! Each test is run with `io_uring` and with epoll; the name of the failing thread shows which.

#[path = "../world/mod.rs"]
mod world;

mod agreement;
mod answers;
mod endings;
