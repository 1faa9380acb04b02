//! Any text as a request file. The text after the first NUL is the content of every file that it
//! names.
//!
//! It is refused in one line, or each of its messages is exactly one request with the fields that
//! the file gives it: no filled-in value leaves its place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use toml::{Table, Value};
use volley_requests::{Book, Defaults, FileError, RequestFile};

const DATA: &str = "id,name\n1,Ann\n\"2\r\nX: y\",a b\n";

fn book(text: &str, data: &str) -> Result<Book, FileError> {
    let defaults = Defaults {
        close: closes(text),
        headers: vec![("X-Default".into(), "1".into())],
        ..Defaults::of("localhost:1")
    };
    let load = |_: &Path| Ok(data.as_bytes().to_vec());
    RequestFile::parse(text, Path::new("r.toml"), load)?.book(&defaults, 1, 16, 2)
}

/// Connections with a chain have several of them.
fn closes(text: &str) -> bool {
    !text.contains("once")
}

/// The number of fields that the file has for a request.
fn fields(file: &Table, number: usize) -> usize {
    let request = |file: &Table| file.get("request")?.as_array()?.get(number).cloned();
    let headers = request(file).and_then(|request| request.get("headers").cloned());
    match headers {
        Some(Value::Table(headers)) => {
            let replaced = headers.keys().any(|name| name.eq_ignore_ascii_case("x-default"));
            headers.len() + usize::from(!replaced)
        }
        _ => 1,
    }
}

/// The message is one request: its head, a body of the announced length, and nothing else.
fn check(bytes: &[u8], fields: usize) {
    let mut headers = vec![httparse::EMPTY_HEADER; fields + 4];
    let mut request = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(head) = request.parse(bytes).expect("it is HTTP") else {
        panic!("the head has no end");
    };
    let lengths: Vec<&[u8]> = request
        .headers
        .iter()
        .filter(|field| field.name.eq_ignore_ascii_case("content-length"))
        .map(|field| field.value)
        .collect();
    let length = match lengths[..] {
        [] => 0,
        [length] => std::str::from_utf8(length).expect("digits").parse().expect("a number"),
        _ => panic!("more than one length"),
    };
    assert_eq!(bytes.len() - head, length);
    // Host and Connection are ours, and counted by the caller.
    assert_eq!(request.headers.len(), fields + lengths.len());
    let ends = bytes[..head].iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(ends, request.headers.len() + 2);
}

fuzz_target!(|input: &str| {
    let (text, data) = input.split_once('\0').unwrap_or((input, DATA));
    match book(text, data) {
        Ok(book) => {
            let file: Table = toml::from_str(text).expect("it was read before");
            for number in 0..book.cycle() + 1 {
                let message = book.message(number);
                let fields = fields(&file, message.awaited.expectation as usize);
                let ours = 1 + usize::from(closes(text));
                check(&book.outbox()[message.bytes.clone()], fields + ours);
            }
        }
        Err(error) => {
            let error = error.to_string();
            assert!(!error.is_empty() && !error.chars().any(char::is_control), "{error:?}");
        }
    }
});
