//! Random conversations, right and wrong: into which records streams are cut changes nothing.

use super::frame::{self, kind, stream};
use super::record::{Kind, Record};
use super::{Http3, qpack, varint};
use crate::check::{BodyRule, Expectation, StatusRule};
use crate::protocol::{Awaited, Io, Protocol, Step};
use crate::request::Request;
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;

const FIELDS: [(&str, &str); 9] = [
    (":status", "200"),
    (":status", "404"),
    (":status", "103"),
    ("server", "x"),
    ("content-length", "13"),
    ("content-length", "0"),
    ("x-long", "0123456789012345678901234567890123456789"),
    ("Upper", "x"),
    (":path", "/"),
];

/// A server's frame, usually a permitted one.
fn frames() -> impl Strategy<Value = Vec<u8>> {
    let fields = prop::collection::vec(prop_oneof![6 => 3..6_usize, 1 => 0..FIELDS.len()], 0..4);
    let head =
        (prop_oneof![5 => Just(0_usize), 1 => 1..3_usize], fields).prop_map(|(status, rest)| {
            let mut block = Vec::new();
            qpack::write_prefix(&mut block);
            for which in std::iter::once(status).chain(rest) {
                let (name, value) = FIELDS[which];
                qpack::write_field(&mut block, name, value, false);
            }
            (kind::HEADERS, block)
        });
    let data = prop_oneof![3 => Just(13_usize), 1 => 0..20_usize]
        .prop_map(|length| (kind::DATA, b"Hello, World!Hello, "[..length].to_vec()));
    let other = (0..20_u64, prop::collection::vec(any::<u8>(), 0..9));
    let frame = prop_oneof![5 => head, 5 => data, 1 => other];
    prop::collection::vec(frame, 0..4).prop_map(|frames| {
        let mut out = Vec::new();
        for (kind, payload) in frames {
            frame::write(&mut out, kind, &payload);
        }
        out
    })
}

/// The outcome of one request whose stream has these bytes, in records of `size` bytes.
fn outcome(bytes: &[u8], size: usize) -> String {
    type Client = Http3<u32>;
    let body = BodyRule::Exactly(b"Hello, World!".to_vec());
    let rule = Expectation { body, ..Expectation::of_status(StatusRule::Exactly(200)) };
    let get =
        Request { method: "GET".into(), path: "/".into(), host: "a".into(), ..<_>::default() };
    let mut shared = <Client as Protocol<u32>>::shared(&[Arc::new(rule)], &[Arc::new(get)]);
    let (mut client, mut out, mut log) = (Client::default(), Vec::new(), String::new());
    client.greet(&mut shared, &mut out);
    client.write(0, 0, &mut shared, &mut out);
    let mut records = Vec::new();
    Record::write_by(&mut records, 3, Kind::Bytes, |out| {
        varint::write(out, stream::CONTROL);
        frame::write(out, kind::SETTINGS, b"");
    });
    let mut pieces = bytes.chunks(size.max(1)).peekable();
    if pieces.peek().is_none() {
        Record::write_by(&mut records, 0, Kind::Last, |_| ());
    }
    while let Some(piece) = pieces.next() {
        let kind = if pieces.peek().is_some() { Kind::Bytes } else { Kind::Last };
        Record::write_by(&mut records, 0, kind, |out| out.extend_from_slice(piece));
    }
    let mut rest = &records[..];
    let awaited = |_| Awaited { expectation: 0, to_head: false };
    while !rest.is_empty() {
        let io = &mut Io { now_ns: 1, out: &mut out };
        match client.receive(rest, awaited, &mut shared, io).unwrap() {
            Step::Incomplete => break,
            Step::Complete(mut answer) => {
                let words = client.describe(&answer, awaited(0), &shared, rest);
                rest = &rest[std::mem::take(&mut answer.consumed)..];
                write!(log, "{answer:?} {words}").unwrap();
                client.finish();
            }
            step => {
                write!(log, "{step:?}").unwrap();
                break;
            }
        }
    }
    write!(log, " {}", client.in_flight()).unwrap();
    log
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn records_change_nothing(bytes in frames(), size in 1..20_usize) {
        let whole = outcome(&bytes, bytes.len());
        prop_assert_eq!(&outcome(&bytes, 1), &whole);
        prop_assert_eq!(&outcome(&bytes, size), &whole);
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(outcome(&bytes, 1), outcome(&bytes, bytes.len()));
    }
}
