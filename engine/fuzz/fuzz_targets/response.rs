//! Any bytes as a server's answers on one connection. The first byte chooses how they are cut, the
//! second which answers are right.
//!
//! Cuts must change nothing, a learned head and body must agree with the full parser and the hash,
//! down to the messages about errors, and no more bytes may be taken than there are.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::slice::Chunks;
use std::sync::Arc;
use volley_protocol::{
    BodyRule, Content, Decoder, End, Expectation, HeadCache, JsonShape, LengthRule, StatusRule,
    Step,
};

/// SHA-256 of `Hello, World!`.
const HASH: &str = "dffd6021bb2bd5b0af676290809ec3a53191dd81c7f70a4b28688a362182986f";

fn expectation(choice: u8) -> Arc<Expectation> {
    let chosen = |bit: u8| choice >> bit & 1 == 1;
    let headers = [("server", "x"), ("Date", "Sat, 21 Nov 2026 20:55:18 GMT"), ("A", "")];
    let headers = headers.iter().enumerate().filter(|(bit, _)| chosen(*bit as u8 + 3));
    Arc::new(Expectation {
        status: if chosen(6) { StatusRule::Below(600) } else { StatusRule::Exactly(200) },
        length: chosen(2).then_some(LengthRule::Between(0, 13)),
        body: match choice & 3 {
            0 => BodyRule::Any,
            1 => BodyRule::Exactly(b"Hello, World!".to_vec()),
            2 => BodyRule::from_hex(HASH).expect("64 digits"),
            _ => {
                let shape = Some(JsonShape::parse("{\"a?\": [\"number\"]}").expect("a shape"));
                BodyRule::Holds(Arc::new(Content::new(&[], None, shape)))
            }
        },
        headers: headers.map(|(_, (name, value))| ((*name).into(), (*value).into())).collect(),
    })
}

fn outcome(pieces: Chunks<'_, u8>, to_head: bool, learned: &mut HeadCache) -> (String, usize) {
    let mut decoder = Decoder::default();
    let mut taken = 0;
    for piece in pieces {
        match decoder.feed(piece, to_head, learned) {
            Step::Incomplete => taken += piece.len(),
            Step::Malformed(bad) => return (format!("{bad:?}"), usize::MAX),
            Step::Refused { .. } | Step::Lost(_) => panic!("HTTP/1 has no refusals"),
            Step::Complete(mut answer) => {
                assert!(answer.consumed <= piece.len());
                let words = decoder.describe(&answer, learned, &piece[..answer.consumed]);
                assert!(!words.is_empty());
                taken += std::mem::take(&mut answer.consumed);
                return (format!("{answer:?} after {taken}: {words}"), taken);
            }
        }
        assert!(decoder.evidence(piece).len() <= 64 * 1024);
    }
    match decoder.end(learned) {
        End::Complete(answer) => {
            let words = decoder.describe(&answer, learned, b"");
            assert!(!words.is_empty());
            (format!("at the end {answer:?}: {words}"), usize::MAX)
        }
        End::Short(received) => (format!("short after {received}"), usize::MAX),
    }
}

fuzz_target!(|input: &[u8]| {
    let [cut, choice, bytes @ ..] = input else { return };
    let (mut bytes, expectation) = (bytes, expectation(*choice));
    let empty = || HeadCache::new(expectation.clone());
    let mut learned = empty();
    // With the highest bit every second request is HEAD.
    let mut to_head = false;
    while !bytes.is_empty() {
        let (whole, taken) = outcome(bytes.chunks(bytes.len()), to_head, &mut empty());
        let size = usize::from(*cut).max(1);
        assert_eq!(outcome(bytes.chunks(size), to_head, &mut empty()).0, whole);
        assert_eq!(outcome(bytes.chunks(bytes.len()), to_head, &mut learned).0, whole);
        assert_eq!(outcome(bytes.chunks(size), to_head, &mut learned).0, whole);
        match bytes.get(taken..) {
            Some(rest) => bytes = rest,
            None => return,
        }
        to_head ^= choice >> 7 == 1;
    }
});
