//! Fields of HTTP/2 and HTTP/3: the rules for an answer's (RFC 9113, sections 8.1 to 8.3, which RFC
//! 9114, section 4 has in the same words), and those of a request.

use crate::check::Expectation;
use crate::grpc::{self, CallFields};
use crate::head::FIELDS_LIMIT;
use crate::request::Request;
use crate::verdict::Verdict;
use httparse::{EMPTY_HEADER, Header};

/// The cost of a field besides its name and value, as both count it.
pub(crate) const FIELD_OVERHEAD: usize = 32;

/// The facts on which the rest of an answer depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// Bytes of body, if the head gives them or if there may be none.
    pub(crate) length: Option<u64>,
    /// What is wrong with the fields, trailers included.
    pub(crate) wrong: Option<Verdict>,
    pub(crate) call: CallFields,
}

impl Head {
    /// Whether a body of this length may end.
    pub(crate) fn is_all(self, length: u64) -> bool {
        self.length.is_none_or(|said| said == length)
    }

    /// Trailers end the answer. `text`: that of both.
    pub(crate) fn add(&mut self, trailers: Decoded, text: &[u8], expectation: &Expectation) {
        let call = CallFields { succeeded: trailers.call.succeeded, ..self.call };
        self.wrong = wrong_fields(call, text, expectation);
    }

    /// A body ends the answer: a call's status would be in trailers.
    #[inline]
    pub(crate) fn end_without_trailers(&mut self, expectation: &Expectation) {
        if expectation.is_call() {
            self.wrong = self.wrong.or(Some(Verdict::Call));
        }
    }
}

/// A head that is more than we take.
pub(crate) const LARGE: &str = "the head is larger than 65536 bytes";
pub(crate) const MANY: &str = "more than 128 fields";

/// An answer ends before its body has the length that its head gives.
pub(crate) const LESS: &str = "less DATA than content-length says";

/// A head that was decoded.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Decoded {
    /// 0 in trailers.
    pub(crate) status: u16,
    length: Option<u64>,
    call: CallFields,
    /// Its cost, as SETTINGS count it.
    pub(crate) cost: usize,
}

/// A head while its fields are decoded, into `text`: a status line and a line for each field.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    version: &'static str,
    is_trailer: bool,
    room: usize,
    text: &'a mut Vec<u8>,
    found: Decoded,
    count: usize,
    has_status: bool,
    had_field: bool,
}

impl<'a> Lines<'a> {
    /// No field has come yet. Trailers add their lines to those of the head. `version`: as in
    /// `HTTP/2`. `room`: the head's limit of cost.
    pub(crate) fn new(
        version: &'static str,
        is_trailer: bool,
        room: usize,
        text: &'a mut Vec<u8>,
    ) -> Self {
        if !is_trailer {
            text.clear();
        }
        let found = Decoded::default();
        let (has_status, had_field) = (false, false);
        Self { version, is_trailer, room, text, found, count: 0, has_status, had_field }
    }

    /// The next field. `Err`: what is wrong with it.
    pub(crate) fn take(&mut self, name: &[u8], value: &[u8]) -> Result<(), &'static str> {
        self.found.cost += FIELD_OVERHEAD + name.len() + value.len();
        self.count += 1;
        if self.found.cost > self.room {
            return Err(LARGE);
        }
        if self.count > FIELDS_LIMIT {
            return Err(MANY);
        }
        if name.first() == Some(&b':') {
            return self.take_pseudo(name, value);
        }
        self.had_field = true;
        check_field(name, value)?;
        if name == b"content-length" {
            if self.found.length.is_some() {
                return Err("a second content-length");
            }
            let length = crate::head::decimal(value);
            let length = length.ok_or("content-length is not a number that fits 64 bits")?;
            self.found.length = Some(length);
        }
        self.found.call.read(name, value);
        for part in [name, b": ", value, b"\r\n"] {
            self.text.extend_from_slice(part);
        }
        Ok(())
    }

    fn take_pseudo(&mut self, name: &[u8], value: &[u8]) -> Result<(), &'static str> {
        if self.is_trailer {
            return Err("a pseudo-header in trailers"); // Section 8.1.
        }
        if self.had_field {
            return Err("a pseudo-header behind other fields"); // Section 8.3.
        }
        if name != b":status" {
            return Err("a pseudo-header that no answer has"); // Section 8.3.2.
        }
        if self.has_status {
            return Err("a second :status");
        }
        self.has_status = true;
        self.found.status = status(value).ok_or("the status does not have three digits")?;
        for part in [self.version.as_bytes(), b" ", value, b"\r\n"] {
            self.text.extend_from_slice(part);
        }
        Ok(())
    }

    /// All fields have come.
    pub(crate) fn end(self) -> Result<Decoded, &'static str> {
        if !self.is_trailer && !self.has_status {
            return Err("an answer without :status"); // Section 8.3.2.
        }
        Ok(self.found)
    }
}

