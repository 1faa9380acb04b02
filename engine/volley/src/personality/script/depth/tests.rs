//! Each line is what wrk 4.1.0 itself said of these bytes; `OK` where it took them.

use super::depth;

const CLOSED: &str = "data received after completed connection: close message";

fn says(bytes: &[u8]) -> String {
    depth(bytes).err().unwrap_or_else(|| "OK".into())
}

fn say(cases: &[(&str, &str)]) {
    for (bytes, said) in cases {
        assert_eq!(says(bytes.as_bytes()), *said, "{bytes:?}");
    }
}

#[test]
fn requests_are_counted() {
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    let post = "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
    for (bytes, whole) in [
        (get.to_owned(), 1),
        (get.repeat(3), 3),
        (post.repeat(2) + get, 3),
        (get.to_owned() + "GET /", 1),
        ("CONNECT a:80 HTTP/1.1\r\n\r\n".to_owned(), 1),
    ] {
        assert_eq!(depth(bytes.as_bytes()), Ok(whole), "{bytes:?}");
    }
}

/// A head that is cut anywhere is incomplete, at the place of the cut.
#[test]
fn what_ends_early_is_incomplete() {
    let bytes = b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    for end in 0..bytes.len() {
        let cut = &bytes[..end];
        let line = cut.split(|&byte| byte == b'\n').count();
        let column = 1 + cut.iter().rev().take_while(|&&byte| byte != b'\n').count();
        assert_eq!(says(cut), format!("incomplete request at {line}:{column}"), "{end}");
    }
    assert_eq!(says(bytes), "OK");
}

#[test]
fn methods() {
    say(&[
        ("17", "invalid HTTP method at 1:1"),
        ("GARBAGE", "invalid HTTP method at 1:2"),
        ("get / HTTP/1.1\r\n\r\n", "invalid HTTP method at 1:1"),
        ("GETS / HTTP/1.1\r\n\r\n", "invalid HTTP method at 1:4"),
        ("GET\t/ HTTP/1.1\r\n\r\n", "invalid HTTP method at 1:4"),
        ("SOURCE / HTTP/1.1\r\n\r\n", "invalid HTTP method at 1:2"),
        ("PROPX / HTTP/1.1\r\n\r\n", "invalid HTTP method at 1:5"),
        ("M- / HTTP/1.1\r\n\r\n", "invalid HTTP method at 1:3"),
        ("GET / HTTP/1.1\r\n\r\nX", "invalid HTTP method at 3:1"),
        ("M-SEARCH / HTTP/1.1\r\n\r\n", "OK"),
        ("UNSUBSCRIBE / HTTP/1.1\r\n\r\n", "OK"),
        ("\r\n\nGET / HTTP/1.1\r\n\r\n", "OK"),
    ]);
}

#[test]
fn targets() {
    say(&[
        ("GET  / HTTP/1.1\r\n\r\n", "OK"),
        ("GET x HTTP/1.1\r\n\r\n", "invalid URL at 1:6"),
        ("GET * HTTP/1.1\r\n\r\n", "OK"),
        ("GET /é HTTP/1.1\r\n\r\n", "invalid URL at 1:6"),
        ("GET /\t HTTP/1.1\r\n\r\n", "invalid URL at 1:6"),
        ("GET /\u{7f} HTTP/1.1\r\n\r\n", "invalid URL at 1:6"),
        ("GET /?a#b?c#d HTTP/1.1\r\n\r\n", "OK"),
        ("GET http://a/b HTTP/1.1\r\n\r\n", "OK"),
        ("GET http:/a HTTP/1.1\r\n\r\n", "invalid URL at 1:11"),
        ("GET ht2p://a HTTP/1.1\r\n\r\n", "invalid URL at 1:7"),
        ("GET http:// HTTP/1.1\r\n\r\n", "invalid URL at 1:12"),
        ("GET http://? HTTP/1.1\r\n\r\n", "OK"),
        ("GET http://u:p@a:1/b HTTP/1.1\r\n\r\n", "OK"),
        ("GET http://[::1]/b HTTP/1.1\r\n\r\n", "OK"),
        ("GET http://a?q HTTP/1.1\r\n\r\n", "OK"),
        ("GET http://a@@b/ HTTP/1.1\r\n\r\n", "invalid URL at 1:14"),
        ("GET http://a<b/ HTTP/1.1\r\n\r\n", "invalid URL at 1:13"),
        ("CONNECT /a HTTP/1.1\r\n\r\n", "OK"),
    ]);
}

