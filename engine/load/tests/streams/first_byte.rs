//! When the first byte of a body arrives, over each protocol: separate from the end where the
//! server makes it so.

use crate::world::guard::both_ways;
use crate::world::loading::{at_rate, book, load, request, requests, target};
use crate::world::sealed::{Server, sealed};
use crate::world::servers::{Conversation, GOOD, answer_with, serve};
use crate::world::streams::{Peer, answer};
use std::io::{Read, Write};
use std::thread;
use std::time::Duration;
use volley_load::histogram::Latencies;
use volley_load::scheme::Scheme;
use volley_load::slice::{Outcome, Plan};
use volley_load::target::Target;
use volley_net::IoChoice;
use volley_protocol::Request;
use volley_protocol::h2::frame::{self, flag, kind};

/// The pauses from the head to the body's first byte, and from there to the rest.
const BEFORE_BODY: Duration = Duration::from_millis(30);
const WITHIN_BODY: Duration = Duration::from_millis(50);

/// Sends the head, the bytes before the body's first byte, that byte, and the rest, each after its
/// pause.
fn say_slowly(parts: &[Vec<u8>; 4], mut say: impl FnMut(&[u8]) -> bool) -> bool {
    let [head, before, first, rest] = parts;
    let is_said = say(head) && say(before);
    thread::sleep(BEFORE_BODY);
    let is_said = is_said && say(first);
    thread::sleep(WITHIN_BODY);
    is_said && say(rest)
}

fn by_length(length: usize) -> [Vec<u8>; 4] {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
    [head.into(), vec![], b"x".to_vec(), vec![b'x'; length - 1]]
}

fn in_chunks() -> [Vec<u8>; 4] {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    [head, "2;name=value\r\n", "x", "y\r\n0\r\n\r\n"].map(|part| part.as_bytes().to_vec())
}

/// An answer in HTTP/2 may have no length, and an empty frame carries no body.
fn in_frames(stream: u32) -> [Vec<u8>; 4] {
    let write = |kind, flags, payload: &[u8]| {
        let mut out = Vec::new();
        frame::write(&mut out, kind, flags, stream, payload);
        out
    };
    [
        write(kind::HEADERS, flag::END_HEADERS, b"\x88"),
        write(kind::DATA, 0, b""),
        write(kind::DATA, 0, b"x"),
        write(kind::DATA, flag::END_STREAM, b"y"),
    ]
}

fn serve_h1(parts: [Vec<u8>; 4]) -> impl Fn(Conversation) + Send + Sync + 'static {
    move |mut talk| {
        while talk.next_request().is_some() && say_slowly(&parts, |part| talk.say(part)) {}
    }
}

fn serve_h2(mut peer: Peer<impl Read + Write>) {
    loop {
        let streams = peer.requests();
        if streams.is_empty() {
            return;
        }
        for stream in streams {
            say_slowly(&in_frames(stream), |part| peer.say(part));
        }
    }
}

/// One connection; any body is right.
fn any(target: Target) -> Target {
    Target { connections: 1, books: book(&request(b""), None, 1), ..target }
}

fn first_bytes(outcome: &Outcome) -> Latencies {
    let tally = &outcome.tally;
    let all = tally.first_bytes.of_all(&tally.latencies).expect("bodies came in pieces");
    assert_eq!(all.count(), tally.latencies.count());
    all
}

fn shortest(latencies: &Latencies) -> Duration {
    Duration::from_secs_f64(latencies.quantile_us(0.0, 0).unwrap() / 1e6)
}

/// The shortest of a few, since a machine may be disturbed.
fn is_apart(io: IoChoice, target: Target, what: &str) {
    let outcome = load(io, any(target), &requests(4));
    assert_eq!((outcome.tally.right(), outcome.tally.misses), (4, 0), "{what}");
    let (first, end) = (shortest(&first_bytes(&outcome)), shortest(&outcome.tally.latencies));
    assert!(first >= BEFORE_BODY, "{what}: {first:?}");
    assert!(
        end >= BEFORE_BODY + WITHIN_BODY && first + WITHIN_BODY / 2 <= end,
        "{what}: {first:?}, {end:?}"
    );
}

