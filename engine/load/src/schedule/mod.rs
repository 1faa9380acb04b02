//! Levels over time, and the moments at which requests are due.
//!
//! All arrivals are numbers on one scale: how many requests are due up to a moment, Λ(t), is the
//! integral of the rate. A request at the place u of that scale is due at Λ⁻¹(u), which has a
//! closed form where the rate changes linearly. So errors never add up, however long it takes.

mod arrivals;
mod inverse;
mod profile;
#[cfg(test)]
mod properties;
mod ticks;

pub use arrivals::{Arrivals, Process, Shape};
pub use profile::{Profile, Stage};
