//! A client with three requests in flight, and the frames of a server that may send anything.

use std::fmt::Write;
use std::sync::Arc;
use volley_protocol::h2::frame::{self, code, flag, kind};
use volley_protocol::{
    Answer, Awaited, End, Expectation, Http2, Io, Protocol, Request, StatusRule, Step, Verdict,
};

/// Both ends of a head or of a body.
pub const END_HEADERS: u8 = flag::END_HEADERS;
pub const END_STREAM: u8 = flag::END_STREAM;

/// `:status: 200`, as each table has it.
pub const OK: &[u8] = b"\x88";

/// The streams of a GET, of another, and of a HEAD. Their tickets have the same numbers.
pub const IN_FLIGHT: [u32; 3] = [1, 3, 5];

/// One frame.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write(&mut bytes, kind, flags, stream, payload);
    bytes
}

/// A head in one frame; the answer continues.
pub fn head(stream: u32, block: &[u8]) -> Vec<u8> {
    frame(kind::HEADERS, END_HEADERS, stream, block)
}

/// The same, as the end of the answer.
pub fn last_head(stream: u32, block: &[u8]) -> Vec<u8> {
    frame(kind::HEADERS, END_HEADERS | END_STREAM, stream, block)
}

/// A piece of a body.
pub fn data(stream: u32, piece: &[u8]) -> Vec<u8> {
    frame(kind::DATA, 0, stream, piece)
}

/// The last piece.
pub fn last_data(stream: u32, piece: &[u8]) -> Vec<u8> {
    frame(kind::DATA, END_STREAM, stream, piece)
}

/// A right answer.
pub fn good(stream: u32) -> Vec<u8> {
    [head(stream, OK), last_data(stream, b"hello")].concat()
}

/// A field as a literal that no table takes in, without Huffman's code.
pub fn field(name: &str, value: &str) -> Vec<u8> {
    let [name_length, value_length] =
        [name, value].map(|text| u8::try_from(text.len()).ok().filter(|&n| n < 127).unwrap());
    [&[0, name_length][..], name.as_bytes(), &[value_length], value.as_bytes()].concat()
}

/// The head of an answer with status 200 and one more field.
pub fn with(name: &str, value: &str) -> Vec<u8> {
    [OK, &field(name, value)].concat()
}

