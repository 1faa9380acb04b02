//! Heads that no answer may have (section 8), though they are well compressed.

use crate::world::{OK, check, field, good, head, last_data, last_head, with};

/// An error in a head is also one in a head that is cut, and in trailers if they may have the
/// field.
#[test]
fn heads_that_are_malformed() {
    let status = |value: &str| field(":status", value);
    for (rule, words, block) in [
        ("8.3.2: no status", "an answer without :status", field("a", "b")),
        ("8.3.2: nothing at all", "an answer without :status", vec![]),
        ("8.3: two", "a second :status", [OK, OK].concat()),
        ("8.3: two different ones", "a second :status", [OK, b"\x8d"].concat()),
        (
            "8.3: a status behind a field",
            "a pseudo-header behind other fields",
            [&field("a", "b")[..], OK].concat(),
        ),
        (
            "8.3: a pseudo-header of a request",
            "a pseudo-header that no answer has",
            with(":path", "/"),
        ),
        ("8.3: another of a request", "a pseudo-header that no answer has", [OK, b"\x82"].concat()),
        (
            "8.3: a pseudo-header that nobody knows",
            "a pseudo-header that no answer has",
            with(":weather", "fine"),
        ),
        (
            "8.3: one before the status",
            "a pseudo-header that no answer has",
            [&field(":weather", "fine")[..], OK].concat(),
        ),
        ("8.3.2: a status of two digits", "the status does not have three digits", status("20")),
        ("8.3.2: a status of four", "the status does not have three digits", status("2000")),
        ("8.3.2: a status of letters", "the status does not have three digits", status("abc")),
        ("8.3.2: a status with a sign", "the status does not have three digits", status("+20")),
        ("8.3.2: a status with words", "the status does not have three digits", status("200 OK")),
        ("8.3.2: an empty status", "the status does not have three digits", status("")),
        ("8.2.1: a name in upper case", "a field name in upper case", with("Server", "x")),
        ("8.2.1: a name with one such letter", "a field name in upper case", with("x-A", "x")),
        ("8.2.1: an empty name", "a field without a name", with("", "x")),
        ("8.2.1: a name with a space", "a byte that a field name may not have", with("a b", "x")),
        ("8.2.1: a name with a colon", "a byte that a field name may not have", with("a:b", "x")),
        (
            "8.2.1: a name with a line break",
            "a byte that a field name may not have",
            with("a\nb", "x"),
        ),
        (
            "8.2.1: a name beyond ASCII",
            "a byte that a field name may not have",
            with("\u{e9}", "x"),
        ),
        ("8.2.1: a value with NUL", "a byte that a field value may not have", with("a", "x\0y")),
        ("8.2.1: a value with CR", "a byte that a field value may not have", with("a", "x\ry")),
        ("8.2.1: a value with LF", "a byte that a field value may not have", with("a", "x\ny")),
        (
            "8.2.1: a value that begins with a space",
            "a field value with white space around it",
            with("a", " x"),
        ),
        (
            "8.2.1: a value that ends with a tab",
            "a field value with white space around it",
            with("a", "x\t"),
        ),
        (
            "8.2.2: connection",
            "a field of the connection, which is HTTP/1's",
            with("connection", "close"),
        ),
        (
            "8.2.2: keep-alive",
            "a field of the connection, which is HTTP/1's",
            with("keep-alive", "timeout=5"),
        ),
        (
            "8.2.2: proxy-connection",
            "a field of the connection, which is HTTP/1's",
            with("proxy-connection", "keep-alive"),
        ),
        (
            "8.2.2: transfer-encoding",
            "a field of the connection, which is HTTP/1's",
            with("transfer-encoding", "chunked"),
        ),
        ("8.2.2: upgrade", "a field of the connection, which is HTTP/1's", with("upgrade", "h2c")),
        (
            "8.1.1: a length of letters",
            "content-length is not a number that fits 64 bits",
            with("content-length", "five"),
        ),
        (
            "8.1.1: a length with a sign",
            "content-length is not a number that fits 64 bits",
            with("content-length", "+5"),
        ),
        (
            "8.1.1: an empty length",
            "content-length is not a number that fits 64 bits",
            with("content-length", ""),
        ),
        (
            "8.1.1: a length in lists",
            "content-length is not a number that fits 64 bits",
            with("content-length", "5, 6"),
        ),
        (
            "8.1.1: a length beyond numbers",
            "content-length is not a number that fits 64 bits",
            with("content-length", "18446744073709551616"),
        ),
        (
            "8.1.1: two lengths",
            "a second content-length",
            [&with("content-length", "5")[..], &field("content-length", "6")].concat(),
        ),
    ] {
        check(rule, &head(1, &block), &format!("broken: {words}"));
        check(
            rule,
            &[good(3), last_head(1, &block)].concat(),
            &format!("3: 200, 5 bytes; broken: {words}"),
        );
    }
}

#[test]
fn trailers_that_are_malformed() {
    for (rule, words, block) in [
        ("8.1: a pseudo-header in trailers", "a pseudo-header in trailers", OK.to_vec()),
        ("8.1: another", "a pseudo-header in trailers", field(":path", "/")),
        ("8.2.1: a name in upper case", "a field name in upper case", field("A", "x")),
        ("8.2.1: a value with LF", "a byte that a field value may not have", field("a", "x\ny")),
        (
            "8.2.2: connection",
            "a field of the connection, which is HTTP/1's",
            field("connection", "close"),
        ),
    ] {
        check(rule, &[head(1, OK), last_head(1, &block)].concat(), &format!("broken: {words}"));
    }
}

#[test]
fn fields_that_are_fine() {
    for (rule, block) in [
        ("8.2.1: an empty value", with("a", "")),
        ("8.2.1: a value with bytes beyond ASCII", with("a", "\u{e9}")),
        ("8.2.1: a value with spaces and tabs within", with("a", "x \t y")),
        ("8.2.1: all that a name may have", with("!#$%&'*+-.^_`|~09az", "x")),
        ("8.2.3: one field many times", [OK, &field("set-cookie", "a=b").repeat(20)].concat()),
        ("8.2.2: what HTTP/1 only calls alike", with("connection-id", "x")),
    ] {
        check(
            rule,
            &[head(1, &block), last_data(1, b"hello"), good(3)].concat(),
            "1: 200, 5 bytes; 3: 200, 5 bytes",
        );
    }
}
