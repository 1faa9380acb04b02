//! Frames that are sent and when, and rules that a server may not break, each with its message.

use super::frame::{self, code, kind, setting, stream};
use super::record::{Kind, Record};
use super::{Http3, Shared, qpack, varint};
use crate::check::{BodyRule, Expectation, StatusRule};
use crate::protocol::{Awaited, End, Io, Protocol, Refusal, Step};
use crate::request::Request;
use crate::verdict::Verdict;
use std::sync::Arc;

const CONTROL: u64 = 3;
const ENCODER: u64 = 7;
const DECODER: u64 = 11;

/// A client with requests for `/` (0), with a body (1), and for a head alone (2).
struct Client {
    http3: Http3<u32>,
    shared: Shared,
    out: Vec<u8>,
}

impl Client {
    fn new() -> Self {
        let get =
            Request { method: "GET".into(), path: "/".into(), host: "a".into(), ..<_>::default() };
        let put = Request { method: "PUT".into(), body: b"xyz".to_vec().into(), ..get.clone() };
        let head = Request { method: "HEAD".into(), ..get.clone() };
        let body = BodyRule::Exactly(b"hello".to_vec());
        let rule = Expectation { body, ..Expectation::of_status(StatusRule::Exactly(200)) };
        let any = Expectation::of_status(StatusRule::Below(600));
        let requests = [get, put, head].map(Arc::new);
        let shared =
            <Http3<u32> as Protocol<u32>>::shared(&[Arc::new(rule), Arc::new(any)], &requests);
        let mut client = Self { http3: Http3::default(), shared, out: Vec::new() };
        client.http3.greet(&mut client.shared, &mut client.out);
        client
    }

    /// With a server that has sent its SETTINGS.
    fn ready() -> Self {
        let mut client = Self::new();
        assert!(!client.http3.is_ready());
        assert_eq!(client.hear(&[control(&[])]), Step::Incomplete);
        assert!(client.http3.is_ready());
        client.out.clear();
        client
    }

    fn ask(&mut self, ticket: u32, message: usize) {
        self.http3.write(ticket, message, &mut self.shared, &mut self.out);
    }

    fn hear(&mut self, records: &[Vec<u8>]) -> Step {
        let awaited = |ticket: u32| Awaited { expectation: 0, to_head: ticket == 2 };
        let io = &mut Io { now_ns: 1, out: &mut self.out };
        self.http3.receive(&records.concat(), awaited, &mut self.shared, io).unwrap()
    }

    /// A broken rule, and the error code with which the connection is closed for it.
    fn wrong(&mut self, records: &[Vec<u8>]) -> (u64, &'static str) {
        self.out.clear();
        let Step::Malformed(bad) = self.hear(records) else { panic!("it was taken") };
        let (close, bytes, rest) = Record::first(&self.out).unwrap();
        assert_eq!((close.kind, rest), (Kind::Close, &[][..]));
        (varint::read(bytes).unwrap().0, bad.what)
    }
}

fn record(stream: u64, kind: Kind, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    Record::write_by(&mut out, stream, kind, |out| out.extend_from_slice(bytes));
    out
}

pub(super) fn frame(kind: u64, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    frame::write(&mut out, kind, payload);
    out
}

pub(super) fn numbers(numbers: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    for &number in numbers {
        varint::write(&mut out, number);
    }
    out
}

/// The control stream's beginning, with further frames.
fn control(frames: &[Vec<u8>]) -> Vec<u8> {
    let settings = numbers(&[setting::MAX_FIELD_SECTION_SIZE, 100, 33, 1]);
    let bytes = [numbers(&[stream::CONTROL]), frame(kind::SETTINGS, &settings), frames.concat()];
    record(CONTROL, Kind::Bytes, &bytes.concat())
}

pub(super) fn head(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    qpack::write_prefix(&mut block);
    for (name, value) in fields {
        qpack::write_field(&mut block, name, value, false);
    }
    frame(kind::HEADERS, &block)
}

