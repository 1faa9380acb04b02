//! The contents of a request file, their effects, and the errors for which it is refused.

use std::io;
use std::path::Path;
use volley_protocol::{BodyRule, Expectation, LengthRule, StatusRule, Version};
use volley_requests::{Book, Defaults, FileError, RequestFile};

fn defaults() -> Defaults {
    Defaults::of("a:1")
}

/// The files beside the request file.
fn load(file: &Path) -> io::Result<Vec<u8>> {
    Ok(match file.to_str().unwrap() {
        "d/users.csv" => b"id,name\n1,Ann\n2,Bob\n3,Cyd\n".to_vec(),
        "d/quoted.csv" => b"name\n\"a \"\"b\"\"\nc\"\n".to_vec(),
        "d/spaces.csv" => b" id , full name\r\n1,a b\r\n\r\n2,\"c\r\nX: y\"\r\n".to_vec(),
        "d/body.json" => b"{\"name\": \"{{name}}\"}".to_vec(),
        "d/wrong.json" => b"{{what}}".to_vec(),
        "d/binary" => b"{{what}}\xff".to_vec(),
        "d/empty.csv" => b"id\n".to_vec(),
        "d/nothing.csv" => Vec::new(),
        "d/uneven.csv" => b"id,name\n1,a\n2\n".to_vec(),
        "d/unnamed.csv" => b"id,\n1,a\n".to_vec(),
        "d/twice.csv" => b"id,id\n1,a\n".to_vec(),
        "d/latin.csv" => b"id\n1\n\xe9\n".to_vec(),
        "d/large" => vec![b'x'; 20 << 20],
        _ => return Err(io::Error::from_raw_os_error(2)),
    })
}

fn parse(text: &str) -> Result<RequestFile, FileError> {
    RequestFile::parse(text, Path::new("d/r.toml"), load)
}

fn book(text: &str) -> Result<Book, FileError> {
    parse(text)?.book(&defaults(), 1, 10, 2)
}

/// The requests of a book, one round.
fn messages(book: &Book) -> Vec<String> {
    (0..book.cycle())
        .map(|number| {
            let bytes = &book.outbox()[book.message(number).bytes.clone()];
            String::from_utf8_lossy(bytes).into_owned()
        })
        .collect()
}

fn first(text: &str) -> String {
    messages(&book(text).unwrap()).remove(0)
}

fn refused(text: &str) -> String {
    let error = book(text).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error:?}");
    error
}

#[test]
fn a_request_has_a_path_and_the_rest_is_usual() {
    assert_eq!(first("[[request]]\npath = \"/\""), "GET / HTTP/1.1\r\nHost: a:1\r\n\r\n");
    let text = "[[request]]\npath = \"/\"\nbody = \"xy\"";
    let rendered = "POST / HTTP/1.1\r\nHost: a:1\r\nContent-Length: 2\r\n\r\nxy";
    assert_eq!(first(text), rendered);
    let text = "[[request]]\npath = \"/\"\nbody = \"xy\"\nmethod = \"PUT\"";
    assert!(first(text).starts_with("PUT / "));
}

#[test]
fn what_all_requests_share_is_rendered_too() {
    let text = "[[request]]\npath = \"/\"\nheaders = { b = \"2\", Accept = \"*/*\" }";
    let defaults = Defaults {
        version: Version::Http10,
        close: true,
        proxied: true,
        headers: vec![("A".into(), "1".into()), ("B".into(), "1".into())],
        ..defaults()
    };
    let book = parse(text).unwrap().book(&defaults, 1, 1, 1).unwrap();
    let rendered = "GET http://a:1/ HTTP/1.0\r\nHost: a:1\r\nA: 1\r\nb: 2\r\nAccept: */*\r\n\
        Connection: close\r\n\r\n";
    assert_eq!(messages(&book), [rendered]);
}

#[test]
fn headers_keep_their_order() {
    let text = "[[request]]\npath = \"/\"\n[request.headers]\nC = \"1\"\nA = \"2\"\nB = \"3\"";
    let rendered = "GET / HTTP/1.1\r\nHost: a:1\r\nC: 1\r\nA: 2\r\nB: 3\r\n\r\n";
    assert_eq!(first(text), rendered);
}

#[test]
fn a_request_that_is_always_the_same_is_rendered_once() {
    let book = book("[[request]]\npath = \"/\"").unwrap();
    assert_eq!(book.cycle(), 1);
    // For two requests at a time, another message follows it.
    assert_eq!(book.bytes(0, 2).len(), 2 * book.bytes(0, 1).len());
}

