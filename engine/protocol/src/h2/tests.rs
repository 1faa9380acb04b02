//! Frames that we send, and when: bodies within windows, the numbers of streams, successive
//! connections.

use super::Http2;
use super::frame::{self, FrameHead, HEAD_LENGTH, STREAM_LIMIT, flag, kind, setting};
use crate::check::{Expectation, StatusRule};
use crate::protocol::{Awaited, End, Io, Protocol, Refusal, Step};
use crate::request::Request;
use std::sync::Arc;

const BODY: usize = 100_000;

/// A client with requests for `/` (0) and with a long body (1).
struct Client {
    http2: Http2<u32>,
    shared: super::Shared,
    out: Vec<u8>,
}

impl Client {
    /// Greets a server with these SETTINGS.
    fn of(settings: &[(u16, u32)]) -> Self {
        let get =
            Request { method: "GET".into(), path: "/".into(), host: "a".into(), ..<_>::default() };
        let put = Request { method: "PUT".into(), body: vec![b'x'; BODY].into(), ..get.clone() };
        let rule = Arc::new(Expectation::of_status(StatusRule::Below(600)));
        let requests = [Arc::new(get), Arc::new(put)];
        let shared = <Http2<u32> as Protocol<u32>>::shared(&[rule], &requests);
        let mut client = Self { http2: Http2::default(), shared, out: Vec::new() };
        client.greet(settings);
        client
    }

    fn greet(&mut self, settings: &[(u16, u32)]) {
        self.out.clear();
        self.http2.greet(&mut self.shared, &mut self.out);
        assert_eq!(&self.out[..24], frame::PREFACE);
        self.out.drain(..24);
        assert_eq!(self.said(), ["SETTINGS 0: 30", "WINDOW_UPDATE 0: 4"]);
        assert_eq!((self.http2.room(9), self.http2.announced()), (1, None));
        assert_eq!(self.hear(|out| frame::write_settings(out, settings)), Step::Incomplete);
        assert_eq!(self.said(), ["SETTINGS 0: 0 ACK"]);
    }

    fn ask(&mut self, ticket: u32, message: usize) {
        self.http2.write(ticket, message, &mut self.shared, &mut self.out);
    }

