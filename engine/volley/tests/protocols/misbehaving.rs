//! Servers of HTTP/2 that break rules: the right kind of error, and no hang. The permitted bytes
//! are tested in `protocol/tests/h2_cases`; this file tests a dozen violations on real sockets.

use crate::common::conversations::{Close, Conversation, serve};
use crate::{load, loads_rightly, ways};
use std::io::Read;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use volley_protocol::h2::frame::{self, FrameHead, HEAD_LENGTH, PREFACE, flag, kind, setting};

/// One frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write(&mut bytes, kind, flags, stream, payload);
    bytes
}

fn head(stream: u32, block: &[u8]) -> Vec<u8> {
    frame(kind::HEADERS, flag::END_HEADERS, stream, block)
}

fn last_data(stream: u32, piece: &[u8]) -> Vec<u8> {
    frame(kind::DATA, flag::END_STREAM, stream, piece)
}

fn good(stream: u32) -> Vec<u8> {
    [head(stream, b"\x88"), last_data(stream, b"hello")].concat()
}

pub(crate) fn settings(settings: &[(u16, u32)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write_settings(&mut bytes, settings);
    bytes
}

fn goaway(last: u32) -> Vec<u8> {
    frame(kind::GOAWAY, 0, 0, &[last.to_be_bytes(), [0; 4]].concat())
}

/// The server's side, frame by frame.
pub(crate) struct Peer(Conversation);

impl Peer {
    /// Reads the preface.
    pub(crate) fn new(mut conversation: Conversation) -> Option<Self> {
        let mut preface = [0; PREFACE.len()];
        conversation.stream.read_exact(&mut preface).ok()?;
        assert_eq!(&preface, PREFACE);
        Some(Self(conversation))
    }

    /// The next frame: its kind, its stream, its length, and its payload.
    pub(crate) fn frame(&mut self) -> Option<(FrameHead, Vec<u8>)> {
        let mut head = [0; HEAD_LENGTH];
        self.0.stream.read_exact(&mut head).ok()?;
        let head = FrameHead::read(&head);
        let mut payload = vec![0; head.length as usize];
        self.0.stream.read_exact(&mut payload).ok()?;
        Some((head, payload))
    }

    /// The stream of the next request.
    fn request(&mut self) -> Option<u32> {
        loop {
            let (head, _) = self.frame()?;
            if head.kind == kind::HEADERS {
                return Some(head.stream);
            }
        }
    }

    pub(crate) fn say(&mut self, bytes: &[u8]) -> bool {
        self.0.say(bytes)
    }

    /// Reads until the client is gone.
    fn listen(mut self) {
        while self.frame().is_some() {}
    }
}

/// A server that sends SETTINGS and does `misdeed` with the first request of each connection.
fn doing(misdeed: impl Fn(Peer, u32) + Send + Sync + 'static) -> SocketAddr {
    serve(move |conversation| {
        let Some(mut peer) = Peer::new(conversation) else { return };
        peer.say(&settings(&[]));
        if let Some(stream) = peer.request() {
            misdeed(peer, stream);
        }
    })
}

/// A server that sends these bytes on the first request, which is on stream 1, and keeps reading.
pub(crate) fn saying(bytes: Vec<u8>) -> SocketAddr {
    doing(move |mut peer, stream| {
        assert_eq!(stream, 1);
        peer.say(&bytes);
        peer.listen();
    })
}

/// Expects this kind of error for one request, with these words in the report.
fn comes_to(what: &str, address: SocketAddr, kind: &str, words: &str) {
    let url = format!("http://{address}/");
    for io in ways() {
        let limits = ["--connect-timeout", "500ms", "--timeout", "500ms"];
        let asked = ["--protocol", "h2c", "-c", "1", "-n", "1", "--expect-body", "hello", io, &url];
        let (status, value) = load(&[&limits[..], &asked].concat());
        assert_eq!(value["errors"], serde_json::json!({ kind: 1 }), "{what}: {value:#}");
        assert_eq!(status, 1, "{what}");
        let detail = value["first_bad"]["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(words), "{what}: {detail}");
    }
}

#[test]
fn answers_that_break_the_protocol() {
    let status = |block: &[u8]| [head(1, block), last_data(1, b"hello")].concat();
    for (what, bytes, words) in [
        ("6.1: a body without a head", last_data(1, b"hello"), "DATA before the head"),
        ("8.4: a push", frame(kind::PUSH_PROMISE, 4, 1, b"\0\0\0\x02\x82"), "PUSH_PROMISE"),
        ("7541, 6.1: an index that is none", status(b"\x80"), "an index"),
        ("8.2.1: a name in upper case", status(b"\x88\x00\x01A\x01b"), "upper case"),
        ("8.3: two statuses", status(b"\x88\x88"), "a second :status"),
        ("8.1.1: a wrong length", status(b"\x88\x0f\x0d\x016"), "less DATA"),
        ("4.2: a frame too long", frame(kind::DATA, 0, 1, &vec![0; 16_385]), "more than 16384"),
        ("6.7: a PING on a stream", frame(kind::PING, 0, 1, &[0; 8]), "PING on a stream"),
        ("10.5: PINGs", frame(kind::PING, 0, 0, &[0; 8]).repeat(50_000), "1000 frames"),
        ("6.9: a window that cannot be", frame(kind::WINDOW_UPDATE, 0, 0, &[0; 4]), "by 0"),
        ("3.4: HTTP/1 in the end", b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), "16384"),
    ] {
        comes_to(what, saying(bytes), "malformed", words);
    }
}

#[test]
fn requests_that_are_refused() {
    let reset = frame(kind::RST_STREAM, 0, 1, &[0, 0, 0, 7]);
    comes_to("6.4: reset", saying(reset), "stream_reset", "REFUSED_STREAM");
    let within = [head(1, b"\x88"), frame(kind::RST_STREAM, 0, 1, &[0, 0, 0, 2])].concat();
    comes_to("6.4: reset within", saying(within), "stream_reset", "INTERNAL_ERROR");
    comes_to("6.8: gone away", saying(goaway(0)), "goaway", "GOAWAY with NO_ERROR");
}

#[test]
fn answers_that_are_wrong() {
    let answer = |block: &[u8], body: &[u8]| saying([head(1, block), last_data(1, body)].concat());
    comes_to("another status", answer(b"\x8d", b"hello"), "status", "404");
    comes_to("another body", answer(b"\x88", b"jello"), "mismatch_body", "byte 0");
    comes_to("a longer body", answer(b"\x88", b"hello!"), "mismatch_length", "6 bytes");
}

#[test]
fn connections_that_end_or_are_silent() {
    let close = |bytes: Vec<u8>, end: Close| {
        doing(move |mut peer, _| {
            peer.say(&bytes);
            peer.0.close(end);
        })
    };
    comes_to("no answer", close(vec![], Close::Fin), "early_close", "");
    comes_to("half an answer", close(head(1, b"\x88"), Close::Fin), "early_close", "");
    comes_to("half a frame", close(good(1)[..15].to_vec(), Close::Fin), "early_close", "");
    comes_to("a reset", close(head(1, b"\x88"), Close::Reset), "reset", "");
    comes_to("silence", saying(vec![]), "timeout", "");
    comes_to("silence within", saying(head(1, b"\x88")), "timeout", "");
}

#[test]
fn connections_that_never_are() {
    let never = |words: &'static [u8]| {
        serve(move |conversation| {
            if let Some(mut peer) = Peer::new(conversation) {
                peer.say(words);
                peer.listen();
            }
        })
    };
    let slammed = serve(|conversation| {
        if let Some(peer) = Peer::new(conversation) {
            peer.0.close(Close::Fin);
        }
    });
    let http1 = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    for (what, address, kind, words) in [
        ("silence from the start", never(b""), "connect_timeout", "announce"),
        ("an end before SETTINGS", slammed, "early_close", "before it announced"),
        ("HTTP/1", never(http1), "malformed", "HTTP/1"),
    ] {
        let url = format!("http://{address}/");
        for io in ways() {
            let limits = ["--connect-timeout", "300ms", "-d", "500ms", "-w", "0"];
            let (status, value) =
                load(&[&limits[..], &["--protocol", "h2c", "-c", "1", io, &url]].concat());
            let errors = value["errors"].as_object().unwrap();
            assert_eq!(errors.keys().collect::<Vec<_>>(), [kind], "{what}: {value:#}");
            assert_eq!((status, &value["requests"]), (1, &0.into()), "{what}");
            let detail = value["first_bad"]["detail"].as_str().unwrap_or_default();
            assert!(detail.contains(words), "{what}: {detail}");
        }
    }
}

