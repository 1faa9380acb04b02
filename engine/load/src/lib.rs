//! A load generator as a library.
//!
//! [`workers`] holds the threads, [`slice`](mod@slice) the part of each in one slice of load.
//! `turn` waits and finds what is due, [`scheme`] has the protocols to choose from, `link` opens
//! and closes connections, `chain` sends the requests with which each begins, `available` finds the
//! connection for the next one, `exchange` sends requests and takes answers, `ending` counts them,
//! [`held`] holds streams open beside them. `volley-net` holds the system calls, `volley-protocol`
//! the protocols, `volley-requests` the requests.

#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod available;
pub mod by_request;
mod chain;
mod ending;
pub mod errors;
pub mod events;
mod exchange;
pub mod figures;
pub mod held;
pub mod histogram;
pub mod intervals;
mod link;
pub mod pace;
mod pool;
pub mod rooms;
pub mod schedule;
pub mod scheme;
mod shared;
#[cfg(test)]
mod simulated;
pub mod slice;
pub mod tally;
pub mod target;
mod turn;
pub mod workers;
