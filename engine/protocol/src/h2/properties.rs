//! Random conversations, right and wrong: neither cuts nor known heads change the outcome.

use super::Http2;
use super::answer::Known;
use super::frame::{self, DEFAULT_FRAME_SIZE, flag, kind, setting};
use super::hpack::{self, Indexing};
use crate::check::{BodyRule, Expectation, StatusRule};
use crate::protocol::{Awaited, Io, Protocol, Step};
use crate::request::Request;
use proptest::prelude::*;
use std::fmt::{self, Write};
use std::sync::Arc;

/// The number of requests in a conversation.
const COUNT: u32 = 12;

/// The actions of a server. Streams are identified by the number of their request.
#[derive(Debug, Clone)]
enum Act {
    Head { nth: u32, fields: Vec<(usize, u8)>, ends: bool, padding: Option<u8>, cut: usize },
    Data { nth: u32, length: usize, ends: bool, padding: Option<u8> },
    Settings(Vec<(u16, u32)>),
    Reset { nth: u32, code: u32 },
    GoAway { nth: u32, code: u32 },
    Window { nth: Option<u32>, increment: u32 },
    Ping,
    Other { kind: u8, flags: u8, stream: u32, payload: Vec<u8> },
}

/// Fields that servers send, and some that no server may send.
const FIELDS: [(&str, &str); 19] = [
    (":status", "200"),
    (":status", "200"),
    (":status", "404"),
    (":status", "204"),
    (":status", "103"),
    ("server", "x"),
    ("server", "y"),
    ("content-length", "13"),
    ("content-length", "0"),
    ("date", "Sat, 21 Nov 2026 20:55:18 GMT"),
    ("x-long", "0123456789012345678901234567890123456789012345678901234567890123456789"),
    ("connection", "close"),
    ("Upper", "x"),
    (":path", "/"),
    ("content-type", "application/grpc"),
    ("grpc-status", "0"),
    ("grpc-status", "14"),
    ("x-a", "\r"),
    ("", "x"),
];

fn act() -> impl Strategy<Value = Act> {
    let stream = 0..5_u32;
    let padding = || prop::option::weighted(0.2, any::<u8>());
    // Usually a status first, and usually a permitted field.
    let field = prop_oneof![6 => 5..11_usize, 1 => 0..FIELDS.len()];
    let fields = prop::collection::vec((field, 0..6_u8), 0..5);
    let status = prop_oneof![6 => 0..2_usize, 2 => 2..5_usize];
    let head = (status, 0..4_u8, fields).prop_map(|(status, how, mut fields)| {
        fields.insert(0, (status, how));
        fields
    });
    let known = Just(vec![(0, 0), (5, 3), (7, 3)]);
    let value = prop::sample::select(vec![0, 1, 100, 4096, 16_384, 65_535, 1 << 31]);
    prop_oneof![
        8 => (stream.clone(), prop_oneof![head, known], prop::bool::weighted(0.2), padding(), 0..60_usize)
            .prop_map(|(nth, fields, ends, padding, cut)| {
                Act::Head { nth, fields, ends, padding, cut }
            }),
        8 => (stream.clone(), prop_oneof![Just(13_usize), 0..40_usize], any::<bool>(), padding())
            .prop_map(|(nth, length, ends, padding)| Act::Data { nth, length, ends, padding }),
        1 => prop::collection::vec((1..7_u16, value), 0..3).prop_map(Act::Settings),
        1 => (stream.clone(), 0..9_u32).prop_map(|(nth, code)| Act::Reset { nth, code }),
        1 => (stream.clone(), 0..3_u32).prop_map(|(nth, code)| Act::GoAway { nth, code }),
        1 => (prop::option::of(stream), 0..3000_u32)
            .prop_map(|(nth, increment)| Act::Window { nth, increment }),
        1 => Just(Act::Ping),
        1 => (0..12_u8, any::<u8>(), 0..12_u32, prop::collection::vec(any::<u8>(), 0..12))
            .prop_map(|(kind, flags, stream, payload)| Act::Other { kind, flags, stream, payload }),
    ]
}

