//! HTTP/1 for a server that does not parse: it counts bytes, or receives.

use super::speaker::{Due, Speaker};
use std::num::NonZeroUsize;

/// As much of a connection's first request is looked at where nobody said how long requests are.
const HEAD_LIMIT: usize = 4096;

/// Answers each request with the same bytes.
#[derive(Debug)]
pub(super) struct Http1 {
    /// Each so many received bytes are a request. Without it, whatever one receive brings is one.
    request_length: Option<NonZeroUsize>,
    /// The answer tells a client of HTTP/1.0 that its connection is kept.
    keeps: bool,
}

/// How far the requests on a connection have come.
#[derive(Debug, Default)]
pub(super) struct Connection {
    /// Bytes of a request that is not complete.
    received: usize,
    /// The first request is complete: what it says of the connection is known.
    is_known: bool,
    /// The bytes of the first request, until it is.
    first: Vec<u8>,
}

impl Http1 {
    pub(super) fn new(answer: &[u8], request_length: Option<NonZeroUsize>) -> Self {
        Self { request_length, keeps: says(answer, b"connection", b"keep-alive") }
    }

    /// The client waits for the connection's end, as its first request says. All requests of a
    /// benchmark's connection are alike, so the others are not looked at.
    #[cold]
    fn ends_after(&self, connection: &mut Connection, bytes: &[u8]) -> bool {
        let limit = self.request_length.map_or(HEAD_LIMIT, NonZeroUsize::get);
        let first = &mut connection.first;
        let room = limit - first.len();
        first.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if self.request_length.is_some() && first.len() < limit {
            return false;
        }
        connection.is_known = true;
        let first = std::mem::take(first);
        let line = first.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let is_old = line.trim_ascii_end().ends_with(b" HTTP/1.0");
        let is_kept = self.keeps && says(&first, b"connection", b"keep-alive");
        says(&first, b"connection", b"close") || is_old && !is_kept
    }
}

/// Whether a message's head has a field of this name with a word in its list. Both in lower case.
fn says(message: &[u8], name: &[u8], word: &[u8]) -> bool {
    let lines = message.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.skip(1).take_while(|line| !line.is_empty()).any(|line| {
        let mut parts = line.splitn(2, |&byte| byte == b':');
        parts.next().is_some_and(|found| found.eq_ignore_ascii_case(name))
            && parts
                .next()
                .unwrap_or_default()
                .split(|&byte| byte == b',')
                .any(|part| part.trim_ascii().eq_ignore_ascii_case(word))
    })
}

impl Speaker for Http1 {
    type Connection = Connection;

    #[inline]
    fn receive(&self, connection: &mut Connection, bytes: &[u8], due: &mut Due) {
        due.answers = match self.request_length {
            None => 1,
            Some(length) => {
                let received = connection.received + bytes.len();
                connection.received = received % length;
                received / length
            }
        };
        if !connection.is_known && self.ends_after(connection, bytes) {
            due.answers = 1;
            due.ends = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: &[u8] = b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\n";

    fn ends(answer: &[u8], request: &str) -> bool {
        let http1 = Http1::new(answer, NonZeroUsize::new(request.len()));
        let ends = |pieces: &mut dyn Iterator<Item = &[u8]>| {
            let (mut connection, mut due) = (Connection::default(), Due::default());
            pieces.for_each(|piece| http1.receive(&mut connection, piece, &mut due));
            assert_eq!(due.answers, 1, "{request:?}");
            due.ends
        };
        let whole = ends(&mut std::iter::once(request.as_bytes()));
        assert_eq!(ends(&mut request.as_bytes().chunks(1)), whole, "{request:?}");
        whole
    }

    #[test]
    fn a_client_that_waits_for_the_end_gets_it() {
        let plain = b"HTTP/1.1 200 OK\r\n\r\n";
        for (request, of_plain, of_kept) in [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", false, false),
            ("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", true, true),
            ("GET / HTTP/1.1\r\nHost: a\r\nconnection:  TE, Close \r\n\r\n", true, true),
            ("GET / HTTP/1.1\r\nConnection: closer\r\n\r\n", false, false),
            ("GET / HTTP/1.1\r\nX: Connection: close\r\n\r\n", false, false),
            ("PUT / HTTP/1.1\r\nHost: a\r\n\r\nConnection: close\r\n", false, false),
            ("GET / HTTP/1.0\r\n\r\n", true, true),
            ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true, false),
            ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true, false),
            ("GET / HTTP/1.0\nConnection: keep-alive, close\n\n", true, true),
            ("GET /HTTP/1.0 HTTP/1.1\r\n\r\n", false, false),
            ("x", false, false),
        ] {
            assert_eq!(ends(plain, request), of_plain, "{request:?}");
            assert_eq!(ends(KEPT, request), of_kept, "{request:?}, kept");
        }
    }

    #[test]
    fn only_the_first_request_of_a_connection_is_looked_at() {
        let http1 = Http1::new(KEPT, None);
        let (mut connection, mut due) = (Connection::default(), Due::default());
        for request in ["GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"] {
            due.clear();
            http1.receive(&mut connection, request.as_bytes(), &mut due);
            assert_eq!((due.answers, due.ends), (1, false));
        }
        assert!(connection.first.capacity() == 0, "what is known needs no bytes");
    }
}
