//! How many requests one call of a script's `request` makes. Like wrk, we refuse a script whose
//! first call makes none, and report the position of its error.

use httparse::{EMPTY_HEADER, Error, Header, ParserConfig, Request, Status};

const FIELDS_LIMIT: usize = 128;

/// The methods that wrk knows.
const METHODS: &str = "ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE \
                       MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST PROPFIND \
                       PROPPATCH PURGE PUT REBIND REPORT SEARCH SUBSCRIBE TRACE UNBIND UNLINK \
                       UNLOCK UNSUBSCRIBE";

/// Why some bytes are not a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Incomplete,
    /// The error, and its offset.
    Wrong(&'static str, usize),
}

/// The number of whole requests. A part of one may follow them. The error is wrk's message: the
/// error with its line and column.
pub(super) fn depth(bytes: &[u8]) -> Result<usize, String> {
    let (mut at, mut whole) = (0, 0);
    loop {
        let line_breaks = bytes[at..].iter().take_while(|byte| b"\r\n".contains(byte)).count();
        at += line_breaks;
        match request_length(&bytes[at..]) {
            Ok(length) => (at, whole) = (at + length, whole + 1),
            Err(Stop::Incomplete) if whole > 0 => return Ok(whole),
            Err(Stop::Incomplete) => return Err(message(bytes, "incomplete request", bytes.len())),
            Err(Stop::Wrong(what, behind)) => return Err(message(bytes, what, at + behind)),
        }
    }
}

fn message(bytes: &[u8], what: &str, at: usize) -> String {
    let before = &bytes[..at];
    let line = before.split(|&byte| byte == b'\n').count();
    let column = 1 + before.iter().rev().take_while(|&&byte| byte != b'\n').count();
    format!("{what} at {line}:{column}")
}

/// The length of the request at the beginning of some bytes.
fn request_length(bytes: &[u8]) -> Result<usize, Stop> {
    check_method(bytes)?;
    let mut fields = [EMPTY_HEADER; FIELDS_LIMIT];
    let (head, framing) = {
        let mut request = Request::new(&mut fields);
        let parsed = parse(&mut request, bytes);
        let head = complete(parsed.map_err(|error| locate(error, bytes))?)?;
        check_target(&request)?;
        (head, framing(request.headers))
    };
    let body = match framing {
        Framing::Chunked => chunked_length(&bytes[head..]),
        Framing::Length(length) if bytes.len() - head >= length => Ok(length),
        Framing::Length(_) => Err(Stop::Incomplete),
        Framing::Wrong => Err(Stop::Wrong("invalid character in content-length header", 0)),
    };
    match body {
        Ok(length) => Ok(head + length),
        Err(Stop::Wrong(what, behind)) => Err(Stop::Wrong(what, head + behind)),
        Err(Stop::Incomplete) => Err(Stop::Incomplete),
    }
}

fn complete<T>(status: Status<T>) -> Result<T, Stop> {
    match status {
        Status::Complete(value) => Ok(value),
        Status::Partial => Err(Stop::Incomplete),
    }
}

fn check_method(bytes: &[u8]) -> Result<(), Stop> {
    let end = bytes.iter().position(|&byte| byte == b' ');
    let method = &bytes[..end.unwrap_or(bytes.len())];
    let known = || METHODS.split(' ').map(str::as_bytes);
    if known().any(|known| known == method || end.is_none() && known.starts_with(method)) {
        return Ok(());
    }
    let common = |known: &[u8]| known.iter().zip(method).take_while(|(a, b)| a == b).count();
    Err(Stop::Wrong("invalid HTTP method", known().map(common).max().unwrap_or(0)))
}

