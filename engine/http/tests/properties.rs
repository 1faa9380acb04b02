//! What holds for any bytes: cuts change nothing, and the fast path agrees with the full parser.

use proptest::prelude::*;
use volley_http::{Decoder, End, Expectation, Learned, StatusRule, Step};

fn expectation() -> Expectation {
    Expectation { status: StatusRule::Exactly(200), body: Some(b"Hello, World!".to_vec()) }
}

/// The outcome of bytes that come in pieces, as text. `consumed` is made independent of the cuts.
fn outcome(pieces: &[&[u8]], to_head: bool, learned: &mut Learned) -> String {
    let mut decoder = Decoder::default();
    let mut before = 0;
    for piece in pieces {
        match decoder.feed(piece, to_head, &expectation(), learned) {
            Step::Incomplete => before += piece.len(),
            Step::Complete(mut answer) => {
                answer.consumed += before;
                return format!("{answer:?}");
            }
            malformed @ Step::Malformed(_) => return format!("{malformed:?}"),
        }
    }
    match decoder.end(&expectation()) {
        End::Complete(answer) => format!("at end {answer:?}"),
        End::Short(received) => format!("short {received}"),
    }
}

/// Answers that are nearly right, in the ways servers differ.
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

/// The same with a byte changed here and there.
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
        bytes in damaged(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        to_head: bool,
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        let whole = outcome(&[&bytes], to_head, &mut Learned::default());
        prop_assert_eq!(outcome(&pieces, to_head, &mut Learned::default()), whole);
    }

    #[test]
    fn the_fast_path_agrees_with_the_full_parser(
        answers in prop::collection::vec(damaged(), 1..8),
        to_head: bool,
    ) {
        let mut learned = Learned::default();
        for bytes in &answers {
            let full = outcome(&[bytes], to_head, &mut Learned::default());
            prop_assert_eq!(outcome(&[bytes], to_head, &mut learned), full);
        }
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        outcome(&[&bytes], false, &mut Learned::default());
    }
}
