//! Sockets and their surroundings: two ways of I/O behind one interface, clocks, routes, limits.

#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod backend;
pub mod clock;
mod epoll;
pub mod errors;
mod failure;
pub mod interrupts;
pub mod limits;
mod patience;
mod queue;
mod route;
pub mod socket;
pub mod udp;
mod uring;
pub mod url;

pub use backend::{
    Agreed, Backend, Datagrams, EVENTS_AT_ONCE, Event, Io, IoChoice, Kernel, RingSize, What,
};
pub use epoll::Epoll;
pub use failure::{Failure, Fault, QuicFailure, QuicFault, TlsFailure};
pub use patience::Patience;
pub use queue::{Polled, Queue};
pub use route::{Address, Route, SocketBuffers, Sources};
pub use uring::Uring;
