//! A complete answer, taken apart for those who want to look at it.

use crate::chunked::Chunked;
use crate::head;
use std::borrow::Cow;

/// An answer's headers and body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message<'a> {
    /// Names as sent and values, in the order in which they came.
    pub headers: Vec<(&'a [u8], &'a [u8])>,
    /// Without the coding.
    pub body: Cow<'a, [u8]>,
}

impl<'a> Message<'a> {
    /// Takes the bytes of one answer apart, which [`Decoder`](crate::Decoder) has found complete.
    /// Interim answers before it are passed over. `None`: it is not complete after all.
    pub fn read(mut bytes: &'a [u8]) -> Option<Self> {
        loop {
            let (head, rest) = bytes.split_at(head::find_end(bytes, 0)?);
            let mut lines = head.split(|&byte| byte == b'\n');
            let status_line = lines.next()?;
            if status_line.get(b"HTTP/1.1 ".len()) == Some(&b'1') {
                bytes = rest;
                continue;
            }
            let headers: Vec<_> = lines.filter_map(field).collect();
            let is_chunked =
                headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(b"transfer-encoding"));
            let body = if is_chunked { Cow::Owned(decode(rest)?) } else { Cow::Borrowed(rest) };
            return Some(Self { headers, body });
        }
    }
}

/// A field's name and value, with the white space behind it.
fn field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (name, value) = line.split_at(memchr::memchr(b':', line)?);
    Some((name, value[1..].trim_ascii_start()))
}

fn decode(chunks: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    Chunked::new().feed(chunks, |data| body.extend_from_slice(data)).ok()?.map(|_| body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &str) -> Option<(Vec<(&str, &str)>, String)> {
        fn text(bytes: &[u8]) -> &str {
            str::from_utf8(bytes).unwrap()
        }
        let Message { headers, body } = Message::read(bytes.as_bytes())?;
        let headers = headers.into_iter().map(|(name, value)| (text(name), text(value)));
        Some((headers.collect(), text(&body).to_owned()))
    }

    #[test]
    fn headers_keep_their_case_and_order() {
        let answer = "HTTP/1.1 200 OK\r\nX-b:\t1 1 \r\nContent-Length:2\nx-B:\r\n\r\nhi";
        let headers = vec![("X-b", "1 1 "), ("Content-Length", "2"), ("x-B", "")];
        assert_eq!(read(answer), Some((headers, "hi".to_owned())));
    }

    #[test]
    fn the_body_comes_without_its_coding() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let headers = vec![("Transfer-Encoding", "chunked")];
        let answer = format!("{head}2\r\nhi\r\n3;x=y\r\n th\r\n0\r\n\r\n");
        assert_eq!(read(&answer), Some((headers, "hi th".to_owned())));
        assert_eq!(read(&format!("{head}2\r\nhi\r\n")), None);
    }

    #[test]
    fn interim_answers_are_passed_over() {
        let answer = "HTTP/1.1 100 Continue\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\n\r\nto the end";
        assert_eq!(read(answer), Some((vec![], "to the end".to_owned())));
        assert_eq!(read("HTTP/1.1 100 Continue\r\n\r\n"), None);
    }
}
