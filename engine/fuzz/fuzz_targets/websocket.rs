//! Any bytes of a WebSocket's server, after its agreement to the upgrade: never a panic, bounded
//! memory, and cuts change nothing. The first byte chooses how they are cut, the second how many
//! messages await an echo, and whether compression was agreed on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::fmt::Write;
use std::sync::Arc;
use volley_protocol::ws::{Message, handshake};
use volley_protocol::{Awaited, Io, Protocol, Request, Step, WebSocket};

fn awaited(_: Ticket) -> Awaited {
    Awaited { expectation: 0, to_head: false }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Ticket(usize);

impl volley_protocol::Ticket for Ticket {
    fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

fn outcome(bytes: &[u8], size: usize, count: usize, compresses: bool) -> (String, Vec<u8>) {
    let message = Message::new("hé".into(), true).expect("it is UTF-8");
    let message = if compresses { message.compressed() } else { message };
    let request = Request {
        method: "GET".into(),
        path: "/".into(),
        host: "a".into(),
        message: Some(Arc::new(message)),
        ..Request::default()
    };
    let mut shared = <WebSocket<Ticket> as Protocol<Ticket>>::shared(&[], &[Arc::new(request)]);
    let (mut client, mut out, mut log) = (WebSocket::default(), Vec::new(), String::new());
    client.greet(&mut shared, &mut out);
    let key = out.trim_ascii_end().rsplit(|&byte| byte == b' ').next().expect("it has a key");
    let head =
        b"HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ";
    let agrees = b"\r\nSec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover";
    let agrees = if compresses { &agrees[..] } else { b"" };
    let greeting = [&head[..], &handshake::accept(key), agrees, b"\r\n\r\n"].concat();
    out.clear();
    let step =
        client.receive(&greeting, awaited, &mut shared, &mut Io { now_ns: 1, out: &mut out });
    assert!(step == Some(Step::Incomplete) && client.is_ready());
    client.start(Ticket(0), count);
    for piece in bytes.chunks(size) {
        let mut rest = piece;
        while !rest.is_empty() {
            let io = &mut Io { now_ns: 1, out: &mut out };
            if let Some(known) = client.take_known(rest, awaited, &mut shared) {
                (0..known.count).for_each(|at| {
                    writeln!(log, "{}: as expected", known.first.0 + at).unwrap();
                });
                rest = &rest[known.consumed..];
                continue;
            }
            match client.receive(rest, awaited, &mut shared, io).expect("never none") {
                Step::Incomplete => break,
                Step::Complete(answer) => {
                    let Ticket(number) = client.finish().expect("it is complete");
                    let words = client.describe(&answer, awaited(Ticket(number)), &shared, rest);
                    writeln!(log, "{number}: {words}").unwrap();
                    rest = &rest[answer.consumed..];
                }
                Step::Malformed(bad) => return (log + bad.what, out),
                Step::Lost(loss) => return (log + &loss.to_string(), out),
                Step::Refused { .. } => panic!("WebSocket has no refusals"),
            }
            assert!(client.evidence(rest).len() <= 80 * 1024);
        }
    }
    assert!(out.len() <= 4 * bytes.len());
    (log, out)
}

fuzz_target!(|input: &[u8]| {
    let [cut, count, bytes @ ..] = input else { return };
    let (count, compresses) = (usize::from(*count % 8).max(1), *count >= 128);
    let whole = outcome(bytes, bytes.len().max(1), count, compresses);
    assert_eq!(outcome(bytes, usize::from(*cut).max(1), count, compresses), whole);
    assert_eq!(outcome(bytes, 1, count, compresses), whole);
});
