//! Right answers that differ for each row of the data file.

use proptest::prelude::*;
use std::path::Path;
use volley_protocol::BodyRule;
use volley_requests::{Book, Defaults, FileError, RequestFile};

const DATA: &str = "id,name\n7,pear\n8,plum\n9,fig\n";

fn drawn(data: &str, text: &str, count: usize) -> Result<Book, FileError> {
    let defaults = Defaults::of("a");
    let load = |_: &Path| Ok(data.as_bytes().to_vec());
    RequestFile::parse(text, Path::new("r.toml"), load)?.book(&defaults, 1, count, 2)
}

fn asking(expect: &str) -> String {
    format!("data = \"d.csv\"\n[[request]]\npath = \"/{{{{id}}}}\"\nexpect.{expect}\n")
}

/// A request, and its right body.
fn pairs(book: &Book) -> Vec<(String, BodyRule)> {
    let pair = |number| {
        let message = book.message(number);
        (book.requests()[number].path.clone(), book.expectation(message).body.clone())
    };
    (0..book.cycle()).map(pair).collect()
}

fn exactly(body: &str) -> BodyRule {
    BodyRule::Exactly(body.as_bytes().to_vec())
}

#[test]
fn the_body_has_the_values_of_the_row_that_was_sent() {
    let book = drawn(DATA, &asking("body = '{\"{{id}}\":\"{{name}}\"}'"), 50).unwrap();
    let pairs = pairs(&book);
    assert_eq!(pairs.len(), 50);
    for (path, body) in &pairs {
        let name = match &path[..] {
            "/7" => "pear",
            "/8" => "plum",
            "/9" => "fig",
            other => panic!("{other}"),
        };
        assert_eq!(*body, exactly(&format!("{{\"{}\":\"{name}\"}}", &path[1..])));
    }
    assert_eq!(book.expectations().len(), 4, "one for each row, behind the request's own");
    assert!((0..50).all(|number| book.entry(number) == 0), "all are the same request");
}

#[test]
fn requests_of_a_mix_keep_their_names() {
    let text = format!(
        "{}[[request]]\nname = \"second\"\npath = \"/s\"\nexpect.body = \"{{{{name}}}}\"\n",
        asking("status = 200")
    );
    let book = drawn(DATA, &text, 50).unwrap();
    for (number, (path, body)) in pairs(&book).into_iter().enumerate() {
        let second = path == "/s";
        assert_eq!(book.names()[book.entry(number)] == "second", second);
        assert_eq!(body == BodyRule::Any, !second);
    }
}

#[test]
fn without_a_data_file_braces_stand_for_themselves() {
    let plain = drawn("", "[[request]]\npath = \"/\"\nexpect.body = \"{{id}}\"", 1).unwrap();
    assert_eq!(plain.expectations()[0].body, exactly("{{id}}"));
}

#[test]
fn what_a_connection_begins_with_is_answered_by_its_row() {
    let once = "data = \"d.csv\"\norder = \"sequential\"\n[[once]]\npath = \"/{{id}}\"\n\
        expect.body = \"{{name}}\"\n[[request]]\npath = \"/\"\n";
    let book = drawn(DATA, once, 1).unwrap();
    let bodies = book.expectations()[2..].iter().map(|each| each.body.clone());
    assert_eq!(bodies.collect::<Vec<_>>(), ["pear", "plum", "fig"].map(exactly));
}

#[test]
fn what_cannot_be_known_beforehand_is_refused_with_its_line() {
    for (body, words) in [
        ("{{random 1 2}}", "an answer that is known beforehand has columns of the data file alone"),
        ("{{hex 4}}", "an answer that is known beforehand has columns of the data file alone"),
        ("{{nmae}}", "{{nmae}} is not a field; fields are {{id}}, {{name}}, "),
        ("{{id", "there is a {{ without }}; "),
    ] {
        let error = drawn(DATA, &asking(&format!("body = \"{body}\"")), 1).unwrap_err();
        let words = format!("r.toml:4: request.expect.body: {words}");
        assert!(error.to_string().starts_with(&words), "{error}");
    }
}

proptest! {
    #[test]
    fn no_text_breaks_it(body in "[ -~]{0,40}", data in "[a-c,\"\n]{0,30}") {
        let text = asking(&format!("body = '{}'", body.replace('\'', "{{")));
        let _ = drawn(&data, &text, 20);
    }
}
