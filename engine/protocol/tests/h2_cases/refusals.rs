//! Requests that end without an answer: reset streams, and servers that go away.

use crate::world::{
    END_HEADERS, OK, check, data, frame, goaway, good, head, last_data, last_head, reset,
};
use volley_protocol::h2::frame::{STREAM_LIMIT, kind};

const RESET: &str = "1: RST_STREAM with ";

#[test]
fn a_stream_that_is_reset() {
    for (code, name) in [
        (0, "NO_ERROR"),
        (1, "PROTOCOL_ERROR"),
        (2, "INTERNAL_ERROR"),
        (7, "REFUSED_STREAM"),
        (8, "CANCEL"),
        (11, "ENHANCE_YOUR_CALM"),
        (13, "HTTP_1_1_REQUIRED"),
        (14, "error code 0xe"),
        (u32::MAX, "error code 0xffffffff"),
    ] {
        check("6.4: at once", &reset(1, code), &format!("{RESET}{name}"));
        let goes_on = format!("{RESET}{name}; 3: 200, 5 bytes");
        check("6.4: at once", &[reset(1, code), good(3)].concat(), &goes_on);
        check("6.4: behind the head", &[head(1, OK), reset(1, code), good(3)].concat(), &goes_on);
        let within = [head(1, OK), data(1, b"hel"), reset(1, code), good(3)].concat();
        check("6.4: within the body", &within, &goes_on);
    }
    let after = [good(1), reset(1, 0), good(3)].concat();
    check("8.1: without an error, behind the answer", &after, "1: 200, 5 bytes; 3: 200, 5 bytes");
    let after = [good(1), reset(1, 8), good(3)].concat();
    check("5.1: with one, behind the answer", &after, "1: 200, 5 bytes; 3: 200, 5 bytes");
    let twice = [reset(1, 8), reset(1, 8), good(3)].concat();
    check("5.1: twice", &twice, &format!("{RESET}CANCEL; 3: 200, 5 bytes"));
    let all = [reset(3, 8), reset(1, 8)].concat();
    let both = format!("{}CANCEL; {RESET}CANCEL", RESET.replace('1', "3"));
    check("6.4: one after the other", &all, &both);
}

#[test]
fn a_stream_that_goes_on_behind_its_reset() {
    for (rule, kind, more) in [
        ("5.1: with a head", "HEADERS", head(1, OK)),
        ("5.1: with a body", "DATA", data(1, b"hello")),
        ("5.1: with its end", "DATA", last_data(1, b"")),
        ("5.1: with a whole answer", "HEADERS", last_head(1, OK)),
    ] {
        let expected = format!("{RESET}CANCEL; broken: {kind} on a stream that is over");
        check(rule, &[reset(1, 8), more].concat(), &expected);
    }
}

#[test]
fn a_server_that_goes_away() {
    let gone = |stream: u32, name: &str| format!("{stream}: GOAWAY with {name}");
    let [three, five] = [gone(3, "NO_ERROR"), gone(5, "NO_ERROR")];
    let all = [good(1), good(3), last_head(5, OK)].concat();
    let answered = "1: 200, 5 bytes; 3: 200, 5 bytes; 5: 200; last";
    let debug = frame(kind::GOAWAY, 0, 0, b"\0\0\0\x01\0\0\0\x0bmore than enough");
    for (rule, bytes, expected) in [
        ("6.8: with all that was asked", [goaway(5, 0), all.clone()].concat(), answered.to_owned()),
        (
            "6.8: with all that there may be",
            [goaway(STREAM_LIMIT, 0), all.clone()].concat(),
            answered.to_owned(),
        ),
        (
            "6.8: twice, as the graceful do",
            [goaway(STREAM_LIMIT, 0), good(1), goaway(5, 0), good(3), last_head(5, OK)].concat(),
            answered.to_owned(),
        ),
        (
            "6.8: without some",
            [goaway(1, 0), good(1)].concat(),
            format!("{three}; {five}; 1: 200, 5 bytes; last"),
        ),
        (
            "6.8: without one, later",
            [goaway(5, 0), goaway(3, 0), good(3), good(1)].concat(),
            format!("{five}; 3: 200, 5 bytes; 1: 200, 5 bytes; last"),
        ),
        (
            "6.8: with a reason",
            [debug, good(1)].concat(),
            format!(
                "{}; {}; 1: 200, 5 bytes; last",
                gone(3, "ENHANCE_YOUR_CALM"),
                gone(5, "ENHANCE_YOUR_CALM")
            ),
        ),
        (
            "6.8: within an answer",
            [head(1, OK), goaway(1, 0), last_data(1, b"hello")].concat(),
            format!("{three}; {five}; 1: 200, 5 bytes; last"),
        ),
        (
            "6.8: and what goes on with what it went without",
            [goaway(1, 0), good(3)].concat(),
            format!("{three}; {five}; broken: HEADERS on a stream that is over"),
        ),
    ] {
        check(rule, &bytes, &expected);
    }
    let [one, three, five] = [1, 3, 5].map(|stream| gone(stream, "PROTOCOL_ERROR"));
    check("6.8: without any", &goaway(0, 1), &format!("{one}; {three}; {five}"));
    let interrupted = [
        frame(kind::HEADERS, 0, 1, OK),
        goaway(5, 0),
        frame(kind::CONTINUATION, END_HEADERS, 1, b""),
    ];
    check(
        "6.10: within a head",
        &interrupted.concat(),
        "broken: another frame than CONTINUATION within a head",
    );
}
