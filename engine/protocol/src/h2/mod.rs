//! HTTP/2 (RFC 9113, and 7541 for its heads), the client's side.

pub mod frame;
pub mod hpack;
