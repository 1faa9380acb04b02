//! How many requests some bytes are, read as strictly as wrk reads them: a script whose first
//! requests are not sound ends the run with what is wrong and where.

mod cursor;
mod headers;
mod target;
#[cfg(test)]
mod tests;

use cursor::{Cursor, Stop};
use headers::{Body, Head};

const METHODS: [&[u8]; 33] = [
    b"ACL",
    b"BIND",
    b"CHECKOUT",
    b"CONNECT",
    b"COPY",
    b"DELETE",
    b"GET",
    b"HEAD",
    b"LINK",
    b"LOCK",
    b"M-SEARCH",
    b"MERGE",
    b"MKACTIVITY",
    b"MKCALENDAR",
    b"MKCOL",
    b"MOVE",
    b"NOTIFY",
    b"OPTIONS",
    b"PATCH",
    b"POST",
    b"PROPFIND",
    b"PROPPATCH",
    b"PURGE",
    b"PUT",
    b"REBIND",
    b"REPORT",
    b"SEARCH",
    b"SUBSCRIBE",
    b"TRACE",
    b"UNBIND",
    b"UNLINK",
    b"UNLOCK",
    b"UNSUBSCRIBE",
];

/// The number of whole requests; the last may be a part of one where others came before it. The
/// error is what wrk says: what is wrong, at which line and column.
pub(super) fn depth(bytes: &[u8]) -> Result<usize, String> {
    let mut cursor = Cursor::new(bytes);
    let mut whole = 0;
    let what = match requests(&mut cursor, &mut whole) {
        Err(Stop::Wrong(what)) => what,
        _ if cursor.at_end() && whole > 0 => return Ok(whole),
        _ => "incomplete request",
    };
    let (line, column) = cursor.place();
    Err(format!("{what} at {line}:{column}"))
}

/// Reads to the end, or to where a tunnel begins.
fn requests(cursor: &mut Cursor<'_>, whole: &mut usize) -> Result<(), Stop> {
    loop {
        while cursor.skip(b"\r\n") {}
        let mut head = request_head(cursor)?;
        match head.body {
            _ if head.connects => {}
            Body::Length(length) => cursor.advance(length)?,
            Body::Chunked => chunks(cursor, &mut head)?,
        }
        *whole += 1;
        if head.tunnels() {
            return Ok(());
        }
        if !head.keeps_alive() {
            return after_the_last(cursor);
        }
    }
}

/// Line breaks may follow a request that closes the connection.
fn after_the_last(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    while cursor.skip(b"\r\n") {}
    cursor.peek()?;
    Err(Stop::Wrong("data received after completed connection: close message"))
}

fn request_head(cursor: &mut Cursor<'_>) -> Result<Head, Stop> {
    let start = cursor.position();
    let connects = method(cursor)?;
    while cursor.skip(b" ") {}
    target::target(cursor, connects)?;
    let mut head = Head::default();
    head.connects = connects;
    if cursor.peek()? == b' ' {
        while cursor.skip(b" ") {}
        head.persistent = version(cursor)?;
    }
    cursor.line_end("LF character expected")?;
    headers::headers(cursor, start, &mut head)?;
    Ok(head)
}

/// Reads a method and the space after it; true for CONNECT.
fn method(cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
    let mut candidates = METHODS.to_vec();
    for position in 0.. {
        let byte = cursor.peek()?;
        if byte == b' ' && candidates.iter().any(|method| method.len() == position) {
            let connects = candidates.contains(&b"CONNECT".as_slice());
            cursor.advance(1)?;
            return Ok(connects);
        }
        candidates.retain(|method| method.get(position) == Some(&byte));
        if candidates.is_empty() {
            break;
        }
        cursor.advance(1)?;
    }
    Err(Stop::Wrong("invalid HTTP method"))
}

/// Reads `HTTP/1.1`; true if connections of this version persist by themselves.
fn version(cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
    cursor.expect(b'H', "invalid constant string")?;
    for &letter in b"TTP/" {
        cursor.expect(letter, "strict mode assertion failed")?;
    }
    let mut digits = [0; 2];
    for (position, digit) in digits.iter_mut().enumerate() {
        if position > 0 {
            cursor.expect(b'.', "invalid HTTP version")?;
        }
        *digit = cursor.peek()?;
        if !digit.is_ascii_digit() {
            return Err(Stop::Wrong("invalid HTTP version"));
        }
        cursor.advance(1)?;
    }
    match cursor.peek()? {
        b'\r' | b'\n' => Ok(digits.iter().all(|&digit| digit > b'0')),
        _ => Err(Stop::Wrong("invalid HTTP version")),
    }
}

fn chunks(cursor: &mut Cursor<'_>, head: &mut Head) -> Result<(), Stop> {
    loop {
        let size = chunk_size(cursor)?;
        if size == 0 {
            return headers::headers(cursor, cursor.position(), head);
        }
        cursor.advance(size)?;
        cursor.expect(b'\r', "strict mode assertion failed")?;
        cursor.expect(b'\n', "strict mode assertion failed")?;
    }
}

/// Reads a chunk's first line. Its extensions end at the carriage return.
fn chunk_size(cursor: &mut Cursor<'_>) -> Result<usize, Stop> {
    const WRONG: Stop = Stop::Wrong("invalid character in chunk size header");
    let mut size: Option<usize> = None;
    loop {
        let byte = cursor.peek()?;
        match (char::from(byte).to_digit(16), size) {
            (Some(digit), _) => {
                let longer = size.unwrap_or(0).checked_mul(16).ok_or(WRONG)?;
                size = Some(longer + digit as usize);
                cursor.advance(1)?;
            }
            (None, Some(size)) if matches!(byte, b';' | b' ' | b'\r') => {
                while cursor.peek()? != b'\r' {
                    cursor.advance(1)?;
                }
                cursor.advance(1)?;
                cursor.expect(b'\n', "strict mode assertion failed")?;
                return Ok(size);
            }
            _ => return Err(WRONG),
        }
    }
}
