//! A warm HTTP/2 connection allocates nothing, whatever the server repeats or changes in its heads.

use allocation_counter::measure;
use std::sync::Arc;
use volley_protocol::h2::frame;
use volley_protocol::h2::hpack::{Indexing, write_field, write_indexed, write_literal};
use volley_protocol::{
    Awaited, BodyRule, Expectation, Http2, Io, Protocol, Request, StatusRule, Step, Verdict,
};

const DEPTH: u32 = 8;

/// The head of the nth answer.
fn block(nth: u32) -> Vec<u8> {
    let mut block = Vec::new();
    match nth % 16 {
        // nginx adds its fields to the table each time.
        0..4 => {
            write_indexed(&mut block, 8);
            write_literal(&mut block, Indexing::Added, "server", "nginx/1.22.1");
            write_literal(&mut block, Indexing::Added, "date", &format!("Sat, 21 Nov {nth:04}"));
        }
        // Other heads refer to these fields.
        4..12 => block.extend_from_slice(b"\x88\xbe\xbf"),
        // Others do not use the table.
        _ => {
            write_field(&mut block, ":status", "200");
            write_field(&mut block, "server", "x");
            write_field(&mut block, "content-length", "13");
        }
    }
    block
}

/// Sends `DEPTH` requests and answers them in reverse order and in pieces.
fn round(
    client: &mut Http2<u32>,
    shared: &mut <Http2<u32> as Protocol<u32>>::Shared,
    (incoming, out): (&[u8], &mut Vec<u8>),
) {
    out.clear();
    for ticket in 0..DEPTH {
        client.write(ticket, ticket as usize % 2, shared, out);
    }
    let awaited = |_| Awaited { expectation: 0, to_head: false };
    let mut done = 0;
    for mut piece in incoming.chunks(100) {
        loop {
            match client.receive(piece, awaited, shared, &mut Io { now_ns: 1, out }).unwrap() {
                Step::Incomplete => break,
                Step::Complete(answer) => {
                    assert_eq!(answer.verdict, Verdict::Right);
                    piece = &piece[answer.consumed..];
                    assert!(client.finish().is_some());
                    done += 1;
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(done, DEPTH);
}

#[test]
fn a_warm_connection_allocates_nothing() {
    let expectation = Expectation {
        body: BodyRule::Exactly(b"Hello, World!".to_vec()),
        ..Expectation::of_status(StatusRule::Exactly(200))
    };
    let get = Request {
        method: "GET".into(),
        path: "/".into(),
        host: "localhost:1".into(),
        headers: vec![("User-Agent".into(), "volley".into())],
        ..Request::default()
    };
    let post = Request { method: "POST".into(), body: vec![b'x'; 20].into(), ..get.clone() };
    let requests = [Arc::new(get), Arc::new(post)];
    let mut shared = <Http2<u32> as Protocol<u32>>::shared(&[Arc::new(expectation)], &requests);
    let (mut client, mut out) = (Http2::<u32>::default(), Vec::with_capacity(64 * 1024));
    client.greet(&mut shared, &mut out);
    let mut hello = Vec::new();
    frame::write_settings(&mut hello, &[]);
    let awaited = |_| Awaited { expectation: 0, to_head: false };
    let io = &mut Io { now_ns: 1, out: &mut out };
    let step = client.receive(&hello, awaited, &mut shared, io);
    assert_eq!(step, Some(Step::Incomplete));
    let rounds: Vec<Vec<u8>> = (0..500)
        .map(|round| {
            let mut bytes = Vec::new();
            for nth in round * DEPTH..(round + 1) * DEPTH {
                let stream = 2 * (2 * round * DEPTH + DEPTH - 1 - nth) + 1;
                frame::write_headers(&mut bytes, stream, &block(nth), false, 16_384);
                frame::write_data(&mut bytes, stream, b"Hello, ", false, 16_384);
                frame::write_data(&mut bytes, stream, b"World!", true, 16_384);
            }
            frame::write(&mut bytes, frame::kind::PING, 0, 0, b"12345678");
            // The window for the requests' bodies is renewed.
            frame::write_window_update(&mut bytes, 0, DEPTH / 2 * 20);
            bytes
        })
        .collect();
    let (warming, warm) = rounds.split_at(100);
    for incoming in warming {
        round(&mut client, &mut shared, (incoming, &mut out));
    }
    let allocated = measure(|| {
        for incoming in warm {
            round(&mut client, &mut shared, (incoming, &mut out));
        }
    });
    assert_eq!(allocated.count_total, 0);
    assert_eq!(measure(|| drop(out.clone())).count_total, 1, "they are counted");
}
