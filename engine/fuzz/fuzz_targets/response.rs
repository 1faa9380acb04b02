//! Any bytes as a server's answers on one connection. The first byte chooses how they are cut.
//!
//! Cuts must change nothing, a learned head must agree with the full parser, and no more bytes may
//! be taken than there are.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volley_http::{Decoder, End, Expectation, Learned, StatusRule, Step};

fn outcome(pieces: std::slice::Chunks<'_, u8>, learned: &mut Learned) -> (String, usize) {
    let expectation =
        Expectation { status: StatusRule::Exactly(200), body: Some(b"Hello, World!".to_vec()) };
    let mut decoder = Decoder::default();
    let mut taken = 0;
    for piece in pieces {
        match decoder.feed(piece, false, &expectation, learned) {
            Step::Incomplete => taken += piece.len(),
            Step::Malformed(bad) => return (format!("{bad:?}"), usize::MAX),
            Step::Complete(mut answer) => {
                assert!(answer.consumed <= piece.len());
                taken += std::mem::take(&mut answer.consumed);
                return (format!("{answer:?} after {taken}"), taken);
            }
        }
        assert!(decoder.evidence(piece).len() <= 64 * 1024);
    }
    match decoder.end(&expectation) {
        End::Complete(answer) => (format!("at the end {answer:?}"), usize::MAX),
        End::Short(received) => (format!("short after {received}"), usize::MAX),
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((&cut, mut bytes)) = input.split_first() else { return };
    let mut learned = Learned::default();
    while !bytes.is_empty() {
        let (whole, taken) = outcome(bytes.chunks(bytes.len()), &mut Learned::default());
        let size = usize::from(cut).max(1);
        assert_eq!(outcome(bytes.chunks(size), &mut Learned::default()).0, whole);
        assert_eq!(outcome(bytes.chunks(bytes.len()), &mut learned).0, whole);
        match bytes.get(taken..) {
            Some(rest) => bytes = rest,
            None => return,
        }
    }
});
