//! Servers, sockets and kernels at their worst: right counts by kind, no hang, bounded memory.
//!
//! Each test is run with `io_uring` and with epoll; the name of the failing thread shows which.

#[path = "../world/mod.rs"]
mod world;

mod buffers;
mod closing;
mod connecting;
mod endless;
mod large;
mod many;
mod plans;
mod rings;
mod signals;
mod wishes;
