//! Calls of gRPC over HTTP/2: an answer's fields that concern a call, and the messages in its body.
//!
//! A message follows a flag and its length. The status of a call is in the trailers, or in the head
//! if the answer consists of the head alone.

use httparse::Header;

pub(crate) const STATUS: &str = "grpc-status";
pub(crate) const OK: &str = "0";
pub(crate) const TYPE: &str = "application/grpc";

/// Bytes before a message: its flag and its length.
pub(crate) const PREFIX: usize = 5;

/// The most bytes of a `grpc-message` that are shown.
const SHOWN_LIMIT: usize = 200;

/// A message with its prefix, uncompressed. `None`: it is longer than a prefix can express.
pub fn framed(message: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(message.len()).ok()?;
    Some([&[0], &length.to_be_bytes()[..], message].concat())
}

/// What is wrong with bytes that should be one message with its prefix.
pub fn misfit(body: &[u8]) -> Option<String> {
    let mut messages = Messages::default();
    messages.feed(body);
    messages.fault()
}

/// The facts about a call in the fields of a head, or of trailers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CallFields {
    /// The type of the content is gRPC's.
    pub(crate) has_type: bool,
    /// Whether the call succeeded. `None`: there is no status.
    pub(crate) succeeded: Option<bool>,
}

impl CallFields {
    #[inline]
    pub(crate) fn read(&mut self, name: &[u8], value: &[u8]) {
        if name == STATUS.as_bytes() {
            let is_ok = value == OK.as_bytes();
            self.succeeded = Some(is_ok && self.succeeded != Some(false));
        } else if name == b"content-type" {
            self.has_type = is_type(value);
        }
    }
}

/// Whether a type is gRPC's, whatever the encoding of its messages.
pub(crate) fn is_type(value: &[u8]) -> bool {
    let Some((own, rest)) = value.split_at_checked(TYPE.len()) else { return false };
    own.eq_ignore_ascii_case(TYPE.as_bytes()) && matches!(rest.first(), None | Some(b'+' | b';'))
}

/// What is wrong with the status of a call, given the fields of its answer.
pub(crate) fn describe_status(fields: &[Header<'_>]) -> String {
    let value = |name: &str| {
        let named = |field: &&Header<'_>| field.name.eq_ignore_ascii_case(name);
        fields.iter().rfind(named).map(|field| field.value)
    };
    let Some(status) = value(STATUS) else {
        return format!("{STATUS} is missing: neither trailers nor a head without a body has it");
    };
    let status = String::from_utf8_lossy(status);
    if status == OK {
        return format!("{STATUS} is in the head, and the body came without trailers behind it");
    }
    let name = status.parse().ok().and_then(|code: usize| NAMES.get(code));
    let name = name.map_or(String::new(), |name| format!(" ({name})"));
    let message = value("grpc-message").map(percent_decoded).filter(|message| !message.is_empty());
    let message = message.map_or(String::new(), |message| {
        let shown = &message[..message.len().min(SHOWN_LIMIT)];
        format!(": {:?}", String::from_utf8_lossy(shown))
    });
    format!("{STATUS} is {status}{name}{message}")
}

/// The names of statuses, by code.
const NAMES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// Bytes that are not an escape stay as they are.
fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|n| u8::try_from(n).ok());
    let (mut decoded, mut rest) = (Vec::with_capacity(text.len()), text);
    while let [first, behind @ ..] = rest {
        let escaped = match behind {
            [high, low, ..] if *first == b'%' => digit(*high).zip(digit(*low)),
            _ => None,
        };
        decoded.push(escaped.map_or(*first, |(high, low)| high << 4 | low));
        rest = &behind[if escaped.is_some() { 2 } else { 0 }..];
    }
    decoded
}

/// The messages of one body, which comes in pieces.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Messages {
    /// The prefix of the message in progress, and how much of it has arrived.
    prefix: [u8; PREFIX],
    have: usize,
    /// Bytes of the message that are still to come.
    left: u32,
    /// The complete messages.
    count: u64,
    /// The flag and the length of the first message.
    flag: u8,
    first: u32,
    length: u64,
}

impl Messages {
    #[inline]
    pub(crate) fn feed(&mut self, mut piece: &[u8]) {
        self.length += piece.len() as u64;
        while !piece.is_empty() {
            if self.have < PREFIX {
                let (front, rest) = piece.split_at(piece.len().min(PREFIX - self.have));
                self.prefix[self.have..][..front.len()].copy_from_slice(front);
                self.have += front.len();
                piece = rest;
                if self.have < PREFIX {
                    return;
                }
                let [flag, length @ ..] = self.prefix;
                self.left = u32::from_be_bytes(length);
                if self.count == 0 {
                    (self.flag, self.first) = (flag, self.left);
                }
            }
            let take = piece.len().min(self.left as usize);
            piece = &piece[take..];
            self.left -= u32::try_from(take).expect("it is no more than what was left");
            if self.left == 0 {
                self.count += 1;
                self.have = 0;
            }
        }
    }

    /// Whether they are exactly one message, uncompressed.
    #[inline]
    pub(crate) fn is_one(&self) -> bool {
        self.count == 1 && self.have == 0 && self.flag == 0
    }

