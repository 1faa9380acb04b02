//! How HTTP/2 compresses heads (RFC 7541): fields that repeat become one byte.

use crate::fields::FIELD_OVERHEAD; // What a field costs a table, too (section 4.1).

mod decoder;
mod encode;
mod huffman;
pub(crate) mod integer;
mod table;

pub use decoder::Decoder;
pub(crate) use decoder::string;
pub(crate) use encode::write_string;
pub use encode::{
    Found, Indexing, find, write_field, write_indexed, write_literal, write_table_size,
};

/// Bytes of a table where no SETTINGS say otherwise. Ours never do.
pub const TABLE_SIZE: usize = 4096;

/// The index of the field that was added last.
pub(crate) const LATEST: usize = table::STATIC.len() + 1;
