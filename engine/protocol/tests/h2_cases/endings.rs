//! Connections that end at each point, and those with a wrong beginning.

use crate::world::{Client, END_HEADERS, OK, check, frame, good, heard, last_head, settings};
use volley_protocol::h2::frame::{flag, kind};

#[test]
fn the_end_at_each_point_of_a_conversation() {
    let parted = [frame(kind::HEADERS, 1, 5, OK), frame(kind::CONTINUATION, END_HEADERS, 5, b"")];
    let all = [settings(&[]), good(3), good(1), parted.concat()];
    let ends: Vec<usize> =
        (1..=all.len()).map(|parts| all[..parts].iter().map(Vec::len).sum()).collect();
    let all = all.concat();
    for end in 0..=all.len() {
        let expected = match ends.iter().filter(|&&whole| whole <= end).count() {
            0 | 1 => "",
            2 => "3: 200, 5 bytes",
            3 => "3: 200, 5 bytes; 1: 200, 5 bytes",
            _ => "3: 200, 5 bytes; 1: 200, 5 bytes; 5: 200",
        };
        assert_eq!(heard([&all[..end]]), expected, "the end behind {end} bytes");
    }
}

#[test]
fn silence() {
    assert_eq!(heard([]), "");
    let mut client = Client::new();
    assert!(!client.said.is_empty());
    client.hear(b"");
    assert_eq!(client.outcome(), "");
}

#[test]
fn a_server_that_begins_with_something_else_than_settings() {
    for (rule, bytes, words) in [
        ("3.4: PING", frame(kind::PING, 0, 0, b"12345678"), "SETTINGS"),
        ("3.4: an answer", last_head(1, OK), "SETTINGS"),
        ("3.4: an acknowledgement", frame(kind::SETTINGS, flag::ACK, 0, b""), "SETTINGS"),
        ("3.4: a kind that nobody knows", frame(0xbe, 0, 0, b""), "SETTINGS"),
        ("3.4: HTTP/1", b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), "HTTP/1"),
        ("3.4: HTTP/1.0", b"HTTP/1.0 400 Bad Request\r\n\r\n".to_vec(), "HTTP/1"),
        ("3.4: an alert of TLS", b"\x15\x03\x03\0\x02\x02\x0a".to_vec(), "TLS"),
        ("3.4: more of TLS", b"\x16\x03\x03\0\x7a\x02\0\0\x76\x03\x03".to_vec(), "TLS"),
        ("3.4: words", b"SSH-2.0-OpenSSH_9.2\r\n".to_vec(), "SETTINGS"),
    ] {
        for size in [bytes.len(), 1, 2, 5] {
            let mut client = Client::new();
            bytes.chunks(size).for_each(|piece| client.hear(piece));
            let outcome = client.outcome();
            assert!(
                outcome.starts_with("broken: ") && outcome.contains(words),
                "{rule}, in pieces of {size}: {outcome:?}"
            );
        }
    }
}

#[test]
fn an_answer_that_nobody_asked_for() {
    let mut client = Client::new();
    client.hear(&settings(&[]));
    client.hear(&good(1));
    let outcome = client.outcome();
    assert_eq!(outcome, "broken: HEADERS on a stream that nobody opened");
    check(
        "5.1: on a stream that is not there",
        &good(7),
        "broken: HEADERS on a stream that nobody",
    );
}