fn block(fields: &[(usize, u8)]) -> Vec<u8> {
    let mut block = Vec::new();
    for &(which, how) in fields {
        let (name, value) = FIELDS[which];
        match how {
            0 => hpack::write_field(&mut block, name, value),
            1 => hpack::write_literal(&mut block, Indexing::Added, name, value),
            2 => hpack::write_literal(&mut block, Indexing::Never, name, value),
            4 => hpack::write_indexed(&mut block, hpack::LATEST + which % 3),
            5 if block.is_empty() => hpack::write_table_size(&mut block, 100 * which),
            _ => hpack::write_literal(&mut block, Indexing::Without, name, value),
        }
    }
    block
}

fn padded(piece: &[u8], padding: Option<u8>) -> (u8, Vec<u8>) {
    let Some(padding) = padding else { return (0, piece.to_vec()) };
    let mut payload = vec![padding];
    payload.extend_from_slice(piece);
    payload.resize(payload.len() + usize::from(padding), 0);
    (flag::PADDED, payload)
}

fn write(act: &Act, out: &mut Vec<u8>) {
    let number = |nth: u32| 2 * nth + 1;
    match act {
        Act::Head { nth, fields, ends, padding, cut } => {
            let block = block(fields);
            let (first, rest) =
                block.split_at(block.len() - cut.saturating_sub(30).min(block.len()));
            let (flags, payload) = padded(first, *padding);
            let flags = flags | if *ends { flag::END_STREAM } else { 0 };
            let whole = if rest.is_empty() { flag::END_HEADERS } else { 0 };
            frame::write(out, kind::HEADERS, flags | whole, number(*nth), &payload);
            if !rest.is_empty() {
                frame::write(out, kind::CONTINUATION, flag::END_HEADERS, number(*nth), rest);
            }
        }
        Act::Data { nth, length, ends, padding } => {
            let body = b"Hello, World!Hello, World!Hello, World!Hello";
            let (flags, payload) = padded(&body[..*length], *padding);
            let flags = flags | if *ends { flag::END_STREAM } else { 0 };
            frame::write(out, kind::DATA, flags, number(*nth), &payload);
        }
        Act::Settings(settings) => frame::write_settings(out, settings),
        Act::Reset { nth, code } => frame::write_rst_stream(out, number(*nth), *code),
        Act::GoAway { nth, code } => frame::write_goaway(out, number(*nth), *code),
        Act::Window { nth, increment } => {
            frame::write_window_update(out, nth.map_or(0, number), *increment);
        }
        Act::Ping => frame::write(out, kind::PING, 0, 0, b"12345678"),
        Act::Other { kind, flags, stream, payload } => {
            frame::write(out, *kind, *flags, *stream, payload);
        }
    }
}

fn expectations() -> Vec<Arc<Expectation>> {
    let any = Expectation::of_status(StatusRule::Exactly(200));
    let body = BodyRule::Exactly(b"Hello, World!".to_vec());
    let headers = vec![("Server".to_owned(), "x".to_owned())];
    let call = Expectation { body: BodyRule::Message(None), ..any.clone() };
    vec![Arc::new(any.clone()), Arc::new(Expectation { body, headers, ..any }), Arc::new(call)]
}

fn requests() -> Vec<Arc<Request>> {
    let get =
        Request { method: "GET".into(), path: "/".into(), host: "a".into(), ..<_>::default() };
    let post = Request { method: "POST".into(), body: vec![b'x'; 70_000].into(), ..get.clone() };
    vec![Arc::new(get), Arc::new(post)]
}

/// The outcomes of the requests, and the bytes sent to the server.
#[derive(PartialEq)]
struct Outcome {
    log: String,
    out: Vec<u8>,
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; {} bytes, {:x?}",
            self.log,
            self.out.len(),
            &self.out[..self.out.len().min(300)]
        )
    }
}