#[test]
fn versions() {
    say(&[
        ("GET /\r\n\r\n", "OK"),
        ("GET /\n", "incomplete request at 2:1"),
        ("GET / \r\n", "invalid constant string at 1:7"),
        ("GET /a b HTTP/1.1\r\n\r\n", "invalid constant string at 1:8"),
        ("GET /a  HTTP/1.1\r\n\r\n", "OK"),
        ("GET / HTXP/1.1\r\n\r\n", "strict mode assertion failed at 1:9"),
        ("GET / HTTP/1.10\r\n\r\n", "invalid HTTP version at 1:15"),
        ("GET / HTTP/12.1\r\n\r\n", "invalid HTTP version at 1:13"),
        ("GET / HTTP/1\r\n\r\n", "invalid HTTP version at 1:13"),
        ("GET / HTTP/x\r\n\r\n", "invalid HTTP version at 1:12"),
        ("GET / HTTP/1.x\r\n\r\n", "invalid HTTP version at 1:14"),
        ("GET / HTTP/1.1 \r\n\r\n", "invalid HTTP version at 1:15"),
        ("GET / HTTP/1.1\rX", "LF character expected at 1:16"),
        ("GET / HTTP/2.0\r\n\r\n", "OK"),
        ("GET / HTTP/0.9\r\n\r\n", "OK"),
    ]);
}

#[test]
fn headers() {
    say(&[
        ("GET / HTTP/1.1\n\n", "OK"),
        ("GET / HTTP/1.1\r\nA\r\n\r\n", "invalid character in header at 2:2"),
        ("GET / HTTP/1.1\r\nA b: c\r\n\r\n", "invalid character in header at 2:2"),
        ("GET / HTTP/1.1\r\n: c\r\n\r\n", "invalid character in header at 2:1"),
        ("GET / HTTP/1.1\r\n a: c\r\n\r\n", "invalid character in header at 2:1"),
        ("GET / HTTP/1.1\r\nA:\r\n\r\n", "OK"),
        ("GET / HTTP/1.1\r\nA: \r\n b\r\n\r\n", "OK"),
        ("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "OK"),
        ("GET / HTTP/1.1\r\nA: b\rX\r\n\r\n", "LF character expected at 2:6"),
        ("GET / HTTP/1.1\r\nA:\rX\r\n\r\n", "strict mode assertion failed at 2:4"),
        ("GET / HTTP/1.1\r\nA: \u{1}\r\n\r\n", "OK"),
        ("GET / HTTP/1.1\r\nA: b\u{1}\r\n\r\n", "invalid character in header at 2:5"),
        ("GET / HTTP/1.1\r\nA: b\u{7f}\r\n\r\n", "invalid character in header at 2:5"),
        ("GET / HTTP/1.1\r\nA: é\tb\r\n\r\n", "OK"),
        ("GET / HTTP/1.1\r\nA: bc\u{7f}\r\n\r\n", "OK"),
        ("GET / HTTP/1.1\r\nA: b\r\n\rX", "strict mode assertion failed at 3:2"),
    ]);
    let long = format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "x".repeat(90_000));
    assert_eq!(says(long.as_bytes()), "too many header bytes seen; overflow detected at 4:1");
}

