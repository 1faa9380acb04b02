//! Is it the right answer? Pure comparisons, done while the body streams by.

use std::fmt;

/// What a right answer looks like.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// Which status is right.
    pub status: StatusRule,
    /// The exact body, or `None` if any will do.
    pub body: Option<Vec<u8>>,
}

/// Which status codes are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusRule {
    /// This one.
    Exactly(u16),
    /// Any below this one.
    Below(u16),
}

impl StatusRule {
    fn allows(self, status: u16) -> bool {
        match self {
            Self::Exactly(right) => status == right,
            Self::Below(limit) => status < limit,
        }
    }
}

/// The outcome of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// As expected.
    Right,
    /// Another status.
    Status {
        /// Which were right.
        rule: StatusRule,
        /// The answer's.
        got: u16,
    },
    /// A byte of the body differs.
    Byte {
        /// Offset in the body, from 0.
        at: u64,
        /// The byte there should have been.
        expected: u8,
        /// The byte there was.
        got: u8,
    },
    /// The body is right as far as it goes, but too long or too short.
    Length {
        /// Bytes there should have been.
        expected: u64,
        /// Bytes there were.
        got: u64,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Right => write!(f, "as expected"),
            Self::Status { rule: StatusRule::Exactly(right), got } => {
                write!(f, "status is {got}, expected {right}")
            }
            Self::Status { rule: StatusRule::Below(limit), got } => {
                write!(f, "status is {got}, expected one below {limit}")
            }
            Self::Byte { at, expected, got } => {
                let (expected, got) = (show(expected), show(got));
                write!(f, "body differs at byte {at}: expected {expected}, got {got}")
            }
            Self::Length { expected, got } => {
                write!(f, "body has {got} bytes, expected {expected}")
            }
        }
    }
}

/// A byte as people read it: `"W"`, or `0x0a` where it has no glyph.
fn show(byte: u8) -> String {
    if byte.is_ascii_graphic() || byte == b' ' {
        format!("{:?}", char::from(byte).to_string())
    } else {
        format!("0x{byte:02x}")
    }
}

/// Compares a body that arrives in pieces.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BodyCheck {
    length: u64,
    difference: Option<(u64, u8)>,
}

impl BodyCheck {
    /// The next piece of the body.
    pub(crate) fn push(&mut self, piece: &[u8], expectation: &Expectation) {
        if let (Some(body), None) = (&expectation.body, self.difference) {
            let start = usize::try_from(self.length).unwrap_or(usize::MAX).min(body.len());
            let rest = &body[start..];
            let common = rest.len().min(piece.len());
            if rest[..common] != piece[..common] {
                self.difference = rest
                    .iter()
                    .zip(piece)
                    .position(|(expected, got)| expected != got)
                    .map(|at| (self.length + at as u64, piece[at]));
            }
        }
        self.length += piece.len() as u64;
    }

    /// Bytes of body so far.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The verdict on a complete answer. A wrong status goes first: its body is another one anyway.
    pub(crate) fn verdict(&self, status: u16, expectation: &Expectation) -> Verdict {
        if !expectation.status.allows(status) {
            return Verdict::Status { rule: expectation.status, got: status };
        }
        let Some(body) = &expectation.body else { return Verdict::Right };
        if let Some((at, got)) = self.difference {
            let expected = usize::try_from(at).map_or(0, |at| body[at]);
            return Verdict::Byte { at, expected, got };
        }
        if self.length != body.len() as u64 {
            return Verdict::Length { expected: body.len() as u64, got: self.length };
        }
        Verdict::Right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(expected: &str, pieces: &[&str]) -> String {
        let expectation = Expectation {
            status: StatusRule::Exactly(200),
            body: Some(expected.as_bytes().to_vec()),
        };
        let mut check = BodyCheck::default();
        for piece in pieces {
            check.push(piece.as_bytes(), &expectation);
        }
        check.verdict(200, &expectation).to_string()
    }

    #[test]
    fn says_where_a_body_differs() {
        let differs = "body differs at byte 7: expected \"W\", got \"w\"";
        assert_eq!(verdict("Hello, World!", &["Hello, World!"]), "as expected");
        assert_eq!(verdict("Hello, World!", &["Hello, world!"]), differs);
        assert_eq!(verdict("Hello, World!", &["Hel", "lo, ", "world?"]), differs);
        assert_eq!(verdict("Hello, World!", &["Hello, W"]), "body has 8 bytes, expected 13");
        assert_eq!(verdict("Hello", &["Hello", "\r\n"]), "body has 7 bytes, expected 5");
        assert_eq!(verdict("", &["x"]), "body has 1 bytes, expected 0");
        assert_eq!(verdict("a\n", &["a\0"]), "body differs at byte 1: expected 0x0a, got 0x00");
        assert_eq!(verdict("\"", &["x"]), "body differs at byte 0: expected \"\\\"\", got \"x\"");
    }

    #[test]
    fn the_status_is_judged_first() {
        let expectation = Expectation { status: StatusRule::Exactly(200), body: None };
        let check = BodyCheck::default();
        assert_eq!(check.verdict(200, &expectation), Verdict::Right);
        let text = check.verdict(503, &expectation).to_string();
        assert_eq!(text, "status is 503, expected 200");
        let below = Expectation { status: StatusRule::Below(400), body: None };
        assert_eq!(check.verdict(304, &below), Verdict::Right);
        let text = check.verdict(404, &below).to_string();
        assert_eq!(text, "status is 404, expected one below 400");
    }
}
