//! Is it the right answer? If not, what is wrong with it.

use crate::body::BodyCheck;
use crate::check::{self, BodyRule, Expectation, StatusRule, WrongHeader};
use crate::grpc;
use crate::head::{self, FIELDS_LIMIT};
use crate::learned::HeadCache;
use crate::protocol::Answer;
use httparse::Header;
use std::fmt::Write;

/// The most bytes of a wrong header's value that are shown.
const SHOWN_LIMIT: usize = 200;

/// The outcome of the comparison. Faults are searched for in this order. It has no more than the
/// kind, because it is passed along for each answer: [`Decoder::describe`] gives the details.
///
/// [`Decoder::describe`]: crate::Decoder::describe
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The answer is as expected.
    Right,
    /// The status is another.
    Status,
    /// A header is missing or has another value.
    Header,
    /// The gRPC call has failed, or the answer has no status of it.
    Call,
    /// The body is too long or too short.
    Length,
    /// The body differs in a byte, has another hash, or lacks what it should contain.
    Body,
}

/// The verdict on a complete answer. A wrong status goes first: the rest belongs to another answer
/// anyway. `wrong_fields`: what is wrong in heads and trailers. A right body may be remembered.
#[inline]
pub(crate) fn judge(
    status: u16,
    wrong_fields: Option<Verdict>,
    check: &mut BodyCheck,
    learned: &mut HeadCache,
) -> Verdict {
    if !learned.expectation().status.allows(status) {
        return Verdict::Status;
    }
    wrong_fields.unwrap_or_else(|| check.verdict(learned))
}

/// The verdict as a message. `describe_header`: what is wrong with the headers.
pub(crate) fn describe(
    answer: &Answer,
    expectation: &Expectation,
    check: &BodyCheck,
    describe_header: impl FnOnce(&Expectation) -> Option<String>,
) -> String {
    match answer.verdict {
        Verdict::Right => "as expected".into(),
        Verdict::Status => {
            let expected = match expectation.status {
                StatusRule::Exactly(right) => right.to_string(),
                StatusRule::Below(limit) => format!("one below {limit}"),
            };
            format!("status is {}, expected {expected}", answer.status)
        }
        Verdict::Header | Verdict::Call => describe_header(expectation).unwrap_or_default(),
        Verdict::Length => {
            let got = answer.body_length;
            let right = expectation.wrong_length(got).map(|rule| rule.to_string());
            format!("body has {got} bytes, expected {}", right.unwrap_or_default())
        }
        Verdict::Body => describe_body(&expectation.body, check).unwrap_or_default(),
    }
}

/// What is wrong with the headers of an answer in HTTP/1. `head`: its bytes from the final head on,
/// including the available part of the body.
pub(crate) fn describe_header_of(
    expectation: &Expectation,
    head: &[u8],
    trailers: &[u8],
) -> Option<String> {
    with_fields(head, trailers, |fields| describe_header(expectation, fields))?
}

/// Whether the headers of such an answer are as expected. `None`: its head is not complete, or has
/// too many fields with the trailers.
pub(crate) fn are_headers_right(
    expectation: &Expectation,
    head: &[u8],
    trailers: &[u8],
) -> Option<bool> {
    with_fields(head, trailers, |fields| {
        let has_failed = check::failed_call(fields).is_some();
        expectation.wrong_header(fields).is_none()
            && (!has_failed || expectation.names(grpc::STATUS))
    })
}

fn with_fields<R>(
    head: &[u8],
    trailers: &[u8],
    take: impl FnOnce(&[Header<'_>]) -> R,
) -> Option<R> {
    // The text after it is not a fold, though it may begin with a space.
    let head = head[..head::find_end(head, 0)?].strip_suffix(b"\n")?;
    let head = head.strip_suffix(b"\r").unwrap_or(head);
    let text = [head, trailers, b"\r\n"].concat();
    let text = head::unfold(&text);
    let mut fields = [httparse::EMPTY_HEADER; FIELDS_LIMIT];
    let mut response = httparse::Response::new(&mut fields);
    response.parse(&text).ok()?;
    Some(take(response.headers))
}

/// What is wrong with an answer's headers.
pub(crate) fn describe_header(expectation: &Expectation, fields: &[Header<'_>]) -> Option<String> {
    let wrong = expectation.wrong_header(fields);
    if wrong.is_none() && expectation.is_call() {
        return Some(grpc::describe_status(fields));
    }
    let wrong = wrong.or_else(|| check::failed_call(fields));
    let WrongHeader { name, expected, got } = wrong?;
    Some(match got.map(|value| &value[..value.len().min(SHOWN_LIMIT)]) {
        Some(value) => {
            let got = String::from_utf8_lossy(value);
            format!("header {name} is {got:?}, expected {expected:?}")
        }
        None => format!("header {name} is missing, expected {expected:?}"),
    })
}

fn describe_body(rule: &BodyRule, check: &BodyCheck) -> Option<String> {
    match rule {
        BodyRule::Any => None,
        BodyRule::Exactly(body) => {
            let (at, got) = check.difference()?;
            let (expected, got) = (show(*body.get(at)?), show(got));
            Some(format!("body differs at byte {at}: expected {expected}, got {got}"))
        }
        BodyRule::Sha256(right) => {
            let (got, right) = (hex(&check.hash()?), hex(right));
            Some(format!("the body's SHA-256 is {got}, expected {right}"))
        }
        BodyRule::Holds(content) => check.missing(content),
        BodyRule::Events(right) => check.events()?.wrong(right),
        BodyRule::Message(expected) => check.messages().fault().or_else(|| {
            grpc::describe_difference(expected.as_ref()?, check.length(), check.difference())
        }),
    }
}

/// A byte as text: `"W"`, or `0x0a` where it has no glyph.
pub(crate) fn show(byte: u8) -> String {
    if byte.is_ascii_graphic() || byte == b' ' {
        format!("{:?}", char::from(byte).to_string())
    } else {
        format!("0x{byte:02x}")
    }
}

fn hex(hash: &[u8]) -> String {
    hash.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
