//! Large answers that fail halfway, after one that was right and whose head is known.

use crate::world::guard::both_ways;
use crate::world::loading::{book, errors, load, request, requests, target};
use crate::world::servers::{Close, Conversation, answer_with, serve};
use std::sync::atomic::{AtomicBool, Ordering};
use volley_load::errors::ErrorKind;
use volley_load::target::Target;
use volley_net::clock::MS;

/// The length of a body, several receives long, and its half.
const LENGTH: usize = 300_000;
const HALF: usize = 150_000;

/// The number of requests.
const COUNT: u64 = 4;

/// The server's behaviour after the bytes that it sends once, instead of its second answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    GoesOn,
    Stalls,
    Closes(Close),
}

/// At most one request is not answered, and the errors are this one or none, whether the body is
/// checked or not.
fn comes_to(said: Vec<u8>, then: Then, expected: Option<ErrorKind>) {
    both_ways(move |io| {
        for looks in [false, true] {
            let (body, said, was_said) = (vec![b'x'; LENGTH], said.clone(), AtomicBool::new(false));
            let whole = answer_with(&body);
            let address = serve(move |mut conversation: Conversation| {
                let mut is_known = false;
                while conversation.next_request().is_some() {
                    if !std::mem::replace(&mut is_known, true)
                        || was_said.swap(true, Ordering::SeqCst)
                    {
                        conversation.say(&whole);
                        continue;
                    }
                    conversation.say(&said);
                    match then {
                        Then::GoesOn => {}
                        Then::Stalls => return drop(conversation.next_request()),
                        Then::Closes(how) => return conversation.close(how),
                    }
                }
            });
            let books = book(&request(b""), looks.then_some(&body), 1);
            let request_timeout_ns = MS * if then == Then::Stalls { 1000 } else { 30_000 };
            let target = Target { connections: 1, books, request_timeout_ns, ..target(address) };
            let outcome = load(io, target, &requests(COUNT));
            let expected: Vec<_> = expected.into_iter().map(|kind| (kind, 1)).collect();
            assert_eq!(errors(&outcome), expected, "looks at the body: {looks}");
            let (answered, missed) = (outcome.tally.requests_all, outcome.tally.misses);
            assert_eq!(answered + missed, COUNT);
            assert!(missed <= expected.len() as u64);
            assert_eq!(outcome.tally.bytes_counted > 0, !looks);
        }
    });
}

/// The head of the right answer and this many bytes of its body.
fn part(length: usize) -> Vec<u8> {
    let mut answer = answer_with(&vec![b'x'; LENGTH]);
    answer.truncate(answer.len() - LENGTH + length);
    answer
}

/// A body in chunks of these lengths, without the last chunk.
fn chunks(lengths: &[usize]) -> Vec<u8> {
    let mut answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for &length in lengths {
        answer.extend_from_slice(format!("{length:x}\r\n").as_bytes());
        answer.resize(answer.len() + length, b'x');
        answer.extend_from_slice(b"\r\n");
    }
    answer
}

#[test]
fn one_that_stalls() {
    comes_to(part(HALF), Then::Stalls, Some(ErrorKind::Timeout));
}

#[test]
fn one_that_is_cut_short() {
    comes_to(part(HALF), Then::Closes(Close::Fin), Some(ErrorKind::EarlyClose));
    comes_to(part(HALF), Then::Closes(Close::Reset), Some(ErrorKind::Reset));
    comes_to(part(LENGTH - 1), Then::Closes(Close::Fin), Some(ErrorKind::EarlyClose));
}

#[test]
fn one_that_is_longer_than_it_says() {
    let longer = [part(LENGTH), part(LENGTH)[1..].to_vec()].concat();
    comes_to(longer, Then::GoesOn, Some(ErrorKind::Malformed));
}

#[test]
fn one_that_comes_in_chunks_all_of_a_sudden() {
    let last = b"0\r\n\r\n".to_vec();
    let whole = [chunks(&[HALF, LENGTH - HALF]), last].concat();
    comes_to(whole, Then::GoesOn, None);
    comes_to(chunks(&[HALF]), Then::Stalls, Some(ErrorKind::Timeout));
    comes_to(chunks(&[HALF]), Then::Closes(Close::Fin), Some(ErrorKind::EarlyClose));
    let broken = [chunks(&[HALF]), b"no number\r\n".to_vec()].concat();
    comes_to(broken, Then::GoesOn, Some(ErrorKind::Malformed));
}
