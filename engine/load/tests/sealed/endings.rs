//! How connections end in TLS: with `close_notify` or without it.

use crate::world::guard::both_ways;
use crate::world::loading::{GOOD, book, errors, load, request, requests};
use crate::world::sealed::{Secure, Server, say_goodbye, sealed};
use std::io::{Read, Write};
use std::sync::Mutex;
use std::sync::mpsc::channel;
use volley_load::errors::ErrorKind;
use volley_load::scheme::Scheme;
use volley_load::target::Target;
use volley_net::IoChoice;

/// Expects these errors of one request of one connection to a server that does `ending` with it.
fn comes_to(
    io: IoChoice,
    ending: impl Fn(Secure) + Send + Sync + 'static,
    expected: Option<(ErrorKind, &str)>,
) {
    let (address, ca) = Server::default().serve(move |mut talk| {
        if talk.next_request().is_some() {
            ending(talk);
        }
    });
    let books = book(&request(b""), None, 1);
    let target = sealed(address, Scheme::H1Tls, Some(&ca), false);
    let outcome = load(io, Target { connections: 1, books, ..target }, &requests(1));
    let tally = &outcome.tally;
    let kinds: Vec<_> = expected.iter().map(|&(kind, _)| (kind, 1)).collect();
    assert_eq!(errors(&outcome), kinds, "{:?}", tally.first_bad);
    assert_eq!(tally.requests_all, u64::from(expected.is_none()));
    if let Some((_, words)) = expected {
        let bad = tally.first_bad.as_ref().unwrap();
        assert!(bad.detail.contains(words), "{}", bad.detail);
    }
}

/// Sends the bytes and closes.
fn say(answer: &'static [u8]) -> impl Fn(Secure) + Send + Sync + 'static {
    move |mut talk| {
        talk.say(answer);
    }
}

const TO_THE_END: &[u8] = b"HTTP/1.1 200 OK\r\n\r\nto the end";

#[test]
fn without_a_goodbye_only_what_needed_the_end_is_cut_off() {
    both_ways(|io| {
        comes_to(io, say(GOOD), None);
        let cut = Some((ErrorKind::EarlyClose, "without the goodbye of TLS"));
        comes_to(io, say(&GOOD[..GOOD.len() - 1]), cut);
        comes_to(io, say(TO_THE_END), cut);
        comes_to(io, drop, cut);
    });
}

#[test]
fn with_a_goodbye_the_end_is_the_answer_s() {
    both_ways(|io| {
        let bid = |answer: &'static [u8]| {
            move |mut talk: Secure| {
                talk.say(answer);
                say_goodbye(talk);
            }
        };
        comes_to(io, bid(GOOD), None);
        comes_to(io, bid(TO_THE_END), None);
        let early = |words| Some((ErrorKind::EarlyClose, words));
        comes_to(io, bid(&GOOD[..GOOD.len() - 1]), early("bytes of the answer"));
        comes_to(io, bid(b""), early("instead of an answer"));
    });
}

#[test]
fn bytes_that_are_no_records_break_an_open_connection() {
    both_ways(|io| {
        let garbage = |mut talk: Secure| {
            let _ = talk.stream.sock.write_all(b"\x17\x03\x03\x00\x05hello");
            let _ = talk.stream.sock.read_to_end(&mut Vec::new());
        };
        comes_to(io, garbage, Some((ErrorKind::Write, "TLS: cannot decrypt")));
    });
}

#[test]
fn a_connection_that_is_done_with_is_ended_with_a_goodbye() {
    both_ways(|io| {
        let (sender, ends) = channel();
        let sender = Mutex::new(sender);
        let (address, ca) = Server::default().serve(move |mut talk| {
            if talk.next_request().is_some() {
                talk.say(GOOD);
                // An end without `close_notify` is an error.
                let end = talk.stream.read(&mut [0; 1]).map_err(|error| error.kind());
                let _ = sender.lock().unwrap().send(end);
            }
        });
        let target = sealed(address, Scheme::H1Tls, Some(&ca), false);
        let target = Target { requests_per_connection: Some(1), connections: 1, ..target };
        let outcome = load(io, target, &requests(40));
        assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 40));
        // `close_notify` is lost where io_uring has not yet reported the request as sent when its
        // answer is there: this is rare.
        let in_due_form = ends.iter().take(40).filter(|&end| end == Ok(0)).count();
        assert!(in_due_form >= 20, "{in_due_form} of 40");
    });
}