/// `/path`, `*` or `scheme://host/path`; of a tunnel anything.
fn check_target(request: &Request<'_, '_>) -> Result<(), Stop> {
    let (method, target) = (request.method.unwrap_or(""), request.path.unwrap_or("").as_bytes());
    if method == "CONNECT" || target.starts_with(b"/") || target.starts_with(b"*") {
        return Ok(());
    }
    let scheme = target.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let rest = &target[scheme..];
    if scheme > 0 && rest.starts_with(b"://") {
        return Ok(());
    }
    let right =
        if scheme > 0 { rest.iter().zip(b"://").take_while(|(a, b)| a == b).count() } else { 0 };
    Err(Stop::Wrong("invalid URL", method.len() + 1 + scheme + right))
}

fn parse<'b>(request: &mut Request<'_, 'b>, bytes: &'b [u8]) -> httparse::Result<usize> {
    ParserConfig::default()
        .allow_multiple_spaces_in_request_line_delimiters(true)
        .parse_request(request, bytes)
}

/// The position of httparse's error, which it does not report: the shortest part that fails ends
/// there.
fn locate(error: Error, bytes: &[u8]) -> Stop {
    let fails = |length: &usize| {
        let mut fields = [EMPTY_HEADER; FIELDS_LIMIT];
        parse(&mut Request::new(&mut fields), &bytes[..*length]).is_err()
    };
    let behind = (1..=bytes.len()).find(fails).map_or(0, |length| length - 1);
    let what = match error {
        Error::Token => "invalid URL",
        Error::Version => "invalid HTTP version",
        Error::NewLine => "LF character expected",
        Error::TooManyHeaders => "too many headers",
        _ => "invalid character in header",
    };
    Stop::Wrong(what, behind)
}

enum Framing {
    Length(usize),
    Chunked,
    Wrong,
}

