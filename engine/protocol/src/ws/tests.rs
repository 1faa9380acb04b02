//! Whole conversations: what becomes of the messages, however the server's bytes are cut.

use super::frame::{self, FrameHead, opcode};
use super::{Message, WebSocket, mask};
use crate::protocol::{Awaited, Io, Protocol, Step};
use crate::request::Request;
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;

fn shared(message: &str) -> super::connection::Shared {
    let message = Message::new(message.into(), true).map(Arc::new);
    let request = Request {
        method: "GET".into(),
        path: "/".into(),
        host: "a".into(),
        message,
        ..Request::default()
    };
    <WebSocket<usize> as Protocol<usize>>::shared(&[], &[Arc::new(request)])
}

fn awaited(_: usize) -> Awaited {
    Awaited { expectation: 0, to_head: false }
}

/// The answer that agrees to the upgrade that was sent.
fn agreed(upgrade: &[u8]) -> Vec<u8> {
    let text = str::from_utf8(upgrade).unwrap();
    let key = text.trim_end().rsplit(' ').next().unwrap();
    let accept = super::handshake::accept(key.as_bytes());
    let head =
        "HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ";
    [head.as_bytes(), &accept, b"\r\n\r\n"].concat()
}

/// What becomes of `count` messages when a server says these bytes behind its agreement, cut in pieces of `size`;
/// and what was said in reply.
fn outcome(message: &str, bytes: &[u8], size: usize, count: usize) -> (String, Vec<u8>) {
    let (mut shared, mut client) = (shared(message), WebSocket::<usize>::default());
    let (mut out, mut log) = (Vec::new(), String::new());
    client.greet(&mut shared, &mut out);
    let greeting = agreed(&out);
    out.clear();
    let mut io = Io { now_ns: 1, out: &mut out };
    for piece in greeting.chunks(size) {
        assert_eq!((client.is_ready(), client.room(count)), (false, 0));
        let step = client.receive(piece, awaited, &mut shared, &mut io);
        assert_eq!(step, Some(Step::Incomplete));
    }
    assert_eq!((client.is_ready(), client.room(count)), (true, count));
    client.start(0, count);
    for piece in bytes.chunks(size) {
        let mut rest = piece;
        while !rest.is_empty() {
            if let Some(known) = client.take_known(rest, awaited, &mut shared) {
                for ticket in known.first..known.first + known.count {
                    writeln!(log, "{ticket}: as expected").unwrap();
                }
                rest = &rest[known.consumed..];
                continue;
            }
            let step = client.receive(rest, awaited, &mut shared, &mut io).unwrap();
            match step {
                Step::Incomplete => break,
                Step::Complete(answer) => {
                    let ticket = client.completed().unwrap();
                    let words = client.describe(&answer, awaited(ticket), &shared, rest);
                    writeln!(log, "{ticket}: {words}").unwrap();
                    assert_eq!(client.finish(), Some(ticket));
                    rest = &rest[answer.consumed..];
                }
                Step::Malformed(bad) => return (log + bad.what, out),
                Step::Lost(loss) => return (log + &loss.to_string(), out),
                Step::Refused { .. } => panic!("WebSocket has no refusals"),
            }
        }
    }
    (log, out)
}

fn said(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write(&mut bytes, opcode, payload, None);
    bytes
}

/// The same, with more to come.
fn begun(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = said(opcode, payload);
    bytes[0] &= 0x7f;
    bytes
}

#[test]
fn echoes_come_in_fragments_with_pings_between_them() {
    let (text, more) = (opcode::TEXT, opcode::CONTINUATION);
    let bytes = [
        said(text, "häl".as_bytes()),
        begun(text, b"h\xc3"),
        said(opcode::PING, b"still there?"),
        begun(more, b""),
        said(opcode::PONG, b"unasked"),
        said(more, b"\xa4l"),
    ]
    .concat();
    for size in 1..=bytes.len() {
        let (log, out) = outcome("häl", &bytes, size, 2);
        assert_eq!(log, "0: as expected\n1: as expected\n");
        let (head, start) = FrameHead::read(&out).unwrap();
        let mut payload = out[start..].to_vec();
        mask(&mut payload, head.key.unwrap());
        assert_eq!((head.opcode, &payload[..]), (opcode::PONG, &b"still there?"[..]));
    }
}