#[test]
fn rows_in_sequence_are_one_round() {
    let text = "data = \"users.csv\"\norder = \"sequential\"\n[[request]]\npath = \"/{{id}}\"";
    let lines: Vec<String> = messages(&book(text).unwrap())
        .iter()
        .map(|message| message.lines().next().unwrap().to_owned())
        .collect();
    assert_eq!(lines, ["GET /1 HTTP/1.1", "GET /2 HTTP/1.1", "GET /3 HTTP/1.1"]);
}

#[test]
fn rows_in_sequence_are_taken_by_those_that_name_a_column() {
    let text = "data = \"users.csv\"\norder = \"sequential\"\n\
        [[request]]\npath = \"/\"\n[[request]]\npath = \"/{{id}}\"";
    let book = parse(text).unwrap().book(&defaults(), 1, 100, 1).unwrap();
    let ids: Vec<String> = messages(&book)
        .iter()
        .filter_map(|message| Some(message.strip_prefix("GET /")?.split_once(' ')?.0.to_owned()))
        .filter(|id| !id.is_empty())
        .collect();
    assert!(ids.len() > 20, "{ids:?}");
    assert!(ids.iter().zip(["1", "2", "3"].iter().cycle()).all(|(id, right)| id == right));
}

#[test]
fn fields_are_filled_in_everywhere() {
    let text = "data = \"users.csv\"\norder = \"sequential\"\n[[request]]\n\
        path = \"/{{ id }}?{{name}}{{id}}\"\nheaders = { X-Id = \"{{id}}.\" }\nbody_file = \"body.json\"";
    let rendered = "POST /1?Ann1 HTTP/1.1\r\nHost: a:1\r\nX-Id: 1.\r\nContent-Length: 15\r\n\r\n\
        {\"name\": \"Ann\"}";
    assert_eq!(first(text), rendered);
    // Whatever a value contains, it may be in a body.
    let text = "data = \"quoted.csv\"\n[[request]]\npath = \"/\"\nbody = \"{{name}}\"";
    assert!(first(text).ends_with("Content-Length: 7\r\n\r\na \"b\"\nc"));
}

#[test]
fn names_of_columns_may_have_spaces_within() {
    let text = "data = \"spaces.csv\"\norder = \"sequential\"\n[[request]]\npath = \"/\"\n\
        body = \"{{full name}}\"";
    assert!(first(text).ends_with("\r\n\r\na b"));
}

#[test]
fn numbers_and_digits_are_drawn() {
    let text = "[[request]]\npath = \"/{{random -1 1}}/{{random 7 7}}/{{hex 3}}\"";
    let book = parse(text).unwrap().book(&defaults(), 1, 200, 1).unwrap();
    let mut numbers = Vec::new();
    for message in messages(&book) {
        let parts: Vec<&str> = message.split([' ', '/']).collect();
        let [_, _, number, seven, digits, ..] = parts[..] else { panic!("{message}") };
        numbers.push(number.parse::<i64>().unwrap());
        assert_eq!(seven, "7");
        assert!(
            digits.len() == 3 && digits.bytes().all(|byte| b"0123456789abcdef".contains(&byte))
        );
    }
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers, [-1, 0, 1]);
}

#[test]
fn a_file_that_is_not_text_is_sent_as_it_is() {
    let book = book("[[request]]\npath = \"/\"\nbody_file = \"binary\"").unwrap();
    assert!(book.outbox()[book.bytes(0, 1)].ends_with(b"\r\n\r\n{{what}}\xff"));
}

#[test]
fn expectations_override_the_command_line_key_by_key() {
    let text = "[[request]]\npath = \"/\"\n[[request]]\npath = \"/\"\n[request.expect]\n\
        status = 201\nheaders = { A = \"b\" }\n[[request]]\npath = \"/\"\nexpect.body_file = \"binary\"\n\
        expect.length = 9\n[[request]]\npath = \"/\"\nexpect.body = \"{{\"";
    let default = Expectation {
        status: StatusRule::Exactly(200),
        length: Some(LengthRule::Exactly(5)),
        body: BodyRule::Exactly(b"12345".to_vec()),
        headers: vec![("C".into(), "d".into())],
    };
    let defaults = Defaults { expectation: default.clone(), ..defaults() };
    let book = parse(text).unwrap().book(&defaults, 1, 50, 1).unwrap();
    let [same, second, third, fourth] = book.expectations() else { panic!() };
    let show = |expectation: &Expectation| format!("{expectation:?}");
    assert_eq!(show(same), show(&default));
    let status = StatusRule::Exactly(201);
    let headers = vec![("A".into(), "b".into())];
    assert_eq!(show(second), show(&Expectation { status, headers, ..default.clone() }));
    let body = BodyRule::Exactly(b"{{what}}\xff".to_vec());
    let length = Some(LengthRule::Exactly(9));
    assert_eq!(show(third), show(&Expectation { length, body, ..default.clone() }));
    assert_eq!(fourth.body, BodyRule::Exactly(b"{{".to_vec()));
    let all = (0..book.cycle()).map(|number| book.message(number));
    for message in all {
        assert_eq!(
            show(book.expectation(message)),
            show(&book.expectations()[message.awaited.expectation as usize])
        );
    }
}

