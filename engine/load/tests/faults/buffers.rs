//! Socket buffers so small that hardly a packet fits.

use crate::world::guard::both_ways;
use crate::world::loading::{book, errors, load, request, requests, target};
use crate::world::servers::{answer_with, serve};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use volley_load::target::Target;
use volley_net::{IoChoice, SocketBuffers};

/// Bytes of which no two stretches are alike, so that an exchange of stretches is found.
fn pattern(length: u32, seed: u32) -> Vec<u8> {
    (0..length).map(|n| (n.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 24) as u8).collect()
}

/// A quarter of a megabyte up and another down, four at a time.
fn all_bytes_arrive(io: IoChoice) {
    const LENGTH: u32 = 1 << 18;
    let (body, answer) = (pattern(LENGTH, 1), pattern(LENGTH, 2));
    let books = book(&request(&body), Some(&answer), 4);
    let expected = books[0].bytes_of(0).to_vec();
    let right = Arc::new(AtomicU64::new(0));
    let counted = right.clone();
    let answer = answer_with(&answer);
    let address = serve(move |mut conversation| {
        while let Some(request) = conversation.next_request() {
            counted.fetch_add(u64::from(request == expected), Ordering::SeqCst);
            conversation.say(&answer);
        }
    });
    // Below 16 KB Linux 6.18 may fail to wake a waiting thread on a busy machine: bytes lay in the
    // socket, and the ring's receive was armed.
    let buffers = SocketBuffers { send: Some(1), receive: Some(1 << 14) };
    let mut target = Target { connections: 1, pipeline: 4, books, ..target(address) };
    target.route.buffers = buffers;
    let outcome = load(io, target, &requests(5));
    assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 5));
    assert_eq!(right.load(Ordering::SeqCst), 5);
}

#[test]
fn long_requests_and_answers_keep_their_order() {
    both_ways(all_bytes_arrive);
}
