//! The load engine of bakeoff.
//!
//! [`slice`](mod@slice) loads one target for one slice: it holds the pacing. `turn` and `exchange`
//! hold the connections' reactions to what the kernel reports, `epoll` and `socket` the system
//! calls, `volley-http` the protocol. [`drive`] and [`load`] are the two ways to command it.

pub mod cli;
pub mod clock;
mod connection;
pub mod drive;
pub mod epoll;
pub mod errors;
mod exchange;
pub mod histogram;
pub mod limits;
pub mod load;
pub mod pace;
pub mod pool;
pub mod protocol;
pub mod report;
pub mod schedule;
pub mod slice;
pub mod socket;
pub mod tally;
pub mod target;
mod turn;
pub mod url;
