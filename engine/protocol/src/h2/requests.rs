//! Requests, prepared once and written many times.
//!
//! The choice of fields that a connection adds to the server's table is made here, for all
//! connections: fields that may repeat, in the order in which they come, until the table is full.
//! So no repeated field is ever dropped from it, and a connection only has to know which of them it
//! has sent. The first request spells them out, and later ones have a byte for each, as with other
//! clients.

use super::hpack::{self, Found, Indexing, LATEST, TABLE_SIZE};
use crate::fields;
use crate::request::Request;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The possible requests, by message number.
#[derive(Debug)]
pub(super) struct Requests {
    scheme: &'static str,
    messages: Vec<Arc<Request>>,
    /// The parts of each request's head.
    heads: Vec<Range<usize>>,
    parts: Vec<Part>,
    /// The fields that the server's table may contain.
    fields: Vec<Field>,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone)]
enum Part {
    /// Bytes that are the same on every connection.
    Fixed(Range<usize>),
    /// A field that the server's table may hold.
    Field(usize),
}

#[derive(Debug)]
struct Field {
    /// The field in full, once with indexing and once without.
    added: Range<usize>,
    plain: Range<usize>,
    /// The bytes that it takes in the table.
    size: usize,
}

/// What one connection has added to its server's table.
#[derive(Debug)]
pub(super) struct Added {
    /// For each field: it was added as the nth, from 1 on; 0 if it was not added.
    nth: Vec<usize>,
    count: usize,
    size: usize,
    limit: usize,
    /// The server has to be told the limit.
    is_new_limit: bool,
}

impl Default for Added {
    fn default() -> Self {
        Self { nth: Vec::new(), count: 0, size: 0, limit: TABLE_SIZE, is_new_limit: false }
    }
}

impl Added {
    /// Resets this to a new connection, and keeps its memory.
    pub(super) fn reset(&mut self) {
        self.nth.clear();
        (self.count, self.size, self.limit, self.is_new_limit) = (0, 0, TABLE_SIZE, false);
    }

    /// The server's SETTINGS limit the size of its table. We never use more than the default.
    pub(super) fn limit(&mut self, size: u32) {
        let limit = TABLE_SIZE.min(size as usize);
        if limit != self.limit {
            // Emptying the table announces every size between as well (RFC 7541, section 4.2).
            self.nth.clear();
            (self.count, self.size, self.limit, self.is_new_limit) = (0, 0, limit, true);
        }
    }

    /// A head begins with the announcements about its table.
    #[inline]
    fn announce(&mut self, out: &mut Vec<u8>) {
        if self.is_new_limit {
            self.is_new_limit = false;
            hpack::write_table_size(out, 0);
            hpack::write_table_size(out, self.limit);
        }
    }
}

