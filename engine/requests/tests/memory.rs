//! Bodies may be large: there is one copy of each, besides the given one.

use allocation_counter::measure;
use std::path::Path;
use volley_protocol::{Expectation, Request, StatusRule};
use volley_requests::{Book, Defaults, RequestFile};

const BODY: usize = 8 << 20;

/// The most bytes that were allocated at a time, and those that stay, by the size of a body.
fn held(book: impl FnOnce() -> Book) -> (f64, f64) {
    let mut kept = None;
    let allocations = measure(|| kept = Some(book()));
    let bodies = |bytes: f64| bytes / BODY as f64;
    (bodies(allocations.bytes_max as f64), bodies(allocations.bytes_current as f64))
}

#[test]
fn of_one_request() {
    let request = Request {
        method: "PUT".into(),
        path: "/".into(),
        host: "a".into(),
        body: vec![b'x'; BODY].into(),
        ..Request::default()
    };
    let (most, kept) =
        held(|| Book::of(&request, Expectation::of_status(StatusRule::Below(400)), 1).unwrap());
    assert!(most < 1.1 && kept < 1.1, "{most} and {kept}");
    // A pipeline of three: any three in a row are one piece.
    let (most, kept) =
        held(|| Book::of(&request, Expectation::of_status(StatusRule::Below(400)), 3).unwrap());
    assert!(most < 3.1 && kept < 3.1, "{most} and {kept}");
}

#[test]
fn of_a_request_file() {
    let defaults = Defaults::of("a");
    let text = "[[request]]\npath = \"/\"\nmethod = \"PUT\"\nbody_file = \"b\"\n";
    let (most, kept) = held(|| {
        let load = |_: &Path| Ok(vec![b'x'; BODY]);
        let file = RequestFile::parse(text, Path::new("r.toml"), load).unwrap();
        file.book(&defaults, 1, 16, 1).unwrap()
    });
    assert!(most < 2.1 && kept < 1.1, "{most} and {kept}");
}
