//! HTTP/1 for a server that does not parse: it counts bytes, or receives.

use super::speaker::{Due, Speaker};
use std::cell::RefCell;
use std::num::NonZeroUsize;

/// How much of a request is inspected if the length of requests is not given.
const HEAD_LIMIT: usize = 4096;

/// Answers each request with the same bytes, or with their head for HEAD.
#[derive(Debug)]
pub(super) struct Http1 {
    /// The answer's head.
    head: Vec<u8>,
    /// The last request without special wishes: most requests are equal to it.
    usual: RefCell<Vec<u8>>,
    /// Every this many received bytes are a request. If `None`, each receive is one.
    request_length: Option<NonZeroUsize>,
    /// The answer tells a client of HTTP/1.0 that its connection is kept.
    keeps: bool,
}

/// The progress of the requests on a connection, if their length is given.
#[derive(Debug, Default)]
pub(super) struct Connection {
    /// Bytes of an incomplete request.
    received: usize,
    /// The first request is complete: its wishes for the connection are known.
    is_known: bool,
    /// The bytes of the first request, until it is complete.
    first: Vec<u8>,
}

impl Http1 {
    pub(super) fn new(answer: &[u8], request_length: Option<NonZeroUsize>) -> Self {
        let end = answer.windows(4).position(|part| part == b"\r\n\r\n");
        Self {
            head: answer[..end.map_or(0, |end| end + 4)].to_vec(),
            usual: RefCell::default(),
            request_length,
            keeps: says(answer, b"connection", b"keep-alive"),
        }
    }

    /// Takes the bytes of one request.
    #[inline]
    fn take_request(&self, bytes: &[u8], due: &mut Due) {
        due.answers = 1;
        if *self.usual.borrow() != bytes {
            self.look_at(bytes, due);
        }
    }

    #[cold]
    fn look_at(&self, bytes: &[u8], due: &mut Due) {
        let request = &bytes[..bytes.len().min(HEAD_LIMIT)];
        due.ends = self.ends_after(request);
        if request.starts_with(b"HEAD ") && !self.head.is_empty() {
            due.answers = 0;
            due.bytes.extend_from_slice(&self.head);
        } else if !due.ends && bytes.len() <= HEAD_LIMIT {
            let mut usual = self.usual.borrow_mut();
            usual.clear();
            usual.extend_from_slice(bytes);
        }
    }

    /// Whether the client waits for the connection's end, by its first request. All requests of one
    /// length are alike, so the others are not inspected.
    #[cold]
    fn ends_after_first(&self, connection: &mut Connection, bytes: &[u8], length: usize) -> bool {
        let first = &mut connection.first;
        let room = length - first.len();
        first.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if first.len() < length {
            return false;
        }
        connection.is_known = true;
        let first = std::mem::take(first);
        self.ends_after(&first)
    }

    /// Whether the client waits for the connection's end after this request.
    fn ends_after(&self, request: &[u8]) -> bool {
        let line = request.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let is_old = line.trim_ascii_end().ends_with(b" HTTP/1.0");
        let is_kept = self.keeps && says(request, b"connection", b"keep-alive");
        says(request, b"connection", b"close") || is_old && !is_kept
    }
}

/// Whether a message's head has a field of this name with a word in its list. Both are in lower
/// case.
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
        let Some(length) = self.request_length else { return self.take_request(bytes, due) };
        let received = connection.received + bytes.len();
        connection.received = received % length;
        due.answers = received / length;
        if !connection.is_known && self.ends_after_first(connection, bytes, length.get()) {
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

    /// The replies to each of these requests on one connection: answers, other bytes, the end.
    fn due(http1: &Http1, requests: &[&str]) -> Vec<(usize, String, bool)> {
        let (mut connection, mut due) = (Connection::default(), Due::default());
        let told = requests.iter().map(|request| {
            due.clear();
            http1.receive(&mut connection, request.as_bytes(), &mut due);
            (due.answers, String::from_utf8(due.bytes.clone()).unwrap(), due.ends)
        });
        let told = told.collect();
        assert!(connection.first.capacity() == 0, "what is known needs no bytes");
        told
    }

    #[test]
    fn each_request_says_whether_it_is_the_last() {
        let http1 = Http1::new(KEPT, None);
        let [plain, last, old] = [
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
        ];
        let answer = |ends| (1, String::new(), ends);
        for asked in [last, old] {
            let told = due(&http1, &[plain, plain, asked]);
            assert_eq!(told, [answer(false), answer(false), answer(true)]);
        }
    }

    #[test]
    fn of_requests_of_one_length_the_first_says_so() {
        let last = "GET / HTTP/1.1\r\nConnection: close\r\n\r\n";
        let other = "GET / HTTP/1.1\r\nConnection: clole\r\n\r\n";
        let http1 = Http1::new(KEPT, NonZeroUsize::new(last.len()));
        let ends = |requests: &[&str]| -> Vec<bool> {
            due(&http1, requests).iter().map(|told| told.2).collect()
        };
        assert_eq!(ends(&[other, last]), [false, false]);
        assert_eq!(ends(&[last]), [true]);
    }

    #[test]
    fn head_gets_no_body() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
        let http1 = Http1::new(answer, None);
        let told = due(&http1, &["HEAD / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"]);
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
        assert_eq!(told, [(0, head.to_owned(), false), (1, String::new(), false)]);
    }
}
