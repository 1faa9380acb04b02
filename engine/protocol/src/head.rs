//! The full parser of a response's head: status line, fields, and how the body is framed.

use crate::check::Expectation;
use httparse::{Error, Header, Response, Status};
use std::borrow::Cow;
use std::mem::MaybeUninit;
use std::ops::Range;

/// The most bytes that the heads of one answer, interim ones included, may have.
pub const HEAD_LIMIT: usize = 64 * 1024;

/// The most fields that a head may have.
pub(crate) const FIELDS_LIMIT: usize = 128;

/// Bytes that break the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    /// What is wrong, as a sentence's end: "the chunk size is not a hexadecimal number".
    pub what: &'static str,
    /// Offset from the answer's first byte; in HTTP/2 that of the frame, from the connection's.
    pub at: u64,
}

/// How the body's end is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// This many bytes.
    Length(u64),
    /// In chunks.
    Chunked,
    /// All bytes until the server closes the connection.
    UntilClose,
}

/// The facts on which the rest of the answer depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// How the body is framed.
    pub framing: Framing,
    /// Whether the connection may carry another request.
    pub keep_alive: bool,
    /// Whether the headers are as expected.
    pub headers_right: bool,
}

/// A head, and where in it the value of `Date` is: the one part that changes from answer to answer.
pub(crate) type Parsed = (Head, Range<usize>);

/// The end of the head that starts at `start`, looking from `from` on: just after the empty line.
///
/// A line may end in a bare LF, as RFC 9112 §2.2 lets a recipient accept.
pub(crate) fn find_end(bytes: &[u8], from: usize) -> Option<usize> {
    memchr::memchr_iter(b'\n', &bytes[from..]).find_map(|at| match &bytes[from + at + 1..] {
        [b'\n', ..] => Some(from + at + 2),
        [b'\r', b'\n', ..] => Some(from + at + 3),
        _ => None,
    })
}

/// The valid status codes. A client reads any other as one of 5xx (RFC 9110, section 15).
pub(crate) const STATUSES: Range<u16> = 100..600;

/// A head whose fields are on one line each: white space replaces the line breaks within values
/// (obs-fold; RFC 9112, section 5.2), so that every byte keeps its place.
pub(crate) fn unfold(head: &[u8]) -> Cow<'_, [u8]> {
    let mut unfolded = Cow::Borrowed(head);
    // The line after the status line continues no field.
    for at in memchr::memchr_iter(b'\n', head).skip(1) {
        if matches!(head.get(at + 1), Some(b' ' | b'\t')) {
            let bytes = unfolded.to_mut();
            bytes[at] = b' ';
            if bytes[at - 1] == b'\r' {
                bytes[at - 1] = b' ';
            }
        }
    }
    unfolded
}

/// What a server of another protocol is that sends these bytes without a request, in words.
pub fn foreign(bytes: &[u8]) -> Option<&'static str> {
    begins_well(bytes).err()?.1.strip_prefix("an answer begins with HTTP/1., but ")
}

/// Whether `bytes` can be the beginning of an answer; `Err` holds the first wrong byte's offset.
pub(crate) fn begins_well(bytes: &[u8]) -> Result<(), (usize, &'static str)> {
    let Some(at) = bytes.iter().zip(b"HTTP/1.").position(|(got, expected)| got != expected) else {
        return Ok(());
    };
    Err(match (at, bytes[at]) {
        // The alert for a client that does not speak TLS.
        (0, 21) => (at, "an answer begins with HTTP/1., but this server seems to speak TLS"),
        // Frames of SETTINGS are shorter than 65536 bytes.
        (0, 0) => (at, "an answer begins with HTTP/1., but this server seems to speak HTTP/2"),
        _ => (at, "an answer begins with HTTP/1."),
    })
}

/// Parses one whole head, its empty line included.
///
/// `to_head`: the request was HEAD, so that no body follows.
pub(crate) fn parse(
    bytes: &[u8],
    to_head: bool,
    expectation: &Expectation,
) -> Result<Parsed, Malformed> {
    let malformed = |what| Malformed { what, at: 0 };
    let bytes = &unfold(bytes)[..];
    let mut fields = [const { MaybeUninit::uninit() }; FIELDS_LIMIT];
    let mut response = Response::new(&mut []);
    let parsed = httparse::ParserConfig::default().parse_response_with_uninit_headers(
        &mut response,
        bytes,
        &mut fields,
    );
    match parsed {
        Ok(Status::Complete(length)) if length == bytes.len() => {}
        Ok(_) => return Err(malformed("the head has no proper end")),
        Err(error) => return Err(locate(error, bytes)),
    }
    let status = response.code.unwrap_or(0);
    let minor = response.version.unwrap_or(0);
    let headers_right = expectation.wrong_header(response.headers).is_none();
    let fields = Fields::read(response.headers, bytes)?;
    let bodiless = to_head || matches!(status, 100..200 | 204 | 304);
    let framing = match (bodiless, fields.chunked, fields.length) {
        (true, ..) => Framing::Length(0),
        (_, Some(_), _) if minor == 0 => {
            return Err(malformed("Transfer-Encoding in an HTTP/1.0 answer"));
        }
        (_, Some(true), _) => Framing::Chunked,
        (_, None, Some(length)) => Framing::Length(length),
        (_, Some(false), _) | (_, None, None) => Framing::UntilClose,
    };
    let keep_alive = match minor {
        0 => fields.keep_alive && !fields.close,
        _ => !fields.close,
    };
    let keep_alive = keep_alive && framing != Framing::UntilClose;
    Ok((Head { status, framing, keep_alive, headers_right }, fields.date))
}

