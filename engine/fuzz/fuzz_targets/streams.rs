//! The outcomes of requests that are streams of one connection, whatever its server sends.

use std::fmt::Write;
use volley_protocol::{Awaited, Io, Protocol, Step, Verdict};

/// The number of requests on the connection.
pub const COUNT: u32 = 6;

/// The most bytes of an answer that are kept.
const KEPT: usize = 80 * 1024;

/// The outcomes of the requests, down to the messages about errors, and the bytes for the server.
/// `size`: how many bytes are fed at a time. `version`: the beginning of evidence. `expectations`:
/// one for all requests, or one for each.
pub fn outcome<P: Protocol<u32>>(
    bytes: &[u8],
    size: usize,
    version: &[u8],
    expectations: u32,
    shared: &mut P::Shared,
) -> (String, Vec<u8>) {
    let (mut client, mut out, mut log) = (P::default(), Vec::new(), String::new());
    client.greet(shared, &mut out);
    for ticket in 0..COUNT {
        client.write(ticket, ticket as usize % 3, shared, &mut out);
    }
    let awaited =
        |ticket: u32| Awaited { expectation: ticket % expectations, to_head: ticket % 3 == 1 };
    for mut rest in bytes.chunks(size) {
        while !rest.is_empty() {
            let io = &mut Io { now_ns: 1, out: &mut out };
            let consumed = match client.receive(rest, awaited, shared, io).expect("never none") {
                Step::Incomplete => break,
                Step::Lost(loss) => unreachable!("streams have refusals instead: {loss}"),
                Step::Malformed(bad) => {
                    assert!(bad.at < bytes.len() as u64);
                    write!(log, "{bad:?}").unwrap();
                    assert!(client.evidence(rest).len() <= KEPT);
                    return (log, out);
                }
                Step::Complete(mut answer) => {
                    let ticket = client.completed().expect("it is complete");
                    let words = client.describe(&answer, awaited(ticket), shared, rest);
                    assert!(!words.is_empty());
                    let consumed = std::mem::take(&mut answer.consumed);
                    write!(log, "{ticket}: {answer:?} {words} ").unwrap();
                    if answer.verdict != Verdict::Right {
                        let evidence = client.evidence(&rest[..consumed]);
                        assert!(evidence.starts_with(version) && evidence.len() <= KEPT);
                        writeln!(log, "{}", String::from_utf8_lossy(&evidence)).unwrap();
                    }
                    consumed
                }
                Step::Refused { consumed, what } => {
                    writeln!(log, "{:?}: {what}", client.completed()).unwrap();
                    consumed
                }
            };
            rest = &rest[consumed..];
            assert!(client.finish().is_some());
        }
    }
    write!(log, "{} {:?} {:?}", client.in_flight(), client.oldest(), client.announced()).unwrap();
    assert!(client.in_flight() + client.room(9) <= 9);
    while client.take_unanswered().is_some() {}
    (log, out)
}
