//! Any bytes of an HTTP/3 client's streams, before the server: stream, kind of record and of frame,
//! length, payload.
//!
//! The cuts into records must change nothing: neither which requests are whole, nor which rule is
//! the first to be broken.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volley_protocol::h3::frame;
use volley_protocol::h3::record::{Kind, Record};
use volley_protocol::h3::server::{Client, Fault, KnownRequest};

/// What comes of the streams, in order, where records have at most `size` bytes: a whole request
/// (of HEAD or not), or a broken rule. The connection's end is the last.
fn outcomes(mut bytes: &[u8], size: usize) -> Vec<(u64, Result<bool, Fault>)> {
    let (mut client, mut known) = (Client::default(), KnownRequest::default());
    let mut outcomes: Vec<(u64, Result<bool, Fault>)> = Vec::new();
    let mut ended = Vec::new();
    while let [stream, kind, length, rest @ ..] = bytes {
        let (payload, later) = rest.split_at(rest.len().min(usize::from(*length)));
        bytes = later;
        // Requests, and the client's own streams of one direction.
        let stream = u64::from(*stream % 16) * 2;
        if ended.contains(&stream) {
            continue;
        }
        let last = match kind % 8 {
            0..=3 => Kind::Bytes,
            4..=6 => Kind::Last,
            _ => Kind::Reset,
        };
        let framed = match kind & 1 {
            1 => payload.to_vec(),
            _ => {
                let mut framed = Vec::new();
                frame::write(&mut framed, u64::from(kind / 8 % 16), payload);
                framed
            }
        };
        let mut records: Vec<_> = framed.chunks(size).map(|piece| (Kind::Bytes, piece)).collect();
        match (last, records.last_mut()) {
            (Kind::Last, Some((kind, _))) => *kind = last,
            (Kind::Bytes, Some(_)) => {}
            // The bytes of a reset are its code.
            _ => records.push((last, b"")),
        }
        for (kind, piece) in records {
            let length = u32::try_from(piece.len()).unwrap();
            match client.take(Record { stream, kind, length }, piece, &mut known) {
                Ok(None) => {}
                Ok(Some(is_head)) => outcomes.push((stream, Ok(is_head))),
                Err(fault) => {
                    outcomes.push((stream, Err(fault)));
                    if matches!(fault, Fault::Connection(_)) {
                        return outcomes;
                    }
                    ended.push(stream);
                    break;
                }
            }
        }
        if last != Kind::Bytes {
            ended.push(stream);
        }
    }
    outcomes
}

fuzz_target!(|input: &[u8]| {
    let [cut, bytes @ ..] = input else { return };
    let whole = outcomes(bytes, usize::MAX);
    assert_eq!(outcomes(bytes, usize::from(*cut).max(1)), whole);
    assert_eq!(outcomes(bytes, 1), whole);
});
