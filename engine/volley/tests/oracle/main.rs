//! Does the generator tell the truth? Servers whose latencies are known beforehand say so.
//!
//! Each server's service is virtual and exact ([`world::timed`]), so what a perfect generator would
//! measure follows from a formula, and request by request from a simulation of the same queue.
//!
//! The machine may disturb a run all the same. When it did is told by the kernel and by the
//! server's log, never by what the generator found ([`weather`]). A run that was disturbed too much
//! is done again, three times in all, and then the calmest one counts. If a share of all requests
//! may have met a disturbance, quantiles may be those of a rank that is higher by that share: all
//! others have to have the latency that they would have had anyway ([`agreement`]).

#[path = "../world/mod.rs"]
mod world;

mod agreement;
mod closed_loop;
mod delays;
mod laws;
mod markov;
mod stalls;
mod trial;
mod weather;
