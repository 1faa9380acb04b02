//! The head of an answer: what its fields have to be (RFC 9113, sections 8.1 to 8.3), and the heads
//! that are known without decoding.

use super::hpack::{self, Decoder};
use crate::check::Expectation;
use crate::grpc::{self, CallFields};
use crate::head::FIELDS_LIMIT;
use crate::verdict::Verdict;
use httparse::{EMPTY_HEADER, Header};
use std::collections::VecDeque;
use std::rc::Rc;

/// What the rest of an answer depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) status: u16,
    /// Bytes of body, where the head says so or where there may be none.
    pub(super) length: Option<u64>,
    /// What is wrong with the fields, trailers included.
    pub(super) wrong: Option<Verdict>,
    pub(super) call: CallFields,
}

/// A head that was decoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decoded {
    /// 0 in trailers.
    pub(super) status: u16,
    length: Option<u64>,
    pub(super) call: CallFields,
    /// What it cost, as SETTINGS count it.
    pub(super) cost: usize,
}

/// Decodes a head into `text`: a status line and a line for each field. Trailers add their lines to
/// those of the head. `room`: what it may cost.
pub(super) fn decode(
    decoder: &mut Decoder,
    block: &[u8],
    is_trailer: bool,
    room: usize,
    text: &mut Vec<u8>,
) -> Result<Decoded, &'static str> {
    let mut found = Decoded { status: 0, length: None, call: CallFields::default(), cost: 0 };
    let (mut count, mut has_status, mut had_field) = (0, false, false);
    if !is_trailer {
        text.clear();
    }
    decoder.decode(block, |name, value| {
        found.cost += hpack::FIELD_OVERHEAD + name.len() + value.len();
        count += 1;
        if found.cost > room {
            return Err("the head is larger than 65536 bytes");
        }
        if count > FIELDS_LIMIT {
            return Err("more than 128 fields");
        }
        if name.first() == Some(&b':') {
            if is_trailer {
                return Err("a pseudo-header in trailers"); // Section 8.1.
            }
            if had_field {
                return Err("a pseudo-header behind other fields"); // Section 8.3.
            }
            if name != b":status" {
                return Err("a pseudo-header that no answer has"); // Section 8.3.2.
            }
            if has_status {
                return Err("a second :status");
            }
            has_status = true;
            found.status = status(value).ok_or("the status does not have three digits")?;
            text.extend_from_slice(b"HTTP/2 ");
            text.extend_from_slice(value);
            text.extend_from_slice(b"\r\n");
            return Ok(());
        }
        had_field = true;
        check_field(name, value)?;
        if name == b"content-length" {
            if found.length.is_some() {
                return Err("a second content-length");
            }
            let length = crate::head::decimal(value);
            let length = length.ok_or("content-length is not a number that fits 64 bits")?;
            found.length = Some(length);
        }
        found.call.read(name, value);
        for part in [name, b": ", value, b"\r\n"] {
            text.extend_from_slice(part);
        }
        Ok(())
    })?;
    if !is_trailer && !has_status {
        return Err("an answer without :status"); // Section 8.3.2.
    }
    Ok(found)
}

impl Decoded {
    /// What it says of a final answer, given its text.
    pub(super) fn head(self, text: &[u8], to_head: bool, expectation: &Expectation) -> Head {
        let bodiless = to_head || self.status == 204 || self.status == 304;
        Head {
            status: self.status,
            length: if bodiless { Some(0) } else { self.length },
            wrong: wrong_fields(self.call, text, expectation),
            call: self.call,
        }
    }
}

impl Head {
    /// Trailers end the answer. `text`: of both.
    pub(super) fn add(&mut self, trailers: Decoded, text: &[u8], expectation: &Expectation) {
        let call = CallFields { succeeded: trailers.call.succeeded, ..self.call };
        self.wrong = wrong_fields(call, text, expectation);
    }

    /// A body ends the answer: a call's status would be in trailers.
    #[inline]
    pub(super) fn end_without_trailers(&mut self, expectation: &Expectation) {
        if expectation.is_call() {
            self.wrong = self.wrong.or(Some(Verdict::Call));
        }
    }
}

