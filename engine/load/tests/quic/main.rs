//! Loads over QUIC, against servers on quinn, which sends and receives by code that is not ours:
//! right answers and right counts, whatever such a server does that QUIC allows.

#[path = "../world/mod.rs"]
mod world;

mod conditions;
mod early;
mod server;
