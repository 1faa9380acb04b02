//! Windows and SETTINGS: refused frames, and the client's own.

use crate::world::{Client, OK, check, data, frame, good, head, last_head, settings, window};
use volley_protocol::h2::frame::{
    FrameHead, HEAD_LENGTH, PREFACE, WINDOW_LIMIT, flag, kind, setting,
};

#[test]
fn windows_and_settings_that_cannot_be() {
    let most = WINDOW_LIMIT - 65_535;
    for (rule, words, bytes) in [
        ("6.9: nothing more for the connection", "WINDOW_UPDATE by 0", window(0, 0)),
        ("6.9: nothing more but the reserved bit", "WINDOW_UPDATE by 0", window(0, 1 << 31)),
        (
            "6.9.1: more than a connection may have",
            "a window of more than 2147483647 bytes",
            window(0, WINDOW_LIMIT),
        ),
        (
            "6.9.1: more, bit by bit",
            "a window of more than 2147483647 bytes",
            [window(0, most), window(0, 1)].concat(),
        ),
        (
            "6.5.2: pushes",
            "a server's SETTINGS_ENABLE_PUSH is 0 or nothing",
            settings(&[(setting::ENABLE_PUSH, 1)]),
        ),
        (
            "6.5.2: pushes of another kind",
            "a server's SETTINGS_ENABLE_PUSH is 0 or nothing",
            settings(&[(setting::ENABLE_PUSH, 2)]),
        ),
        (
            "6.5.2: a window beyond all",
            "SETTINGS_INITIAL_WINDOW_SIZE is more than 2147483647",
            settings(&[(setting::INITIAL_WINDOW_SIZE, 1 << 31)]),
        ),
        (
            "6.5.2: the largest number",
            "SETTINGS_INITIAL_WINDOW_SIZE is more than 2147483647",
            settings(&[(setting::INITIAL_WINDOW_SIZE, u32::MAX)]),
        ),
        (
            "6.5.2: frames too small",
            "SETTINGS_MAX_FRAME_SIZE is not between 16384 and 16777215",
            settings(&[(setting::MAX_FRAME_SIZE, 16_383)]),
        ),
        (
            "6.5.2: frames of nothing",
            "SETTINGS_MAX_FRAME_SIZE is not between 16384 and 16777215",
            settings(&[(setting::MAX_FRAME_SIZE, 0)]),
        ),
        (
            "6.5.2: frames too large",
            "SETTINGS_MAX_FRAME_SIZE is not between 16384 and 16777215",
            settings(&[(setting::MAX_FRAME_SIZE, 1 << 24)]),
        ),
        (
            "6.5.3: a wrong one behind a right one",
            "a server's SETTINGS_ENABLE_PUSH is 0 or nothing",
            settings(&[(setting::INITIAL_WINDOW_SIZE, 5), (setting::ENABLE_PUSH, 7)]),
        ),
    ] {
        check(rule, &bytes, &format!("broken: {words}"));
        check(rule, &[good(3), bytes].concat(), &format!("3: 200, 5 bytes; broken: {words}"));
    }
}

/// The client leaves a server that repeats itself endlessly, before the replies fill the memory.
#[test]
fn floods() {
    let empty = frame(kind::DATA, 0, 1, b"");
    for (rule, words, before, again) in [
        ("10.5: SETTINGS", "1000 frames between", vec![], settings(&[])),
        ("10.5: PING", "1000 frames between", vec![], frame(kind::PING, 0, 0, b"12345678")),
        ("10.5: empty DATA", "1000 frames between", head(1, OK), empty),
        (
            "10.5: padding alone",
            "1000 frames between",
            head(1, OK),
            frame(kind::DATA, flag::PADDED, 1, b"\0"),
        ),
        (
            "10.5.1: CONTINUATION",
            "the head is larger than 65536",
            frame(kind::HEADERS, 0, 1, OK),
            frame(kind::CONTINUATION, 0, 1, &[0x90; 100]),
        ),
        (
            "10.5.1: empty CONTINUATION",
            "1000 frames between",
            frame(kind::HEADERS, 0, 1, OK),
            frame(kind::CONTINUATION, 0, 1, b""),
        ),
        ("8.1: interim answers", "the head is larger than 65536", vec![], head(1, b"\x08\x03103")),
    ] {
        let mut client = Client::asking();
        client.hear(&before);
        // It sends no reply in between: the server could not have read it.
        let many: Vec<u8> = again.repeat(200_000);
        client.hear(&many);
        let said = client.said.len();
        let outcome = client.outcome();
        let is_left = outcome.starts_with("broken: ") && outcome.contains(words);
        assert!(is_left, "{rule}: {outcome:?}");
        assert!(said < 1 << 20, "{rule}: it says {said} bytes");
    }
}