fn framing(fields: &[Header<'_>]) -> Framing {
    let value = |name| {
        let field = fields.iter().find(|field| field.name.eq_ignore_ascii_case(name))?;
        Some(field.value.trim_ascii())
    };
    if value("Transfer-Encoding").is_some_and(|coding| coding.eq_ignore_ascii_case(b"chunked")) {
        return Framing::Chunked;
    }
    match value("Content-Length").map(|length| str::from_utf8(length).map(str::parse)) {
        None => Framing::Length(0),
        Some(Ok(Ok(length))) => Framing::Length(length),
        Some(_) => Framing::Wrong,
    }
}

/// The length of a chunked body, including the fields after it.
fn chunked_length(bytes: &[u8]) -> Result<usize, Stop> {
    let mut at = 0;
    loop {
        let size = httparse::parse_chunk_size(&bytes[at..])
            .map_err(|_| Stop::Wrong("invalid character in chunk size header", at))?;
        let (line, size) = complete(size)?;
        if size == 0 {
            let mut fields = [EMPTY_HEADER; FIELDS_LIMIT];
            let trailer = httparse::parse_headers(&bytes[at + line..], &mut fields);
            let wrong = Stop::Wrong("invalid character in header", at + line);
            return Ok(at + line + complete(trailer.map_err(|_| wrong)?)?.0);
        }
        let end = usize::try_from(size).ok().and_then(|size| size.checked_add(at + line));
        at = end.filter(|&end| end <= bytes.len().saturating_sub(2)).ok_or(Stop::Incomplete)? + 2;
        if !bytes[..at].ends_with(b"\r\n") {
            return Err(Stop::Wrong("strict mode assertion failed", at - 2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PARTS: [&str; 16] = [
        "GET / HTTP/1.1\r\n",
        "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET ",
        "CONNECT ",
        "/",
        "://",
        " HTTP/1.1",
        "Content-Length: ",
        "Transfer-Encoding: ",
        "chunked",
        "3",
        "abc",
        "0",
        "ffffffffffffffff",
        "\r\n",
        "\u{e9}",
    ];

    proptest! {
        #[test]
        fn whatever_a_script_returns_is_counted_or_refused_within_it(
            parts in prop::collection::vec(prop::sample::select(&PARTS), 0..24),
        ) {
            let bytes = parts.concat();
            match depth(bytes.as_bytes()) {
                Ok(whole) => prop_assert!((1..=parts.len()).contains(&whole)),
                Err(message) => {
                    let line: usize = message.rsplit([' ', ':']).nth(1).unwrap().parse().unwrap();
                    prop_assert!(line <= bytes.split('\n').count(), "{}", message);
                }
            }
        }
    }

    const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    #[test]
    fn whole_requests_are_counted() {
        let post = "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
        let chunked = "PUT / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n\
                       3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: u\r\n\r\n";
        for (bytes, whole) in [
            (GET.to_owned(), 1),
            (GET.repeat(3), 3),
            (post.repeat(2) + GET, 3),
            (chunked.repeat(2) + GET, 3),
            (format!("\r\n\n{GET}\r\n{GET}\r\n"), 2),
            (GET.to_owned() + "GET /", 1),
            ("GET  /a?b#c  HTTP/1.0\n\n".to_owned(), 1),
            ("GET http://u:p@[::1]/b HTTP/1.1\r\n\r\n".to_owned(), 1),
            ("CONNECT a:80 HTTP/1.1\r\n\r\n".to_owned(), 1),
            ("M-SEARCH * HTTP/1.1\r\n\r\n".to_owned(), 1),
        ] {
            assert_eq!(depth(bytes.as_bytes()), Ok(whole), "{bytes:?}");
        }
    }

    #[test]
    fn what_ends_early_is_incomplete_at_its_end() {
        let post = "POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
        let put = "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n";
        for bytes in [post, put] {
            for end in 0..bytes.len() {
                let cut = &bytes[..end];
                let (line, column) =
                    (cut.split('\n').count(), 1 + cut.rsplit('\n').next().unwrap().len());
                let message = format!("incomplete request at {line}:{column}");
                assert_eq!(depth(cut.as_bytes()), Err(message), "{cut:?}");
            }
        }
    }

    /// wrk 4.1.0 gives the same messages for these.
    #[test]
    fn what_is_no_request_is_refused_where_it_goes_wrong() {
        for (bytes, message) in [
            ("17", "invalid HTTP method at 1:1"),
            ("GARBAGE", "invalid HTTP method at 1:2"),
            ("get / HTTP/1.1\r\n\r\n", "invalid HTTP method at 1:1"),
            ("GETS / HTTP/1.1\r\n\r\n", "invalid HTTP method at 1:4"),
            ("PROPX / HTTP/1.1\r\n\r\n", "invalid HTTP method at 1:5"),
            ("GET / HTTP/1.1\r\n\r\nX", "invalid HTTP method at 3:1"),
            ("GET x HTTP/1.1\r\n\r\n", "invalid URL at 1:6"),
            ("GET http:/a HTTP/1.1\r\n\r\n", "invalid URL at 1:11"),
            ("GET ht2p://a HTTP/1.1\r\n\r\n", "invalid URL at 1:7"),
            ("GET /\u{7f} HTTP/1.1\r\n\r\n", "invalid URL at 1:6"),
            ("GET / HTTP/1.x\r\n\r\n", "invalid HTTP version at 1:14"),
            ("GET / HTTP/1.1\r\nA\r\n\r\n", "invalid character in header at 2:2"),
            ("GET / HTTP/1.1\r\nA b: c\r\n\r\n", "invalid character in header at 2:2"),
            ("GET / HTTP/1.1\r\nA: b\u{1}\r\n\r\n", "invalid character in header at 2:5"),
            (
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
                "invalid character in chunk size header at 4:1",
            ),
            (
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
                "strict mode assertion failed at 5:4",
            ),
        ] {
            assert_eq!(depth(bytes.as_bytes()), Err(message.to_owned()), "{bytes:?}");
        }
        let length = depth(b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n").unwrap_err();
        assert!(length.starts_with("invalid character in content-length header"), "{length}");
    }
}
