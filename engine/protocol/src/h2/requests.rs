//! Requests, taken apart once and written many times.
//!
//! Which fields a connection adds to the server's table is decided here, for all connections: those
//! that may repeat, in the order in which they come, until the table is full. So nothing that is sent
//! again is ever dropped from it, and a connection only has to know which of them it has sent. The
//! first request spells them out, and later ones have a byte for each, as with other clients.

use super::hpack::{self, Found, Indexing, LATEST, TABLE_SIZE};
use crate::request::Request;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// What may be asked, by message number.
#[derive(Debug)]
pub(super) struct Requests {
    messages: Vec<Arc<Request>>,
    /// The parts of each request's head.
    heads: Vec<Range<usize>>,
    parts: Vec<Part>,
    /// What the server's table may hold.
    fields: Vec<Field>,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone)]
enum Part {
    /// The same on every connection.
    Fixed(Range<usize>),
    /// A field that the server's table may hold.
    Field(usize),
}

#[derive(Debug)]
struct Field {
    /// In full, to be added to the table, and not to be added.
    added: Range<usize>,
    plain: Range<usize>,
    /// Bytes of the table.
    size: usize,
}

/// What one connection has added to its server's table.
#[derive(Debug)]
pub(super) struct Added {
    /// By field: it was added as the nth, from 1 on; 0 if it was not.
    nth: Vec<usize>,
    count: usize,
    size: usize,
    limit: usize,
    /// The server has to be told of the limit.
    is_new_limit: bool,
}

impl Default for Added {
    fn default() -> Self {
        Self { nth: Vec::new(), count: 0, size: 0, limit: TABLE_SIZE, is_new_limit: false }
    }
}

impl Added {
    /// As on a new connection, in the memory of this one.
    pub(super) fn reset(&mut self) {
        self.nth.clear();
        (self.count, self.size, self.limit, self.is_new_limit) = (0, 0, TABLE_SIZE, false);
    }

    /// The server's SETTINGS say how large its table may be. We never take more than the default.
    pub(super) fn limit(&mut self, size: u32) {
        let limit = TABLE_SIZE.min(size as usize);
        if limit != self.limit {
            // Emptying the table says every size between as well (RFC 7541, section 4.2).
            self.nth.clear();
            (self.count, self.size, self.limit, self.is_new_limit) = (0, 0, limit, true);
        }
    }
}

impl Requests {
    /// Takes requests apart. `scheme`: `http` or `https`.
    pub(super) fn new(requests: &[Arc<Request>], scheme: &str) -> Self {
        let mut taken_apart = Self {
            messages: requests.to_vec(),
            heads: Vec::with_capacity(requests.len()),
            parts: Vec::new(),
            fields: Vec::new(),
            bytes: Vec::new(),
        };
        let (mut known, mut room) = (HashMap::new(), TABLE_SIZE);
        for request in requests {
            let start = taken_apart.parts.len();
            for (name, value) in fields(request, scheme) {
                taken_apart.add(&name, &value, &mut known, &mut room);
            }
            taken_apart.heads.push(start..taken_apart.parts.len());
        }
        taken_apart
    }

    pub(super) fn body(&self, message: usize) -> &[u8] {
        &self.messages[message].body
    }

    /// Appends the head of a request to `out`, as the next on its connection.
    #[inline]
    pub(super) fn write_head(&self, message: usize, added: &mut Added, out: &mut Vec<u8>) {
        if added.is_new_limit {
            added.is_new_limit = false;
            hpack::write_table_size(out, 0);
            hpack::write_table_size(out, added.limit);
        }
        if added.nth.is_empty() {
            added.nth.resize(self.fields.len(), 0);
        }
        for part in &self.parts[self.heads[message].clone()] {
            match part {
                Part::Fixed(range) => out.extend_from_slice(&self.bytes[range.clone()]),
                &Part::Field(field) => match added.nth[field] {
                    0 => self.spell_out(field, added, out),
                    nth => hpack::write_indexed(out, LATEST + added.count - nth),
                },
            }
        }
    }

    #[cold]
    fn spell_out(&self, field: usize, added: &mut Added, out: &mut Vec<u8>) {
        let nth = field;
        let field = &self.fields[nth];
        if added.size + field.size > added.limit {
            return out.extend_from_slice(&self.bytes[field.plain.clone()]);
        }
        out.extend_from_slice(&self.bytes[field.added.clone()]);
        added.size += field.size;
        added.count += 1;
        added.nth[nth] = added.count;
    }

    fn add(
        &mut self,
        name: &str,
        value: &str,
        known: &mut HashMap<(String, String), usize>,
        room: &mut usize,
    ) {
        if let Found::Field(index) = hpack::find(name, value) {
            return self.add_fixed(|bytes| hpack::write_indexed(bytes, index));
        }
        if name == "authorization" {
            return self.add_fixed(|out| hpack::write_literal(out, Indexing::Never, name, value));
        }
        let key = (name.to_owned(), value.to_owned());
        if let Some(&field) = known.get(&key) {
            return self.parts.push(Part::Field(field));
        }
        let size = name.len() + value.len() + hpack::FIELD_OVERHEAD;
        if !may_repeat(name) || size > *room {
            return self.add_fixed(|out| hpack::write_literal(out, Indexing::Without, name, value));
        }
        *room -= size;
        let [added, plain] = [Indexing::Added, Indexing::Without]
            .map(|indexing| self.append(|out| hpack::write_literal(out, indexing, name, value)));
        known.insert(key, self.fields.len());
        self.parts.push(Part::Field(self.fields.len()));
        self.fields.push(Field { added, plain, size });
    }

    fn add_fixed(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let range = self.append(write);
        let starts = self.heads.last().map_or(0, |head| head.end) == self.parts.len();
        match self.parts.last_mut() {
            Some(Part::Fixed(last)) if !starts && last.end == range.start => last.end = range.end,
            _ => self.parts.push(Part::Fixed(range)),
        }
    }

    fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Range<usize> {
        let start = self.bytes.len();
        write(&mut self.bytes);
        start..self.bytes.len()
    }
}

/// A request's fields in the order in which they are sent (RFC 9113, sections 8.2 and 8.3.1).
fn fields(request: &Request, scheme: &str) -> Vec<(String, String)> {
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
        // Section 8.2.2: nothing of the connection, and only trailers may be accepted.
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

/// Whether a field is worth a place in the server's table: others change with each request as a rule,
/// and other clients leave the same out.
fn may_repeat(name: &str) -> bool {
    !matches!(
        name,
        ":path"
            | "age"
            | "content-length"
            | "etag"
            | "if-modified-since"
            | "if-none-match"
            | "location"
            | "set-cookie"
    )
}
