//! Encodes fields to a head's bytes (RFC 7541, section 6). The caller has to know which fields are
//! in the table.

use super::table::STATIC;
use super::{huffman, integer};

/// How the other side's table treats a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indexing {
    /// The field is added.
    Added,
    /// The field is not added.
    Without,
    /// The field is a secret: it is not added, nor by any intermediary.
    Never,
}

/// How much of a field the standard's table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The whole field, at this index.
    Field(usize),
    /// Its name, at this index.
    Name(usize),
    /// Nothing.
    Nothing,
}

/// Looks a field up in the standard's table. Names are in lower case.
pub fn find(name: &str, value: &str) -> Found {
    let mut found = Found::Nothing;
    for (nth, entry) in STATIC.iter().enumerate() {
        if *entry == (name, value) {
            return Found::Field(nth + 1);
        }
        if entry.0 == name && found == Found::Nothing {
            found = Found::Name(nth + 1);
        }
    }
    found
}

/// Appends a field of a table. The standard's have the indices 1 to 61, the latest added has 62.
#[inline]
pub fn write_indexed(out: &mut Vec<u8>, index: usize) {
    integer::write(out, 0x80, 7, index);
}

/// Appends a field in full, except for a name that the standard has.
pub fn write_literal(out: &mut Vec<u8>, indexing: Indexing, name: &str, value: &str) {
    let (first, prefix) = match indexing {
        Indexing::Added => (0x40, 6),
        Indexing::Without => (0, 4),
        Indexing::Never => (0x10, 4),
    };
    match find(name, value) {
        Found::Field(index) | Found::Name(index) => integer::write(out, first, prefix, index),
        Found::Nothing => {
            out.push(first);
            write_string(out, 0, 7, name.as_bytes());
        }
    }
    write_string(out, 0, 7, value.as_bytes());
}

/// Appends a field: by its index if the standard has all of it, in full and not added if not.
pub fn write_field(out: &mut Vec<u8>, name: &str, value: &str) {
    match find(name, value) {
        Found::Field(index) => write_indexed(out, index),
        _ => write_literal(out, Indexing::Without, name, value),
    }
}

/// Appends a change of the table's size, which comes before a head's first field.
pub fn write_table_size(out: &mut Vec<u8>, size: usize) {
    integer::write(out, 0x20, 5, size);
}

/// Appends a string after a byte's first bits, in code where that is shorter. `prefix`: how many
/// bits of its byte belong to the length; the bit before them tells whether it is in code.
pub(crate) fn write_string(out: &mut Vec<u8>, first: u8, prefix: u32, text: &[u8]) {
    let coded = huffman::length(text);
    if coded < text.len() {
        integer::write(out, first | 1 << prefix, prefix, coded);
        huffman::encode(text, out);
    } else {
        integer::write(out, first, prefix, text.len());
        out.extend_from_slice(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out);
        out
    }

    #[test]
    fn the_standard_s_fields_are_found() {
        assert_eq!(find(":method", "GET"), Found::Field(2));
        assert_eq!(find(":status", "200"), Found::Field(8));
        assert_eq!(find(":method", "PUT"), Found::Name(2));
        assert_eq!(find("www-authenticate", "x"), Found::Name(61));
        assert_eq!(find("x", ""), Found::Nothing);
    }

    #[test]
    fn examples_of_the_rfc() {
        // Sections C.4.1 and C.2.4, and C.2.3 with its strings in code, which is shorter.
        let authority = written(|out| {
            write_literal(out, Indexing::Added, ":authority", "www.example.com");
        });
        assert_eq!(authority, b"\x41\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff");
        assert_eq!(written(|out| write_field(out, ":method", "GET")), b"\x82");
        let secret = written(|out| write_literal(out, Indexing::Never, "password", "secret"));
        assert_eq!(secret[0], 0x10);
        assert_eq!(written(|out| write_table_size(out, 256)), b"\x3f\xe1\x01");
        assert_eq!(written(|out| write_field(out, "age", "?")), b"\x0f\x06\x01?", "not longer");
    }
}
