//! A path with delay and loss, over which a machine reaches its own servers.
//!
//! A TUN [device] has an address of this machine, `near`. Packets to the device's other address,
//! `far`, are read from the device, wait in a [line] for their delay, and are written back with
//! their two addresses [exchanged](packet). So they arrive at `near`, from `far`, and the answers
//! take the same way back: each side sees a peer on another machine. One device and one process
//! serve both directions, and TCP, UDP and ICMP alike.

#![cfg_attr(not(test), warn(clippy::disallowed_types))]

pub mod device;
pub mod forward;
pub mod line;
pub mod packet;