/// The outcome of a conversation. With `is_known`, known heads are not decoded.
fn outcome(bytes: &[u8], cuts: &[usize], is_known: bool) -> Outcome {
    type Client = Http2<u32>;
    let mut shared = <Client as Protocol<u32>>::shared(&expectations(), &requests());
    let (mut client, mut out, mut log) = (Client::default(), Vec::new(), String::new());
    client.greet(&mut shared, &mut out);
    for nth in 0..COUNT {
        client.write(nth, usize::from(nth == 3), &mut shared, &mut out);
    }
    let awaited = |nth: u32| Awaited { expectation: nth % 3, to_head: nth == 4 };
    let mut at = 0;
    'pieces: for pair in cuts.windows(2) {
        while at < pair[1] {
            if !is_known {
                client.known.iter_mut().for_each(Known::forget);
            }
            let piece = &bytes[at..pair[1]];
            let io = &mut Io { now_ns: 1, out: &mut out };
            let step = client.receive(piece, awaited, &mut shared, io).unwrap();
            let ticket = client.completed();
            match step {
                Step::Incomplete => break,
                Step::Complete(mut answer) => {
                    at += std::mem::take(&mut answer.consumed);
                    let awaited = awaited(ticket.unwrap());
                    let words = client.describe(&answer, awaited, &shared, piece);
                    write!(log, "{at}: {ticket:?} {answer:?} {words}").unwrap();
                }
                Step::Lost(_) => panic!("{step:?}"),
                Step::Refused { consumed, what } => {
                    at += consumed;
                    write!(log, "{at}: {ticket:?} {what}").unwrap();
                }
                Step::Malformed(bad) => {
                    writeln!(log, "{bad:?}").unwrap();
                    break 'pieces;
                }
            }
            if !log.ends_with("as expected") {
                let evidence = client.evidence(piece);
                writeln!(log, " {}", String::from_utf8_lossy(&evidence)).unwrap();
            }
            assert_eq!(client.finish(), ticket);
        }
        at = pair[1];
    }
    write!(log, "{} {:?} {:?}", client.in_flight(), client.oldest(), client.announced()).unwrap();
    if client.in_flight() < COUNT as usize && !log.contains("Malformed") {
        let room = client.room(COUNT as usize);
        write!(log, " room {room}").unwrap();
    }
    while client.take_unanswered().is_some() {}
    Outcome { log, out }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn cuts_and_known_heads_change_nothing(
        acts in prop::collection::vec(act(), 1..14),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut bytes = Vec::new();
        let settings = [(setting::MAX_CONCURRENT_STREAMS, 7), (setting::MAX_FRAME_SIZE, DEFAULT_FRAME_SIZE)];
        frame::write_settings(&mut bytes, &settings);
        for act in &acts {
            write(act, &mut bytes);
        }
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let single: Vec<usize> = (0..=bytes.len()).collect();
        let full = outcome(&bytes, &single, false);
        prop_assert_eq!(&outcome(&bytes, &single, true), &full);
        prop_assert_eq!(&outcome(&bytes, &[0, bytes.len()], true), &full);
        prop_assert_eq!(&outcome(&bytes, &cuts, true), &full);
    }

    /// Repeated heads, under a table that changes now and then.
    #[test]
    fn a_known_head_is_what_it_would_decode_to(
        heads in prop::collection::vec(
            prop::sample::select(vec![
                vec![(0, 0), (5, 3)],
                vec![(0, 0), (5, 1)],
                vec![(0, 1), (10, 1), (9, 1)],
                vec![(0, 1), (10, 1), (9, 1), (10, 1)],
                vec![(0, 4), (10, 4), (9, 4)],
                vec![(0, 0), (5, 4)],
                vec![(2, 0), (6, 3)],
                vec![(0, 0), (6, 2), (7, 3)],
                vec![(0, 5), (0, 0), (5, 3)],
                vec![(0, 0), (9, 1), (6, 4)],
            ]),
            COUNT as usize,
        ),
    ) {
        let mut bytes = Vec::new();
        frame::write_settings(&mut bytes, &[]);
        for (nth, fields) in (0..).zip(heads) {
            let act = Act::Head { nth, fields, ends: false, padding: None, cut: 0 };
            write(&act, &mut bytes);
            write(&Act::Data { nth, length: 13, ends: true, padding: None }, &mut bytes);
        }
        let single: Vec<usize> = (0..=bytes.len()).collect();
        let full = outcome(&bytes, &single, false);
        prop_assert_eq!(&outcome(&bytes, &[0, bytes.len()], true), &full);
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut all = Vec::new();
        frame::write_settings(&mut all, &[]);
        all.extend_from_slice(&bytes);
        let single: Vec<usize> = (0..=all.len()).collect();
        prop_assert_eq!(outcome(&all, &single, true), outcome(&all, &[0, all.len()], true));
    }
}
