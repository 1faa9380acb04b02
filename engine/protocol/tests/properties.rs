//! Properties for any bytes: cuts change nothing, and the fast path agrees with the full parser.

use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use volley_protocol::{
    Awaited, BodyRule, Content, Decoder, End, Expectation, HeadCache, Http1, Io, LengthRule,
    Pattern, Protocol, StatusRule, Step, Ticket, Verdict,
};

/// The outcome of bytes that come in pieces, as text. `consumed` is made independent of the cuts.
fn outcome(pieces: &[&[u8]], to_head: bool, learned: &mut HeadCache) -> String {
    let mut decoder = Decoder::default();
    let mut before = 0;
    for piece in pieces {
        match decoder.feed(piece, to_head, learned) {
            Step::Incomplete => before += piece.len(),
            Step::Complete(mut answer) => {
                answer.consumed += before;
                return format!("{answer:?}: {}", decoder.describe(&answer, learned, piece));
            }
            other => return format!("{other:?}"),
        }
    }
    match decoder.end(learned) {
        End::Complete(answer) => {
            format!("at end {answer:?}: {}", decoder.describe(&answer, learned, b""))
        }
        End::Short(received) => format!("short {received}"),
    }
}

/// A request's number.
#[derive(Clone, Copy)]
struct Number(usize);

