//! The rules for a right answer.

use crate::content::Content;
use crate::events::RightEvents;
use crate::grpc;
use crate::head::STATUSES;
use crate::request::{Request, RequestError};
use httparse::Header;
use std::fmt;
use std::sync::Arc;

/// The rules for a right answer.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// The right status.
    pub status: StatusRule,
    /// The right number of bytes of body, or `None` if any number will do.
    pub length: Option<LengthRule>,
    /// The right body.
    pub body: BodyRule,
    /// Names and values of headers that an answer has to have, in its head or trailers. Names are
    /// compared without case, values without the white space around them. If an answer has a header
    /// several times, one has to be equal.
    ///
    /// In HTTP/2, and in HTTP/1's trailers, a `grpc-status` other than 0 is wrong, too: the call
    /// has failed, though the status of the answer is 200.
    pub headers: Vec<(String, String)>,
}

/// The right status codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusRule {
    /// This status.
    Exactly(u16),
    /// Any status below this one, if it is valid (RFC 9110, section 15).
    Below(u16),
}

/// The right number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthRule {
    /// This number.
    Exactly(u64),
    /// A number from the first to the second, both included.
    Between(u64, u64),
}

/// The right bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyRule {
    /// Any body.
    Any,
    /// These bytes.
    Exactly(Vec<u8>),
    /// The body with this SHA-256.
    Sha256([u8; 32]),
    /// Any body that contains this. It is collected to be inspected.
    Holds(Arc<Content>),
    /// A stream of these server-sent events, or of a gRPC call's messages.
    Events(Arc<RightEvents>),
    /// One message of gRPC over HTTP/2: this one, with its prefix, or any. The answer's type has to
    /// be gRPC's, and its `grpc-status` 0.
    Message(Option<Vec<u8>>),
}

impl Expectation {
    /// Any body and any headers will do.
    pub fn of_status(status: StatusRule) -> Self {
        Self { status, length: None, body: BodyRule::Any, headers: Vec::new() }
    }

    /// Whether these rules suit the answers to a request: compressed bodies cannot be inspected.
    pub fn suits(&self, request: &Request) -> Result<(), RequestError> {
        let hides = |(name, value): &&(String, String)| Content::is_hidden_by(name, value);
        match (&self.body, request.headers.iter().find(hides)) {
            (BodyRule::Holds(_), Some((name, _))) => Err(RequestError::Hides(name.clone())),
            _ => Ok(()),
        }
    }

    /// The right events, if the answer is a stream of them.
    pub fn events(&self) -> Option<&RightEvents> {
        if let BodyRule::Events(right) = &self.body { Some(right) } else { None }
    }

    /// Whether there is a rule about headers.
    pub(crate) fn has_headers(&self) -> bool {
        !self.headers.is_empty() || self.events().is_some_and(|right| !right.is_call)
    }

    /// Whether the answer is that of a gRPC call.
    pub(crate) fn is_call(&self) -> bool {
        match &self.body {
            BodyRule::Message(_) => true,
            BodyRule::Events(right) => right.is_call,
            _ => false,
        }
    }

    /// Whether there is a rule about this header.
    pub(crate) fn names(&self, header: &str) -> bool {
        self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(header))
    }

    /// The rule for the length that this length breaks: the one that was given, or the length of
    /// the exact body.
    #[inline]
    pub(crate) fn wrong_length(&self, got: u64) -> Option<LengthRule> {
        let exact = match &self.body {
            BodyRule::Exactly(body) => Some(LengthRule::Exactly(body.len() as u64)),
            BodyRule::Any
            | BodyRule::Sha256(_)
            | BodyRule::Holds(_)
            | BodyRule::Events(_)
            | BodyRule::Message(_) => None,
        };
        [self.length, exact].into_iter().flatten().find(|rule| !rule.allows(got))
    }

    /// The first header that is missing or wrong among these.
    pub(crate) fn wrong_header<'a>(&'a self, fields: &[Header<'a>]) -> Option<WrongHeader<'a>> {
        let wrong_type = match self.body {
            _ if self.is_call() => wrong_type(fields, grpc::TYPE, grpc::is_type),
            BodyRule::Events(_) => wrong_type(fields, "text/event-stream", is_of_events),
            _ => None,
        };
        if wrong_type.is_some() {
            return wrong_type;
        }
        self.headers.iter().find_map(|(name, expected)| {
            let mut values = fields
                .iter()
                .filter(|field| field.name.eq_ignore_ascii_case(name))
                .map(|field| field.value.trim_ascii())
                .peekable();
            let got = values.peek().copied();
            let right = values.any(|value| value == expected.as_bytes().trim_ascii());
            (!right).then_some(WrongHeader { name, expected, got })
        })
    }
}