#[test]
fn a_server_that_goes_away_after_each_answer_is_called_again() {
    for io in ways() {
        let address = doing(|mut peer, stream| {
            peer.say(&[goaway(stream), good(stream)].concat());
            peer.listen();
        });
        let url = format!("http://{address}/");
        let words = ["--protocol", "h2c", "-c", "2", "-n", "30", io, &url];
        assert_eq!(loads_rightly(&words), 30);
    }
}

#[test]
fn no_more_streams_are_open_than_the_server_allows() {
    for io in ways() {
        let most = Arc::new(AtomicU64::new(0));
        let told = most.clone();
        let address = serve(move |conversation| {
            let Some(mut peer) = Peer::new(conversation) else { return };
            peer.say(&settings(&[(setting::MAX_CONCURRENT_STREAMS, 3)]));
            let mut open = Vec::new();
            while let Some(stream) = peer.request() {
                open.push(stream);
                told.fetch_max(open.len() as u64, Ordering::SeqCst);
                // All permitted streams are open, or they are the last: the newest is answered
                // first.
                if open.len() >= 3 || stream > 170 {
                    let answers: Vec<u8> = open.drain(..).rev().flat_map(good).collect();
                    peer.say(&answers);
                }
            }
        });
        let url = format!("http://{address}/");
        let words = ["--protocol", "h2c", "-c", "1", "-n", "90", "--streams", "8", io, &url];
        assert_eq!(loads_rightly(&words), 90);
        assert_eq!(most.load(Ordering::SeqCst), 3, "{io}");
    }
}

