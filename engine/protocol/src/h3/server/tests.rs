//! Each rule that a client may break, with its error code; the cuts of its bytes change nothing.

use super::{Client, Fault, KnownRequest};
use crate::h3::frame::{self, code, kind, stream};
use crate::h3::record::{Kind, Record};
use crate::h3::tests::{frame as framed, head, numbers};
use Fault::{Connection, Stream};
use proptest::prelude::*;

type Outcome = Result<Option<bool>, Fault>;

/// A request's stream, and one of the client's own.
const ASKS: u64 = 0;
const OWN: u64 = 2;

const RIGHT: [(&str, &str); 4] =
    [(":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", "/")];

fn right(more: &[(&str, &str)]) -> Vec<u8> {
    head(&[&RIGHT, more].concat())
}

fn without(name: &str) -> Vec<u8> {
    head(&RIGHT.into_iter().filter(|field| field.0 != name).collect::<Vec<_>>())
}

fn control(frames: &[Vec<u8>]) -> Vec<u8> {
    [numbers(&[stream::CONTROL]), framed(kind::SETTINGS, b""), frames.concat()].concat()
}

/// The first outcome that isn't nothing, where the bytes come in pieces of this size.
fn outcome(number: u64, bytes: &[u8], ends: Option<Kind>, size: usize) -> Outcome {
    let (mut client, mut known) = (Client::default(), KnownRequest::default());
    let mut take = |kind, bytes: &[u8]| {
        let length = u32::try_from(bytes.len()).unwrap();
        client.take(Record { stream: number, kind, length }, bytes, &mut known)
    };
    let mut records: Vec<_> = bytes.chunks(size).map(|piece| (Kind::Bytes, piece)).collect();
    match (ends, records.last_mut()) {
        (Some(Kind::Last), Some((kind, _))) => *kind = Kind::Last,
        (Some(kind), _) => records.push((kind, b"")),
        _ => {}
    }
    let mut outcomes = records.into_iter().map(|(kind, piece)| take(kind, piece));
    outcomes.find(|outcome| *outcome != Ok(None)).unwrap_or(Ok(None))
}

fn check(number: u64, bytes: &[u8], ends: Option<Kind>, expected: Outcome) {
    for size in [usize::MAX, 7, 1] {
        assert_eq!(outcome(number, bytes, ends, size), expected, "{bytes:x?} by {size}");
    }
}

#[test]
fn right_requests_are_whole_once_they_have_ended() {
    let ends = Some(Kind::Last);
    let data = |body: &[u8]| framed(kind::DATA, body);
    let trailers = head(&[("x-sum", "1")]);
    let connect = head(&[(":method", "CONNECT"), (":authority", "localhost:1")]);
    let by_host = [(":method", "GET"), (":scheme", "https"), (":path", "/"), ("host", "localhost")];
    for request in [
        right(&[]),
        right(&[("host", "localhost"), ("te", "trailers")]),
        head(&by_host),
        connect,
        [right(&[]), data(b"x"), data(b""), data(b"yz"), trailers.clone()].concat(),
        [right(&[("content-length", "3")]), data(b"xyz"), trailers].concat(),
        // Section 9: unknown types are permitted anywhere.
        [framed(0x21, b"odd"), right(&[]), framed(0x40, b""), data(b"x")].concat(),
    ] {
        check(ASKS, &request, ends, Ok(Some(false)));
        check(ASKS, &request, None, Ok(None));
    }
    let asks_for_head = head(&[&[(":method", "HEAD")], &RIGHT[1..]].concat());
    check(ASKS, &asks_for_head, ends, Ok(Some(true)));
}

#[test]
fn a_head_that_is_known_hides_no_fault_of_the_next() {
    let (mut client, mut known) = (Client::default(), KnownRequest::default());
    let mut ask = |bytes: &[u8]| {
        let length = u32::try_from(bytes.len()).unwrap();
        client.take(Record { stream: ASKS, kind: Kind::Last, length }, bytes, &mut known)
    };
    for _ in 0..2 {
        assert_eq!(ask(&right(&[])), Ok(Some(false)));
        assert_eq!(ask(&without(":path")), Err(Stream(code::MESSAGE_ERROR)));
    }
    let long = right(&[("content-length", "1")]);
    assert_eq!(ask(&[long.clone(), framed(kind::DATA, b"x")].concat()), Ok(Some(false)));
    assert_eq!(ask(&long), Err(Stream(code::MESSAGE_ERROR)));
}

#[test]
fn frames_of_requests_that_may_not_come() {
    let unexpected = Err(Connection(code::FRAME_UNEXPECTED));
    check(ASKS, &framed(kind::DATA, b"x"), None, unexpected);
    let trailers = head(&[("x-sum", "1")]);
    for behind in [framed(kind::DATA, b"x"), trailers.clone()] {
        check(ASKS, &[right(&[]), trailers.clone(), behind].concat(), None, unexpected);
    }
    let not_here = [kind::CANCEL_PUSH, kind::SETTINGS, kind::PUSH_PROMISE, kind::GOAWAY];
    for kind in not_here.into_iter().chain([kind::MAX_PUSH_ID]).chain(kind::OF_HTTP2) {
        check(ASKS, &framed(kind, b"\0"), None, unexpected);
        check(ASKS, &[right(&[]), framed(kind, b"\0")].concat(), None, unexpected);
    }
}

