//! Encodes fields to a head's bytes (RFC 9204, section 4.5).

use super::table::{Found, find};
use crate::h2::hpack::{integer, write_string};

/// Appends the beginning of a head that needs only the standard's table (section 4.5.1).
pub fn write_prefix(out: &mut Vec<u8>) {
    out.extend_from_slice(&[0, 0]);
}

/// Appends a field: by its index if the standard has all of it, else in full, except for a name
/// that the standard has. `is_secret`: no intermediary may keep it in a table.
pub fn write_field(out: &mut Vec<u8>, name: &str, value: &str, is_secret: bool) {
    match find(name, value) {
        Found::Field(index) if !is_secret => return integer::write(out, 0xc0, 6, index),
        Found::Field(index) | Found::Name(index) => {
            integer::write(out, if is_secret { 0x70 } else { 0x50 }, 4, index);
        }
        Found::Nothing => {
            write_string(out, if is_secret { 0x30 } else { 0x20 }, 3, name.as_bytes());
        }
    }
    write_string(out, 0, 7, value.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(name: &str, value: &str, is_secret: bool) -> Vec<u8> {
        let mut out = Vec::new();
        write_field(&mut out, name, value, is_secret);
        out
    }

    #[test]
    fn fields_take_what_the_table_has_of_them() {
        assert_eq!(written(":path", "/", false), b"\xc1");
        // Appendix B.1, with its string in code, which is shorter.
        let path = written(":path", "/index.html", false);
        assert_eq!(path, b"\x51\x88\x60\xd5\x48\x5f\x2b\xce\x9a\x68");
        assert_eq!(written("x-frame-options", "sameorigin", false), b"\xff\x23");
        assert_eq!(written("authorization", "?", true), b"\x7f\x45\x01?");
        assert_eq!(written("?", "?", false), b"\x21?\x01?");
        assert_eq!(written("?", "?", true), b"\x31?\x01?");
    }
}
