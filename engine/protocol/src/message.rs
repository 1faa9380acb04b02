//! A complete answer, split into headers and body for callers that inspect it.

use crate::chunked::Chunked;
use crate::head;
use std::borrow::Cow;

/// An answer's headers and body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message<'a> {
    /// Names as sent and values, in the order in which they came.
    pub headers: Headers<'a>,
    /// The body, without the coding.
    pub body: Cow<'a, [u8]>,
}

impl<'a> Message<'a> {
    /// Splits the bytes of one answer, which [`Decoder`](crate::Decoder) has found complete.
    /// Interim answers before it are skipped. `None`: it is not complete after all.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (headers, rest) = final_head(bytes)?;
        let is_chunked =
            headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(b"transfer-encoding"));
        let body = if is_chunked { Cow::Owned(decode(rest)?) } else { Cow::Borrowed(rest) };
        Some(Self { headers, body })
    }

    /// The answer with this evidence as its first bytes ([`Protocol::evidence`]), and with a body
    /// that was collected ([`Protocol::collected`]).
    ///
    /// [`Protocol::evidence`]: crate::Protocol::evidence
    /// [`Protocol::collected`]: crate::Protocol::collected
    pub fn of(evidence: &'a [u8], body: &'a [u8]) -> Self {
        let headers = final_head(evidence).map(|(headers, _)| headers).unwrap_or_default();
        Self { headers, body: Cow::Borrowed(body) }
    }
}

/// Names and values.
pub type Headers<'a> = Vec<(&'a [u8], Cow<'a, [u8]>)>;

/// The headers after interim answers, and the bytes after them.
fn final_head(mut bytes: &[u8]) -> Option<(Headers<'_>, &[u8])> {
    loop {
        let (head, rest) = bytes.split_at(head::find_end(bytes, 0)?);
        let mut lines = head.split(|&byte| byte == b'\n');
        let status = lines.next()?.split(|&byte| byte == b' ').nth(1)?;
        if status.first() == Some(&b'1') {
            bytes = rest;
            continue;
        }
        let mut headers = Headers::new();
        for line in lines {
            match (line, headers.last_mut()) {
                // The last value continues (obs-fold): a space replaces the line break.
                ([b' ' | b'\t', ..], Some((_, value))) => {
                    let value = value.to_mut();
                    if !value.is_empty() {
                        value.push(b' ');
                    }
                    value.extend_from_slice(line.trim_ascii());
                }
                _ => headers.extend(field(line)),
            }
        }
        return Some((headers, rest));
    }
}

/// A field's name and value, with the white space after it.
fn field(line: &[u8]) -> Option<(&[u8], Cow<'_, [u8]>)> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (name, value) = line.split_at(memchr::memchr(b':', line)?);
    Some((name, value[1..].trim_ascii_start().into()))
}

fn decode(chunks: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    Chunked::new()
        .feed(chunks, &mut Vec::new(), |data| body.extend_from_slice(data))
        .ok()?
        .map(|_| body)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The headers, each as `NAME=VALUE`, and the body.
    fn read(bytes: &str) -> Option<(Vec<String>, String)> {
        let text = |bytes: &[u8]| str::from_utf8(bytes).unwrap().to_owned();
        let Message { headers, body } = Message::read(bytes.as_bytes())?;
        let fields = headers.iter().map(|(name, value)| format!("{}={}", text(name), text(value)));
        Some((fields.collect(), text(&body)))
    }

    fn expect(answer: &str, headers: &[&str], body: &str) {
        let headers = headers.iter().map(|&header| header.to_owned()).collect();
        assert_eq!(read(answer), Some((headers, body.to_owned())), "{answer}");
    }

    #[test]
    fn headers_keep_their_case_and_order() {
        let answer = "HTTP/1.1 200 OK\r\nX-b:\t1 1 \r\nContent-Length:2\nx-B:\r\n\r\nhi";
        expect(answer, &["X-b=1 1 ", "Content-Length=2", "x-B="], "hi");
    }

    #[test]
    fn a_folded_value_is_put_together() {
        let answer = "HTTP/1.1 200 OK\r\nA: 1,\r\n\t 2 \r\n  3\r\nB:\r\n 4\r\n\r\n";
        expect(answer, &["A=1, 2 3", "B=4"], "");
    }

    #[test]
    fn the_body_comes_without_its_coding() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let answer = format!("{head}2\r\nhi\r\n3;x=y\r\n th\r\n0\r\n\r\n");
        expect(&answer, &["Transfer-Encoding=chunked"], "hi th");
        assert_eq!(read(&format!("{head}2\r\nhi\r\n")), None);
    }

    #[test]
    fn interim_answers_are_passed_over() {
        let answer = "HTTP/1.1 100 Continue\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\n\r\nto the end";
        expect(answer, &[], "to the end");
        assert_eq!(read("HTTP/1.1 100 Continue\r\n\r\n"), None);
        let of = Message::of(b"HTTP/2 201\r\na: b\r\n\r\nhi", b"collected");
        assert_eq!(
            (of.headers, &*of.body),
            (vec![(&b"a"[..], b"b"[..].into())], &b"collected"[..])
        );
    }
}
