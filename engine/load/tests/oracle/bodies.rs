//! Bodies of all sizes, in each framing: every answer is right, and each of its bytes is counted.

use crate::world::guard::both_ways;
use crate::world::loading::{book, errors, load, request, requests, target};
use crate::world::yardstick::{Yardstick, body};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use volley_load::target::Target;

const REQUESTS: u64 = 24;

/// With a Content-Length, or in chunks.
fn framed(body: &[u8], chunk: Option<usize>) -> Vec<u8> {
    let Some(chunk) = chunk else { return body.to_vec() };
    let pieces = body.chunks(chunk).chain([&[] as &[u8]]);
    pieces
        .flat_map(|piece| [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat())
        .collect()
}

/// The number of bytes of an answer, by a client that knows only where its body has to end.
fn answer_length(address: SocketAddr, body: &[u8]) -> u64 {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    loop {
        let end = answer.windows(4).position(|part: &[u8]| part == b"\r\n\r\n");
        if let Some(head) = end.map(|at| at + 4)
            && answer.len() >= head + body.len()
        {
            assert_eq!(&answer[head..], body);
            return answer.len() as u64;
        }
        let mut buffer = vec![0; 1 << 16];
        let length = stream.read(&mut buffer).unwrap();
        assert!(length > 0, "the answer ends within its body");
        answer.extend_from_slice(&buffer[..length]);
    }
}

fn all_is_counted(length: usize, chunk: Option<usize>, in_single_bytes: bool) {
    both_ways(move |io| {
        let chunked = chunk.map_or(String::new(), |chunk| format!("--chunked {chunk}"));
        let one_byte = if in_single_bytes { "--one-byte" } else { "" };
        let words = format!("--body {length} {chunked} {one_byte}");
        let server = Yardstick::start(&words);
        let body = body(length);
        let answer_length = answer_length(server.address, &framed(&body, chunk));
        let books = book(&request(b""), Some(&body), 1);
        let target = Target { books, ..target(server.address) };
        let outcome = load(io, target, &requests(REQUESTS));
        let tally = &outcome.tally;
        assert_eq!((errors(&outcome), tally.misses, tally.requests), (vec![], 0, REQUESTS));
        assert_eq!(tally.bytes, REQUESTS * answer_length, "{words}");
    });
}

#[test]
fn bodies_of_any_size() {
    for length in [0, 1, 13, 16 << 10, 1 << 20] {
        all_is_counted(length, None, false);
    }
}

#[test]
fn chunks_of_any_size() {
    for (length, chunk) in
        [(1, 1), (13, 5), (16 << 10, 1 << 10), (16 << 10, 1 << 20), (1 << 20, 4000)]
    {
        all_is_counted(length, Some(chunk), false);
    }
}

#[test]
fn one_byte_at_a_time() {
    all_is_counted(13, None, true);
    all_is_counted(13, Some(5), true);
}