pub fn settings(settings: &[(u16, u32)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write_settings(&mut bytes, settings);
    bytes
}

pub fn window(stream: u32, more: u32) -> Vec<u8> {
    frame(kind::WINDOW_UPDATE, 0, stream, &more.to_be_bytes())
}

pub fn reset(stream: u32, code: u32) -> Vec<u8> {
    frame(kind::RST_STREAM, 0, stream, &code.to_be_bytes())
}

pub fn goaway(last: u32, code: u32) -> Vec<u8> {
    frame(kind::GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat())
}

/// A client, and the outcomes of its requests.
pub struct Client {
    connection: Http2<u32>,
    shared: <Http2<u32> as Protocol<u32>>::Shared,
    /// The bytes that it sent, from its preface on.
    pub said: Vec<u8>,
    /// The outcomes of the requests in the order in which they occurred: `1: 200, 5 bytes`,
    /// `3: reset …`; at the end perhaps `broken: …`, `unasked`, or `last` after the connection's
    /// last answer.
    events: Vec<String>,
    is_over: bool,
}

fn awaited(ticket: u32) -> Awaited {
    Awaited { expectation: 0, to_head: ticket == 5 }
}

impl Client {
    /// A client that has sent its preface.
    pub fn new() -> Self {
        let anything = Arc::new(Expectation::of_status(StatusRule::Below(600)));
        let request = |method: &str| {
            let (method, path, host) = (method.into(), "/".into(), "localhost".into());
            Arc::new(Request { method, path, host, ..Request::default() })
        };
        let requests = [request("GET"), request("HEAD")];
        let mut shared = Http2::<u32>::shared(&[anything], &requests);
        let (mut connection, mut said) = (Http2::default(), Vec::new());
        connection.greet(&mut shared, &mut said);
        Self { connection, shared, said, events: Vec::new(), is_over: false }
    }

    /// A client that has received a server's SETTINGS, and has its requests in flight.
    pub fn asking() -> Self {
        let mut client = Self::new();
        client.hear(&settings(&[]));
        client.ask();
        client
    }

    /// Sends the requests.
    pub fn ask(&mut self) {
        for ticket in IN_FLIGHT {
            assert!(self.connection.room(100) > 0, "no room for {ticket}");
            let message = usize::from(ticket == 5);
            self.connection.write(ticket, message, &mut self.shared, &mut self.said);
        }
        assert_eq!(self.connection.in_flight(), IN_FLIGHT.len());
    }

    pub fn room(&self, depth: usize) -> usize {
        self.connection.room(depth)
    }

    /// Feeds bytes in one piece.
    pub fn hear(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.is_over {
            let Self { connection, shared, said, .. } = self;
            match connection.receive(bytes, awaited, shared, &mut Io { now_ns: 1, out: said }) {
                None => self.is_over("unasked".into()),
                Some(Step::Incomplete) => return,
                Some(Step::Malformed(wrong)) => {
                    assert!(said.ends_with(&goaway(0, code_of(wrong.what))), "{}", wrong.what);
                    self.is_over(format!("broken: {}", wrong.what));
                }
                Some(Step::Complete(answer)) => {
                    self.finish(&answer_in_words(&answer));
                    if !answer.keep_alive {
                        self.is_over("last".into());
                    }
                    bytes = &bytes[answer.consumed..];
                }
                Some(Step::Lost(loss)) => self.is_over(loss.to_string()),
                Some(Step::Refused { consumed, what }) => {
                    self.finish(&what.to_string());
                    bytes = &bytes[consumed..];
                }
            }
        }
    }

    /// Ends the connection. Returns the outcomes of the requests, and of those in flight.
    pub fn outcome(mut self) -> String {
        if !self.is_over && self.connection.in_flight() > 0 {
            match self.connection.end(awaited, &mut self.shared) {
                End::Short(_) => {}
                End::Complete(_) => self.events.push("complete at the end".into()),
            }
        }
        let left = std::iter::from_fn(|| self.connection.take_unanswered()).count();
        assert!(left <= IN_FLIGHT.len(), "{left} requests are in flight");
        self.events.join("; ")
    }

    fn finish(&mut self, words: &str) {
        let ticket = self.connection.completed().expect("it has a ticket");
        assert_eq!(self.connection.finish(), Some(ticket));
        self.events.push(format!("{ticket}: {words}"));
    }

    fn is_over(&mut self, words: String) {
        self.events.push(words);
        self.is_over = true;
    }
}

/// The error code of a broken rule (RFC 9113, section 7).
fn code_of(what: &str) -> u32 {
    let has = |parts: &[&str]| parts.iter().any(|part| what.contains(part));
    if has(&["is not of", "shorter than", "more than 16384", "multiple of 6", "ACK", "too short"]) {
        code::FRAME_SIZE_ERROR
    } else if has(&["on a stream that is over"]) {
        code::STREAM_CLOSED
    } else if has(&["more than 2147483647"]) {
        code::FLOW_CONTROL_ERROR
    } else if has(&[
        "table",
        "Huffman",
        "a number in a head",
        "longer than its head",
        "within a field",
    ]) {
        code::COMPRESSION_ERROR
    } else if has(&["65536", "128 fields", "1000 frames"]) {
        code::ENHANCE_YOUR_CALM
    } else {
        code::PROTOCOL_ERROR
    }
}

fn answer_in_words(answer: &Answer) -> String {
    assert_eq!(answer.verdict, Verdict::Right);
    let mut words = format!("{}", answer.status);
    if answer.body_length > 0 {
        write!(words, ", {} bytes", answer.body_length).unwrap();
    }
    words
}

/// The outcomes of a conversation in these pieces.
pub fn heard<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut client = Client::asking();
    pieces.into_iter().for_each(|piece| client.hear(piece));
    client.outcome()
}

/// Expects this outcome of some bytes: whole, byte by byte, and cut at each point. For an error of
/// the protocol, `expected` has a part of the message.
pub fn check(rule: &str, bytes: &[u8], expected: &str) {
    let is_as_expected = |outcome: &str, how: &str| {
        let is_right = match expected.find("broken: ") {
            Some(at) => {
                let (before, words) = expected.split_at(at);
                outcome.strip_prefix(before).is_some_and(|rest| {
                    let words = words.trim_start_matches("broken: ");
                    rest.strip_prefix("broken: ").is_some_and(|what| what.contains(words))
                })
            }
            None => outcome == expected,
        };
        assert!(is_right, "{rule}, {how}: {outcome:?}, not {expected:?}");
    };
    is_as_expected(&heard([bytes]), "whole");
    is_as_expected(&heard(bytes.chunks(1)), "byte by byte");
    let step = 1 + bytes.len() / 500;
    for cut in (1..bytes.len()).step_by(step) {
        let (front, back) = bytes.split_at(cut);
        is_as_expected(&heard([front, back]), &format!("cut at {cut}"));
    }
}