#[test]
fn content_lengths() {
    let post = |rest: &str| says(format!("POST / HTTP/1.1\r\nContent-Length:{rest}").as_bytes());
    for (rest, said) in [
        (" 3\r\n\r\nabc", "OK"),
        (" 3 \r\n\r\nabc", "OK"),
        (" 0\r\n\r\n", "OK"),
        ("\r\n\r\n", "OK"),
        (" 3\r\n\r\nab", "incomplete request at 4:3"),
        (" 3 4\r\n\r\nabc", "incomplete request at 4:4"),
        (" 3\r\n\r\nabcd", "invalid HTTP method at 4:4"),
        ("x\r\n\r\n", "invalid character in content-length header at 2:16"),
        (" -1\r\n\r\n", "invalid character in content-length header at 2:17"),
        (" 3x\r\n\r\nabc", "invalid character in content-length header at 2:18"),
        (" 99999999999999999999\r\n\r\n", "invalid character in content-length header at 2:36"),
        (" 3\r\n 4\r\n\r\n", "invalid character in content-length header at 3:1"),
        (" 3\r\nContent-Length: 3\r\n\r\nabc", "unexpected content-length header at 3:17"),
        (
            " 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "unexpected content-length header at 4:2",
        ),
    ] {
        assert_eq!(post(rest), said, "{rest:?}");
    }
}

#[test]
fn chunks() {
    let post = |coding: &str, rest: &str| {
        says(format!("POST / HTTP/1.1\r\nTransfer-Encoding: {coding}\r\n\r\n{rest}").as_bytes())
    };
    for (rest, said) in [
        ("3\r\nabc\r\n0\r\n\r\n", "OK"),
        ("3;a=b\r\nabc\r\nA;x\r\n0123456789\r\n0\r\nT: u\r\n\r\nGET / HTTP/1.1\r\n\r\n", "OK"),
        ("3 \r\nabc\r\n0\r\n\r\n", "OK"),
        ("0\r\nConnection: close\r\n\r\nX", &format!("{CLOSED} at 7:1")),
        ("x\r\n", "invalid character in chunk size header at 4:1"),
        ("3\nabc\r\n0\r\n\r\n", "invalid character in chunk size header at 4:2"),
        ("3x\r\nabc\r\n", "invalid character in chunk size header at 4:2"),
        ("3\rXabc", "strict mode assertion failed at 4:3"),
        ("3\r\nabcd\r\n0\r\n\r\n", "strict mode assertion failed at 5:4"),
    ] {
        assert_eq!(post("chunked", rest), said, "{rest:?}");
    }
    assert_eq!(post("CHUNKED", "0\r\n\r\n"), "OK");
    assert_eq!(post("gzip, chunked", "0\r\n\r\n"), "invalid HTTP method at 4:1");
}

#[test]
fn connections_that_end() {
    for (head, said) in [
        ("GET / HTTP/1.0\r\n\r\n", format!("{CLOSED} at 3:1")),
        ("GET / HTTP/2.0\r\n\r\n", format!("{CLOSED} at 3:1")),
        ("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", format!("{CLOSED} at 4:1")),
        ("GET / HTTP/1.1\r\nConnection: a, Close\r\n\r\n", format!("{CLOSED} at 4:1")),
        ("GET / HTTP/1.1\r\nProxy-Connection: close\r\n\r\n", format!("{CLOSED} at 4:1")),
        ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "OK".into()),
        ("CONNECT a:80 HTTP/1.1\r\n\r\n", "incomplete request at 3:1".into()),
    ] {
        assert_eq!(says(head.as_bytes()), "OK", "{head:?}");
        assert_eq!(says(head.repeat(2).as_bytes()), said, "{head:?} twice");
    }
    say(&[
        ("GET / HTTP/1.1\r\nConnection: close\r\n\r\n\r\n\n", "OK"),
        ("GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", "OK"),
        (
            "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\na",
            "incomplete request at 5:1",
        ),
        (
            "PUT / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 1\r\n\r\nab",
            "incomplete request at 6:2",
        ),
        ("GET / HTTP/1.1\r\nUpgrade: x\r\n\r\nGET / HTTP/1.1\r\n\r\n", "OK"),
    ]);
}