fn right() -> Vec<u8> {
    [head(&[(":status", "200"), ("content-length", "5")]), frame(kind::DATA, b"hello")].concat()
}

#[test]
fn a_client_greets_and_asks_in_records_of_its_streams() {
    let mut client = Client::new();
    let (greeting, bytes, rest) = Record::first(&client.out).unwrap();
    assert_eq!((greeting.stream, greeting.kind), (2, Kind::Bytes));
    assert_eq!((bytes, rest), (&b"\0\x04\x05\x06\x80\x01\0\0"[..], &[][..]));
    client.out.clear();
    client.ask(0, 0);
    client.ask(1, 1);
    let (first, bytes, rest) = Record::first(&client.out).unwrap();
    assert_eq!((first.stream, first.kind), (0, Kind::Last));
    // GET, https, "a", "/", all by the standard's table but for the name.
    assert_eq!(bytes, b"\x01\x08\0\0\xd1\xd7\x50\x01a\xc1");
    let (second, bytes, _) = Record::first(rest).unwrap();
    assert_eq!((second.stream, second.kind), (4, Kind::Last));
    assert!(bytes.ends_with(b"\0\x03xyz"));
    assert_eq!((client.http3.in_flight(), client.http3.room(5)), (2, 3));
}

#[test]
fn answers_come_in_any_order_and_are_judged() {
    let mut client = Client::ready();
    (0..4).for_each(|ticket| client.ask(ticket, usize::from(ticket == 2) * 2));
    let wrong = [head(&[(":status", "200")]), frame(kind::DATA, b"hullo")].concat();
    let to_head = head(&[(":status", "200"), ("content-length", "5")]);
    let early = head(&[(":status", "103"), ("link", "x")]);
    for (stream, bytes, verdict) in [
        (12, right(), Verdict::Right),
        (0, [early, right()].concat(), Verdict::Right),
        (4, wrong, Verdict::Body),
        (8, to_head, Verdict::Length),
    ] {
        let Step::Complete(answer) = client.hear(&[record(stream, Kind::Last, &bytes)]) else {
            panic!("stream {stream}")
        };
        assert_eq!((answer.status, answer.verdict, answer.keep_alive), (200, verdict, true));
        assert_eq!(client.http3.finish(), Some(u32::try_from(stream / 4).unwrap()));
    }
    assert_eq!(client.http3.in_flight(), 0);
}

#[test]
fn a_body_in_pieces_has_a_first_byte_of_its_own() {
    let mut client = Client::ready();
    client.ask(0, 0);
    let all = right();
    let (first, last) = all.split_at(all.len() - 2);
    assert_eq!(client.hear(&[record(0, Kind::Bytes, first)]), Step::Incomplete);
    assert!(matches!(client.hear(&[record(0, Kind::Last, last)]), Step::Complete(_)));
    assert_eq!(client.http3.first_byte_ns(), Some(1));
}

#[test]
fn a_stream_that_is_reset_ends_one_request() {
    let mut client = Client::ready();
    client.ask(0, 0);
    client.ask(1, 0);
    let reset = record(0, Kind::Reset, &numbers(&[0x10b]));
    let Step::Refused { what, .. } = client.hear(&[reset]) else { panic!() };
    assert_eq!(what, Refusal::Aborted(0x10b));
    assert_eq!(what.to_string(), "RESET_STREAM with H3_REQUEST_REJECTED");
    assert_eq!((client.http3.finish(), client.http3.in_flight()), (Some(0), 1));
}