    /// Why they are not one readable message.
    pub(crate) fn fault(&self) -> Option<String> {
        if self.is_one() {
            return None;
        }
        let Self { have, left, count, flag, first, length, .. } = *self;
        let rest = length.saturating_sub(PREFIX as u64);
        Some(match (count, have) {
            (0, 0) => "there is no message in the body".to_owned(),
            (0, 1..PREFIX) => {
                format!("the body ends after {have} bytes, and a message begins with {PREFIX}")
            }
            _ if flag == 1 => "the message is compressed, which was not asked for".to_owned(),
            _ if flag > 1 => format!(
                "the message begins with {flag:#04x}, and not with 0, or 1 for a compressed one"
            ),
            (0, _) => format!(
                "the prefix says that the message has {first} bytes, and {} came",
                u64::from(first) - u64::from(left)
            ),
            (1, _) => format!(
                "the prefix says that the message has {first} bytes, and {rest} came behind it"
            ),
            (_, 0) => format!("there are {count} messages in the body, expected one"),
            _ => {
                format!("there are {count} messages in the body and part of another, expected one")
            }
        })
    }
}

/// The difference between a message and the right one, both with their prefix: the offset and the
/// byte there.
pub(crate) fn describe_difference(
    expected: &[u8],
    length: u64,
    difference: Option<(usize, u8)>,
) -> Option<String> {
    if length != expected.len() as u64 {
        let [got, right] =
            [length, expected.len() as u64].map(|all| all.saturating_sub(PREFIX as u64));
        return Some(format!("the message has {got} bytes, expected {right}"));
    }
    let (at, got) = difference?;
    let (nth, right) = (at.checked_sub(PREFIX)?, expected[at]);
    Some(format!("the message differs at byte {nth}: expected {right:#04x}, got {got:#04x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_body_is_one_message_or_its_fault_is_named() {
        let [hi, empty] = [b"hi".as_slice(), b""].map(|message| framed(message).unwrap());
        for (body, fault) in [
            (hi.clone(), None),
            (empty.clone(), None),
            (vec![], Some("there is no message in the body")),
            (hi[..4].to_vec(), Some("the body ends after 4 bytes, and a message begins with 5")),
            (hi[..6].to_vec(), Some("the prefix says that the message has 2 bytes, and 1 came")),
            (
                [&hi[..], b"!"].concat(),
                Some("the prefix says that the message has 2 bytes, and 3 came behind it"),
            ),
            ([&empty[..], &hi].concat(), Some("there are 2 messages in the body, expected one")),
            (
                [&hi.repeat(2), &b"\0\0"[..]].concat(),
                Some("there are 2 messages in the body and part of another, expected one"),
            ),
            (hi.repeat(3), Some("there are 3 messages in the body, expected one")),
            (
                b"\x01\0\0\0\x01x".to_vec(),
                Some("the message is compressed, which was not asked for"),
            ),
            (
                b"\x1f\0\0\0\x01x".to_vec(),
                Some("the message begins with 0x1f, and not with 0, or 1 for a compressed one"),
            ),
            (
                b"\0\xff\xff\xff\xffx".to_vec(),
                Some("the prefix says that the message has 4294967295 bytes, and 1 came"),
            ),
        ] {
            assert_eq!(misfit(&body).as_deref(), fault, "{body:?}");
        }
    }

    #[test]
    fn types_are_those_of_messages_of_any_format() {
        for (value, is) in [
            ("application/grpc", true),
            ("Application/gRPC+proto", true),
            ("application/grpc;charset=utf-8", true),
            ("application/grpc-web", false),
            ("application/grp", false),
            ("text/html", false),
            ("", false),
        ] {
            assert_eq!(is_type(value.as_bytes()), is, "{value}");
        }
    }

    #[test]
    fn a_status_is_told_with_its_name_and_message() {
        let said = |fields: &[(&'static str, &'static str)]| {
            let header = |&(name, value): &(&'static str, &'static str)| Header {
                name,
                value: value.as_bytes(),
            };
            describe_status(&fields.iter().map(header).collect::<Vec<_>>())
        };
        for (fields, words) in [
            (
                &[("grpc-status", "14"), ("grpc-message", "no%20%C3%BCbung%%2")][..],
                r#"grpc-status is 14 (UNAVAILABLE): "no übung%%2""#,
            ),
            (&[("grpc-status", "4"), ("grpc-message", "")], "grpc-status is 4 (DEADLINE_EXCEEDED)"),
            (&[("grpc-status", "17")], "grpc-status is 17"),
            (&[("grpc-status", "")], "grpc-status is "),
            (&[], "grpc-status is missing: neither trailers nor a head without a body has it"),
            (
                &[("grpc-status", "0")],
                "grpc-status is in the head, and the body came without trailers behind it",
            ),
        ] {
            assert_eq!(said(fields), words);
        }
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(
            messages in prop::collection::vec((0..3_u8, prop::collection::vec(any::<u8>(), 0..9)), 0..4),
            rest in prop::collection::vec(any::<u8>(), 0..7),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut body = Vec::new();
            for (flag, message) in &messages {
                let at = body.len();
                body.extend_from_slice(&framed(message).unwrap());
                body[at] = *flag;
            }
            body.extend_from_slice(&rest);
            let (front, back) = body.split_at(cut.index(body.len() + 1));
            let fed = |pieces: &[&[u8]]| {
                let mut messages = Messages::default();
                for piece in pieces {
                    messages.feed(piece);
                }
                messages.fault()
            };
            let whole = fed(&[&body]);
            prop_assert_eq!(&fed(&[front, back]), &whole);
            prop_assert_eq!(&fed(&body.chunks(1).collect::<Vec<_>>()), &whole);
            if rest.is_empty() {
                let is_right = matches!(&messages[..], [(0, _)]);
                prop_assert_eq!(whole.is_none(), is_right);
            }
        }

        #[test]
        fn any_text_is_decoded(text in prop::collection::vec(any::<u8>(), 0..20)) {
            let escaped: Vec<u8> =
                text.iter().flat_map(|byte| format!("%{byte:02x}").into_bytes()).collect();
            prop_assert_eq!(percent_decoded(&escaped), text.clone());
            prop_assert!(percent_decoded(&text).len() <= text.len());
        }
    }
}
