//! Frames of a wrong size, on a wrong stream, in a wrong order; and those without a meaning.

use crate::world::{
    END_HEADERS, END_STREAM, OK, check, data, field, frame, goaway, good, head, last_head, reset,
    settings, window,
};
use volley_protocol::h2::frame::{flag, kind};

/// Frames that are ignored, or answered, before a right answer, within it, and after it.
#[test]
fn frames_that_mean_nothing_to_a_request() {
    for (rule, bytes) in [
        ("4.1: a kind that nobody knows", frame(0xbe, 0xff, 0, b"whatever")),
        ("4.1: the same on a stream", frame(0x0a, 0, 1, b"whatever")),
        ("4.1: the same on a stream that is not there", frame(0xfa, 1, 99, &[0; 1000])),
        ("4.1: the same without a payload", frame(0x21, 0, 0, b"")),
        ("6.3: advice", frame(kind::PRIORITY, 0, 1, b"\0\0\0\0\x10")),
        (
            "6.3: advice on a stream that is not there",
            frame(kind::PRIORITY, 0, 99, b"\x80\0\0\x01\xff"),
        ),
        ("6.5: SETTINGS that say nothing", settings(&[])),
        ("6.5: SETTINGS that nobody knows", settings(&[(0x99, 1), (0, 5), (0xffff, u32::MAX)])),
        (
            "6.5.2: SETTINGS at their limits",
            settings(&[(1, 0), (3, u32::MAX), (4, 0x7fff_ffff), (5, 16_384), (6, 0)]),
        ),
        ("6.5.2: the other limits", settings(&[(2, 0), (4, 0), (5, 0x00ff_ffff)])),
        ("6.5.2: no further stream", settings(&[(3, 0)])),
        ("6.5.3: one setting twice", settings(&[(4, 5), (4, 6)])),
        ("6.7: PING", frame(kind::PING, 0, 0, b"12345678")),
        (
            "6.7: the answer to a PING that nobody sent",
            frame(kind::PING, flag::ACK, 0, b"12345678"),
        ),
        ("6.7: flags of a PING that nobody knows", frame(kind::PING, 0xfe, 0, b"12345678")),
        ("6.9: more for the connection", window(0, 1)),
        ("6.9: more for a stream", window(1, 1000)),
        ("6.9: the reserved bit", window(0, 1 | 1 << 31)),
    ] {
        check(rule, &[bytes.clone(), good(1)].concat(), "1: 200, 5 bytes");
        check(
            rule,
            &[head(1, OK), bytes.clone(), frame(kind::DATA, 1, 1, b"hello")].concat(),
            "1: 200, 5 bytes",
        );
        check(rule, &[good(1), bytes, good(3)].concat(), "1: 200, 5 bytes; 3: 200, 5 bytes");
    }
}