#[test]
fn requests_that_end_too_soon() {
    let ends = Some(Kind::Last);
    let incomplete = Err(Stream(code::REQUEST_INCOMPLETE));
    check(ASKS, b"", ends, incomplete);
    check(ASKS, &framed(0x21, b"odd"), ends, incomplete);
    let whole = [right(&[]), framed(kind::DATA, b"xyz")].concat();
    let head_length = right(&[]).len();
    for cut in (1..head_length).chain(head_length + 1..whole.len()) {
        check(ASKS, &whole[..cut], ends, Err(Connection(code::FRAME_ERROR)));
    }
    check(ASKS, b"", Some(Kind::Reset), Err(Stream(code::REQUEST_CANCELLED)));
}

#[test]
fn malformed_requests() {
    let with = |fields: &[(&'static str, &'static str)]| head(&[&RIGHT, fields].concat());
    let replaced = |name: &str, value: &'static str| {
        head(&RIGHT.map(|field| if field.0 == name { (field.0, value) } else { field }))
    };
    let behind = head(&[&RIGHT[..3], &[("x", "1"), RIGHT[3]]].concat());
    let connect = [(":method", "CONNECT"), (":authority", "localhost:1")];
    let pseudo = [RIGHT[0], RIGHT[1], RIGHT[2], RIGHT[3]].map(|twice| with(&[twice]));
    let missing = [":method", ":scheme", ":authority", ":path"].map(without);
    let wrong = [
        with(&[(":status", "200")]),
        with(&[(":protocol", "websocket")]),
        with(&[(":odd", "1")]),
        behind,
        replaced(":path", ""),
        replaced(":authority", ""),
        head(&connect[..1]),
        head(&[&connect[..], &[RIGHT[1]]].concat()),
        head(&[&connect[..], &[RIGHT[3]]].concat()),
        with(&[("host", "other")]),
        with(&[("host", "localhost"), ("host", "localhost")]),
        with(&[("Upper", "1")]),
        with(&[("", "1")]),
        with(&[("x", "a\nb")]),
        with(&[("connection", "close")]),
        with(&[("transfer-encoding", "chunked")]),
        with(&[("te", "gzip")]),
        with(&[("content-length", "x")]),
        with(&[("content-length", "1"), ("content-length", "2")]),
        [right(&[]), head(&[(":path", "/")])].concat(),
        [right(&[]), head(&[("Upper", "1")])].concat(),
    ];
    for request in pseudo.iter().chain(&missing).chain(&wrong) {
        check(ASKS, request, None, Err(Stream(code::MESSAGE_ERROR)));
    }
    let says_three = right(&[("content-length", "3")]);
    for body in [b"xy".as_slice(), b"xyzz"] {
        let request = [says_three.clone(), framed(kind::DATA, body)].concat();
        check(ASKS, &request, Some(Kind::Last), Err(Stream(code::MESSAGE_ERROR)));
    }
    let mut large = Vec::new();
    frame::write_head(&mut large, kind::HEADERS, (64 << 10) + 1);
    check(ASKS, &large, None, Err(Stream(code::EXCESSIVE_LOAD)));
}

#[test]
fn heads_that_cannot_be_decoded() {
    // Nothing at all, an index beyond the static table, the dynamic table in its four forms, and a
    // string that is cut.
    for block in [
        &b""[..],
        b"\0\0\xff\x24",
        b"\x02\0",
        b"\0\0\x80",
        b"\0\0\x40\x01x",
        b"\0\0\x10",
        b"\0\0\x23ab",
    ] {
        let wrong = Err(Connection(code::QPACK_DECOMPRESSION_FAILED));
        check(ASKS, &framed(kind::HEADERS, block), None, wrong);
        check(ASKS, &[right(&[]), framed(kind::HEADERS, block)].concat(), None, wrong);
    }
}

