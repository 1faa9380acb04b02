//! Loads over TLS, against a real server's side of it: right answers and right counts, and each way
//! in which there is no agreement told by its kind.
//!
//! Each test is run with `io_uring` and with epoll; the name of the thread that fails says which.

#[path = "../world/mod.rs"]
mod world;

mod agreement;
mod answers;
mod endings;