/// The fields that decide the framing.
struct Fields {
    length: Option<u64>,
    /// Whether the last transfer coding is `chunked`, if there are any.
    chunked: Option<bool>,
    /// Whether one of them is `chunked`.
    has_chunks: bool,
    close: bool,
    keep_alive: bool,
    date: Range<usize>,
}

impl Fields {
    fn read(headers: &[Header<'_>], bytes: &[u8]) -> Result<Self, Malformed> {
        let mut fields = Self {
            length: None,
            chunked: None,
            has_chunks: false,
            close: false,
            keep_alive: false,
            date: 0..0,
        };
        for header in headers {
            let offset = header.value.as_ptr().addr().wrapping_sub(bytes.as_ptr().addr());
            let malformed = |what| Malformed { what, at: offset as u64 };
            let is = |name: &str| header.name.eq_ignore_ascii_case(name);
            if is("content-length") {
                if fields.length.is_some() {
                    return Err(malformed("a second Content-Length"));
                }
                let length = decimal(header.value)
                    .ok_or_else(|| malformed("Content-Length is not a number that fits 64 bits"))?;
                fields.length = Some(length);
            } else if is("transfer-encoding") {
                fields.read_codings(header.value).map_err(malformed)?;
            } else if is("connection") {
                for option in header.value.split(|&byte| byte == b',') {
                    fields.close |= option.trim_ascii().eq_ignore_ascii_case(b"close");
                    fields.keep_alive |= option.trim_ascii().eq_ignore_ascii_case(b"keep-alive");
                }
            } else if is("date") && fields.date.is_empty() && !header.value.is_empty() {
                fields.date = offset..offset + header.value.len();
            }
            if fields.length.is_some() && fields.chunked.is_some() {
                return Err(malformed("both Content-Length and Transfer-Encoding"));
            }
        }
        Ok(fields)
    }

    /// Reads some of the transfer codings, which may be in several fields (RFC 9112, sections 6.1
    /// and 7). Empty elements of the list are skipped (RFC 9110, section 5.6.1.2).
    fn read_codings(&mut self, list: &[u8]) -> Result<(), &'static str> {
        self.chunked.get_or_insert(false);
        let codings = list.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
        for coding in codings.filter(|coding| !coding.is_empty()) {
            let name = coding.split(|&byte| byte == b';').next().unwrap_or_default();
            let is_chunked = name.trim_ascii_end().eq_ignore_ascii_case(b"chunked");
            if is_chunked && name.len() < coding.len() {
                return Err("a parameter of chunked, which has none");
            }
            if is_chunked && self.has_chunks {
                return Err("the chunked coding twice");
            }
            self.has_chunks |= is_chunked;
            self.chunked = Some(is_chunked);
        }
        Ok(())
    }
}

/// Digits only: no sign, no list, no overflow.
pub(crate) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Finds the position of httparse's error, which it does not report: the shortest prefix that fails
/// ends in the offending byte.
fn locate(error: Error, bytes: &[u8]) -> Malformed {
    let fails = |length: usize| {
        let mut fields = [httparse::EMPTY_HEADER; FIELDS_LIMIT];
        Response::new(&mut fields).parse(&bytes[..length]).is_err()
    };
    let lengths: Vec<usize> = (1..=bytes.len()).collect();
    let at = lengths.partition_point(|&length| !fails(length));
    let what = match error {
        Error::HeaderName => "a byte that a field name may not have",
        Error::HeaderValue => "a byte that a field value may not have",
        Error::NewLine => "a line that does not end in CR LF",
        Error::Status => "the status line has no proper status code",
        Error::TooManyHeaders => "more than 128 fields",
        Error::Version => "the version is not HTTP/1.0 or HTTP/1.1",
        Error::Token => "a byte that is not allowed in a head",
    };
    Malformed { what, at: at as u64 }
}
