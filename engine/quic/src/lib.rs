//! The client's side of QUIC, and that of the null server.
//!
//! quinn-proto does QUIC without I/O; this crate has its sockets, and the way in and out of its
//! streams: [`volley_protocol::h3::record`]. [`Quic`] is the client's side, a
//! [`volley_net::Backend`] with a connected UDP socket for each connection; [`Server`] is the
//! other, on one socket.
//!
//! Windows are so large that they are never the limit; congestion control, pacing and
//! acknowledgements are quinn-proto's own.

#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod client;
mod failures;
mod line;
mod server;
mod socket;
mod timers;

pub use client::{Quic, Records};
pub use server::Server;

use quinn_proto::{TransportConfig, VarInt};

/// The supported version of QUIC, as text.
pub const VERSION: &str = "v1 (RFC 9000)";

/// The congestion control.
pub const CONGESTION_CONTROL: &str = "cubic";

/// Bytes that may arrive on a stream before the window is renewed: flow control is not measured.
const STREAM_WINDOW: u32 = (1 << 30) - 1;

/// The bytes of a datagram that every path carries (RFC 9000, section 14).
pub const DATAGRAM: usize = 1200;

/// The common settings of both sides. `requests`: streams that the other side may open for them.
/// `seeks_more`: whether it is tried how much more than [`DATAGRAM`] the path carries. Each try is
/// a datagram of padding, which both sides seal or open, and an acknowledgement.
fn transport(requests: u32, seeks_more: bool) -> TransportConfig {
    let mut config = TransportConfig::default();
    if !seeks_more {
        config.mtu_discovery_config(None);
    }
    config
        .max_concurrent_bidi_streams(requests.into())
        .max_concurrent_uni_streams(OWN_STREAMS.into())
        .stream_receive_window(STREAM_WINDOW.into())
        .receive_window(VarInt::MAX)
        .max_idle_timeout(None)
        .datagram_receive_buffer_size(None);
    config
}

/// Streams that the other side may open for itself: three are needed.
const OWN_STREAMS: u32 = 16;
