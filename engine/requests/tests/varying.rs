//! Right answers that vary: a request file's rules for them.

use std::io;
use std::path::Path;
use std::sync::Arc;
use volley_protocol::{BodyRule, Content, Expectation, JsonShape, LengthRule, Pattern, StatusRule};
use volley_requests::{Book, Defaults, FileError, RequestFile};

fn with(defaults: Expectation, headers: &[(&str, &str)], text: &str) -> Result<Book, FileError> {
    let headers = headers.iter().map(|&(name, value)| (name.into(), value.into())).collect();
    let defaults = Defaults { headers, expectation: defaults, ..Defaults::of("a:1") };
    let none = |_: &Path| Err(io::Error::from_raw_os_error(2));
    RequestFile::parse(text, Path::new("r.toml"), none)?.book(&defaults, 1, 10, 1)
}

fn any() -> Expectation {
    Expectation::of_status(StatusRule::Below(400))
}

fn holding(texts: &[&str], pattern: Option<&str>, shape: Option<&str>) -> BodyRule {
    let texts: Vec<String> = texts.iter().map(|&text| text.into()).collect();
    let pattern = pattern.map(|text| Pattern::parse(text).unwrap());
    BodyRule::Holds(Arc::new(Content::new(
        &texts,
        pattern,
        shape.map(|text| JsonShape::parse(text).unwrap()),
    )))
}

#[test]
fn answers_may_vary() {
    let text = "[[request]]\npath = \"/\"\n[request.expect]\nlength_between = [10, 2000]\n\
        body_contains = [\"a\", \"{{\"]\nbody_matches = '^<html'\n\
        json = { id = \"number\", \"tags?\" = [\"string|null\"], all = [], nested = { x = \"any\" } }";
    let book = with(any(), &[], text).unwrap();
    let expectation = &book.expectations()[0];
    assert_eq!(expectation.length, Some(LengthRule::Between(10, 2000)));
    let shape = r#"{"id": "number", "tags?": ["string|null"], "all": [], "nested": {"x": "any"}}"#;
    assert_eq!(expectation.body, holding(&["a", "{{"], Some("^<html"), Some(shape)));
}

#[test]
fn what_is_said_of_the_body_goes_before_the_command_line() {
    let default = Expectation { body: BodyRule::Exactly(b"x".to_vec()), ..any() };
    let text = "[[request]]\npath = \"/\"\nexpect.body_contains = [\"a\"]\n\
        [[request]]\npath = \"/\"\nexpect.length_between = [0, 1]";
    let book = with(default, &[], text).unwrap();
    let [first, second] = book.expectations() else { panic!() };
    assert_eq!(first.body, holding(&["a"], None, None));
    assert_eq!(second.body, BodyRule::Exactly(b"x".to_vec()));
}

#[test]
fn what_means_nothing_has_file_line_and_key() {
    let request = "[[request]]\npath = \"/\"\n";
    let cases = [
        (
            "expect.length_between = [2, 1]",
            "r.toml:3: request.expect.length_between: the lower limit comes first",
        ),
        (
            "expect.length = 1\nexpect.length_between = [1, 2]",
            "r.toml:4: request.expect: of `length` and `length_between` keep one",
        ),
        (
            "expect.length_between = [1, 2, 3]",
            "r.toml:3: request.expect.length_between: it takes two limits, like [10, 2000]",
        ),
        ("expect.length_between = 3", "r.toml:3: invalid type: integer `3`, expected"),
        (
            "expect.body_matches = \"a(\"",
            "r.toml:3: request.expect.body_matches: \"a(\" is no regular expression: unclosed group",
        ),
        (
            "expect.body_contains = \"a\"",
            "r.toml:3: invalid type: string \"a\", expected a sequence",
        ),
        (
            "expect.body = \"a\"\nexpect.json = []",
            "r.toml:4: request.expect: `body`, `body_file` and `sha256` say all of the body: keep \
             one of them, or `body_contains`, `body_matches` and `json`",
        ),
        (
            "[request.expect.json]\nid = \"number\"\nname = \"text\"",
            "r.toml:5: \"text\" is no type of JSON: there are string, number, boolean and null, \
             several with | between them, or any in `request.expect.json.name`",
        ),
        (
            "[request.expect.json]\nid = 1",
            "r.toml:4: invalid type: integer `1`, expected a shape: a type in a string, an object \
             of shapes, or an array of one in `request.expect.json.id`",
        ),
        (
            "expect.json = { a = [\"any\", \"any\"] }",
            "r.toml:3: an array has one shape for all of its elements, or none for any in \
             `request.expect.json.a`",
        ),
    ];
    for (text, words) in cases {
        let error = with(any(), &[], &format!("{request}{text}")).unwrap_err().to_string();
        assert!(error.starts_with(words) && !error.contains('\n'), "{text}: {error}");
    }
}

#[test]
fn compressed_bodies_cannot_be_looked_into() {
    let words = "header `Accept-Encoding` asks for compressed bodies, but what they contain, match \
        or have as JSON is looked for in the bytes as they come: leave it out";
    let own = "[[request]]\npath = \"/\"\nexpect.json = []\n\
        headers = { Accept-Encoding = \"gzip\" }";
    let error = with(any(), &[], own).unwrap_err().to_string();
    assert_eq!(error, format!("r.toml:4: request: {words}"));
    let plain = own.replace("gzip", "identity");
    assert!(with(any(), &[], &plain).is_ok());
    assert!(with(any(), &[], &own.replace("json = []", "length = 2")).is_ok());
    // The command line's header, the file's rule; a request may revoke the header.
    let gzip = [("Accept-Encoding", "gzip")];
    let error = with(any(), &gzip, "[[request]]\npath = \"/\"\nexpect.json = []").unwrap_err();
    assert_eq!(error.to_string(), format!("r.toml:1: request: {words}"));
    assert!(with(any(), &gzip, &plain).is_ok());
}