#[test]
fn goaway_hands_back_what_was_not_looked_at_and_takes_no_more() {
    for (first, refusal) in [(4, Refusal::HandedBack), (0, Refusal::GoneAway(0))] {
        let mut client = Client::ready();
        (0..3).for_each(|ticket| client.ask(ticket, 0));
        let bytes = record(CONTROL, Kind::Bytes, &frame(kind::GOAWAY, &numbers(&[first])));
        let mut rest = &bytes[..];
        let mut refused = Vec::new();
        while let Step::Refused { consumed, what } = client.hear(&[rest.to_vec()]) {
            assert_eq!(what, refusal);
            refused.extend(client.http3.finish());
            rest = &rest[consumed..];
        }
        let expected: &[u32] = if first == 0 { &[0, 1, 2] } else { &[1, 2] };
        assert_eq!(refused, expected);
        assert_eq!(client.http3.room(9), 0);
    }
}

#[test]
fn requests_wait_for_streams_that_quic_does_not_allow_yet() {
    let mut client = Client::ready();
    let limit = |stream| record(stream, Kind::Limit, b"");
    assert_eq!(client.hear(&[limit(8)]), Step::Incomplete);
    assert_eq!(client.http3.room(9), 2);
    client.ask(0, 0);
    assert_eq!(client.http3.room(9), 1);
    assert_eq!(client.hear(&[limit(4 * 100)]), Step::Incomplete);
    assert_eq!(client.http3.room(9), 8);
}

#[test]
fn a_request_is_given_up_alone_if_anything_has_come_since() {
    let mut client = Client::ready();
    client.ask(0, 0);
    assert!(!client.http3.cancel(u64::from, &mut client.out));
    client.ask(1, 0);
    assert!(matches!(client.hear(&[record(4, Kind::Last, &right())]), Step::Complete(_)));
    assert_eq!(client.http3.finish(), Some(1));
    client.out.clear();
    assert!(client.http3.cancel(u64::from, &mut client.out));
    let (reset, code, _) = Record::first(&client.out).unwrap();
    assert_eq!((reset.stream, reset.kind, code), (0, Kind::Reset, &b"\x41\x0c"[..]));
    assert_eq!(client.http3.finish(), Some(0));
    // Bytes that arrive on it all the same are skipped.
    assert_eq!(client.hear(&[record(0, Kind::Last, &right())]), Step::Incomplete);
}

#[test]
fn what_an_answer_may_not_be_is_told() {
    let dynamic = frame(kind::HEADERS, b"\0\0\x80");
    let one_head = || head(&[(":status", "200")]);
    let trailers = head(&[("a", "b")]);
    for (bytes, code, part) in [
        (frame(kind::DATA, b"hello"), code::FRAME_UNEXPECTED, "DATA before the head"),
        (vec![], code::MESSAGE_ERROR, "ends before the head"),
        (head(&[(":status", "103")]), code::MESSAGE_ERROR, "ends before the head"),
        (one_head()[..3].to_vec(), code::FRAME_ERROR, "ends within a frame"),
        (
            [one_head(), frame(kind::DATA, b"hello")[..4].to_vec()].concat(),
            code::FRAME_ERROR,
            "ends within a frame",
        ),
        (dynamic, code::QPACK_DECOMPRESSION_FAILED, "dynamic table"),
        (head(&[("a", "b"); 129]), code::EXCESSIVE_LOAD, "more than 128"),
        (numbers(&[kind::HEADERS, 1 << 20]), code::EXCESSIVE_LOAD, "larger than 65536"),
        (head(&[("server", "x")]), code::MESSAGE_ERROR, "without :status"),
        (head(&[(":status", "101")]), code::MESSAGE_ERROR, "101"),
        (head(&[(":status", "200"), ("connection", "close")]), code::MESSAGE_ERROR, "HTTP/1's"),
        (head(&[(":status", "200"), ("content-length", "9")]), code::MESSAGE_ERROR, "less DATA"),
        (
            [head(&[(":status", "200"), ("content-length", "4")]), right()].concat(),
            code::MESSAGE_ERROR,
            "pseudo-header",
        ),
        (
            [head(&[(":status", "200"), ("content-length", "4")]), frame(0, b"hello")].concat(),
            code::MESSAGE_ERROR,
            "more DATA",
        ),
        (
            [one_head(), trailers.clone(), frame(0, b"x")].concat(),
            code::FRAME_UNEXPECTED,
            "DATA behind trailers",
        ),
        (
            [one_head(), trailers.clone(), trailers].concat(),
            code::FRAME_UNEXPECTED,
            "a head behind trailers",
        ),
        (frame(kind::SETTINGS, b""), code::FRAME_UNEXPECTED, "control stream"),
        (frame(kind::PUSH_PROMISE, b"\0"), code::ID_ERROR, "PUSH_PROMISE"),
        (frame(6, b"12345678"), code::FRAME_UNEXPECTED, "only HTTP/2 has"),
        (frame(0x21, b"").repeat(1001), code::EXCESSIVE_LOAD, "1000 frames"),
    ] {
        let mut client = Client::ready();
        client.ask(0, 0);
        let (closed, wrong) = client.wrong(&[record(0, Kind::Last, &bytes)]);
        assert_eq!((closed, wrong.contains(part)), (code, true), "{wrong} instead of {part}");
    }
}

