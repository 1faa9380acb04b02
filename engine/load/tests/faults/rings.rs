//! An `io_uring` that runs out of buffers and of places for completions.

use crate::world::guard::both_ways;
use crate::world::loading::{BODY, book, errors, request, requests, run, size, target, workers};
use crate::world::servers::{answer_with, counting};
use std::sync::atomic::Ordering;
use volley_load::target::Target;
use volley_load::workers::Size;
use volley_net::{IoChoice, RingSize};

/// 64 connections share 4 buffers of 4 KiB and 16 places: every answer is counted, once.
fn nothing_is_lost(io: IoChoice, pipeline: usize, body: &[u8], count: u64) {
    let (address, served) = counting(answer_with(body));
    let books = book(&request(b""), Some(body), pipeline);
    let target = Target { connections: 64, pipeline, books, ..target(address) };
    let ring = RingSize { buffers: Some(4), completions: Some(16) };
    let outcome = run(&mut workers(&Size { ring, ..size(io) }, target), &requests(count));
    let tally = &outcome.tally;
    assert_eq!((errors(&outcome), tally.misses, tally.connects), (vec![], 0, 0));
    assert_eq!((tally.requests_all, tally.requests), (count, count));
    assert_eq!((tally.latencies.count(), served.load(Ordering::SeqCst)), (count, count));
    let answers = count * answer_with(body).len() as u64;
    assert_eq!(tally.bytes, answers);
}

#[test]
fn small_answers_on_many_connections() {
    both_ways(|io| nothing_is_lost(io, 1, BODY, 20_000));
}

#[test]
fn small_answers_in_pipelines() {
    both_ways(|io| nothing_is_lost(io, 8, BODY, 20_001));
}

#[test]
fn answers_of_many_buffers_each() {
    let body: Vec<u8> = (0..100_000_u32).map(|n| n.to_le_bytes()[0] ^ n.to_le_bytes()[1]).collect();
    both_ways(move |io| nothing_is_lost(io, 1, &body, 1_000));
}

#[test]
fn long_answers_in_pipelines() {
    let body = vec![b'x'; 20_000];
    both_ways(move |io| nothing_is_lost(io, 8, &body, 1_003));
}
