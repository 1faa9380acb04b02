//! Connections that begin with requests of their own and take values from the answers: over HTTP/1
//! and HTTP/2, with servers that give no value, refuse, close, or stay silent.
//!
//! Each test is run with `io_uring` and with epoll; the name of the failing thread shows which.

#[path = "../world/mod.rs"]
mod world;

mod failing;
mod logins;
mod shop;
