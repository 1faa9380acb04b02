//! Whole conversations: the outcomes of the messages, however the server's bytes are cut.

use super::frame::{self, FrameHead, opcode};
use super::{Message, WebSocket, deflate, mask};
use crate::protocol::{Awaited, Io, Loss, Protocol, Step};
use crate::request::Request;
use crate::verdict::Verdict;
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;

fn text(message: &str) -> Message {
    Message::new(message.into(), true).unwrap()
}

fn shared(message: Message) -> super::connection::Shared {
    let message = Some(Arc::new(message));
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

const CHOSEN: &str = "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n";

/// The answer that agrees to the upgrade that was sent.
fn agreed(upgrade: &[u8]) -> Vec<u8> {
    let text = str::from_utf8(upgrade).unwrap();
    let key = text.trim_end().rsplit(' ').next().unwrap();
    let accept = super::handshake::accept(key.as_bytes());
    let head = "HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
    let chosen = if text.contains("Extensions") { CHOSEN } else { "" };
    let head = format!("{head}{chosen}Sec-WebSocket-Accept: ");
    [head.as_bytes(), &accept, b"\r\n\r\n"].concat()
}

/// The outcome of `count` messages when a server sends these bytes after its agreement, cut in
/// pieces of `size`; and the bytes sent in reply.
fn outcome(message: Message, bytes: &[u8], size: usize, count: usize) -> (String, Vec<u8>) {
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
    let more = opcode::CONTINUATION;
    let bytes = [
        said(opcode::TEXT, "häl".as_bytes()),
        begun(opcode::TEXT, b"h\xc3"),
        said(opcode::PING, b"still there?"),
        begun(more, b""),
        said(opcode::PONG, b"unasked"),
        said(more, b"\xa4l"),
    ]
    .concat();
    for size in 1..=bytes.len() {
        let (log, out) = outcome(text("häl"), &bytes, size, 2);
        assert_eq!(log, "0: as expected\n1: as expected\n");
        let (head, start) = FrameHead::read(&out).unwrap();
        let mut payload = out[start..].to_vec();
        mask(&mut payload, head.key.unwrap());
        assert_eq!((head.opcode, &payload[..]), (opcode::PONG, &b"still there?"[..]));
    }
}

#[test]
fn what_is_wrong_has_a_name() {
    let kind = opcode::TEXT;
    for (bytes, part) in [
        (said(kind, b"hallo"), "byte 1: expected \"e\", got \"a\""),
        (said(kind, b"hell"), "4 bytes, expected 5"),
        (said(kind, b"hello!"), "6 bytes, expected 5"),
        (said(opcode::BINARY, b"hello"), "binary, expected text"),
        (said(kind, b"hel\xff"), "not UTF-8"),
        (said(kind, b"hello").repeat(2), "nobody asked for"),
        (said(opcode::CONTINUATION, b"hello"), "continues no message"),
        ([begun(kind, b"he"), said(kind, b"llo")].concat(), "within one that is in fragments"),
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
            let (log, _) = outcome(text("hello"), &bytes, size, 1);
            assert!(log.contains(part), "{bytes:?}: {log}");
        }
    }
}

/// A frame of a message that is compressed.
fn compressed(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = said(opcode::TEXT, payload);
    bytes[0] = first;
    bytes
}

#[test]
fn compressed_echoes_come_as_servers_write_them() {
    let (hello, stored) = (b"\xf2\x48\xcd\xc9\xc9\x07\0", b"\0\x05\0\xfa\xffHello\0");
    let bytes = [
        compressed(0xc1, hello),
        compressed(0xc1, hello),
        compressed(0x41, &hello[..3]),
        said(opcode::PING, b""),
        compressed(0x80, &hello[3..]),
        compressed(0xc1, stored),
        // With a final block; with two blocks; without any block.
        compressed(0xc1, b"\xf3\x48\xcd\xc9\xc9\x07\0\0"),
        compressed(0xc1, b"\xf2\x48\x05\0\0\0\xff\xff\xca\xc9\xc9\x07\0"),
        said(opcode::TEXT, b"Hello"),
        compressed(0xc1, hello),
    ]
    .concat();
    let expected = (0..8).map(|ticket| ticket.to_string()).collect::<Vec<_>>();
    let expected = format!("{}: as expected\n", expected.join(": as expected\n"));
    for size in 1..=bytes.len() {
        let (log, _) = outcome(text("Hello").compressed(), &bytes, size, 8);
        assert_eq!(log, expected, "in pieces of {size}");
    }
}

#[test]
fn what_is_wrong_when_inflated_has_a_name() {
    let deflated = |bytes: &[u8]| deflate::deflated(bytes);
    let bomb = deflated(&vec![b'x'; (1 << 20) + 1]);
    assert!(bomb.len() < 2000);
    let nothing = b"\0\0\0\xff\xff".repeat(420_000);
    for (bytes, part) in [
        (compressed(0xc1, &deflated(b"Hallo")), "byte 1: expected \"e\", got \"a\""),
        (compressed(0xc1, &deflated(b"Hello!")), "6 bytes, expected 5"),
        (compressed(0xc2, &deflated(b"Hello")), "binary, expected text"),
        (compressed(0xc1, &deflated(b"Hel\xff")), "not UTF-8"),
        (compressed(0xc1, b"\xff\xff\xff"), "can't be inflated"),
        // `\xff`, and then a block of an invalid type.
        (compressed(0xc1, b"\0\x01\0\xfe\xff\xff\x07"), "not UTF-8"),
        // A reference to data before the message, of which nothing is kept.
        (compressed(0xc1, b"\x02\x07\0\0"), "got 0x00"),
        (compressed(0xc1, &bomb), "a compressed message of more than 1048576 bytes"),
        (compressed(0xc1, &nothing), "a compressed message of more than 1048576 bytes"),
        (compressed(0xa1, b""), "reserved bit"),
        ([compressed(0x41, b""), compressed(0xc0, b"")].concat(), "begins no message"),
    ] {
        for size in [3, bytes.len()] {
            let (log, _) = outcome(text("Hello").compressed(), &bytes, size, 1);
            assert!(log.contains(part), "{part}: {log}");
        }
    }
}