#[test]
fn it_is_apart_from_the_end_in_each_protocol() {
    both_ways(|io| {
        is_apart(io, target(serve(serve_h1(by_length(13)))), "h1, by length");
        is_apart(io, target(serve(serve_h1(in_chunks()))), "h1, in chunks");
        let unread = target(serve(serve_h1(by_length(300_000))));
        is_apart(io, unread, "h1, most of it counted and not read");
        let h2c = serve(|talk| serve_h2(Peer::new(talk.stream, &[])));
        is_apart(io, Target { scheme: Scheme::H2c, ..target(h2c) }, "h2c");
        let (address, ca) = Server::default().serve(|mut talk| {
            while talk.next_request().is_some() {
                say_slowly(&by_length(13), |part| talk.say(part) && talk.stream.flush().is_ok());
            }
        });
        is_apart(io, sealed(address, Scheme::H1Tls, Some(&ca), false), "h1-tls");
        let server = Server { alpn: &["h2"], ..Server::default() };
        let (address, ca) = server.serve(|talk| serve_h2(Peer::new(talk.stream, &[])));
        is_apart(io, sealed(address, Scheme::H2, Some(&ca), false), "h2");
    });
}

/// Where counting begins with the body's first byte, that byte is not read either.
#[test]
fn it_is_known_of_bodies_of_which_no_byte_is_read() {
    both_ways(|io| {
        let body = vec![b'x'; 300_000];
        let usual = answer_with(&body);
        let [head, _, first, rest] = by_length(body.len());
        let address = serve(move |mut talk| {
            while talk.next_request().is_some() {
                // The first answer teaches that large ones come.
                talk.say(&usual);
                let _ = talk.next_request();
                say_slowly(&[head.clone(), vec![], first.clone(), rest.clone()], |part| {
                    talk.say(part)
                });
            }
        });
        let outcome = load(io, any(target(address)), &requests(2));
        assert!(outcome.tally.bytes_counted >= 300_000);
        let slow = first_bytes(&outcome).quantile_us(1.0, 0).unwrap();
        assert!(
            slow >= 30e3 && slow <= outcome.tally.latencies.quantile_us(1.0, 0).unwrap() - 25e3
        );
    });
}

/// Whatever the server's pauses, where the body is whole or there is none.
#[test]
fn it_is_the_end_of_bodies_in_one_piece() {
    let whole = |target: Target, io: IoChoice, plan: &Plan| {
        let outcome = load(io, target, plan);
        assert!(outcome.tally.right() > 0 && outcome.tally.misses == 0);
        assert!(outcome.tally.first_bytes.of_all(&outcome.tally.latencies).is_none());
    };
    both_ways(move |io| {
        let [head, _, mut first, rest] = by_length(13);
        first.extend_from_slice(&rest);
        let behind_its_head = serve_h1([head.clone(), vec![], first, vec![]]);
        whole(any(target(serve(behind_its_head))), io, &requests(3));
        let [head_of_chunks, size, ..] = in_chunks();
        let chunk = serve_h1([head_of_chunks, size, b"xy\r\n0\r\n\r\n".to_vec(), vec![]]);
        whole(any(target(serve(chunk))), io, &requests(3));
        let empty = ["HTTP/1.1 200 O", "", "K\r\nContent-Length: 0\r\n", "\r\n"];
        let empty = serve_h1(empty.map(|part| part.as_bytes().to_vec()));
        whole(any(target(serve(empty))), io, &requests(3));
        let to_head = Request { method: "HEAD".into(), ..request(b"") };
        let to_head = Target {
            books: book(&to_head, None, 1),
            ..target(serve(serve_h1([head, vec![], vec![], vec![]])))
        };
        whole(to_head, io, &requests(3));
        let h2c = serve(|talk| {
            let mut peer = Peer::new(talk.stream, &[]);
            loop {
                let (streams, mut out) = (peer.requests(), Vec::new());
                for &stream in &streams {
                    answer(&mut out, stream);
                }
                if streams.is_empty() || !peer.say(&out) {
                    return;
                }
            }
        });
        whole(Target { scheme: Scheme::H2c, ..any(target(h2c)) }, io, &requests(3));
        whole(target(crate::world::servers::counting(GOOD).0), io, &requests(100));
    });
}

#[test]
fn in_an_open_loop_it_counts_from_the_time_when_the_request_was_due() {
    both_ways(|io| {
        let target = any(target(serve(serve_h1(by_length(13)))));
        // One request at a time takes 80 ms, and one is due every 20 ms.
        let outcome = load(io, target, &at_rate(50.0, 0, 100));
        let first = first_bytes(&outcome).quantile_us(1.0, 0).unwrap();
        assert!(first >= (4.0 * 80.0 - 4.0 * 20.0 + 30.0) * 1e3, "{first}");
    });
}