/// Frames that the client sent, from its preface on: kind, flags, stream, payload.
fn said(client: &Client) -> Vec<(u8, u8, u32, Vec<u8>)> {
    let mut bytes = client.said.strip_prefix(PREFACE).expect("it begins with the preface");
    let mut frames = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk::<HEAD_LENGTH>() {
        let FrameHead { length, kind, flags, stream } = FrameHead::read(head);
        let (payload, rest) = rest.split_at(length as usize);
        frames.push((kind, flags, stream, payload.to_vec()));
        bytes = rest;
    }
    assert_eq!(bytes, b"");
    frames
}

#[test]
fn what_has_to_be_answered_is() {
    let mut client = Client::asking();
    let (first, ..) = said(&client)[0];
    assert_eq!(first, kind::SETTINGS, "3.4: SETTINGS come first");
    let acknowledged = (kind::SETTINGS, flag::ACK, 0, vec![]);
    let count =
        |client: &Client| said(client).iter().filter(|frame| **frame == acknowledged).count();
    assert_eq!(count(&client), 1, "6.5.3");
    client.hear(&settings(&[(setting::INITIAL_WINDOW_SIZE, 77)]));
    client.hear(&frame(kind::SETTINGS, flag::ACK, 0, b""));
    assert_eq!(count(&client), 2, "6.5.3: each once, and no acknowledgement");
    client.hear(&frame(kind::PING, 0, 0, b"abcdefgh"));
    client.hear(&frame(kind::PING, flag::ACK, 0, b"hgfedcba"));
    let pings: Vec<_> = said(&client).into_iter().filter(|frame| frame.0 == kind::PING).collect();
    assert_eq!(pings, [(kind::PING, flag::ACK, 0, b"abcdefgh".to_vec())], "6.7");
    let heads: Vec<_> =
        said(&client).into_iter().filter(|frame| frame.0 == kind::HEADERS).collect();
    let [one, three, five] = [1, 3, 5].map(|stream| (kind::HEADERS, 5, stream));
    let in_order: Vec<_> =
        heads.iter().map(|(kind, flags, stream, _)| (*kind, *flags, *stream)).collect();
    assert_eq!(in_order, [one, three, five], "5.1.1: odd streams, in order");
}

#[test]
fn our_windows_are_filled_up_before_they_are_used_up() {
    let mut client = Client::asking();
    let before = said(&client).len();
    client.hear(&head(1, OK));
    let piece = data(1, &vec![b'x'; 16_384]);
    let mut more = 0;
    // 2 GiB: more than any window may have.
    for round in 0_u64..131_073 {
        client.hear(&piece);
        if round % 1000 == 0 {
            more = said(&client).len() - before;
        }
    }
    assert!(more > 0, "it never asked for more");
    assert!(more < 1000, "it asked for more {more} times");
    client.hear(&last_head(3, OK));
    assert_eq!(client.outcome(), "3: 200");
}

#[test]
fn no_more_streams_than_the_server_allows() {
    let mut client = Client::new();
    client.hear(&settings(&[(setting::MAX_CONCURRENT_STREAMS, 4)]));
    client.ask();
    assert_eq!((client.room(3), client.room(100)), (0, 1));
    client.hear(&settings(&[(setting::MAX_CONCURRENT_STREAMS, 2)]));
    assert_eq!(client.room(100), 0, "5.1.2: fewer than are in flight");
    client.hear(&good(1));
    assert_eq!(client.room(100), 0);
    client.hear(&good(3));
    assert_eq!(client.room(100), 1);
    client.hear(&settings(&[(setting::MAX_CONCURRENT_STREAMS, 100)]));
    assert_eq!((client.room(100), client.room(5)), (99, 4));
}
