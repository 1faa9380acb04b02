//! An answer as ab reads it: by searching its text.

use crate::getopt::atol;
use bstr::ByteSlice as _;

/// How much of an answer's beginning is kept to be searched.
const KEPT: usize = 8191;

/// The progress of an answer.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// Its beginning, until the head is complete; then the head.
    start: Vec<u8>,
    has_head: bool,
    /// Received bytes.
    pub(super) read: u64,
    /// The bytes after the head.
    pub(super) body: u64,
    /// The server keeps the connection, so the answer ends by its length.
    pub(super) is_kept: bool,
    /// The value of `Content-Length`.
    length: u64,
}

/// The result of some more bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The head is not complete yet.
    Head,
    /// The head is longer than the kept part.
    TooLong,
    /// The head is complete now.
    HeadIsWhole,
    /// More of the body.
    Body,
}

/// The facts about a request that ab needs to read its answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// Connections are to be kept.
    pub(super) keep_alive: bool,
    /// An answer has no body, whatever its head says.
    pub(super) head_only: bool,
}

impl Answer {
    /// Another answer begins.
    pub(super) fn reset(&mut self) {
        let mut start = std::mem::take(&mut self.start);
        start.clear();
        *self = Self { start, ..Self::default() };
    }

    /// Takes bytes.
    pub(super) fn take(&mut self, bytes: &[u8], wanted: Wanted) -> Step {
        self.read += bytes.len() as u64;
        if self.has_head {
            self.body += bytes.len() as u64;
            return Step::Body;
        }
        let kept = bytes.len().min(KEPT - self.start.len());
        self.start.extend_from_slice(&bytes[..kept]);
        let blank = |line: &[u8]| {
            let end = self.start.find(line)? + line.len();
            // For ab the text ends at a zero byte.
            (!self.start[..end].contains(&0)).then_some(end)
        };
        let Some(end) = blank(b"\r\n\r\n").or_else(|| blank(b"\n\n")) else {
            return if self.start.len() < KEPT { Step::Head } else { Step::TooLong };
        };
        self.has_head = true;
        self.body = (self.start.len() - end + bytes.len() - kept) as u64;
        if wanted.keep_alive {
            self.see_whether_it_is_kept(end, wanted.head_only);
        }
        Step::HeadIsWhole
    }

    fn see_whether_it_is_kept(&mut self, end: usize, head_only: bool) {
        let head = &self.start[..end];
        self.is_kept = find_any_case(head, b"keep-alive").is_some();
        let value = find_any_case(head, b"content-length:").filter(|_| self.is_kept && !head_only);
        // One byte after the colon is taken for a space.
        let length = value.map_or(0, |at| atol(head.get(at + 16..).unwrap_or_default()));
        // A negative length is more than any body has.
        self.length = u64::try_from(length).unwrap_or(u64::MAX);
    }

    /// Whether it is complete on a connection that is kept.
    pub(super) fn is_complete(&self) -> bool {
        self.is_kept && self.body >= self.length
    }

    /// Its beginning, as far as it is text.
    pub(super) fn text(&self) -> &[u8] {
        self.start.split(|&byte| byte == 0).next().unwrap_or_default()
    }

    /// The three bytes where the status is.
    pub(super) fn status(&self) -> &[u8] {
        const BEFORE: usize = "HTTP/1.x ".len();
        let status = self.start.find(b"HTTP").and_then(|at| self.start.get(at + BEFORE..));
        match status {
            Some(status) if !status.is_empty() => &status[..status.len().min(3)],
            _ => b"500",
        }
    }

    /// The first word of `Server`.
    pub(super) fn server(&self) -> &[u8] {
        let value = find_any_case(&self.start, b"server:").and_then(|at| self.start.get(at + 8..));
        let value = value.unwrap_or_default();
        let end = value.iter().position(|byte| !byte.is_ascii_graphic() && *byte != 0x7f);
        &value[..end.unwrap_or(value.len()).min(1023)]
    }
}

/// `what` is in lower case.
fn find_any_case(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len())
        .position(|here| here[0].to_ascii_lowercase() == what[0] && here.eq_ignore_ascii_case(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT_ALIVE: Wanted = Wanted { keep_alive: true, head_only: false };

    fn read(text: &str, wanted: Wanted) -> Answer {
        let mut answer = Answer::default();
        answer.take(text.as_bytes(), wanted);
        answer
    }

    #[test]
    fn a_kept_connection_ends_the_answer_where_its_length_says() {
        for (head, complete) in [
            ("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2", true),
            ("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nCONTENT-LENGTH: 3", false),
            ("HTTP/1.1 200 OK\r\nX: Keep-Alive\r\nContent-length: 2", true),
            // Not even a chunked body is recognised.
            ("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked", true),
            // A byte after the colon is lost.
            ("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length:92", true),
            ("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: -1", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2", false),
        ] {
            let answer = read(&format!("{head}\r\n\r\nok"), KEPT_ALIVE);
            assert_eq!(answer.is_complete(), complete, "{head}");
            assert_eq!(answer.body, 2);
        }
    }

    #[test]
    fn the_answer_to_head_ends_with_its_head() {
        let head = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 9\r\n\r\n";
        assert!(read(head, Wanted { head_only: true, ..KEPT_ALIVE }).is_complete());
        assert!(!read(head, KEPT_ALIVE).is_complete());
        assert!(!read(head, Wanted { keep_alive: false, head_only: true }).is_complete());
    }

    #[test]
    fn bytes_come_in_any_pieces() {
        let text = b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello";
        for size in 1..=text.len() {
            let mut answer = Answer::default();
            let whole = text
                .chunks(size)
                .filter(|piece| answer.take(piece, KEPT_ALIVE) == Step::HeadIsWhole)
                .count();
            assert_eq!((whole, answer.body, answer.is_complete()), (1, 5, true), "{size}");
            assert_eq!(answer.read, text.len() as u64);
        }
    }

    #[test]
    fn lines_may_end_without_carriage_returns() {
        let answer = read("HTTP/1.0 404 No\nServer: x y\n\nbody", KEPT_ALIVE);
        assert_eq!((answer.body, answer.status(), answer.server()), (4, &b"404"[..], &b"x"[..]));
    }

    #[test]
    fn a_zero_ends_the_text() {
        let mut answer = Answer::default();
        assert_eq!(answer.take(b"HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", KEPT_ALIVE), Step::Head);
        assert_eq!(answer.text(), b"HTTP/1.1 200 OK\r\nA: ");
    }

    #[test]
    fn a_head_that_is_too_long_is_not_read_on() {
        let mut answer = Answer::default();
        assert_eq!(answer.take(&[b'a'; 8190], KEPT_ALIVE), Step::Head);
        assert_eq!(answer.take(b"a\r\n\r\n", KEPT_ALIVE), Step::TooLong);
    }

    #[test]
    fn what_comes_behind_what_is_kept_counts_as_body() {
        let text = format!("HTTP/1.0 200 OK\r\n\r\n{}", "b".repeat(20_000));
        assert_eq!(read(&text, KEPT_ALIVE).body, 20_000);
    }

    #[test]
    fn an_answer_that_is_no_http_counts_as_status_500() {
        for (text, status) in [
            ("hello\r\n\r\n", "500"),
            ("HTTP/1.1 \r\n\r\n", "\r\n\r"),
            ("HTTP", "500"),
            ("x HTTP/1.1 204 No", "204"),
        ] {
            assert_eq!(read(text, KEPT_ALIVE).status(), status.as_bytes(), "{text}");
        }
    }
}