#[test]
fn a_hash_is_given_in_hexadecimal() {
    let text = format!("[[request]]\npath = \"/\"\nexpect.sha256 = \"{}\"", "01".repeat(32));
    assert_eq!(book(&text).unwrap().expectations()[0].body, BodyRule::Sha256([1; 32]));
}

#[test]
fn head_requests_are_known_as_such() {
    let book = book("[[request]]\npath = \"/\"\nmethod = \"HEAD\"").unwrap();
    assert!(book.message(0).awaited.to_head);
}

#[test]
fn what_the_toml_parser_refuses_has_file_line_and_key() {
    for (text, error) in [
        ("[[request]\n", "d/r.toml:1: "),
        ("[[request]]\npath = \"/\n", "d/r.toml:2: "),
        ("\ndatum = \"x\"\n", "d/r.toml:2: unknown field `datum`, expected one of `data`, `order`"),
        ("[[request]]\npath = \"/\"\nwait = 1\n", "d/r.toml:3: unknown field `wait`, expected"),
        ("[[request]]\nweight = 1\n", "d/r.toml:1: missing field `path` in `request`"),
        ("[[request]]\npath = 1\n", "d/r.toml:2: invalid type: integer `1`, expected a string"),
        ("[[request]]\npath = \"/\"\nweight = 0\n", "d/r.toml:3: invalid value: integer `0`"),
        ("[[request]]\npath = \"/\"\nexpect.length = -1\n", "d/r.toml:3: invalid value: "),
        ("[[request]]\npath = \"/\"\nexpect = { \"a\\nb\" = 1 }\n", "d/r.toml:3: unknown field `a"),
        ("order = \"up\"\n", "d/r.toml:1: unknown variant `up`, expected `random` or `sequential`"),
    ] {
        let got = refused(text);
        assert!(got.starts_with(error), "{got}");
    }
    let got = refused("[[request]]\npath = \"/\"\nheaders = { A = 1 }\n");
    assert!(got.ends_with(" in `request.headers.A`"), "{got}");
}

#[test]
fn what_a_request_is_refused_for_has_file_line_and_key() {
    let request = "[[request]]\npath = \"/\"\n";
    let fields = "fields are {{random LOW HIGH}} and {{hex N}}";
    let cases = [
        (String::new(), "d/r.toml: there is no [[request]]".into()),
        (
            "order = \"random\"\n".into(),
            "d/r.toml:1: `order` is about rows, but there is no `data`".into(),
        ),
        (
            format!("{request}body = \"a\"\nbody_file = \"binary\""),
            "d/r.toml:4: request: of `body` and `body_file` keep one".into(),
        ),
        (
            format!("{request}body_file = \"none\""),
            "d/r.toml:3: request.body_file: d/none cannot be read: No such file or directory"
                .into(),
        ),
        (format!("{request}body_file = \"wrong.json\""), {
            format!("d/wrong.json: {{{{what}}}} is not a field; {fields}")
        }),
        (
            format!("{request}expect.status = 99"),
            "d/r.toml:3: request.expect.status: 99 is no status".into(),
        ),
        (
            format!("{request}expect.sha256 = \"12\""),
            "d/r.toml:3: request.expect.sha256: a SHA-256 has 64 hexadecimal digits".into(),
        ),
        (
            format!("{request}expect.sha256 = \"12\"\nexpect.body = \"\""),
            "d/r.toml:4: request.expect: of `body`, `body_file` and `sha256` keep one".into(),
        ),
        (
            "[[request]]\npath = \"/{{id}}\"".into(),
            format!("d/r.toml:2: request.path: {{{{id}}}} is not a field; {fields}"),
        ),
        (
            "[[request]]\n\npath = \"/\"\nheaders = { A = \"{{\" }".into(),
            format!("d/r.toml:4: request.headers.A: there is a {{{{ without }}}}; {fields}"),
        ),
        (
            format!("{request}body = \"{{{{random 2 1}}}}\""),
            "d/r.toml:3: request.body: in {{random 2 1}} the lower limit comes first".into(),
        ),
        (
            format!("{request}body = \"{{{{hex 1025}}}}\""),
            "d/r.toml:3: request.body: {{hex 1025}} has from 1 to 1024 digits, not 1025".into(),
        ),
        (
            "data = \"users.csv\"\n[[request]]\npath = \"/{{random 1}}\"".into(),
            "d/r.toml:3: request.path: {{random 1}} is not a field; fields are {{id}}, {{name}}, \
                {{random LOW HIGH}} and {{hex N}}"
                .into(),
        ),
        (
            "[[request]]\nmethod = \"G T\"\npath = \"/\"".into(),
            "d/r.toml:1: request: `method` is \"G T\", but it must be a word such as GET".into(),
        ),
        (
            "[[request]]\n\npath = \"a\"".into(),
            "d/r.toml:3: request: `path` is \"a\", but it must start with / and hold no spaces"
                .into(),
        ),
        (
            format!("{request}headers = {{ Host = \"x\" }}"),
            "d/r.toml:1: request: header `Host` is written by the engine: leave it out".into(),
        ),
    ];
    for (text, error) in cases {
        assert_eq!(refused(&text), error, "{text}");
    }
}