#[test]
fn what_a_server_may_not_say_on_its_own_streams_is_told() {
    let own = |stream: u64, kind: u64, bytes: &[u8]| {
        record(stream, Kind::Bytes, &[&numbers(&[kind])[..], bytes].concat())
    };
    let settings =
        |pairs: &[u64]| own(CONTROL, stream::CONTROL, &frame(kind::SETTINGS, &numbers(pairs)));
    let goaway = |number| frame(kind::GOAWAY, &numbers(&[number]));
    for (records, code, part) in [
        (
            vec![own(CONTROL, stream::CONTROL, &goaway(0))],
            code::MISSING_SETTINGS,
            "does not begin with SETTINGS",
        ),
        (vec![settings(&[2, 0])], code::SETTINGS_ERROR, "only HTTP/2 has"),
        (vec![settings(&[6, 1, 6, 1])], code::SETTINGS_ERROR, "comes twice"),
        (vec![settings(&[6])], code::FRAME_ERROR, "within a setting"),
        (
            vec![control(&[frame(kind::SETTINGS, b"")])],
            code::FRAME_UNEXPECTED,
            "SETTINGS come twice",
        ),
        (vec![control(&[frame(kind::DATA, b"")])], code::FRAME_UNEXPECTED, "frame of an answer"),
        (vec![control(&[frame(kind::MAX_PUSH_ID, b"\0")])], code::FRAME_UNEXPECTED, "about pushes"),
        (vec![control(&[frame(kind::CANCEL_PUSH, b"\0")])], code::ID_ERROR, "about pushes"),
        (vec![control(&[frame(9, b"")])], code::FRAME_UNEXPECTED, "only HTTP/2 has"),
        (vec![control(&[frame(0x21, &[0; 20_000])])], code::EXCESSIVE_LOAD, "16384"),
        (vec![control(&[goaway(1)])], code::ID_ERROR, "does not carry a request"),
        (vec![control(&[goaway(4), goaway(8)])], code::ID_ERROR, "a second GOAWAY"),
        (vec![control(&[frame(kind::GOAWAY, b"\x40")])], code::FRAME_ERROR, "not a number"),
        (vec![own(CONTROL, stream::PUSH, b"")], code::ID_ERROR, "a push"),
        (
            vec![control(&[]), own(ENCODER, stream::CONTROL, b"")],
            code::STREAM_CREATION_ERROR,
            "a type that there is once",
        ),
        (
            vec![own(ENCODER, stream::QPACK_ENCODER, b"\x20\x3f\x01")],
            code::QPACK_ENCODER_STREAM_ERROR,
            "dynamic table",
        ),
        (
            vec![own(DECODER, stream::QPACK_DECODER, b"\x80")],
            code::QPACK_DECODER_STREAM_ERROR,
            "acknowledges a dynamic table",
        ),
        (
            vec![own(DECODER, stream::QPACK_DECODER, b"\x41\x80")],
            code::QPACK_DECODER_STREAM_ERROR,
            "acknowledges a dynamic table",
        ),
        (
            vec![own(DECODER, stream::QPACK_DECODER, b"\x01")],
            code::QPACK_DECODER_STREAM_ERROR,
            "acknowledges a dynamic table",
        ),
        (
            vec![control(&[]), record(CONTROL, Kind::Last, b"")],
            code::CLOSED_CRITICAL_STREAM,
            "has to last",
        ),
        (
            vec![control(&[]), record(CONTROL, Kind::Reset, b"\0")],
            code::CLOSED_CRITICAL_STREAM,
            "has to last",
        ),
        (
            (0..101).map(|nth| own(4 * nth + 3, 0x21, b"x")).collect(),
            code::EXCESSIVE_LOAD,
            "more than 100 streams",
        ),
    ] {
        let (closed, wrong) = Client::new().wrong(&records);
        assert_eq!((closed, wrong.contains(part)), (code, true), "{wrong} instead of {part}");
    }
}

