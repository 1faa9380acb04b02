//! A path with delay and loss, over which a machine reaches its own servers.
//!
//! A TUN [device] has an address of this machine, `near`. What is sent to the device's other address,
//! `far`, is read from the device, waits in a [line] for its delay, and is written back with its two
//! addresses [exchanged](packet). So it arrives at `near`, from `far`, and the answer takes the same
//! way back: each sees a peer on another machine. One device and one process do for both directions,
//! and for TCP, UDP and ICMP alike.

#![cfg_attr(not(test), warn(clippy::disallowed_types))]

pub mod device;
pub mod forward;
pub mod line;
pub mod packet;