#[test]
fn a_body_waits_for_a_window_and_in_vain_if_there_is_none() {
    let sized = |window: u32| {
        serve(move |conversation| {
            let Some(mut peer) = Peer::new(conversation) else { return };
            peer.say(&settings(&[(setting::INITIAL_WINDOW_SIZE, 1000)]));
            let mut got = 0;
            while let Some((head, _)) = peer.frame() {
                if head.kind != kind::DATA {
                    continue;
                }
                got += head.length;
                assert!(got <= 1000 + window, "more than the window has: {got}");
                if head.has(flag::END_STREAM) {
                    assert_eq!(got, 5000);
                    peer.say(&good(head.stream));
                } else if got == 1000 && window > 0 {
                    let mut more = Vec::new();
                    frame::write_window_update(&mut more, head.stream, window);
                    peer.say(&more);
                }
            }
        })
    };
    let body = "x".repeat(5000);
    let asked = ["--protocol", "h2c", "-c", "1", "-n", "1", "--timeout", "500ms", "--body", &body];
    for io in ways() {
        let url = format!("http://{}/", sized(4000));
        assert_eq!(loads_rightly(&[&asked[..], &[io, &url]].concat()), 1);
        let url = format!("http://{}/", sized(0));
        let (status, value) = load(&[&asked[..], &[io, &url]].concat());
        assert_eq!(value["errors"], serde_json::json!({ "timeout": 1 }), "{value:#}");
        assert_eq!(status, 1);
    }
}
