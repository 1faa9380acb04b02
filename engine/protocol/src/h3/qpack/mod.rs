//! How HTTP/3 compresses heads (RFC 9204), with the standard's table alone.
//!
//! Our SETTINGS give the server no table of ours to fill (a capacity of 0), and we fill none of
//! its. So a head depends on nothing that came before it: equal bytes have equal fields on every
//! connection, and no stream ever waits for another.

mod decode;
mod encode;
mod instructions;
mod table;

pub use decode::decode;
pub use encode::{write_field, write_prefix};
pub use instructions::{Canceled, fills_nothing};
