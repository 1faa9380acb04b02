//! Properties for any weights and seeds.

use proptest::prelude::*;
use std::fmt::Write;
use std::path::Path;
use volley_requests::{Book, Defaults, Message, RequestFile};

const DATA: &[u8] = b"id\n1\n2\n3\n4\n";

/// As many requests as there are weights, each with its number in the path.
fn draw(weights: &[u32], order: &str, seed: u64, count: usize, depth: usize) -> Book {
    let mut text = format!("data = \"d.csv\"\norder = \"{order}\"\n");
    for (number, weight) in weights.iter().enumerate() {
        let _ = write!(
            text,
            "[[request]]\nweight = {weight}\npath = \"/{number}/{{{{id}}}}\"\n\
                headers = {{ A = \"{{{{random 1 1000000}}}}\" }}\nbody = \"{{{{hex 8}}}}\"\n"
        );
    }
    let defaults = Defaults::of("a");
    let file = RequestFile::parse(&text, Path::new("r.toml"), |_| Ok(DATA.to_vec())).unwrap();
    file.book(&defaults, seed, count, depth).unwrap()
}

fn messages(book: &Book, count: usize) -> Vec<Message> {
    (0..count).map(|number| book.message(number).clone()).collect()
}

/// How many standard deviations of a binomial count lie between a count and its mean.
fn deviations(count: usize, draws: usize, share: f64) -> f64 {
    let draws = draws as f64;
    (count as f64 - draws * share).abs() / (draws * share * (1.0 - share)).sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn weights_are_met(weights in prop::collection::vec(1..20_u32, 2..5), seed: u64) {
        let draws = 2000;
        let book = draw(&weights, "random", seed, draws, 1);
        let sum: u32 = weights.iter().sum();
        for (number, &weight) in weights.iter().enumerate() {
            let own = |message: &&Message| message.awaited.expectation as usize == number;
            let count = messages(&book, draws).iter().filter(own).count();
            // Six of them are exceeded once in half a billion.
            let deviations = deviations(count, draws, f64::from(weight) / f64::from(sum));
            prop_assert!(deviations < 6.0, "{} of {:?}: {}", number, weights, count);
        }
    }

    #[test]
    fn rows_are_drawn_alike(seed: u64) {
        let draws = 2000;
        let book = draw(&[1], "random", seed, draws, 1);
        for row in 1..=4 {
            let start = format!("POST /0/{row} ");
            let of_row = |message: &&Message| {
                book.outbox()[message.bytes.clone()].starts_with(start.as_bytes())
            };
            let count = messages(&book, draws).iter().filter(of_row).count();
            prop_assert!(deviations(count, draws, 0.25) < 6.0, "{}: {}", row, count);
        }
    }

    #[test]
    fn each_message_is_one_of_the_requests_rendered(
        weights in prop::collection::vec(1..20_u32, 1..4),
        seed: u64,
        depth in 1..9_usize,
    ) {
        let book = draw(&weights, "random", seed, 5, depth);
        prop_assert_eq!(book.requests().len(), book.cycle());
        for number in 0..book.cycle() + depth - 1 {
            let rendered = book.requests()[number % book.cycle()].render().unwrap();
            prop_assert_eq!(book.bytes_of(number), rendered);
        }
    }

    #[test]
    fn equal_seeds_give_equal_books(
        weights in prop::collection::vec(1..20_u32, 1..4),
        order in prop::sample::select(vec!["random", "sequential"]),
        seed: u64,
    ) {
        let [one, two] = [seed, seed].map(|seed| draw(&weights, order, seed, 30, 3));
        prop_assert_eq!(one.outbox(), two.outbox());
        prop_assert_eq!(messages(&one, 32), messages(&two, 32));
        let other = draw(&weights, order, seed.wrapping_add(1), 30, 3);
        prop_assert_ne!(one.outbox(), other.outbox());
    }

    #[test]
    fn messages_in_a_row_are_one_piece_and_repeat(count in 1..20_usize, depth in 1..40_usize) {
        let book = draw(&[1, 2], "random", 1, count, depth);
        prop_assert_eq!(book.cycle(), count);
        let bytes = |message: &Message| book.outbox()[message.bytes.clone()].to_vec();
        let all = messages(&book, count + depth - 1);
        for (number, message) in all.iter().enumerate().skip(count) {
            prop_assert_eq!(bytes(message), bytes(&all[number % count]));
            prop_assert_eq!(message.awaited, all[number % count].awaited);
        }
        for first in 0..count {
            let row: Vec<u8> = all[first..first + depth].iter().flat_map(bytes).collect();
            prop_assert_eq!(&book.outbox()[book.bytes(first, depth)], &row);
        }
    }
}

#[test]
fn the_requests_of_a_seed_stay_the_same() {
    // A measurement that is repeated with the same seed a year from now sends the same requests.
    let book = draw(&[3, 1], "random", 1, 3, 1);
    let lines = |message: &Message| {
        let text = String::from_utf8_lossy(&book.outbox()[message.bytes.clone()]).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        [lines[0], lines[2], lines[5]].join(" ")
    };
    let all: Vec<String> = messages(&book, 3).iter().map(lines).collect();
    let expected = [
        "POST /1/3 HTTP/1.1 A: 100151 b29f812e",
        "POST /0/1 HTTP/1.1 A: 394581 1287fa4c",
        "POST /0/2 HTTP/1.1 A: 237694 92f9b9a8",
    ];
    assert_eq!(all, expected);
}
