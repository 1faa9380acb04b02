//! Header lines, and what they say of the body and of what follows it.

use super::cursor::{Cursor, Stop};

const STRICT: &str = "strict mode assertion failed";
const BAD_CHARACTER: Stop = Stop::Wrong("invalid character in header");
const BAD_LENGTH: Stop = Stop::Wrong("invalid character in content-length header");
const TOO_LONG: Stop = Stop::Wrong("too many header bytes seen; overflow detected");
const TWO_LENGTHS: Stop = Stop::Wrong("unexpected content-length header");
/// Of a request's line and headers together.
const LONGEST: usize = 80 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Length(usize),
    Chunked,
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that was there or not")]
pub(super) struct Head {
    pub(super) connects: bool,
    /// The version's connections persist.
    pub(super) persistent: bool,
    pub(super) body: Body,
    has_length: bool,
    closes: bool,
    keeps: bool,
    /// `Connection: upgrade`, and `Upgrade`.
    upgrade: (bool, bool),
}

impl Default for Head {
    fn default() -> Self {
        Self {
            connects: false,
            persistent: false,
            body: Body::Length(0),
            has_length: false,
            closes: false,
            keeps: false,
            upgrade: (false, false),
        }
    }
}

impl Head {
    pub(super) fn keeps_alive(&self) -> bool {
        if self.persistent { !self.closes } else { self.keeps }
    }

    /// What follows is another protocol.
    pub(super) fn tunnels(&self) -> bool {
        self.connects || self.upgrade == (true, true)
    }
}

/// Reads header lines and the empty one: of a head that began at `start`, or after the last chunk.
pub(super) fn headers(cursor: &mut Cursor<'_>, start: usize, head: &mut Head) -> Result<(), Stop> {
    while !matches!(cursor.peek()?, b'\r' | b'\n') {
        header(cursor, head)?;
    }
    cursor.skip(b"\r");
    if cursor.peek()? == b'\n' && head.has_length && head.body == Body::Chunked {
        return Err(TWO_LENGTHS);
    }
    cursor.expect(b'\n', STRICT)?;
    if cursor.position() - start > LONGEST { Err(TOO_LONG) } else { Ok(()) }
}

fn header(cursor: &mut Cursor<'_>, head: &mut Head) -> Result<(), Stop> {
    let start = cursor.position();
    while is_token(cursor.peek()?) {
        cursor.advance(1)?;
    }
    let name = cursor.since(start).to_ascii_lowercase();
    if cursor.peek()? != b':' || name.is_empty() {
        return Err(BAD_CHARACTER);
    }
    cursor.advance(1)?;
    if !reach_value(cursor)? {
        return Ok(());
    }
    match name.as_slice() {
        b"content-length" => content_length(cursor, head)?,
        b"transfer-encoding" => {
            if value(cursor)?.trim_ascii_end().eq_ignore_ascii_case(b"chunked") {
                head.body = Body::Chunked;
            }
        }
        b"connection" | b"proxy-connection" => connection(&value(cursor)?, head),
        b"upgrade" => {
            value(cursor)?;
            head.upgrade.1 = true;
        }
        _ => {
            value(cursor)?;
        }
    }
    Ok(())
}

/// Passes blanks, folded lines too; false where the line has no value.
fn reach_value(cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
    loop {
        while cursor.skip(b" \t") {}
        if !matches!(cursor.peek()?, b'\r' | b'\n') {
            return Ok(true);
        }
        cursor.line_end(STRICT)?;
        if !matches!(cursor.peek()?, b' ' | b'\t') {
            return Ok(false);
        }
    }
}

/// Reads a value to the end of its line, and of those that go on with it. Of each line, wrk looks
/// at the second byte only.
fn value(cursor: &mut Cursor<'_>) -> Result<Vec<u8>, Stop> {
    let mut value = Vec::new();
    loop {
        let start = cursor.position();
        cursor.advance(1)?;
        if !is_text(cursor.peek()?) {
            return Err(BAD_CHARACTER);
        }
        while !matches!(cursor.peek()?, b'\r' | b'\n') {
            cursor.advance(1)?;
        }
        value.extend_from_slice(cursor.since(start));
        cursor.line_end("LF character expected")?;
        if !matches!(cursor.peek()?, b' ' | b'\t') {
            return Ok(value);
        }
    }
}

fn content_length(cursor: &mut Cursor<'_>, head: &mut Head) -> Result<(), Stop> {
    if !cursor.peek()?.is_ascii_digit() {
        return Err(BAD_LENGTH);
    }
    if head.has_length {
        return Err(TWO_LENGTHS);
    }
    let mut length: u64 = 0;
    while !matches!(cursor.peek()?, b'\r' | b'\n') {
        let digit = match cursor.peek()? {
            b' ' => None,
            byte if byte.is_ascii_digit() => Some(u64::from(byte - b'0')),
            _ => return Err(BAD_LENGTH),
        };
        if let Some(digit) = digit {
            length = length
                .checked_mul(10)
                .and_then(|more| more.checked_add(digit))
                .ok_or(BAD_LENGTH)?;
        }
        cursor.advance(1)?;
    }
    head.has_length = true;
    if head.body != Body::Chunked {
        head.body = Body::Length(usize::try_from(length).unwrap_or(usize::MAX));
    }
    cursor.line_end("LF character expected")?;
    match cursor.peek()? {
        b' ' | b'\t' => Err(BAD_LENGTH),
        _ => Ok(()),
    }
}

fn connection(value: &[u8], head: &mut Head) {
    for option in value.split(|&byte| byte == b',') {
        match option.trim_ascii().to_ascii_lowercase().as_slice() {
            b"close" => head.closes = true,
            b"keep-alive" => head.keeps = true,
            b"upgrade" => head.upgrade.0 = true,
            _ => {}
        }
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn is_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\r' | b'\n' | b' '..=0x7e | 0x80..)
}