#[test]
fn an_error_has_the_place_of_its_own_frame_whatever_comes_meanwhile() {
    let at = |records: &[Vec<u8>]| {
        let mut client = Client::ready();
        client.ask(0, 0);
        match client.hear(records) {
            Step::Malformed(bad) => bad.at,
            other => panic!("{other:?}"),
        }
    };
    let wrong = frame(kind::MAX_PUSH_ID, &[0]);
    let (first, rest) = wrong.split_at(1);
    let of_control = |bytes: &[u8]| record(CONTROL, Kind::Bytes, bytes);
    let (begun, ended) = (record(15, Kind::Bytes, b"\x40"), record(15, Kind::Bytes, b"\x21"));
    let whole = at(&[begun.clone(), ended.clone(), of_control(&wrong)]);
    assert_eq!(at(&[begun.clone(), of_control(first), ended.clone(), of_control(rest)]), whole);
    let of_answer = |bytes: &[u8]| record(0, Kind::Bytes, bytes);
    let whole = at(&[begun.clone(), ended.clone(), of_answer(&wrong)]);
    assert_eq!(at(&[begun, of_answer(first), ended, of_answer(rest)]), whole);
}

#[test]
fn what_only_the_server_knows_is_passed_over() {
    let mut client = Client::ready();
    client.ask(0, 0);
    let unknown = |stream| record(stream, Kind::Last, b"\x21whatever");
    // Stream 1, and stream 0x3f + 0x80, whose number needs more bytes.
    let cancelled = b"\x41\x7f\x80\x01";
    let cancelled =
        record(DECODER, Kind::Bytes, &[&numbers(&[stream::QPACK_DECODER])[..], cancelled].concat());
    let grease = record(CONTROL, Kind::Bytes, &frame(0x21, b"whatever"));
    assert_eq!(client.hear(&[unknown(15), unknown(19), cancelled, grease]), Step::Incomplete);
    let bytes = [frame(0x21, b"x"), right(), head(&[("trailer", "x")])].concat();
    let step = client.hear(&[record(0, Kind::Last, &bytes)]);
    assert!(matches!(step, Step::Complete(answer) if answer.verdict == Verdict::Right), "{step:?}");
}

#[test]
fn a_connection_that_ends_leaves_its_requests_short() {
    let mut client = Client::ready();
    client.ask(0, 0);
    let awaited = |_| Awaited { expectation: 0, to_head: false };
    assert_eq!(client.http3.end(awaited, &mut client.shared), End::Short(0));
    assert_eq!(client.http3.take_unanswered(), Some(0));
    assert_eq!(client.http3.take_unanswered(), None);
    client.http3.greet(&mut client.shared, &mut client.out);
    assert!(!client.http3.is_ready() && client.http3.room(2) == 2);
}
