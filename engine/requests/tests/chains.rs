//! Chains of a request file.

use std::io;
use std::path::Path;
use volley_protocol::{BodyRule, Expectation, Message, StatusRule};
use volley_requests::{Book, Defaults, FileError, RequestFile};

fn with(close: bool, text: &str) -> Result<Book, FileError> {
    let defaults = Defaults {
        close,
        headers: vec![("X-All".into(), "1".into())],
        expectation: Expectation {
            body: BodyRule::Exactly(b"x".to_vec()),
            ..Expectation::of_status(StatusRule::Exactly(200))
        },
        ..Defaults::of("a:1")
    };
    let load = |file: &Path| match file.to_str().unwrap() {
        "users.csv" => Ok(b"user\nann\nbob\ncid\n".to_vec()),
        _ => Err(io::Error::from_raw_os_error(2)),
    };
    RequestFile::parse(text, Path::new("r.toml"), load)?.book(&defaults, 1, 20, 2)
}

fn book(text: &str) -> Book {
    with(false, text).unwrap()
}

fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|&value| value.into()).collect()
}

const CHAIN: &str = "data = \"users.csv\"\norder = \"sequential\"\n\
    [[once]]\npath = \"/login/{{user}}\"\nbody = \"{{user}}\"\n\
    take = { a = \"json /a\", c = \"cookie c\" }\n\
    [[once]]\npath = \"/{{user}}/{{c}}\"\ntake = { d = \"header D\" }\nexpect.status = 204\n\
    [[request]]\npath = \"/{{user}}\"\n\
    [[request]]\npath = \"/y\"\nheaders = { A = \"{{ a }} {{hex 4}}\" }\nbody = \"{{d}}{{user}}{{d}}\"";

#[test]
fn a_chain_is_drawn_once_for_each_row() {
    let book = book(CHAIN);
    let chain = book.chain().unwrap();
    assert_eq!((chain.length(), chain.draws()), (2, 3));
    for (draw, user) in ["ann", "bob", "cid"].into_iter().enumerate() {
        let first = chain.request(draw, 0, &[]);
        assert_eq!(
            (first.path.as_str(), &*first.body),
            (&*format!("/login/{user}"), user.as_bytes())
        );
        assert_eq!(first.headers, [("X-All".to_owned(), "1".to_owned())]);
        let second = chain.request(draw, 1, &strings(&["1", "2"]));
        assert_eq!(second.path, format!("/{user}/2"));
        // The evidence has the field instead of the value.
        let number = chain.message(draw, 1);
        let shown = format!("GET /{user}/{{{{c}}}} HTTP/1.1\r\n");
        assert!(book.bytes_of(number).starts_with(shown.as_bytes()));
        let expected = book.expectation(book.message(number));
        assert_eq!(expected.status, StatusRule::Exactly(204));
    }
    // The command line's rules are about other requests. JSON has to be inspected.
    let first = book.expectation(book.message(chain.message(0, 0)));
    assert_eq!(first.status, StatusRule::Below(400));
    assert!(matches!(first.body, BodyRule::Holds(_)));
    assert_eq!(book.expectation(book.message(chain.message(0, 1))).body, BodyRule::Any);
}

#[test]
fn requests_have_what_their_connection_has_taken() {
    let book = book(CHAIN);
    assert!(!book.is_fixed());
    let (mut fixed, mut dependent) = (0, 0);
    for number in 0..book.cycle() {
        let shown = String::from_utf8(book.bytes_of(number).to_vec()).unwrap();
        let Some(request) = book.dependent(number) else {
            fixed += 1;
            assert!(shown.starts_with("GET /") && !shown.contains("{{"), "{shown}");
            continue;
        };
        dependent += 1;
        let request = request.with(&strings(&["t k", "s", "<d>"]));
        let body = String::from_utf8(request.body.to_vec()).unwrap();
        let user = body.strip_prefix("<d>").unwrap().strip_suffix("<d>").unwrap();
        assert!(["ann", "bob", "cid"].contains(&user), "{body}");
        let digits = request.headers[1].1.strip_prefix("t k ").unwrap();
        assert!(digits.len() == 4, "{digits}");
        let expected = format!(
            "POST /y HTTP/1.1\r\nHost: a:1\r\nX-All: 1\r\nA: {{{{a}}}} {digits}\r\n\
             Content-Length: {}\r\n\r\n{{{{d}}}}{user}{{{{d}}}}",
            user.len() + 10
        );
        assert_eq!(shown, expected);
        assert_eq!(request.headers[1].1, format!("t k {digits}"));
    }
    assert!(fixed > 3 && dependent > 3);
    // The bytes of successive messages are still one piece, even where they begin anew.
    let last = book.cycle() - 1;
    let row = &book.outbox()[book.bytes(last, 2)];
    assert_eq!(row, [book.bytes_of(last), book.bytes_of(0)].concat());
}