#[test]
fn frames_of_a_wrong_size() {
    let long = vec![0; 16_385];
    let cases: &[(&str, &str, Vec<u8>)] = &[
        ("4.2: DATA", "a frame of more than 16384 bytes", frame(kind::DATA, 0, 1, &long)),
        (
            "4.2: HEADERS",
            "a frame of more than 16384 bytes",
            frame(kind::HEADERS, END_HEADERS, 1, &long),
        ),
        (
            "4.2: CONTINUATION",
            "a frame of more than 16384 bytes",
            [frame(kind::HEADERS, 0, 1, OK), frame(kind::CONTINUATION, 0, 1, &long)].concat(),
        ),
        ("4.2: SETTINGS", "a frame of more than 16384 bytes", frame(kind::SETTINGS, 0, 0, &long)),
        (
            "4.2: a kind that nobody knows",
            "a frame of more than 16384 bytes",
            frame(0xbe, 0, 0, &long),
        ),
        (
            "4.2: the head alone of the longest",
            "a frame of more than 16384 bytes",
            [&b"\xff\xff\xff\0\0\0\0\0\x01"[..], &[0; 100]].concat(),
        ),
        (
            "6.4: RST_STREAM of 3 bytes",
            "RST_STREAM is not of 4 bytes",
            frame(kind::RST_STREAM, 0, 1, b"\0\0\0"),
        ),
        (
            "6.4: RST_STREAM of 5 bytes",
            "RST_STREAM is not of 4 bytes",
            frame(kind::RST_STREAM, 0, 1, b"\0\0\0\0\0"),
        ),
        (
            "6.5: SETTINGS of 5 bytes",
            "the length of SETTINGS is not a multiple of 6 bytes",
            frame(kind::SETTINGS, 0, 0, b"\0\x03\0\0\0"),
        ),
        (
            "6.5: SETTINGS of 7 bytes",
            "the length of SETTINGS is not a multiple of 6 bytes",
            frame(kind::SETTINGS, 0, 0, b"\0\x03\0\0\0\x01\0"),
        ),
        (
            "6.5: an answer to SETTINGS with a payload",
            "the ACK of SETTINGS is not empty",
            frame(kind::SETTINGS, flag::ACK, 0, b"\0\x03\0\0\0\x01"),
        ),
        ("6.7: PING of 7 bytes", "PING is not of 8 bytes", frame(kind::PING, 0, 0, b"1234567")),
        ("6.7: PING of 9 bytes", "PING is not of 8 bytes", frame(kind::PING, 0, 0, b"123456789")),
        (
            "6.7: an answer to PING without a payload",
            "PING is not of 8 bytes",
            frame(kind::PING, flag::ACK, 0, b""),
        ),
        (
            "6.8: GOAWAY of 7 bytes",
            "GOAWAY is shorter than 8 bytes",
            frame(kind::GOAWAY, 0, 0, b"1234567"),
        ),
        (
            "6.9: WINDOW_UPDATE of 3 bytes",
            "WINDOW_UPDATE is not of 4 bytes",
            frame(kind::WINDOW_UPDATE, 0, 0, b"\0\0\x01"),
        ),
        (
            "6.9: WINDOW_UPDATE of 5 bytes",
            "WINDOW_UPDATE is not of 4 bytes",
            frame(kind::WINDOW_UPDATE, 0, 1, b"\0\0\0\x01\0"),
        ),
        (
            "6.2: HEADERS without room for the advice",
            "HEADERS are too short for their priority",
            frame(kind::HEADERS, flag::PRIORITY | END_HEADERS, 1, b"\0\0\0\x03"),
        ),
        (
            "6.2: HEADERS without room for the padding's length",
            "padding that is longer than its frame",
            frame(kind::HEADERS, flag::PADDED | END_HEADERS, 1, b""),
        ),
        (
            "6.2: padding as long as HEADERS",
            "an answer without :status",
            frame(kind::HEADERS, flag::PADDED | END_HEADERS, 1, b"\x02\x88\0"),
        ),
        (
            "6.2: padding longer than HEADERS",
            "padding that is longer than its frame",
            frame(kind::HEADERS, flag::PADDED | END_HEADERS, 1, b"\xff\x88\0"),
        ),
        (
            "6.2: padding over the advice",
            "HEADERS are too short for their priority",
            frame(
                kind::HEADERS,
                flag::PADDED | flag::PRIORITY | END_HEADERS,
                1,
                b"\x03\0\0\0\x03\x10\x88\0",
            ),
        ),
        (
            "6.1: DATA without room for the padding's length",
            "padding that is longer than its frame",
            [head(1, OK), frame(kind::DATA, flag::PADDED, 1, b"")].concat(),
        ),
        (
            "6.1: padding as long as DATA",
            "padding that is longer than its frame",
            [head(1, OK), frame(kind::DATA, flag::PADDED, 1, b"\x01")].concat(),
        ),
        (
            "6.1: padding longer than DATA",
            "padding that is longer than its frame",
            [head(1, OK), frame(kind::DATA, flag::PADDED, 1, b"\x06hello")].concat(),
        ),
    ];
    for (rule, words, bytes) in cases {
        check(rule, bytes, &format!("broken: {words}"));
        check(
            rule,
            &[good(3), bytes.clone(), good(1)].concat(),
            &format!("3: 200, 5 bytes; broken: {words}"),
        );
    }
}

