//! Bodies that may change, but must contain something.

use crate::{anything, check, framed, run, streams};
use std::sync::Arc;
use volley_protocol::{
    BodyRule, Content, Expectation, HeadCache, JsonShape, LengthRule, Pattern, Verdict,
};

fn holding(texts: &[&str], pattern: Option<&str>, shape: Option<&str>) -> Expectation {
    let texts: Vec<String> = texts.iter().map(|&text| text.into()).collect();
    let pattern = pattern.map(|pattern| Pattern::parse(pattern).unwrap());
    let shape = shape.map(|shape| JsonShape::parse(shape).unwrap());
    let content = Content::new(&texts, pattern, shape);
    Expectation { body: BodyRule::Holds(Arc::new(content)), ..anything() }
}

/// Over HTTP/1, however the body is framed, and over HTTP/2.
fn check_all(expectation: &Expectation, body: &str, words: &str) {
    for answer in framed(body) {
        check(expectation.clone(), answer.as_bytes(), words);
    }
    streams::check(expectation, body, words);
}

#[test]
fn a_body_contains_all_texts() {
    let both = holding(&["Hello", "or\n"], None, None);
    let hello = "body_contains: \"Hello\" is not in the body";
    let or = "body_contains: \"or\\n\" is not in the body";
    for (body, words) in [
        ("Hello, or\nelse", "as expected"),
        ("or\nHello", "as expected"),
        ("Hell, or\n", hello),
        ("hello", hello),
        ("", hello),
        ("Hello, or", or),
    ] {
        check_all(&both, body, words);
    }
}

#[test]
fn a_body_matches_a_pattern_somewhere() {
    for (pattern, body, words) in [
        ("[0-9]{3}", "no 12, but 123.", "as expected"),
        ("(?i)^<HTML", "<html>", "as expected"),
        ("^<html", " <html>", "body_matches: nothing in the body matches \"^<html\""),
        ("x", "", "body_matches: nothing in the body matches \"x\""),
        ("é$", "éé", "as expected"),
    ] {
        check_all(&holding(&[], Some(pattern), None), body, words);
    }
}

#[test]
fn a_body_has_a_shape() {
    let shape = r#"{"items": [{"id": "number", "note?": "string|null"}], "a/b~": "any", "n": []}"#;
    let item = |item: &str| format!(r#"{{"items": [{item}], "a/b~": 1, "n": [1, ""], "x": 1}}"#);
    for (body, words) in [
        (item(r#"{"id": 1}, {"id": -1.5e3, "note": null, "x": [[]]}"#), "as expected"),
        (item(""), "as expected"),
        (item(r#"{"id": 1, "note": "é\u00e9"}"#), "as expected"),
        (
            item(r#"{"id": 1}, {"note": "a", "id": "2"}"#),
            "json: /items/1/id is a string, expected number",
        ),
        (item(r#"{"note": ""}"#), "json: /items/0/id is missing, expected number"),
        (
            item(r#"{"id": 1, "note": true}"#),
            "json: /items/0/note is a boolean, expected string|null",
        ),
        (item("[]"), "json: /items/0 is an array, expected an object"),
        (item("null"), "json: /items/0 is null, expected an object"),
        (r#"{"items": {}}"#.into(), "json: /items is an object, expected an array"),
        (r#"{"items": [], "n": []}"#.into(), "json: /a~1b~0 is missing, expected any value"),
        ("[]".into(), "json: the body is an array, expected an object"),
        (item("1 2"), "json: /items/0 is a number, expected an object"),
        (
            r#"{"n": [1"#.into(),
            "json: the body is no JSON: EOF while parsing a list at line 1 column 8",
        ),
        (item("") + " ]", "json: the body is no JSON: trailing characters at line 1 column 48"),
        (String::new(), "json: the body is empty"),
    ] {
        check_all(&holding(&[], None, Some(shape)), &body, words);
    }
    check_all(&holding(&[], None, Some("\"number\"")), "1", "as expected");
    check_all(
        &holding(&[], None, Some("\"any\"")),
        "[1",
        "json: the body is no JSON: EOF while \
        parsing a list at line 1 column 2",
    );
}

#[test]
fn bytes_that_are_no_text_are_no_json() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n[\"\xff\"]";
    let words = "json: byte 2 of the body is not UTF-8";
    check(holding(&[], None, Some("[]")), &answer[..], words);
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xffa";
    check(holding(&["a"], Some("(?-u)^\\xffa$"), None), &answer[..], "as expected");
}

#[test]
fn the_first_rule_that_is_broken_is_named() {
    let expectation = Expectation {
        length: Some(LengthRule::Between(2, 6)),
        ..holding(&["a"], Some("b"), Some("[]"))
    };
    for (body, words) in [
        ("[......]", "body has 8 bytes, expected 2 to 6"),
        ("......", "body_contains: \"a\" is not in the body"),
        ("aaaa", "body_matches: nothing in the body matches \"b\""),
        ("\"ab\"", "json: the body is a string, expected an array"),
        ("[\"ab\"]", "as expected"),
    ] {
        check_all(&expectation, body, words);
    }
}

#[test]
fn deep_json_is_passed_over_but_not_gone_into() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let [answer, ..] = framed(&format!("{{\"a\": 1, \"b\": {deep}}}"));
    for (shape, words) in [
        ("{\"a\": \"number\"}", "as expected"),
        ("{\"b\": []}", "as expected"),
        ("{\"b\": \"null\"}", "json: /b is an array, expected null"),
    ] {
        let mut learned = HeadCache::new(Arc::new(holding(&[], None, Some(shape))));
        assert_eq!(run(&[answer.as_bytes()], &mut learned).1, words, "{shape}");
    }
}

#[test]
fn of_a_body_that_is_too_long_nothing_is_known() {
    let length = (64 << 20) + 1;
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
    let piece = vec![b'a'; 1 << 20];
    let mut pieces = vec![head.as_bytes()];
    pieces.extend((0..64).map(|_| &piece[..]));
    let mut learned = HeadCache::new(Arc::new(holding(&["a"], None, None)));
    let words = "body has 67108865 bytes, of which no more than 67108864 can be looked into";
    pieces.push(b"a");
    assert_eq!(run(&pieces, &mut learned), (Verdict::Body, words.into()));
}

#[test]
fn shapes_that_mean_nothing_are_refused() {
    for (text, words) in [
        ("\"text\"", "\"text\" is no type of JSON: there are string, number, boolean and null, "),
        ("\"string|any\"", "\"any\" is no type of JSON"),
        ("\"\"", "\"\" is no type of JSON"),
        ("[\"any\", \"any\"]", "an array has one shape for all of its elements, or none for any"),
        ("{\"a\": \"any\", \"a?\": \"null\"}", "the key \"a\" is listed twice"),
        (
            "{\"a\": 1}",
            "invalid type: integer `1`, expected a shape: a type in a string, an object",
        ),
        ("{\"a\"", "EOF while parsing an object"),
    ] {
        let error = JsonShape::parse(text).unwrap_err();
        assert!(error.starts_with(words) && !error.contains('\n'), "{text}: {error}");
    }
}
