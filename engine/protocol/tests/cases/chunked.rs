//! Bodies in chunks, with extensions and trailers.

use crate::Outcome::{Complete, Malformed, Short};
use crate::{Outcome, anything, check, run};

#[test]
fn chunks() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let at = head.len() as u64;
    let cases: &[(&str, Outcome)] = &[
        ("0\r\n\r\n", Complete(200, 0, true, 0)),
        ("2\r\nhi\r\n0\r\n\r\n", Complete(200, 2, true, 0)),
        ("2\r\nhi\r\n3\r\n you\r\n0\r\n\r\n", Malformed(at + 13)),
        ("2\r\nhi\r\n4\r\n you\r\n0\r\n\r\n", Complete(200, 6, true, 0)),
        ("0a\r\n0123456789\r\n00\r\n\r\n", Complete(200, 10, true, 0)),
        ("A\r\n0123456789\r\n0\r\n\r\nrest", Complete(200, 10, true, 4)),
        ("2;a=b\r\nhi\r\n0;c\r\n\r\n", Complete(200, 2, true, 0)),
        ("\r\n", Malformed(at)),
        ("x\r\n", Malformed(at)),
        ("-1\r\n", Malformed(at)),
        ("0x1\r\n", Malformed(at + 1)),
        ("2\nhi\r\n0\r\n\r\n", Malformed(at + 1)),
        ("2\rhi", Malformed(at + 2)),
        ("2;\x01\r\n", Malformed(at + 2)),
        ("2\r\nhi0\r\n\r\n", Malformed(at + 5)),
        ("2\r\nhi\n0\r\n\r\n", Malformed(at + 5)),
        ("2\r\nhi\rx", Malformed(at + 6)),
        ("0\r\n\rx", Malformed(at + 4)),
        ("ffffffffffffffff\r\nx", Short),
        ("10000000000000000\r\n", Malformed(at + 16)),
        ("00000000000000000001\r\nx\r\n0\r\n\r\n", Complete(200, 1, true, 0)),
        ("2\r\nhi\r\n0\r\n", Short),
        ("2\r\nh", Short),
        ("", Short),
    ];
    for (body, outcome) in cases {
        check(format!("{head}{body}").as_bytes(), false, outcome);
    }
    let long = format!("{head}1;{}\r\n", "x".repeat(20_000));
    check(long.as_bytes(), false, &Malformed(at + 16 * 1024));
    let trailers = format!("{head}0\r\n{}", "A: b\r\n".repeat(5000));
    check(trailers.as_bytes(), false, &Malformed(at + 3 + 16 * 1024));
}

/// RFC 9112, section 7.1.1.
#[test]
fn extensions() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let at = head.len() as u64;
    for good in [
        "5;a",
        "5;a=b",
        "5;a;b",
        "5;a=b;c=d",
        "5 ; a",
        "5\t;\ta\t=\tb",
        "5;a ;b",
        "5;a=b ;c",
        "5;!#$%&'*+-.^_`|~=1",
        "5;a=\"\"",
        "5;a=\"b;c\"",
        "5;a=\"\\\"\"",
        "5;a=\"\\\\\";b",
        "5;a=\"\u{e9}\t \" ; b",
        "5;5=5",
    ] {
        let text = format!("{head}{good}\r\nhello\r\n0;x\r\n\r\n");
        check(text.as_bytes(), false, &Complete(200, 5, true, 0));
    }
    // The offset of the first wrong byte.
    for (bad, wrong) in [
        ("25  ", 4),
        ("5 ", 2),
        ("5\t", 2),
        ("2 erfrferferf", 2),
        ("2;", 2),
        ("5 5", 2),
        ("5;;", 2),
        ("5;=b", 2),
        ("5;a=", 4),
        ("5;(comment)", 2),
        ("5;a=\"b", 6),
        ("5;a ", 4),
        ("5;a=b ", 6),
        ("5;a=\"b\" ", 8),
        ("5; ", 3),
        ("5;a b", 4),
        ("5;a=b c", 6),
        ("5;a=b=c", 5),
        ("5;a=\"b\"c", 7),
        ("5;a=;b", 4),
        ("5;a;", 4),
        ("5;a=\"\x01\"", 5),
        ("5;a=\"\\\x7f\"", 6),
        ("5;\u{e9}", 2),
        ("5;a=(b)", 4),
        ("5,a", 1),
        ("5;\x01", 2),
        ("5;a\n", 3),
        ("5;a=\"\n", 5),
    ] {
        let text = format!("{head}{bad}\r\nhello\r\n0\r\n\r\n");
        check(text.as_bytes(), false, &Malformed(at + wrong));
    }
}

/// Trailers follow the rules of a head's fields.
#[test]
fn trailers() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let at = head.len() as u64 + 3;
    for good in
        ["A: b", "A:b\r\nC:", "A: b\r\n folded", "A: b\r\n \r\n\tc", "!#$%&'*+-.^_`|~1: \u{e9}\t"]
    {
        let text = format!("{head}0\r\n{good}\r\n\r\n");
        check(text.as_bytes(), false, &Complete(200, 0, true, 0));
        let in_head = format!("HTTP/1.1 204 X\r\n{good}\r\n\r\n");
        check(in_head.as_bytes(), false, &Complete(204, 0, true, 0));
    }
    for (bad, wrong) in [
        ("A", 1),
        (" A: b", 0),
        (": b", 0),
        ("A: \0", 3),
        ("X[: a", 1),
        ("A B: c", 1),
        ("X : a", 1),
        ("A\t: b", 1),
        ("A: b\x7f", 4),
        ("\u{e9}: a", 0),
        ("A: b\r\nC", 7),
    ] {
        let text = format!("{head}0\r\n{bad}\r\n\r\n");
        check(text.as_bytes(), false, &Malformed(at + wrong));
        let in_head = format!("HTTP/1.1 204 X\r\n{bad}\r\n\r\n");
        let outcome = run(&[in_head.as_bytes()], false, &mut anything());
        assert!(matches!(outcome, Malformed(_)), "{bad:?} in a head: {outcome:?}");
    }
}