impl Ticket for Number {
    fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Statuses and verdicts of one connection's answers, up to the first invalid or last one, and the
/// number of bytes before it. `heads`: which requests are HEAD, of runs of three. `at_once`: known
/// answers are taken at once.
fn answers(
    bytes: &[u8],
    heads: &[bool],
    expectation: &Arc<Expectation>,
    at_once: bool,
) -> (Vec<(u16, Verdict)>, usize) {
    let mut shared = vec![HeadCache::new(expectation.clone())];
    let mut connection = Http1::default();
    for (run, heads) in heads.chunks(3).enumerate() {
        connection.start(Number(3 * run), heads.len());
    }
    let awaited = |Number(number)| Awaited { expectation: 0, to_head: heads[number] };
    let (mut found, mut at) = (Vec::new(), 0);
    loop {
        if at_once && let Some(known) = connection.take_known(&bytes[at..], awaited, &mut shared) {
            assert_eq!(known.first.0, found.len());
            found.extend(vec![(known.status, Verdict::Right); known.count]);
            at += known.consumed;
            continue;
        }
        let io = &mut Io { now_ns: 1, out: &mut Vec::new() };
        match connection.receive(&bytes[at..], awaited, &mut shared, io) {
            Some(Step::Complete(answer)) => {
                assert_eq!(connection.finish().map(|number| number.0), Some(found.len()));
                found.push((answer.status, answer.verdict));
                at += answer.consumed;
                if !answer.keep_alive {
                    return (found, at);
                }
            }
            _ => return (found, at),
        }
    }
}

/// Expectations of every kind, met by some of the answers below.
fn expectation() -> impl Strategy<Value = Arc<Expectation>> {
    let body = "Hello, World!";
    let (exactly, between) = (LengthRule::Exactly(13), LengthRule::Between(14, 20));
    let length = prop::sample::select(vec![None, Some(exactly), Some(between)]);
    let content = Content::new(&["world".into()], Pattern::parse("^H.*[!?]").ok(), None);
    let body = prop::sample::select(vec![
        BodyRule::Any,
        BodyRule::Exactly(body.into()),
        BodyRule::Sha256(Sha256::digest(body).into()),
        BodyRule::Holds(Arc::new(content)),
    ]);
    let headers = prop::sample::subsequence(
        vec![
            ("server", "x"),
            ("Content-Length", "13"),
            ("Date", "Sat, 21 Nov 2026 20:55:18 GMT"),
            ("X-None", ""),
        ],
        0..=2,
    );
    (length, body, headers).prop_map(|(length, body, headers)| {
        let headers = headers.iter().map(|&(name, value)| (name.into(), value.into())).collect();
        Arc::new(Expectation { status: StatusRule::Exactly(200), length, body, headers })
    })
}

/// Answers that are nearly right, with the differences between servers.
fn answer() -> impl Strategy<Value = Vec<u8>> {
    let status =
        prop::sample::select(vec!["200 OK", "204 No", "304 Not", "500 Oh", "100 Continue"]);
    let date = prop::sample::select(vec![
        "",
        "Date: Sat, 21 Nov 2026 20:55:18 GMT\r\n",
        "Date: Sat, 21 Nov 2026 20:55:19 GMT\r\n",
        "Date: Sat, 21\tNov 2026 20:55:19 GMT\r\n",
        "Date:   , 21 Nov 2026 20:55:19 GM  \r\n",
        "date: \r\n",
    ]);
    let framing = prop::sample::select(vec![
        "Content-Length: 13\r\n",
        "Content-Length: 14\r\n",
        "Content-Length: 13\r\nConnection: close\r\n",
        "Transfer-Encoding: chunked\r\n",
        "",
    ]);
    let body = prop::sample::select(vec![
        "Hello, World!",
        "Hello, world!",
        "6\r\nHello,\r\n7;x=y\r\n World!\r\n0\r\nA: b\r\n\r\n",
        "",
    ]);
    (status, date, framing, body).prop_map(|(status, date, framing, body)| {
        format!("HTTP/1.1 {status}\r\nServer: x\r\n{date}{framing}\r\n{body}").into_bytes()
    })
}

/// The same with some bytes changed.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3);
    (answer(), changes).prop_map(|(mut bytes, changes)| {
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn cuts_change_nothing(
        expectation in expectation(),
        bytes in damaged(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        to_head: bool,
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        let whole = outcome(&[&bytes], to_head, &mut HeadCache::new(expectation.clone()));
        prop_assert_eq!(outcome(&pieces, to_head, &mut HeadCache::new(expectation)), whole);
    }

    #[test]
    fn the_fast_path_agrees_with_the_full_parser(
        expectation in expectation(),
        answers in prop::collection::vec((damaged(), any::<bool>()), 1..8),
        size in 1..300_usize,
    ) {
        let mut learned = HeadCache::new(expectation.clone());
        for (bytes, to_head) in &answers {
            let full = outcome(&[bytes], *to_head, &mut HeadCache::new(expectation.clone()));
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(outcome(&pieces, *to_head, &mut learned), full);
        }
    }

    #[test]
    fn known_answers_are_those_that_are_right(
        expectation in expectation(),
        several in prop::collection::vec(damaged(), 1..4),
        order in prop::collection::vec(any::<prop::sample::Index>(), 1..10),
        heads in prop::collection::vec(prop::bool::weighted(0.1), 10),
    ) {
        let order: Vec<&[u8]> = order.iter().map(|index| &several[index.index(several.len())][..]).collect();
        let bytes = order.concat();
        let one_by_one = answers(&bytes, &heads, &expectation, false);
        prop_assert_eq!(answers(&bytes, &heads, &expectation, true), one_by_one);
    }

    #[test]
    fn a_body_is_right_if_and_only_if_its_hash_is(
        bodies in prop::collection::vec("[ab]{0,3}", 1..12),
        right in "[ab]{0,3}",
        size in 1..60_usize,
    ) {
        let body = BodyRule::Sha256(Sha256::digest(&right).into());
        let rule = StatusRule::Exactly(200);
        let expectation = Expectation { body, ..Expectation::of_status(rule) };
        let mut learned = HeadCache::new(Arc::new(expectation));
        for body in &bodies {
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            let mut decoder = Decoder::default();
            let steps: Vec<Step> = answer
                .as_bytes()
                .chunks(size)
                .map(|piece| decoder.feed(piece, false, &mut learned))
                .collect();
            let Some(Step::Complete(answer)) = steps.last() else { panic!("{steps:?}") };
            prop_assert_eq!(answer.verdict == Verdict::Right, *body == right);
        }
    }

    #[test]
    fn no_bytes_are_too_strange(
        expectation in expectation(),
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        outcome(&[&bytes], false, &mut HeadCache::new(expectation));
    }
}
