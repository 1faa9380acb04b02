//! What a request line asks for: `/path?query#fragment`, `*`, `http://host/path`, or `host:port`.

use super::cursor::{Cursor, Stop};

const WRONG: Stop = Stop::Wrong("invalid URL");

/// Reads up to the byte that ends it: a space or a line break.
pub(super) fn target(cursor: &mut Cursor<'_>, connects: bool) -> Result<(), Stop> {
    if connects {
        return authority(cursor);
    }
    match cursor.peek()? {
        b'/' | b'*' => path(cursor),
        first if first.is_ascii_alphabetic() => {
            while cursor.peek()?.is_ascii_alphabetic() {
                cursor.advance(1)?;
            }
            for &byte in b"://" {
                cursor.expect(byte, "invalid URL")?;
            }
            authority(cursor)
        }
        _ => Err(WRONG),
    }
}

/// Reads `user@host:port`, and a path where one follows.
fn authority(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    let start = cursor.position();
    let mut after_user = false;
    loop {
        match cursor.peek()? {
            b'/' | b'?' => return path(cursor),
            b' ' | b'\r' | b'\n' if cursor.position() > start && !after_user => return Ok(()),
            b'@' if !after_user => after_user = true,
            byte if in_authority(byte) => after_user = false,
            _ => return Err(WRONG),
        }
        cursor.advance(1)?;
    }
}

fn in_authority(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.!~*'()%;:&=+$,[]".contains(&byte)
}

fn path(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    loop {
        match cursor.peek()? {
            b' ' | b'\r' | b'\n' => return Ok(()),
            byte if byte.is_ascii_graphic() => cursor.advance(1)?,
            _ => return Err(WRONG),
        }
    }
}