#[test]
fn frames_on_a_wrong_stream() {
    for (rule, words, bytes) in [
        ("6.1: DATA of no stream", "DATA on a stream that nobody opened", data(0, b"hello")),
        ("6.2: HEADERS of no stream", "HEADERS on a stream that nobody opened", head(0, OK)),
        (
            "6.3: PRIORITY of no stream",
            "PRIORITY on stream 0",
            frame(kind::PRIORITY, 0, 0, b"\0\0\0\0\x10"),
        ),
        ("6.4: RST_STREAM of no stream", "RST_STREAM on a stream that nobody opened", reset(0, 8)),
        ("6.5: SETTINGS on a stream", "SETTINGS on a stream", frame(kind::SETTINGS, 0, 1, b"")),
        (
            "6.5: an answer to SETTINGS on a stream",
            "SETTINGS on a stream",
            frame(kind::SETTINGS, flag::ACK, 1, b""),
        ),
        ("6.7: PING on a stream", "PING on a stream", frame(kind::PING, 0, 1, b"12345678")),
        ("6.8: GOAWAY on a stream", "GOAWAY on a stream", frame(kind::GOAWAY, 0, 1, &[0; 8])),
        (
            "6.10: CONTINUATION of no stream",
            "CONTINUATION without a head that goes on",
            frame(kind::CONTINUATION, END_HEADERS, 0, b""),
        ),
        (
            "5.1: DATA on a stream that is idle",
            "DATA on a stream that nobody opened",
            data(7, b"hello"),
        ),
        (
            "5.1: HEADERS on a stream that is idle",
            "HEADERS on a stream that nobody opened",
            head(7, OK),
        ),
        (
            "5.1: RST_STREAM on a stream that is idle",
            "RST_STREAM on a stream that nobody opened",
            reset(7, 8),
        ),
        (
            "5.1: WINDOW_UPDATE on a stream that is idle",
            "WINDOW_UPDATE on a stream that nobody opened",
            window(7, 1),
        ),
        (
            "5.1.1: HEADERS on a stream of the server's",
            "HEADERS on a stream that nobody opened",
            head(2, OK),
        ),
        (
            "5.1.1: DATA on a stream of the server's",
            "DATA on a stream that nobody opened",
            data(2, b"hello"),
        ),
        (
            "5.1.1: RST_STREAM on a stream of the server's",
            "RST_STREAM on a stream that nobody opened",
            reset(2, 8),
        ),
        (
            "5.1.1: WINDOW_UPDATE on a stream of the server's",
            "WINDOW_UPDATE on a stream that nobody opened",
            window(2, 8),
        ),
        (
            "8.4: PUSH_PROMISE",
            "PUSH_PROMISE, which our SETTINGS forbid",
            frame(kind::PUSH_PROMISE, END_HEADERS, 1, b"\0\0\0\x02\x82"),
        ),
        (
            "6.6: PUSH_PROMISE of no stream",
            "PUSH_PROMISE, which our SETTINGS forbid",
            frame(kind::PUSH_PROMISE, END_HEADERS, 0, b"\0\0\0\x02\x82"),
        ),
    ] {
        check(rule, &bytes, &format!("broken: {words}"));
        check(rule, &[good(3), bytes].concat(), &format!("3: 200, 5 bytes; broken: {words}"));
    }
}

#[test]
fn heads_that_are_interrupted() {
    let open = || frame(kind::HEADERS, 0, 1, OK);
    for (rule, words, between) in [
        ("6.10: by DATA", "another frame than CONTINUATION within a head", data(1, b"a")),
        (
            "6.10: by DATA of another stream",
            "another frame than CONTINUATION within a head",
            data(3, b"a"),
        ),
        ("6.10: by HEADERS", "another frame than CONTINUATION within a head", head(1, OK)),
        (
            "6.10: by HEADERS of another stream",
            "another frame than CONTINUATION within a head",
            last_head(3, OK),
        ),
        (
            "6.10: by CONTINUATION of another stream",
            "CONTINUATION on another stream than its head",
            frame(kind::CONTINUATION, END_HEADERS, 3, b""),
        ),
        (
            "6.10: by CONTINUATION of no stream",
            "CONTINUATION on another stream than its head",
            frame(kind::CONTINUATION, END_HEADERS, 0, b""),
        ),
        ("6.10: by SETTINGS", "another frame than CONTINUATION within a head", settings(&[])),
        (
            "6.10: by PING",
            "another frame than CONTINUATION within a head",
            frame(kind::PING, 0, 0, b"12345678"),
        ),
        (
            "6.10: by PRIORITY",
            "another frame than CONTINUATION within a head",
            frame(kind::PRIORITY, 0, 1, b"\0\0\0\0\x10"),
        ),
        ("6.10: by RST_STREAM", "another frame than CONTINUATION within a head", reset(1, 8)),
        ("6.10: by GOAWAY", "another frame than CONTINUATION within a head", goaway(5, 0)),
        ("6.10: by WINDOW_UPDATE", "another frame than CONTINUATION within a head", window(0, 1)),
        (
            "5.5: by a kind that nobody knows",
            "another frame than CONTINUATION within a head",
            frame(0xbe, 0, 0, b""),
        ),
    ] {
        check(rule, &[open(), between].concat(), &format!("broken: {words}"));
    }
    for (rule, words, bytes) in [
        (
            "6.10: CONTINUATION of nothing",
            "CONTINUATION without a head that goes on",
            frame(kind::CONTINUATION, END_HEADERS, 1, OK),
        ),
        (
            "6.10: CONTINUATION behind a whole head",
            "CONTINUATION without a head that goes on",
            [head(1, OK), frame(kind::CONTINUATION, END_HEADERS, 1, &field("a", "b"))].concat(),
        ),
        (
            "6.10: CONTINUATION behind DATA",
            "CONTINUATION without a head that goes on",
            [head(1, OK), data(1, b"a"), frame(kind::CONTINUATION, END_HEADERS, 1, b"")].concat(),
        ),
    ] {
        check(rule, &bytes, &format!("broken: {words}"));
    }
    let open_to_the_end = frame(kind::HEADERS, END_STREAM, 1, OK);
    check("6.10: a head that never ends", &open_to_the_end, "");
}