#[test]
fn frames_of_the_control_stream() {
    let number = |kind, number| framed(kind, &numbers(&[number]));
    let setting = |pairs: &[u64]| {
        [numbers(&[stream::CONTROL]), framed(kind::SETTINGS, &numbers(pairs))].concat()
    };
    let right = [
        control(&[]),
        setting(&[1, 0, 6, 4096, 7, 0, 0x21, 5]),
        control(&[framed(0x21, b"odd"), number(kind::GOAWAY, 8), number(kind::GOAWAY, 8)]),
        control(&[number(kind::MAX_PUSH_ID, 8), number(kind::MAX_PUSH_ID, 9)]),
    ];
    for bytes in right {
        check(OWN, &bytes, None, Ok(None));
        for end in [Kind::Last, Kind::Reset] {
            check(OWN, &bytes, Some(end), Err(Connection(code::CLOSED_CRITICAL_STREAM)));
        }
    }
    let fails = |bytes: &[u8], code| check(OWN, bytes, None, Err(Connection(code)));
    for kind in [kind::DATA, kind::HEADERS, kind::GOAWAY, kind::MAX_PUSH_ID, 0x21] {
        let first = [numbers(&[stream::CONTROL]), number(kind, 0)].concat();
        fails(&first, code::MISSING_SETTINGS);
    }
    let not_here = [kind::DATA, kind::HEADERS, kind::PUSH_PROMISE, kind::SETTINGS];
    for kind in not_here.into_iter().chain(kind::OF_HTTP2) {
        fails(&control(&[number(kind, 0)]), code::FRAME_UNEXPECTED);
    }
    fails(&setting(&[6, 1, 6, 1]), code::SETTINGS_ERROR);
    for name in frame::setting::OF_HTTP2 {
        fails(&setting(&[name, 0]), code::SETTINGS_ERROR);
    }
    fails(&setting(&[6]), code::FRAME_ERROR);
    for kind in [kind::GOAWAY, kind::MAX_PUSH_ID, kind::CANCEL_PUSH] {
        for payload in [&b""[..], b"\x40", b"\0\0"] {
            fails(&control(&[framed(kind, payload)]), code::FRAME_ERROR);
        }
    }
    fails(&control(&[number(kind::GOAWAY, 8), number(kind::GOAWAY, 9)]), code::ID_ERROR);
    fails(&control(&[number(kind::MAX_PUSH_ID, 9), number(kind::MAX_PUSH_ID, 8)]), code::ID_ERROR);
    fails(&control(&[number(kind::CANCEL_PUSH, 0)]), code::ID_ERROR);
    let mut large = control(&[]);
    frame::write_head(&mut large, kind::GOAWAY, 1 << 20);
    fails(&large, code::EXCESSIVE_LOAD);
}

#[test]
fn streams_of_the_client_s_own() {
    let fails = |bytes: &[u8], code| check(OWN, bytes, None, Err(Connection(code)));
    fails(&numbers(&[stream::PUSH]), code::STREAM_CREATION_ERROR);
    // A type that nobody knows, of which nothing is read, and which may end.
    check(OWN, &numbers(&[0x21, 0, 4, 0]), Some(Kind::Last), Ok(None));
    check(OWN, b"", Some(Kind::Reset), Ok(None));
    for kind in [stream::CONTROL, stream::QPACK_ENCODER, stream::QPACK_DECODER] {
        let (mut client, mut known) = (Client::default(), KnownRequest::default());
        let mut take = |stream| {
            let record = Record { stream, kind: Kind::Bytes, length: 1 };
            client.take(record, &numbers(&[kind]), &mut known)
        };
        assert_eq!(take(OWN), Ok(None));
        assert_eq!(take(OWN + 4), Err(Connection(code::STREAM_CREATION_ERROR)));
        let begun = numbers(&[kind]);
        check(OWN, &begun, Some(Kind::Last), Err(Connection(code::CLOSED_CRITICAL_STREAM)));
    }
}

#[test]
fn instructions_of_qpack() {
    let encoder = |bytes: &[u8]| [numbers(&[stream::QPACK_ENCODER]), bytes.to_vec()].concat();
    let decoder = |bytes: &[u8]| [numbers(&[stream::QPACK_DECODER]), bytes.to_vec()].concat();
    check(OWN, &encoder(b"\x20\x20"), None, Ok(None));
    // Streams 0, 63 and 200 are canceled.
    check(OWN, &decoder(b"\x40\x7f\0\x7f\x89\x01"), None, Ok(None));
    // A capacity of 1, a field by index and one in full, and a duplicate.
    for bytes in [&b"\x21"[..], b"\xc0\x01x", b"\x41x\x01y", b"\0"] {
        check(OWN, &encoder(bytes), None, Err(Connection(code::QPACK_ENCODER_STREAM_ERROR)));
    }
    // An acknowledged head, an increment of 0, and one of 1.
    for bytes in [&b"\x80"[..], b"\0", b"\x01"] {
        check(OWN, &decoder(bytes), None, Err(Connection(code::QPACK_DECODER_STREAM_ERROR)));
    }
}

proptest! {
    #[test]
    fn no_bytes_are_too_odd_and_no_cut_matters(
        begins in prop::sample::select(vec![vec![], right(&[]), control(&[]), vec![0], vec![2], vec![3]]),
        frames in prop::collection::vec((0..16_u64, prop::collection::vec(any::<u8>(), 0..9)), 0..4),
        odd in prop::collection::vec(any::<u8>(), 0..9),
        number in prop::sample::select(vec![ASKS, OWN]),
        ends in any::<bool>(),
        size in 1..9_usize,
    ) {
        let frames = frames.iter().map(|(kind, payload)| framed(*kind, payload));
        let bytes = [begins, frames.collect::<Vec<_>>().concat(), odd].concat();
        let ends = ends.then_some(Kind::Last);
        prop_assert_eq!(
            outcome(number, &bytes, ends, size),
            outcome(number, &bytes, ends, usize::MAX)
        );
    }
}
