//! Any bytes of an HTTP/3 server's streams, after its SETTINGS: stream, kind of record, length,
//! payload. The first byte chooses how records are cut, the second whether a stream's bytes are
//! used unchanged, or become a frame each with the right length.
//!
//! The cuts into records must change nothing: neither the outcomes of the requests, down to the
//! messages about errors, nor the bytes for the server. No more may be kept or sent than was
//! requested.
#![no_main]

mod streams;

use libfuzzer_sys::fuzz_target;
use std::sync::Arc;
use volley_protocol::h3::record::{Kind, Record};
use volley_protocol::h3::{frame, varint};
use volley_protocol::{BodyRule, Expectation, Http3, Protocol, Request, StatusRule};

fn shared() -> <Http3<u32> as Protocol<u32>>::Shared {
    let expectation = Expectation {
        body: BodyRule::Exactly(b"Hello, World!".to_vec()),
        headers: vec![("server".into(), "x".into())],
        ..Expectation::of_status(StatusRule::Below(500))
    };
    let request = |method: &str, body: &[u8]| {
        Arc::new(Request {
            method: method.into(),
            path: "/a".into(),
            host: "localhost:1".into(),
            body: body.to_vec().into(),
            ..Request::default()
        })
    };
    let requests = [request("GET", b""), request("HEAD", b""), request("POST", b"xyz")];
    <Http3<u32> as Protocol<u32>>::shared(&[Arc::new(expectation)], &requests)
}

/// Records of at most `size` bytes.
fn records(mut bytes: &[u8], as_they_stand: bool, size: usize) -> Vec<u8> {
    let mut all = Vec::new();
    Record::write_by(&mut all, 3, Kind::Bytes, |out| {
        varint::write(out, frame::stream::CONTROL);
        frame::write(out, frame::kind::SETTINGS, b"");
    });
    while let [stream, kind, length, rest @ ..] = bytes {
        let (payload, later) = rest.split_at(rest.len().min(usize::from(*length)));
        bytes = later;
        let stream = u64::from(*stream % 28);
        if kind % 4 > 1 {
            let kind = if kind % 4 == 2 { Kind::Reset } else { Kind::Limit };
            Record::write_by(&mut all, stream, kind, |out| out.extend_from_slice(payload));
            continue;
        }
        let mut framed = Vec::new();
        match as_they_stand {
            true => framed.extend_from_slice(payload),
            false => frame::write(&mut framed, u64::from(kind / 4 % 16), payload),
        }
        let last = if kind % 4 == 1 { Kind::Last } else { Kind::Bytes };
        let mut pieces = framed.chunks(size.max(1)).peekable();
        if pieces.peek().is_none() {
            Record::write_by(&mut all, stream, last, |_| ());
        }
        while let Some(piece) = pieces.next() {
            let kind = if pieces.peek().is_some() { Kind::Bytes } else { last };
            Record::write_by(&mut all, stream, kind, |out| out.extend_from_slice(piece));
        }
    }
    all
}

fuzz_target!(|input: &[u8]| {
    let [cut, choice, bytes @ ..] = input else { return };
    let of = |size| {
        let records = records(bytes, choice & 1 == 1, size);
        streams::outcome::<Http3<u32>>(&records, records.len(), b"HTTP/3 ", 1, &mut shared())
    };
    let whole = of(usize::MAX);
    assert!(of(usize::from(*cut)) == whole);
    assert!(of(1) == whole);
});
