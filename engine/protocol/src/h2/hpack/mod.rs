//! How HTTP/2 compresses heads (RFC 7541): fields that repeat become one byte.

mod decoder;
mod encode;
mod huffman;
mod integer;
mod table;

pub use decoder::Decoder;
pub use encode::{
    Found, Indexing, find, write_field, write_indexed, write_literal, write_table_size,
};

/// Bytes of a table where no SETTINGS say otherwise. Ours never do.
pub const TABLE_SIZE: usize = 4096;

/// What a field costs a table, and a head, beside its name and value (section 4.1).
pub(crate) const FIELD_OVERHEAD: usize = 32;

/// The index of the field that was added last.
pub(crate) const LATEST: usize = table::STATIC.len() + 1;
