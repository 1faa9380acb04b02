//! The names of a file's requests.

use std::path::Path;
use volley_requests::{Book, Defaults, FileError, RequestFile};

fn book(text: &str) -> Result<Book, FileError> {
    let defaults = Defaults::of("a");
    RequestFile::parse(text, Path::new("r.toml"), |_| Ok(b"id\n7\n".to_vec()))?
        .book(&defaults, 1, 100, 2)
}

#[test]
fn a_request_without_a_name_is_called_what_it_asks() {
    let text = "data = \"d.csv\"\n[[request]]\nname = \"search\"\npath = \"/s\"\n\
                [[request]]\npath = \"/u/{{id}}\"\n[[request]]\npath = \"/u\"\nbody = \"x\"\n\
                [[request]]\nmethod = \"PUT\"\npath = \"/u\"\n";
    let book = book(text).unwrap();
    assert_eq!(book.names(), ["search", "GET /u/{{id}}", "POST /u", "PUT /u"]);
    // With a depth of 2, one message is repeated after the cycle.
    for number in 0..=book.cycle() {
        let sent = String::from_utf8(book.bytes_of(number).to_vec()).unwrap();
        let path = ["GET /s ", "GET /u/7 ", "POST /u ", "PUT /u "][book.entry(number)];
        assert!(sent.starts_with(path), "{sent}");
    }
}

#[test]
fn requests_that_are_written_alike_have_numbers() {
    let one = "[[request]]\npath = \"/\"\n";
    let named = "[[request]]\nname = \"GET / (2)\"\npath = \"/other\"\n";
    let book = book(&[one, one, named, one].concat()).unwrap();
    assert_eq!(book.names(), ["GET /", "GET / (3)", "GET / (2)", "GET / (4)"]);
}

#[test]
fn two_requests_of_one_name_are_refused() {
    let one = "[[request]]\nname = \"a\"\npath = \"/\"\n";
    let what = "r.toml:5: request.name: \"a\" is the request of line 2";
    assert_eq!(book(&one.repeat(2)).unwrap_err().to_string(), what);
    let error = book("[[request]]\npath = \"/\"\nname = \" \"\n").unwrap_err().to_string();
    assert!(error.starts_with("r.toml:3: request.name: a name is not empty"), "{error}");
}