#[test]
fn what_is_wrong_has_a_name() {
    let text = opcode::TEXT;
    for (bytes, part) in [
        (said(text, b"hallo"), "byte 1: expected \"e\", got \"a\""),
        (said(text, b"hell"), "4 bytes, expected 5"),
        (said(text, b"hello!"), "6 bytes, expected 5"),
        (said(opcode::BINARY, b"hello"), "binary, expected text"),
        (said(text, b"hel\xff"), "not UTF-8"),
        (said(text, b"hello").repeat(2), "nobody asked for"),
        (said(opcode::CONTINUATION, b"hello"), "continues no message"),
        ([begun(text, b"he"), said(text, b"llo")].concat(), "within one that is in fragments"),
        (said(opcode::CLOSE, b"\x03\xf3why"), "code 1011 (internal error)"),
        (said(opcode::CLOSE, b"\x0b\xb8"), "code 3000"),
        (said(opcode::CLOSE, b""), "without a code"),
        (said(opcode::CLOSE, b"\x03"), "half a code"),
        (said(opcode::CLOSE, b"\x03\xe8\xff"), "reason is not UTF-8"),
        (said(opcode::CLOSE, b"\x03\xed"), "code 1005, which no server may send"),
        (said(opcode::CLOSE, b"\0\x05"), "code 5, which no server may send"),
        (said(opcode::PING, b"").repeat(1001), "1000 frames"),
        (b"\x81\x7f\0\0\0\0\0\x98\x96\x80".to_vec(), "more than 1048576 bytes"),
    ] {
        for size in [1, 2, 3, bytes.len()] {
            let (log, _) = outcome("hello", &bytes, size, 1);
            assert!(log.contains(part), "{bytes:?}: {log}");
        }
    }
}

#[test]
fn a_goodbye_repeats_the_server_s_code() {
    for (bytes, code) in [(vec![], 1000_u16), (said(opcode::CLOSE, b"\x03\xe9"), 1001)] {
        let (mut shared, mut client, mut out) =
            (shared("a"), WebSocket::<usize>::default(), Vec::new());
        client.greet(&mut shared, &mut out);
        let greeting = [agreed(&out), bytes].concat();
        out.clear();
        let io = &mut Io { now_ns: 1, out: &mut out };
        let step = client.receive(&greeting, awaited, &mut shared, io);
        assert_eq!((step, client.room(3) > 0), (Some(Step::Incomplete), code == 1000));
        client.write_goodbye(&mut out);
        let (head, start) = FrameHead::read(&out).unwrap();
        mask(&mut out[start..], head.key.unwrap());
        assert_eq!((head.opcode, &out[start..]), (opcode::CLOSE, &code.to_be_bytes()[..]));
    }
}

proptest! {
    /// Frames and what is nearly one: cuts change nothing, and pongs are no longer than what was received.
    #[test]
    fn cuts_change_nothing(
        frames in prop::collection::vec(
            (prop::sample::select(vec![0, 1, 2, 8, 9, 10, 11]), any::<bool>(), "[hé]{0,4}"), 0..8,
        ),
        noise in prop::collection::vec(any::<u8>(), 0..6), size in 1_usize..9,
    ) {
        let frames = frames.iter().map(|(opcode, is_last, payload)| {
            if *is_last { said(*opcode, payload.as_bytes()) } else { begun(*opcode, payload.as_bytes()) }
        });
        let bytes = frames.chain([noise]).collect::<Vec<_>>().concat();
        let whole = outcome("hé", &bytes, bytes.len().max(1), 4);
        prop_assert!(whole.1.len() <= 4 * bytes.len());
        prop_assert_eq!(outcome("hé", &bytes, size, 4), whole);
    }
}