/// What is wrong in an answer's fields, given what they say of a call, and all of their text.
fn wrong_fields(call: CallFields, text: &[u8], expectation: &Expectation) -> Option<Verdict> {
    let is_call = expectation.is_call();
    let is_wrong = |fields: &[Header<'_>]| expectation.wrong_header(fields).is_some();
    if (is_call && !call.has_type)
        || (!expectation.headers.is_empty() && with_fields(text, is_wrong))
    {
        return Some(Verdict::Header);
    }
    match call.succeeded {
        _ if expectation.names(grpc::STATUS) => None,
        Some(false) if !is_call => Some(Verdict::Header),
        None | Some(false) if is_call => Some(Verdict::Call),
        _ => None,
    }
}

/// Lends the fields of a head's text.
pub(super) fn with_fields<R>(text: &[u8], take: impl FnOnce(&[Header<'_>]) -> R) -> R {
    let mut fields = [EMPTY_HEADER; FIELDS_LIMIT];
    let mut count = 0;
    // A value has no line break: that was checked.
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

fn check_field(name: &[u8], value: &[u8]) -> Result<(), &'static str> {
    // Section 8.2.1: names are in lower case, and values hold no line.
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
        return Err("a field of the connection, which HTTP/2 does not have");
    }
    Ok(())
}

/// The bytes of a token, but for upper case.
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

/// The last head of one connection for one expectation, by its bytes.
///
/// Equal bytes have equal fields as long as the decoder's table has not changed, or if they name no
/// field that was added to it. What they add to it themselves, as nginx does each time, is added again.
/// So a head that is known would decode to the very same outcome.
#[derive(Debug, Default)]
pub(super) struct Known {
    block: Vec<u8>,
    /// The state of the decoder's table; `None` if any will do.
    version: Option<u64>,
    to_head: bool,
    head: Option<Head>,
    cost: usize,
    /// What streams have of it, too.
    text: Rc<Vec<u8>>,
    /// Texts of former heads, which streams may still have: their memory is used again.
    former: VecDeque<Rc<Vec<u8>>>,
    /// The lengths of names and values that it adds to the table, and they themselves.
    added: Vec<(usize, usize)>,
    added_bytes: Vec<u8>,
}

impl Known {
    /// The outcome of a head that is equal, what it costs, and its text. The decoder goes on as if it
    /// had decoded it. `room`: what it may cost.
    #[inline]
    pub(super) fn recognise(
        &self,
        block: &[u8],
        to_head: bool,
        decoder: &mut Decoder,
        room: usize,
    ) -> Option<(Head, usize, &Rc<Vec<u8>>)> {
        let head = self.head?;
        let is_known = self.block == block
            && self.to_head == to_head
            && self.cost <= room
            && self.version.is_none_or(|version| version == decoder.version());
        if !is_known {
            return None;
        }
        let mut rest = &self.added_bytes[..];
        for &(name_length, value_length) in &self.added {
            let (name, behind) = rest.split_at(name_length);
            let (value, behind) = behind.split_at(value_length);
            decoder.add(name, value);
            rest = behind;
        }
        Some((head, self.cost, &self.text))
    }

    /// Remembers a final head that was decoded just now, if that can tell what it comes to next time.
    /// `before`: the state of the decoder's table before it.
    pub(super) fn learn(
        &mut self,
        block: &[u8],
        to_head: bool,
        (decoder, before): (&Decoder, u64),
        (head, cost, text): (Head, usize, &[u8]),
    ) {
        let changes = usize::try_from(decoder.version() - before).unwrap_or(usize::MAX);
        if changes > 0 && !decoder.stands_alone() {
            return;
        }
        let Some(latest) = decoder.latest(changes) else { return };
        self.added.clear();
        self.added_bytes.clear();
        for (name, value) in latest {
            self.added.push((name.len(), value.len()));
            self.added_bytes.extend_from_slice(name);
            self.added_bytes.extend_from_slice(value);
        }
        self.version = (!decoder.stands_alone()).then_some(before);
        self.block.clear();
        self.block.extend_from_slice(block);
        let mut latest = self.former.pop_front().unwrap_or_default();
        if Rc::get_mut(&mut latest).is_none() {
            self.former.push_back(std::mem::take(&mut latest));
        }
        let bytes = Rc::get_mut(&mut latest).expect("no stream has it");
        bytes.clear();
        bytes.extend_from_slice(text);
        self.former.push_back(std::mem::replace(&mut self.text, latest));
        (self.to_head, self.head, self.cost) = (to_head, Some(head), cost);
    }

    pub(super) fn forget(&mut self) {
        self.head = None;
    }
}