#[test]
fn a_file_without_a_chain_has_none() {
    let book = book("[[request]]\npath = \"/\"");
    assert!(book.chain().is_none() && book.is_fixed() && book.dependent(0).is_none());
}

#[test]
fn values_are_taken_in_their_order_or_named() {
    let book = book(CHAIN);
    let chain = book.chain().unwrap();
    let take = |step, head: &str, body: &str| {
        let evidence = format!("HTTP/1.1 200 OK\r\n{head}\r\n");
        let mut values = Vec::new();
        let message = Message::of(evidence.as_bytes(), body.as_bytes());
        chain.take(step, &message, &mut values).map(|()| values)
    };
    let taken = take(0, "Set-Cookie: c=2\r\n", "{\"a\": \"1 1\"}");
    assert_eq!(taken, Ok(strings(&["1 1", "2"])));
    for (head, body, words) in [
        ("", "{\"a\": 1}", "take.c: cookie c is not in the answer to POST /login/{{user}}"),
        (
            "Set-Cookie: c=a b\r\n",
            "{\"a\": 1}",
            "take.c: cookie c of the answer to POST /login/{{user}} is \"a b\", which a path can't hold",
        ),
        (
            "",
            "{\"a\": \"x\\r\\nHost: y\"}",
            "take.a: json /a of the answer to POST /login/{{user}} is \"x\\r\\nHost: y\", which a \
             request can't hold",
        ),
    ] {
        assert_eq!(take(0, head, body), Err(words.into()));
    }
}

#[test]
fn what_means_nothing_has_file_line_and_key() {
    let request = "\n[[request]]\npath = \"/\"";
    for (text, words) in [
        ("[[once]]\npath = \"/\"\nweight = 2", "r.toml:3: `weight` is a key of [[request]]"),
        (
            "[[once]]\npath = \"/\"\ntake = { t = \"token\" }",
            "r.toml:3: once.take.t: \"token\" takes nothing: it is \"json /POINTER\", \"header \
             NAME\" or \"cookie NAME\"",
        ),
        (
            "[[once]]\npath = \"/\"\ntake.\"a b\" = \"header A\"",
            "r.toml:3: once.take.a b: a name has letters, digits, _ and - only",
        ),
        (
            "[[once]]\npath = \"/\"\ntake.a = \"header A\"\n[[once]]\npath = \"/\"\ntake.a = \"header A\"",
            "r.toml:6: once.take.a: there is a value of this name already",
        ),
        (
            "data = \"users.csv\"\n[[once]]\npath = \"/\"\ntake.user = \"header A\"",
            "r.toml:4: once.take.user: there is a column of this name",
        ),
        (
            "[[once]]\npath = \"/\"\nbody = \"{{a}}\"\ntake.a = \"header A\"",
            "r.toml:3: once.body: {{a}} is not a field; fields are {{random LOW HIGH}} and {{hex N}}",
        ),
        (
            "[[once]]\npath = \"/\"\ntake.a = \"header A\"\n[[request]]\npath = \"/{{b}}\"",
            "r.toml:5: request.path: {{b}} is not a field; fields are {{a}}, {{random LOW HIGH}} and \
             {{hex N}}",
        ),
        (
            "[[once]]\npath = \"/\"\nexpect.body = \"x\"\ntake.a = \"json /a\"",
            "r.toml:1: once: what is taken from JSON may change, but `body`, `body_file` and \
             `sha256` say all of it: leave them out",
        ),
        (
            "[[once]]\npath = \"/\"\ntake.a = \"json /a\"\nheaders = { Accept-Encoding = \"br\" }",
            "r.toml:4: once: header `Accept-Encoding` asks for compressed bodies",
        ),
        (
            "[[once]]\npath = \"/a b\"",
            "r.toml:2: once: `path` is \"/a b\", but it must start with / and hold no spaces",
        ),
        (
            "[[once]]\npath = \"/\"\nexpect.status = 9",
            "r.toml:3: once.expect.status: 9 is no status",
        ),
        (
            "[[request]]\npath = \"/\"\ntake.a = \"header A\"",
            "r.toml:3: `take` is a key of [[once]]",
        ),
    ] {
        let error = with(false, &format!("{text}{request}")).unwrap_err().to_string();
        assert!(error.starts_with(words) && !error.contains('\n'), "{error}");
    }
    let error = with(false, "[[once]]\npath = \"/\"").unwrap_err().to_string();
    assert_eq!(error, "r.toml: there is no [[request]]");
    let error = with(true, &format!("[[once]]\npath = \"/\"{request}")).unwrap_err().to_string();
    assert_eq!(
        error,
        "r.toml:1: [[once]] is for connections that carry several requests, but here each carries one"
    );
}