impl Requests {
    /// Prepares requests. `scheme`: `http` or `https`.
    pub(super) fn new(requests: &[Arc<Request>], scheme: &'static str) -> Self {
        let mut taken_apart = Self {
            scheme,
            messages: requests.to_vec(),
            heads: Vec::with_capacity(requests.len()),
            parts: Vec::new(),
            fields: Vec::new(),
            bytes: Vec::new(),
        };
        let (mut known, mut room) = (HashMap::new(), TABLE_SIZE);
        for request in requests {
            let start = taken_apart.parts.len();
            for (name, value) in fields::of_request(request, scheme) {
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
        added.announce(out);
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

    /// The same for a request that is not one of them. It adds nothing to the table.
    pub(super) fn write_other_head(&self, request: &Request, added: &mut Added, out: &mut Vec<u8>) {
        added.announce(out);
        for (name, value) in fields::of_request(request, self.scheme) {
            match hpack::find(&name, &value) {
                Found::Field(index) => hpack::write_indexed(out, index),
                _ => hpack::write_literal(out, indexing(&name), &name, &value),
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
        if indexing(name) == Indexing::Never {
            return self.add_fixed(|out| hpack::write_literal(out, Indexing::Never, name, value));
        }
        let key = (name.to_owned(), value.to_owned());
        if let Some(&field) = known.get(&key) {
            return self.parts.push(Part::Field(field));
        }
        let size = name.len() + value.len() + fields::FIELD_OVERHEAD;
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

/// Appends a field that the table does not take in.
fn indexing(name: &str) -> Indexing {
    if fields::is_secret(name) { Indexing::Never } else { Indexing::Without }
}

/// Whether a field is worth a place in the server's table: other fields usually change with each
/// request, and other clients omit the same ones.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::h2::hpack::Decoder;

    fn get(path: &str, headers: &[(&str, &str)]) -> Arc<Request> {
        Arc::new(Request {
            method: "GET".into(),
            path: path.into(),
            host: "localhost:1".into(),
            headers: headers.iter().map(|&(name, value)| (name.into(), value.into())).collect(),
            ..Request::default()
        })
    }

    /// A connection, and the heads as its server decodes them.
    struct Connection {
        requests: Requests,
        added: Added,
        decoder: Decoder,
    }

    impl Connection {
        fn new(requests: &[Arc<Request>]) -> Self {
            let requests = Requests::new(requests, "http");
            Self { requests, added: Added::default(), decoder: Decoder::default() }
        }

        /// The next head: its length, and its fields in lines.
        fn next(&mut self, message: usize) -> (usize, String) {
            let (mut block, mut lines) = (Vec::new(), String::new());
            self.requests.write_head(message, &mut self.added, &mut block);
            self.decoder
                .decode(&block, |name, value| {
                    lines += str::from_utf8(name).unwrap();
                    lines += "=";
                    lines += str::from_utf8(value).unwrap();
                    lines += " ";
                    Ok(())
                })
                .unwrap();
            (block.len(), lines)
        }
    }

    #[test]
    fn what_was_said_once_takes_a_byte() {
        let first = get("/", &[("Accept", "*/*"), ("X-Id", "1")]);
        let second = get("/b", &[("accept", "*/*"), ("x-id", "2")]);
        let mut connection = Connection::new(&[first, second]);
        let start = ":method=GET :scheme=http :authority=localhost:1";
        let lines = [
            format!("{start} :path=/ accept=*/* x-id=1 "),
            format!("{start} :path=/b accept=*/* x-id=2 "),
        ];
        let lengths = [0, 1, 0, 1].map(|message| {
            let (length, got) = connection.next(message);
            assert_eq!(got, lines[message]);
            length
        });
        assert!(lengths[0] > 15 && lengths[1] > 8, "{lengths:?}");
        assert_eq!(lengths[2..], [6, 5 + "/b".len() + 2], "the second path is not in a table");
    }

    #[test]
    fn a_body_has_a_length_and_the_connection_no_fields() {
        let headers = &[("Connection", "x"), ("TE", "trailers"), ("Upgrade", "h2c"), ("A", " b ")];
        let mut post = Request::clone(&get("/", headers));
        (post.method, post.body) = ("POST".into(), "xyz".into());
        let mut connection = Connection::new(&[Arc::new(post)]);
        let expected = ":method=POST :scheme=http :authority=localhost:1 :path=/ te=trailers a=b \
            content-length=3 ";
        for _ in 0..3 {
            assert_eq!(connection.next(0).1, expected);
        }
        let mut other = Request::clone(&get("/", &[("TE", "gzip"), ("Authorization", "secret")]));
        other.method = "POST".into();
        let requests = Requests::new(&[Arc::new(other)], "https");
        let mut block = Vec::new();
        requests.write_head(0, &mut Added::default(), &mut block);
        assert!(block.windows(2).any(|pair| pair == b"\x1f\x08"), "it is never added: {block:x?}");
        let mut connection = Connection { requests, ..Connection::new(&[]) };
        let expected = ":method=POST :scheme=https :authority=localhost:1 :path=/ \
            authorization=secret content-length=0 ";
        assert_eq!(connection.next(0).1, expected);
    }

    #[test]
    fn a_smaller_table_is_announced_and_kept_to() {
        let headers: Vec<(String, String)> =
            (0..9).map(|nth| (format!("x-{nth}"), "0123456789".repeat(9))).collect();
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut connection = Connection::new(&[get("/", &headers)]);
        let (whole, expected) = connection.next(0);
        assert_eq!(connection.next(0).0, 4 + headers.len(), "all are in the table");
        connection.added.limit(300);
        let (first, got) = connection.next(0);
        assert_eq!(got, expected);
        assert!(first > whole);
        let (second, got) = connection.next(0);
        assert_eq!(got, expected);
        assert!(second < first && second > whole / 2, "two fit, the others are spelled out");
        connection.added.limit(0);
        connection.added.limit(1 << 20);
        assert_eq!(connection.next(0), (whole + 1 + 3, expected), "it is emptied, and as before");
    }

    #[test]
    fn fields_that_no_table_could_hold_are_spelled_out() {
        let long = "x".repeat(5000);
        let requests: Vec<_> =
            (0..200).map(|nth| get("/", &[("a", &format!("{nth:040}")), ("b", &long)])).collect();
        let mut connection = Connection::new(&requests);
        for message in (0..200).chain((0..200).rev()) {
            let (_, got) = connection.next(message);
            assert!(got.ends_with(&format!(" a={message:040} b={long} ")));
        }
        assert!(connection.added.size <= TABLE_SIZE && connection.added.count > 40);
    }
}