impl Decoded {
    /// The facts about a final answer, given its text.
    pub(crate) fn head(self, text: &[u8], to_head: bool, expectation: &Expectation) -> Head {
        let bodiless = to_head || self.status == 204 || self.status == 304;
        Head {
            status: self.status,
            length: if bodiless { Some(0) } else { self.length },
            wrong: wrong_fields(self.call, text, expectation),
            call: self.call,
        }
    }
}

/// What is wrong in an answer's fields, given their facts about a call, and all of their text.
fn wrong_fields(call: CallFields, text: &[u8], expectation: &Expectation) -> Option<Verdict> {
    let is_call = expectation.is_call();
    let is_wrong = |fields: &[Header<'_>]| expectation.wrong_header(fields).is_some();
    if (is_call && !call.has_type) || (expectation.has_headers() && with_fields(text, is_wrong)) {
        return Some(Verdict::Header);
    }
    match call.succeeded {
        _ if expectation.names(grpc::STATUS) => None,
        Some(false) if !is_call => Some(Verdict::Header),
        None | Some(false) if is_call => Some(Verdict::Call),
        _ => None,
    }
}

/// Passes on the fields of a head's text.
pub(crate) fn with_fields<R>(text: &[u8], take: impl FnOnce(&[Header<'_>]) -> R) -> R {
    let mut fields = [EMPTY_HEADER; FIELDS_LIMIT];
    let mut count = 0;
    // A value has no line break: this was checked.
    for line in text.split(|&byte| byte == b'\n').skip(1) {
        let Some(colon) = memchr::memchr(b':', line) else { break };
        let name = str::from_utf8(&line[..colon]).unwrap_or_default();
        let value = line[colon + 1..].trim_ascii();
        let Some(field) = fields.get_mut(count) else { break };
        *field = Header { name, value };
        count += 1;
    }
    take(&fields[..count])
}

/// Three digits.
fn status(value: &[u8]) -> Option<u16> {
    let digits: &[u8; 3] = value.try_into().ok()?;
    let digit = |byte: u8| byte.is_ascii_digit().then(|| u16::from(byte - b'0'));
    digits.iter().try_fold(0, |status, &byte| Some(10 * status + digit(byte)?))
}

/// The rules that a field of any message keeps, apart from pseudo-headers.
pub(crate) fn check_field(name: &[u8], value: &[u8]) -> Result<(), &'static str> {
    // Section 8.2.1: names are in lower case, and values contain no line break.
    if name.is_empty() {
        return Err("a field without a name");
    }
    if !name.iter().all(|&byte| NAME[usize::from(byte)]) {
        return Err(if name.iter().any(u8::is_ascii_uppercase) {
            "a field name in upper case"
        } else {
            "a byte that a field name may not have"
        });
    }
    if memchr::memchr3(0, b'\r', b'\n', value).is_some() {
        return Err("a byte that a field value may not have");
    }
    let is_space = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    if is_space(value.first()) || is_space(value.last()) {
        return Err("a field value with white space around it");
    }
    // Section 8.2.2.
    if matches!(
        name,
        b"connection" | b"proxy-connection" | b"keep-alive" | b"transfer-encoding" | b"upgrade"
    ) {
        return Err("a field of the connection, which is HTTP/1's");
    }
    Ok(())
}

/// The bytes of a token, except upper case.
static NAME: [bool; 256] = {
    let mut allowed = [false; 256];
    let others = b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
    let mut at = 0;
    while at < others.len() {
        allowed[others[at] as usize] = true;
        at += 1;
    }
    allowed
};

/// A request's fields in the order in which they are sent (sections 8.2 and 8.3.1).
pub(crate) fn of_request(request: &Request, scheme: &str) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = [
        (":method", request.method.as_str()),
        (":scheme", scheme),
        (":authority", &request.host),
        (":path", &request.path),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .into();
    for (name, value) in &request.headers {
        let name = name.to_ascii_lowercase();
        let value = value.trim_matches([' ', '\t']);
        // Section 8.2.2: no fields of the connection, and only trailers may be accepted.
        let is_kept = match name.as_str() {
            "connection" | "proxy-connection" | "keep-alive" | "transfer-encoding" | "upgrade" => {
                false
            }
            "te" => value == "trailers",
            _ => true,
        };
        if is_kept {
            fields.push((name, value.to_owned()));
        }
    }
    if let Some(length) = request.content_length() {
        fields.push(("content-length".into(), length.to_string()));
    }
    fields
}

/// Whether a field is a secret, which no intermediary may keep in a table.
pub(crate) fn is_secret(name: &str) -> bool {
    name == "authorization"
}
