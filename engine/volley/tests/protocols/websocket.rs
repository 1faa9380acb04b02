//! WebSocket on real sockets: the null server's echoes, and servers that break rules.

use crate::common::conversations::{Close, Conversation, serve};
use crate::common::driver::{Driver, errors, job};
use crate::processes::null;
use crate::{load, loads_rightly, ways};
use std::net::SocketAddr;
use volley::drive::messages::{Command, ConnectionMode, Event, Job, TargetSpec, WebSocketSpec};
use volley_load::scheme::Scheme;
use volley_net::IoChoice;
use volley_protocol::ws::frame::{self, FrameHead, opcode};
use volley_protocol::ws::{Keys, Message, handshake, mask};

/// One frame of a server.
pub(crate) fn said(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write(&mut bytes, opcode, payload, None);
    bytes
}

/// The answer that agrees to an upgrade.
pub(crate) fn agreed(upgrade: &[u8]) -> String {
    let text = str::from_utf8(upgrade).unwrap();
    let key = text.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap();
    let accept = handshake::accept(key.as_bytes());
    let accept = str::from_utf8(&accept).unwrap();
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    )
}

/// A server that agrees, and does `misdeed` once a message has arrived.
fn doing(misdeed: impl Fn(Conversation) + Send + Sync + 'static) -> SocketAddr {
    serve(move |mut conversation| {
        let Some(upgrade) = conversation.next_request() else { return };
        conversation.say(agreed(&upgrade).as_bytes());
        conversation.await_bytes();
        misdeed(conversation);
    })
}

/// The same, which replies to the message with these bytes, and keeps reading.
fn saying(bytes: Vec<u8>) -> SocketAddr {
    doing(move |mut conversation| {
        conversation.say(&bytes);
        conversation.close(Close::Fin);
    })
}

/// Expects this kind of error for one message, with these words in the report.
fn comes_to(what: &str, address: SocketAddr, kind: &str, words: &str) {
    comes_with(&[], what, address, kind, words);
}

