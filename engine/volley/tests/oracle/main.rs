//! Does the generator tell the truth? A server whose latencies are known beforehand says so.
//!
//! It is `brick-yardstick`, which waits by the kernel's timers and never answers sooner than it was
//! told. So what a perfect generator would measure follows from a formula, from the server's log of
//! its stalls, or request by request from a simulation of the same queue.
//!
//! The machine may disturb a run all the same. When it did is told by the kernel, never by what the
//! generator found ([`weather`]). A run that was disturbed too much is done again, three times in
//! all, and then the calmest one counts. If a share of all requests may have met a disturbance,
//! quantiles may be those of a rank that is higher by that share: all others have to have the
//! latency that they would have had anyway ([`agreement`]). In no weather may a request be faster
//! than the server was.

#[path = "../world/mod.rs"]
mod world;

mod agreement;
mod bodies;
mod closed_loop;
mod delays;
mod markov;
mod queue;
mod stalls;
mod trial;
mod weather;
