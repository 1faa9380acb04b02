//! WebSocket (RFC 6455) for a client that sends a message and awaits its echo.
//!
//! `handshake` writes the upgrade and checks its answer, `frame` reads heads and writes frames,
//! `mask` has the keys, `echo` compares received messages with the sent one. [`WebSocket`] is the
//! [`Protocol`](crate::Protocol) made of them. `deflate` has permessage-deflate, which is offered
//! if a message is to be compressed; no other extension is offered.

mod connection;
mod deflate;
mod echo;
pub mod frame;
pub mod handshake;
pub mod mask;
mod message;
mod reading;
#[cfg(test)]
mod tests;

pub use connection::WebSocket;
pub use echo::MESSAGE_LIMIT;
pub use handshake::{Upgrade, UpgradeFault};
pub use mask::{Keys, mask};
pub use message::Message;