/// The same with further options.
fn comes_with(more: &[&str], what: &str, address: SocketAddr, kind: &str, words: &str) {
    let url = format!("ws://{address}/");
    for io in ways() {
        let asked = ["--timeout", "500ms", "-c", "1", "-n", "1", "--message", "hello", io, &url];
        let (status, value) = load(&[&asked, more].concat());
        // A connection that cannot be made is tried before the load, and during it.
        let errors = value["errors"].as_object().unwrap();
        assert_eq!(errors.keys().collect::<Vec<_>>(), [kind], "{what}: {value:#}");
        assert_eq!(status, 1, "{what}");
        let detail = value["first_bad"]["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(words), "{what}: {detail}");
    }
}

#[test]
fn the_null_server_s_echoes_are_right() {
    for sealed in [false, true] {
        let more: &[&str] = if sealed { &["--protocol", "h1-tls"] } else { &[] };
        let server = null(&[&["--websocket"], more].concat());
        let scheme = if sealed { "wss" } else { "ws" };
        let url = format!("{scheme}://{}/echo", server.address);
        let trust: &[&str] = if sealed { &["--insecure"] } else { &[] };
        for io in ways() {
            for words in [
                &["--message", "häßlich"][..],
                &["--message", ""],
                &["--message", "hello", "--pipeline", "16"],
                &["--message-size", "70000", "--binary", "--pipeline", "3"],
                &["--message-size", "70000", "--compression", "--pipeline", "3"],
                &["--message", "hello", "--close"],
                &["--message", "hello", "--requests-per-connection", "7"],
                &["--message", "hello", "-R", "2000"],
            ] {
                let words = [&["-c", "3", "-n", "200", io][..], trust, words, &[&url]].concat();
                assert_eq!(loads_rightly(&words), 200, "{words:?}");
            }
        }
    }
}

#[test]
fn a_server_that_does_not_agree() {
    let answering = |change: fn(String) -> String| {
        serve(move |mut conversation| {
            let Some(upgrade) = conversation.next_request() else { return };
            conversation.say(change(agreed(&upgrade)).as_bytes());
            conversation.close(Close::Fin);
        })
    };
    let other = || answering(|_| "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into());
    comes_to("another status", other(), "upgrade", "404, expected 101");
    let wrong = answering(|answer| answer.replace("Accept: ", "Accept: x"));
    comes_to("another accept", wrong, "upgrade", "Sec-WebSocket-Accept");
    let extended = answering(|answer| {
        answer.replace("\r\n\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n")
    });
    comes_to("an extension", extended, "upgrade", "extension");
    let refuses = answering(|answer| answer);
    let words = "does not agree to permessage-deflate";
    comes_with(&["--compression"], "no compression", refuses, "upgrade", words);
    comes_to("no HTTP", answering(|_| "\0\0\x12\x04".into()), "malformed", "HTTP/2");
    comes_to("half an answer", answering(|answer| answer[..30].into()), "early_close", "upgrade");
}

#[test]
fn echoes_that_are_wrong() {
    let text = opcode::TEXT;
    for (what, bytes, kind, words) in [
        ("altered", said(text, b"hallo"), "mismatch_body", "byte 1"),
        ("too short", said(text, b"hell"), "mismatch_length", "4 bytes"),
        ("too long", said(text, b"hello!"), "mismatch_length", "6 bytes"),
        ("binary", said(opcode::BINARY, b"hello"), "mismatch_body", "binary, expected text"),
    ] {
        comes_to(what, saying(bytes), kind, words);
    }
}

#[test]
fn frames_that_break_the_protocol() {
    let mut masked = Vec::new();
    frame::write(&mut masked, opcode::TEXT, b"hello", Some([1, 2, 3, 4]));
    let long = [&[0x81, 127][..], &10_000_000_u64.to_be_bytes(), &vec![b'x'; 1 << 16]].concat();
    for (what, bytes, words) in [
        ("5.1: masked", masked, "masked"),
        ("5.2: a reserved bit", vec![0xc1, 0], "reserved bit"),
        ("5.2: a reserved opcode", vec![0x83, 0], "reserved opcode"),
        ("5.5: a fragmented ping", vec![0x09, 0], "in fragments"),
        ("5.5: a long ping", said(opcode::PING, &[0; 126]), "125 bytes"),
        ("5.6: no UTF-8", said(opcode::TEXT, b"hell\xff"), "not UTF-8"),
        ("7.4: a wrong code", said(opcode::CLOSE, &1005_u16.to_be_bytes()), "code 1005"),
        ("7.4: a code below 1000", said(opcode::CLOSE, &[0, 9]), "code 9"),
        ("10.4: a message of 10 MB", long, "1048576"),
        ("pings for ever", said(opcode::PING, b"").repeat(2000), "1000 frames"),
    ] {
        comes_to(what, saying(bytes), "malformed", words);
    }
}

#[test]
fn compressed_echoes_that_are_wrong() {
    let deflated = |bytes: &[u8]| {
        let message = Message::new(bytes.to_vec(), true).unwrap().compressed();
        let frame = message.masked(&mut Keys::new(0));
        let (head, start) = FrameHead::read(&frame).unwrap();
        let mut payload = frame[start..].to_vec();
        mask(&mut payload, head.key.unwrap());
        payload
    };
    let agreeing = |payload: Vec<u8>| {
        serve(move |mut conversation| {
            let Some(upgrade) = conversation.next_request() else { return };
            let extension = "\r\nSec-WebSocket-Extensions: permessage-deflate; \
                             server_no_context_takeover\r\n\r\n";
            let answer = agreed(&upgrade).replace("\r\n\r\n", extension);
            conversation.say(answer.as_bytes());
            conversation.await_bytes();
            let mut frame = said(opcode::TEXT, &payload);
            frame[0] |= 0x40;
            conversation.say(&frame);
            conversation.close(Close::Fin);
        })
    };
    for (what, payload, kind, words) in [
        ("altered", deflated(b"hallo"), "mismatch_body", "byte 1"),
        ("bad deflate", b"\xff\xff\xff".to_vec(), "malformed", "can't be inflated"),
        (
            "a bomb",
            deflated(&vec![b'x'; (1 << 20) + 1]),
            "malformed",
            "a compressed message of more than 1048576 bytes",
        ),
    ] {
        comes_with(&["--compression"], what, agreeing(payload), kind, words);
    }
}

#[test]
fn connections_that_end_or_are_silent() {
    let close = |bytes: Vec<u8>, end: Close| {
        doing(move |mut conversation| {
            conversation.say(&bytes);
            conversation.close(end);
        })
    };
    let half = said(opcode::TEXT, b"hello")[..4].to_vec();
    comes_to("no echo", close(vec![], Close::Fin), "early_close", "instead of an answer");
    comes_to("half an echo", close(half.clone(), Close::Fin), "early_close", "after 4 bytes");
    comes_to("a reset", close(half, Close::Reset), "reset", "");
    let going = said(opcode::CLOSE, b"\x03\xe9bye");
    comes_to("a close frame", saying(going), "early_close", "1001 (going away)");
    let silent = doing(|mut conversation| while conversation.next_request().is_some() {});
    comes_to("silence", silent, "timeout", "500 ms");
}

#[test]
fn fragments_are_joined_and_pings_answered() {
    for io in ways() {
        let address = doing(|mut conversation| {
            let ping = said(opcode::PING, b"ping");
            let fragments = [&[0x01, 2][..], b"he", &ping, &[0x80, 3], b"llo"].concat();
            conversation.say(&fragments);
            let mut got = Vec::new();
            let mut buffer = [0; 1024];
            // The message, 11 bytes, and the pong, 10.
            while got.len() < 21 {
                match std::io::Read::read(&mut conversation.stream, &mut buffer) {
                    Ok(length @ 1..) => got.extend_from_slice(&buffer[..length]),
                    _ => return,
                }
            }
            let (head, _) = FrameHead::read(&got[11..]).unwrap();
            assert_eq!((head.opcode, head.length), (opcode::PONG, 4));
            conversation.say(&said(opcode::CLOSE, &1000_u16.to_be_bytes()));
        });
        let url = format!("ws://{address}/");
        assert_eq!(loads_rightly(&["-c", "1", "-n", "1", "--message", "hello", io, &url]), 1);
    }
}

#[test]
fn a_job_has_websockets_beside_requests() {
    for io in ways() {
        let io = if io == "--io=uring" { IoChoice::Uring } else { IoChoice::Epoll };
        let servers = [null(&["--websocket"]), null(&[])];
        let mut plan = job(io, &[servers[0].address, servers[1].address]);
        let message_base64 = "aGk=".to_owned();
        plan.targets[0].expect = None;
        plan.targets[0].websocket = Some(WebSocketSpec {
            message_base64,
            binary: false,
            compression: false,
            room: None,
            first_room: 0,
        });
        for connection in [ConnectionMode::KeepAlive, ConnectionMode::Close] {
            let (mut driver, _) = Driver::job(Job { connection, ..plan.clone() });
            for target in 0..2 {
                let slice = driver.slice_that(target, 100, |slice| slice.requests > 0);
                assert_eq!(errors(&slice), [], "{connection:?}");
            }
        }
    }
}

#[test]
fn a_job_that_no_websocket_can_do_is_refused() {
    let plan = job(IoChoice::Auto, &["127.0.0.1:1".parse().unwrap()]);
    let spec = |message: &str| WebSocketSpec {
        message_base64: message.to_owned(),
        binary: false,
        compression: false,
        room: None,
        first_room: 0,
    };
    let target = &plan.targets[0];
    let with = |message: &str| TargetSpec {
        expect: None,
        websocket: Some(spec(message)),
        ..target.clone()
    };
    for (target, part) in [
        (TargetSpec { websocket: Some(spec("")), ..target.clone() }, "`websocket`"),
        (TargetSpec { protocol: Scheme::H2c, ..with("") }, "must be h1 or h1-tls"),
        (with("*"), "`websocket.message_base64` is not base64"),
        (with("/w=="), "is not UTF-8"),
    ] {
        let mut driver = Driver::start();
        let command = Command::Job(Job { targets: vec![target], ..plan.clone() });
        let Event::Error(error) = driver.say(&serde_json::to_string(&command).unwrap()) else {
            panic!("{part}: accepted");
        };
        assert!(error.message.contains(part), "{}", error.message);
    }
}