#[test]
fn a_goodbye_repeats_the_server_s_code() {
    for (bytes, code) in [(vec![], 1000_u16), (said(opcode::CLOSE, b"\x03\xe9"), 1001)] {
        let (mut shared, mut client, mut out) =
            (shared(text("a")), WebSocket::<usize>::default(), Vec::new());
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
    /// Valid and almost valid frames: cuts change nothing, and pongs are no longer than the
    /// received bytes.
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
        let whole = outcome(text("hé"), &bytes, bytes.len().max(1), 4);
        prop_assert!(whole.1.len() <= 4 * bytes.len());
        prop_assert_eq!(outcome(text("hé"), &bytes, size, 4), whole);
    }
}

proptest! {
    #[test]
    fn what_was_compressed_is_inflated(message in prop::collection::vec(any::<u8>(), 0..40), times in 0..3000_usize, size in 1..5000_usize) {
        let sent = Message::new(message.repeat(times), false).unwrap().compressed();
        let bytes = sent.plain();
        prop_assert_eq!(outcome(sent, &bytes, size, 1).0, "0: as expected\n");
    }
}

/// The outcome of a listener of a room that awaits message 1, or nothing, when it gets these of the
/// room's messages in turn, cut in pieces of `size`.
fn in_room(is_asked: bool, numbers: &[u16], compresses: bool, size: usize) -> Vec<String> {
    let message = if compresses { text("hello").compressed() } else { text("hello") };
    let request = |number| {
        let message = Some(Arc::new(message.numbered(number)));
        let [method, path, host] = ["GET", "/", "a"].map(str::to_owned);
        Arc::new(Request { method, path, host, message, ..Request::default() })
    };
    let requests: Vec<Arc<Request>> = (0..3).map(request).collect();
    let mut shared = <WebSocket<usize> as Protocol<usize>>::shared(&[], &requests);
    let (mut client, mut out) = (WebSocket::<usize>::default(), Vec::new());
    let awaited = |number| Awaited { expectation: u32::try_from(number).unwrap(), to_head: false };
    client.enter_room(7);
    client.greet(&mut shared, &mut out);
    assert!(out.starts_with(b"GET /?room=7 HTTP/1.1\r\n"));
    let greeting = agreed(&out);
    let mut io = Io { now_ns: 1, out: &mut out };
    client.receive(&greeting, awaited, &mut shared, &mut io);
    if is_asked {
        client.start(1, 1);
    }
    let bytes: Vec<u8> =
        numbers.iter().flat_map(|&number| message.numbered(number).plain()).collect();
    let mut log = Vec::new();
    for piece in bytes.chunks(size) {
        let mut rest = piece;
        while !rest.is_empty() {
            if let Some(known) = client.take_known(rest, awaited, &mut shared) {
                log.push(format!("{:?}", Verdict::Right));
                rest = &rest[known.consumed..];
                continue;
            }
            match client.receive(rest, awaited, &mut shared, &mut io).unwrap() {
                Step::Incomplete => break,
                Step::Complete(answer) => {
                    assert_eq!(client.finish(), Some(1));
                    log.push(format!("{:?}", answer.verdict));
                    rest = &rest[answer.consumed..];
                }
                Step::Malformed(bad) => return [log, vec![bad.what.to_owned()]].concat(),
                Step::Lost(loss) => return [log, vec![loss.to_string()]].concat(),
                step @ Step::Refused { .. } => panic!("{step:?}"),
            }
        }
    }
    log
}

#[test]
fn a_listener_of_a_room_hears_each_message_once() {
    let doubled = Loss::Doubled.to_string();
    for (compresses, size) in [(false, 99), (false, 1), (true, 99), (true, 2)] {
        for (is_asked, numbers, expected) in [
            (true, &[1][..], &["Right"][..]),
            // It has just joined.
            (true, &[0, 1], &["Right"]),
            (true, &[2, 0, 1], &["Right"]),
            (false, &[0, 1], &[]),
            (true, &[1, 1], &["Right", &doubled]),
            (true, &[0, 1, 2], &["Right", "a message that nobody asked for"]),
        ] {
            let log = in_room(is_asked, numbers, compresses, size);
            assert_eq!(log, expected, "{numbers:?}");
        }
    }
}

proptest! {
    /// The outcome in a room is the same, however the bytes are cut.
    #[test]
    fn cuts_change_nothing_in_a_room(
        is_asked in any::<bool>(), numbers in prop::collection::vec(0_u16..4, 0..6),
        compresses in any::<bool>(), size in 1_usize..40,
    ) {
        let whole = in_room(is_asked, &numbers, compresses, 1000);
        prop_assert_eq!(in_room(is_asked, &numbers, compresses, size), whole);
    }
}
