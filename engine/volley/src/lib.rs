//! The load engine of bakeoff.
//!
//! [`crew`] holds the threads, [`slice`](mod@slice) what each does for one slice of load. `turn`
//! waits and sees what is due, `link` opens and closes connections, `exchange` sends requests and
//! takes answers; [`io`] holds the system calls, `volley-http` the protocol, `volley-requests` what
//! is sent. [`drive`] and [`load`] are the two ways to command it.

pub mod cli;
pub mod clock;
mod connection;
pub mod crew;
pub mod drive;
pub mod errors;
mod exchange;
pub mod histogram;
pub mod interrupts;
pub mod intervals;
pub mod io;
pub mod limits;
mod link;
pub mod load;
pub mod null;
pub mod pace;
mod patience;
pub mod personality;
mod pool;
pub mod protocol;
pub mod report;
pub mod schedule;
pub mod slice;
pub mod tally;
pub mod target;
mod turn;
pub mod url;