/// A content type that is not one of these, or a missing type.
fn wrong_type<'a>(
    fields: &[Header<'a>],
    expected: &'static str,
    is_right: impl FnOnce(&[u8]) -> bool,
) -> Option<WrongHeader<'a>> {
    let name = "content-type";
    let field = fields.iter().find(|field| field.name.eq_ignore_ascii_case(name));
    let got = field.map(|field| field.value);
    (!got.is_some_and(is_right)).then_some(WrongHeader { name, expected, got })
}

/// Whether a type is that of events, whatever its parameters.
fn is_of_events(value: &[u8]) -> bool {
    let essence = value.split(|&byte| byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(b"text/event-stream")
}

/// The status of a remote procedure call, if it is not 0.
pub(crate) fn failed_call<'a>(fields: &[Header<'a>]) -> Option<WrongHeader<'a>> {
    let status = fields.iter().find(|field| field.name.eq_ignore_ascii_case(grpc::STATUS))?;
    let wrong = WrongHeader { name: grpc::STATUS, expected: grpc::OK, got: Some(status.value) };
    (status.value != grpc::OK.as_bytes()).then_some(wrong)
}

/// A header that is missing or has another value.
pub(crate) struct WrongHeader<'a> {
    pub(crate) name: &'a str,
    pub(crate) expected: &'a str,
    /// The wrong value; the first if there are several.
    pub(crate) got: Option<&'a [u8]>,
}

impl StatusRule {
    pub(crate) fn allows(self, status: u16) -> bool {
        match self {
            Self::Exactly(right) => status == right,
            Self::Below(limit) => status < limit && STATUSES.contains(&status),
        }
    }
}

impl LengthRule {
    #[inline]
    fn allows(self, length: u64) -> bool {
        match self {
            Self::Exactly(right) => length == right,
            Self::Between(least, most) => least <= length && length <= most,
        }
    }
}

impl fmt::Display for LengthRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(right) => write!(f, "{right}"),
            Self::Between(least, most) => write!(f, "{least} to {most}"),
        }
    }
}

impl BodyRule {
    /// The rule for a SHA-256 given as 64 hexadecimal digits.
    pub fn from_hex(sha256: &str) -> Option<Self> {
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|n| u8::try_from(n).ok());
        let mut hash = [0; 32];
        let (pairs, []) = sha256.as_bytes().as_chunks::<2>() else { return None };
        if pairs.len() != hash.len() {
            return None;
        }
        for (byte, &[high, low]) in hash.iter_mut().zip(pairs) {
            *byte = digit(high)? << 4 | digit(low)?;
        }
        Some(Self::Sha256(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_has_64_hexadecimal_digits() {
        let mut hash = [0; 32];
        (hash[0], hash[31]) = (0x0f, 0xa5);
        let text = format!("0f{}A5", "0".repeat(60));
        assert_eq!(BodyRule::from_hex(&text), Some(BodyRule::Sha256(hash)));
        let (short, odd, long) = (&text[2..], &text[1..], &format!("{text}00"));
        for wrong in ["", short, odd, long, &text.replace('A', "g"), &text.replace("A5", "é")] {
            assert_eq!(BodyRule::from_hex(wrong), None, "{wrong}");
        }
    }
}