    fn hear(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Step {
        let mut bytes = Vec::new();
        write(&mut bytes);
        let awaited = |_| Awaited { expectation: 0, to_head: false };
        let io = &mut Io { now_ns: 1, out: &mut self.out };
        self.http2.receive(&bytes, awaited, &mut self.shared, io).unwrap()
    }

    /// A whole answer on a stream; returns whether the connection is kept.
    fn answer(&mut self, stream: u32) -> bool {
        match self.hear(|out| frame::write_headers(out, stream, b"\x88", true, 16_384)) {
            Step::Complete(answer) => answer.keep_alive,
            other => panic!("{other:?}"),
        }
    }

    /// The frames that were sent, as text. Successive frames of a body count as one.
    fn said(&mut self) -> Vec<String> {
        let mut said: Vec<(String, u32, u32, String)> = Vec::new();
        let bytes = std::mem::take(&mut self.out);
        let mut rest = &bytes[..];
        while let Some(head) = rest.first_chunk() {
            let head = FrameHead::read(head);
            rest = &rest[HEAD_LENGTH + head.length as usize..];
            let name = match head.kind {
                kind::DATA => "DATA",
                kind::HEADERS => "HEADERS",
                kind::RST_STREAM => "RST_STREAM",
                kind::SETTINGS => "SETTINGS",
                kind::GOAWAY => "GOAWAY",
                kind::WINDOW_UPDATE => "WINDOW_UPDATE",
                other => panic!("kind {other}"),
            };
            let flag = match (head.kind, head.has(flag::END_STREAM)) {
                (kind::SETTINGS, true) => " ACK",
                (_, true) => " END",
                _ => "",
            };
            match said.last_mut() {
                Some((last, stream, length, last_flag))
                    if *last == name && *stream == head.stream && name == "DATA" =>
                {
                    *length += head.length;
                    flag.clone_into(last_flag);
                }
                _ => said.push((name.into(), head.stream, head.length, flag.into())),
            }
        }
        let words = |(name, stream, length, flag)| format!("{name} {stream}: {length}{flag}");
        said.into_iter().map(words).filter(|words| !words.starts_with("HEADERS")).collect()
    }
}

#[test]
fn a_body_waits_for_both_windows() {
    let mut client = Client::of(&[(setting::INITIAL_WINDOW_SIZE, 40_000)]);
    client.ask(0, 1);
    client.ask(1, 1);
    // The stream's window is the smaller one, then the connection's.
    assert_eq!(client.said(), ["DATA 1: 40000", "DATA 3: 25535"]);
    client.hear(|out| frame::write_window_update(out, 1, 100_000));
    assert_eq!(client.said(), [""; 0]);
    client.hear(|out| frame::write_window_update(out, 0, 20_000));
    assert_eq!(client.said(), ["DATA 1: 20000"], "the oldest goes first");
    client.hear(|out| frame::write_window_update(out, 0, 1_000_000));
    assert_eq!(client.said(), ["DATA 1: 40000 END", "DATA 3: 14465"]);
    client.hear(|out| frame::write_settings(out, &[(setting::INITIAL_WINDOW_SIZE, 50_000)]));
    assert_eq!(client.said(), ["SETTINGS 0: 0 ACK", "DATA 3: 10000"]);
    client.hear(|out| frame::write_settings(out, &[(setting::INITIAL_WINDOW_SIZE, 0)]));
    client.hear(|out| frame::write_window_update(out, 3, 50_001));
    assert_eq!(client.said(), ["SETTINGS 0: 0 ACK", "DATA 3: 1"], "it was less than nothing");
    client.hear(|out| frame::write_window_update(out, 3, 100_000));
    assert_eq!(client.said(), ["DATA 3: 49999 END"]);
    assert_eq!(client.http2.waiting, 0);
}

#[test]
fn a_body_that_nobody_needs_is_not_sent_on() {
    let mut client = Client::of(&[]);
    client.ask(0, 1);
    assert_eq!(client.said(), ["DATA 1: 65535"]);
    assert!(client.answer(1));
    assert_eq!(client.said(), ["RST_STREAM 1: 4"]);
    assert_eq!((client.http2.finish(), client.http2.waiting), (Some(0), 0));
    // The server sends the same SETTINGS, and returns the windows: neither is an error.
    assert_eq!(client.hear(|out| frame::write_rst_stream(out, 1, 0)), Step::Incomplete);
    assert_eq!(client.hear(|out| frame::write_window_update(out, 1, 5)), Step::Incomplete);
    client.hear(|out| frame::write_window_update(out, 0, 65_535));
    client.ask(1, 1);
    assert_eq!(client.said(), ["DATA 3: 65535"]);
    let refused = client.hear(|out| frame::write_rst_stream(out, 3, frame::code::REFUSED_STREAM));
    assert!(matches!(refused, Step::Refused { .. }));
    assert_eq!((client.http2.finish(), client.http2.waiting), (Some(1), 0));
    client.hear(|out| frame::write_window_update(out, 0, 65_535));
    assert_eq!(client.said(), [""; 0]);
}

#[test]
fn the_last_stream_is_the_last() {
    let mut client = Client::of(&[]);
    client.http2.next_number = STREAM_LIMIT - 2;
    assert_eq!(client.http2.room(9), 2);
    client.ask(0, 0);
    assert!(client.answer(STREAM_LIMIT - 2));
    client.http2.finish();
    assert_eq!(client.http2.room(9), 1);
    client.ask(1, 0);
    assert_eq!(client.http2.room(9), 0);
    assert!(!client.answer(STREAM_LIMIT));
}

#[test]
fn a_connection_is_kept_until_the_last_answer_of_those_that_the_server_takes() {
    let mut client = Client::of(&[]);
    for ticket in 0..4 {
        client.ask(ticket, 0);
    }
    let mut bytes = Vec::new();
    frame::write_goaway(&mut bytes, 3, frame::code::NO_ERROR);
    let mut refused = Vec::new();
    let mut rest = &bytes[..];
    let awaited = |_| Awaited { expectation: 0, to_head: false };
    while !rest.is_empty() {
        let io = &mut Io { now_ns: 1, out: &mut client.out };
        match client.http2.receive(rest, awaited, &mut client.shared, io).unwrap() {
            Step::Refused { consumed, what } => {
                assert_eq!(what, Refusal::HandedBack);
                refused.push(client.http2.finish().unwrap());
                rest = &rest[consumed..];
            }
            Step::Incomplete => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((refused, client.http2.in_flight(), client.http2.room(9)), (vec![2, 3], 2, 0));
    assert!(client.answer(3), "another answer comes");
    client.http2.finish();
    assert!(!client.answer(1));
    client.http2.finish();
    client.http2.write_goodbye(&mut client.out);
    assert_eq!(client.said().last().unwrap(), "GOAWAY 0: 8");
}

#[test]
fn a_new_connection_knows_nothing_of_the_former() {
    let mut client = Client::of(&[(setting::MAX_CONCURRENT_STREAMS, 3)]);
    client.ask(0, 0);
    let first = std::mem::take(&mut client.out);
    client.ask(1, 1);
    client.ask(2, 0);
    assert_eq!((client.http2.room(9), client.http2.oldest()), (0, Some(0)));
    // A head in the middle, with a field for the table; then the server closes.
    client.hear(|out| frame::write_headers(out, 1, b"\x88\x40\x01a\x01b", false, 4));
    client.hear(|out| out.extend_from_slice(b"\0\0\x04"));
    assert_eq!(
        client.http2.end(|_| Awaited { expectation: 0, to_head: false }, &mut client.shared),
        End::Short(6)
    );
    assert_eq!([(); 4].map(|()| client.http2.take_unanswered()), [Some(0), Some(1), Some(2), None]);
    client.greet(&[]);
    assert_eq!((client.http2.room(9), client.http2.waiting), (9, 0));
    client.ask(5, 0);
    assert_eq!(client.out, first, "all is said again");
    assert!(client.answer(1));
    assert_eq!(client.http2.finish(), Some(5));
    // The table is empty again.
    client.ask(6, 0);
    let unknown = client.hear(|out| frame::write_headers(out, 3, b"\x88\xbe", true, 16_384));
    let Step::Malformed(bad) = unknown else { panic!("{unknown:?}") };
    assert_eq!((bad.what, bad.at), ("an index that no header table has", 9 + 10));
}

#[test]
fn a_request_is_given_up_without_its_connection() {
    let mut client = Client::of(&[]);
    client.ask(0, 1);
    client.ask(1, 0);
    client.said();
    // Nothing has arrived since: the connection may be dead.
    assert!(!client.http2.cancel(u64::from, &mut client.out));
    client.hear(|out| frame::write_window_update(out, 0, 1));
    assert!(client.http2.cancel(u64::from, &mut client.out));
    assert_eq!((client.http2.completed(), client.http2.finish()), (Some(0), Some(0)));
    assert_eq!(client.said(), ["RST_STREAM 1: 4"]);
    assert_eq!((client.http2.in_flight(), client.http2.oldest()), (1, Some(1)));
    // Its answer was on its way. It is skipped, but its head is in the decoder's table.
    client.hear(|out| frame::write_headers(out, 1, b"\x88\x40\x01a\x01b", false, 16_384));
    client.hear(|out| frame::write_data(out, 1, &vec![b'x'; 70_000], true, 16_384));
    assert_eq!(client.http2.streams.given_up(), 0, "it is over");
    let indexed = client.hear(|out| frame::write_headers(out, 3, b"\x88\xbe", true, 16_384));
    assert!(matches!(indexed, Step::Complete(_)), "{indexed:?}");
    assert_eq!(client.http2.finish(), Some(1));
    let late = client.hear(|out| frame::write_data(out, 1, b"x", true, 16_384));
    assert!(matches!(late, Step::Malformed(bad) if bad.what == "DATA on a stream that is over"));
}

#[test]
fn what_was_given_up_may_be_reset_or_refused_or_never_end() {
    let mut client = Client::of(&[]);
    for ticket in 0..3 {
        client.ask(ticket, 0);
    }
    client.hear(|out| frame::write_settings(out, &[]));
    for ticket in 0..2 {
        assert!(client.http2.cancel(u64::from, &mut client.out));
        assert_eq!(client.http2.finish(), Some(ticket));
    }
    assert_eq!(client.hear(|out| frame::write_rst_stream(out, 1, 0)), Step::Incomplete);
    let gone = client.hear(|out| frame::write_goaway(out, 1, frame::code::NO_ERROR));
    assert!(matches!(gone, Step::Refused { what: Refusal::HandedBack, .. }), "{gone:?}");
    assert_eq!((client.http2.finish(), client.http2.in_flight()), (Some(2), 0));
    client.greet(&[]);
    for ticket in 0..=100 {
        client.ask(ticket, 0);
        client.hear(|out| frame::write_settings(out, &[]));
        assert_eq!(client.http2.cancel(u64::from, &mut client.out), ticket < 100, "{ticket}");
        if ticket < 100 {
            client.http2.finish();
        }
    }
}
