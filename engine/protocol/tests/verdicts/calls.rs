//! Answers to a gRPC call: a head, one message, and trailers with the status of the call.

use crate::streams::{check_whole_and_cut, field};
use std::sync::Arc;
use volley_protocol::events::RightEvents;
use volley_protocol::h2::frame::{self, flag, kind};
use volley_protocol::{BodyRule, Expectation, StatusRule, grpc};

const TYPE: (&str, &str) = ("content-type", "application/grpc+proto");
const OK: (&str, &str) = ("grpc-status", "0");

fn expected(message: Option<&[u8]>) -> Expectation {
    let body = BodyRule::Message(message.and_then(grpc::framed));
    Expectation { body, ..Expectation::of_status(StatusRule::Exactly(200)) }
}

/// Status 200 and these fields; a body, if there is one; trailers, if there are any.
fn answer(
    head: &[(&str, &str)],
    body: Option<&[u8]>,
    trailers: Option<&[(&str, &str)]>,
) -> Vec<u8> {
    let block = |fields: &[(&str, &str)]| -> Vec<u8> {
        fields.iter().flat_map(|(name, value)| field(name, value)).collect()
    };
    let ends = |is_last: bool| if is_last { flag::END_STREAM } else { 0 };
    let mut bytes = Vec::new();
    frame::write_settings(&mut bytes, &[]);
    let head = [&b"\x88"[..], &block(head)].concat();
    let is_all = body.is_none() && trailers.is_none();
    frame::write(&mut bytes, kind::HEADERS, flag::END_HEADERS | ends(is_all), 1, &head);
    if let Some(body) = body {
        frame::write(&mut bytes, kind::DATA, ends(trailers.is_none()), 1, body);
    }
    if let Some(trailers) = trailers {
        let flags = flag::END_HEADERS | flag::END_STREAM;
        frame::write(&mut bytes, kind::HEADERS, flags, 1, &block(trailers));
    }
    bytes
}

#[test]
fn what_is_wrong_is_named() {
    let hi = grpc::framed(b"hi").unwrap();
    let [twice, longer] = [hi.repeat(2), [&hi[..], b"!"].concat()];
    let compressed = [b"\x01", &hi[1..]].concat();
    let (hi, fine) = (Some(&hi[..]), Some(&[OK][..]));
    let missing = "grpc-status is missing: neither trailers nor a head without a body has it";
    for (head, body, trailers, words) in [
        (&[TYPE][..], hi, fine, "as expected"),
        (&[TYPE], hi, Some(&[("a", "b"), OK, ("grpc-message", "")]), "as expected"),
        (
            &[TYPE],
            hi,
            Some(&[("grpc-status", "13"), ("grpc-message", "a%20b")]),
            r#"grpc-status is 13 (INTERNAL): "a b""#,
        ),
        (
            &[TYPE, ("grpc-status", "14"), ("grpc-message", "no%20peer")],
            None,
            None,
            r#"grpc-status is 14 (UNAVAILABLE): "no peer""#,
        ),
        (&[TYPE], hi, None, missing),
        (&[TYPE], hi, Some(&[("a", "b")]), missing),
        (&[TYPE], None, None, missing),
        (
            &[TYPE, OK],
            hi,
            None,
            "grpc-status is in the head, and the body came without trailers behind it",
        ),
        (&[TYPE, OK], None, None, "there is no message in the body"),
        (&[TYPE], None, fine, "there is no message in the body"),
        (&[TYPE], Some(&twice), fine, "there are 2 messages in the body, expected one"),
        (
            &[TYPE],
            Some(&longer),
            fine,
            "the prefix says that the message has 2 bytes, and 3 came behind it",
        ),
        (&[TYPE], Some(&compressed), fine, "the message is compressed, which was not asked for"),
        (
            &[("content-type", "text/html")],
            hi,
            fine,
            r#"header content-type is "text/html", expected "application/grpc""#,
        ),
        (&[], hi, fine, r#"header content-type is missing, expected "application/grpc""#),
    ] {
        let bytes = answer(head, body, trailers);
        check_whole_and_cut(&expected(None), &bytes, words);
        check_whole_and_cut(&expected(Some(b"hi")), &bytes, words);
    }
}

#[test]
fn the_message_is_compared() {
    for (message, words) in [
        (&b"hi"[..], "as expected"),
        (b"ho", "the message differs at byte 1: expected 0x69, got 0x6f"),
        (b"hi!", "the message has 3 bytes, expected 2"),
        (b"", "the message has 0 bytes, expected 2"),
    ] {
        let bytes = answer(&[TYPE], grpc::framed(message).as_deref(), Some(&[OK]));
        check_whole_and_cut(&expected(Some(b"hi")), &bytes, words);
        check_whole_and_cut(&expected(None), &bytes, "as expected");
    }
}

#[test]
fn messages_of_a_stream_are_counted_and_compared() {
    let stream =
        |texts: &[&[u8]]| texts.iter().flat_map(|text| grpc::framed(text).unwrap()).collect();
    let (two, one): (Vec<u8>, Vec<u8>) = (stream(&[b"hi", b"ho"]), stream(&[b"hi"]));
    let other: Vec<u8> = stream(&[b"hi", b"hu"]);
    let known = RightEvents::of_call(&two).unwrap();
    let count = Some(2);
    let counted = RightEvents { count, is_call: true, ..RightEvents::default() };
    let of = |right| {
        let body = BodyRule::Events(Arc::new(right));
        Expectation { body, ..Expectation::of_status(StatusRule::Exactly(200)) }
    };
    let (known, counted) = (of(known), of(counted));
    let ok = Some(&[OK][..]);
    let failed = "grpc-status is 13 (INTERNAL)";
    for (expectation, body, trailers, words) in [
        (&known, &two[..], ok, "as expected"),
        (&counted, &other, ok, "as expected"),
        (&known, &other, ok, "of 2 messages or more: 1 altered"),
        (&counted, &one, ok, "1 messages, expected 2"),
        (&counted, &two[..two.len() - 1], ok, "1 messages, expected 2"),
        (&counted, &[&two[..], b"\0"].concat(), ok, "the stream ends within a message, after 2"),
        (&counted, &two, Some(&[("grpc-status", "13")][..]), failed),
        (
            &counted,
            &two,
            None,
            "grpc-status is missing: neither trailers nor a head without a body has it",
        ),
    ] {
        check_whole_and_cut(expectation, &answer(&[TYPE], Some(body), trailers), words);
    }
    let of_events = ("content-type", "text/event-stream");
    let words = r#"header content-type is "text/event-stream", expected "application/grpc""#;
    check_whole_and_cut(&counted, &answer(&[of_events], Some(&two), ok), words);
    assert!(RightEvents::of_call(&two[..9]).is_err());
}

#[test]
fn headers_of_its_own_are_required_too() {
    let headers = vec![("x-a".to_owned(), "b".to_owned())];
    let expectation = Expectation { headers, ..expected(None) };
    let hi = grpc::framed(b"hi");
    let of = |field: (&str, &str)| answer(&[TYPE, field], hi.as_deref(), Some(&[OK]));
    check_whole_and_cut(&expectation, &of(("x-a", "b")), "as expected");
    let words = r#"header x-a is "c", expected "b""#;
    check_whole_and_cut(&expectation, &of(("x-a", "c")), words);
}

/// A gateway's own answer.
#[test]
fn another_status_goes_first() {
    crate::streams::check_status(&expected(None), "502", "status is 502, expected 200");
}
