//! Does the generator tell the truth? The tests use a server whose latencies are known beforehand.
//!
//! The server is `brick-yardstick`, which waits by the kernel's timers and never answers sooner
//! than it was told. So the figures of a perfect generator follow from a formula, from the server's
//! log of its stalls, or request by request from a simulation of the same queue.
//!
//! The machine may disturb a run. The kernel reports when it did, never the generator's own figures
//! ([`weather`]). Generator and server run with real-time priority where the system allows it, so
//! that other programs hardly disturb them. A run that was disturbed too much is repeated; if
//! all were, the test is not run, which is printed. If a small share of all requests may have met a disturbance,
//! quantiles may be those of a rank that is higher by that share: all other requests must have the
//! latency that they would have had anyway ([`agreement`]). No request may ever be faster than the
//! server was.

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