#[test]
fn what_a_data_file_is_refused_for_has_file_and_line() {
    for (name, error) in [
        ("none.csv", "d/r.toml:1: data: d/none.csv cannot be read: No such file or directory"),
        (
            "empty.csv",
            "d/empty.csv: there is no row of values below the line that names the columns",
        ),
        (
            "nothing.csv",
            "d/nothing.csv: there is no row of values below the line that names the columns",
        ),
        ("uneven.csv", "d/uneven.csv:3: the row has 1 values, but there are 2 columns"),
        ("unnamed.csv", "d/unnamed.csv:1: column 2 has no name"),
        ("twice.csv", "d/twice.csv:1: two columns are called \"id\""),
        ("latin.csv", "d/latin.csv:3: value 1 is not UTF-8"),
    ] {
        assert_eq!(refused(&format!("data = \"{name}\"\n[[request]]\npath = \"/\"")), error);
    }
}

#[test]
fn a_value_that_breaks_a_request_is_named_with_its_row_and_column() {
    let with = |rest: &str| {
        refused(&format!("data = \"spaces.csv\"\norder = \"sequential\"\n[[request]]\n{rest}"))
    };
    assert_eq!(
        with("path = \"/{{id}}/{{full name}}\""),
        "d/r.toml:4: request: `path` is \"/1/a b\", but it must start with / and hold no spaces; \
            d/spaces.csv:2: id is \"1\", full name is \"a b\""
    );
    assert_eq!(
        with("path = \"/\"\nheaders = { A = \"{{id}}\", B = \"{{full name}}\" }"),
        "d/r.toml:5: request: header `B` has a control character in its value; \
            d/spaces.csv:4: full name is \"c\\r\\nX: y\""
    );
}

#[test]
fn a_book_is_bounded() {
    let text = "[[request]]\npath = \"/{{random 1 9}}\"\nbody_file = \"large\"";
    let file = parse(text).unwrap();
    let error =
        "d/r.toml: rendered, the requests come to more than 256 MiB: make their bodies smaller";
    assert!(file.book(&defaults(), 1, 2, 2).is_ok());
    // Too many to draw, and too many to repeat.
    for (count, depth) in [(13, 1), (1, 13)] {
        let got = file.book(&defaults(), 1, count, depth).unwrap_err().to_string();
        assert_eq!(got, error);
    }
}

#[test]
fn files_are_found_beside_the_request_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("r.toml", "data = \"d.csv\"\n[[request]]\npath = \"/{{id}}\"\nbody_file = \"b\"");
    write("d.csv", "\u{feff}id\n7\n");
    write("b", "x{{id}}");
    let file = RequestFile::read(&folder.path().join("r.toml")).unwrap();
    let book = file.book(&defaults(), 1, 1, 1).unwrap();
    let [message] = &messages(&book)[..] else { panic!() };
    assert!(message.starts_with("POST /7 ") && message.ends_with("\r\n\r\nx7"), "{message}");
    let error = RequestFile::read(Path::new("d/none")).unwrap_err().to_string();
    assert_eq!(error, "d/none: cannot be read: No such file or directory");
}
