//! The bytes of requests.

use super::*;

/// A request's first line, its headers in the order of their names, its body.
fn parts(request: &str) -> (String, Vec<String>, String) {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut lines = head.split("\r\n").map(str::to_owned);
    let first = lines.next().unwrap();
    let mut headers: Vec<String> = lines.collect();
    headers.sort();
    (first, headers, body.to_owned())
}

fn expect(request: &str, first: &str, headers: &[&str], body: &str) {
    let headers = headers.iter().map(|&line| line.to_owned()).collect();
    assert_eq!(parts(request), (first.to_owned(), headers, body.to_owned()));
}

#[test]
fn without_a_script_it_is_the_command_lines() {
    let plain = ready("");
    assert_eq!(plain.next(), "GET /index?a=b HTTP/1.1\r\nHost: localhost:8080\r\n\r\n");
    let headers = vec![("A".into(), "b".into()), ("A".into(), "c: d".into())];
    let script = scripts("", &Setting { headers, ..setting() });
    script.init::<&str>(&[]).unwrap();
    let lines = ["A: c: d", "Host: localhost:8080"];
    expect(&script.next(), "GET /index?a=b HTTP/1.1", &lines, "");
}

#[test]
fn the_host_header_is_the_urls_unless_given() {
    for (host, port, header) in [
        ("a.example", None, "Host: a.example"),
        ("a.example", Some("81"), "Host: a.example:81"),
        ("::1", Some("81"), "Host: [::1]:81"),
        ("::1", None, "Host: [::1]"),
    ] {
        let port = port.map(str::to_owned);
        let script = scripts("", &Setting { host: host.into(), port, ..setting() });
        script.init::<&str>(&[]).unwrap();
        expect(&script.next(), "GET /index?a=b HTTP/1.1", &[header], "");
    }
    let given = ready("wrk.headers.Host = 'other'");
    expect(&given.next(), "GET /index?a=b HTTP/1.1", &["Host: other"], "");
}

#[test]
fn format_takes_what_is_not_given_from_wrk() {
    let script = ready("wrk.headers.A = 1 wrk.body = 'x'");
    for (call, first, headers, body) in [
        ("wrk.format()", "GET /index?a=b", ["A: 1", "Content-Length: 1"], "x"),
        ("wrk.format('PUT')", "PUT /index?a=b", ["A: 1", "Content-Length: 1"], "x"),
        ("wrk.format(nil, '/p')", "GET /p", ["A: 1", "Content-Length: 1"], "x"),
        ("wrk.format('PUT', '/p', {B = 2})", "PUT /p", ["B: 2", "Content-Length: 1"], "x"),
        (
            "wrk.format(nil, nil, nil, '12\\0')",
            "GET /index?a=b",
            ["A: 1", "Content-Length: 3"],
            "12\0",
        ),
        ("wrk.format(nil, nil, nil, 345)", "GET /index?a=b", ["A: 1", "Content-Length: 3"], "345"),
    ] {
        let headers = [headers[0], headers[1], "Host: localhost:8080"];
        expect(&script.eval(call), &format!("{first} HTTP/1.1"), &headers, body);
    }
}

/// As wrk has it: the table that is given gets what the request got.
#[test]
fn format_completes_the_headers_that_it_is_given() {
    let script = ready("mine = {}");
    script.eval("wrk.format(nil, nil, mine, 'abc')");
    assert_eq!(script.eval("mine.Host .. ' ' .. mine['Content-Length']"), "localhost:8080 3");
    script.eval("wrk.format(nil, nil, mine)");
    assert_eq!(script.eval("mine['Content-Length']"), "nil");
}

#[test]
fn values_are_written_as_tostring_does() {
    let script = ready("wrk.headers = {Host = 'h', N = 1e15, F = 0.5, T = true}");
    let lines = ["F: 0.5", "Host: h", "N: 1e+15", "T: true"];
    expect(&script.next(), "GET /index?a=b HTTP/1.1", &lines, "");
}

#[test]
fn a_script_without_request_is_static() {
    assert!(ready("").is_static());
    assert!(ready("request = 'text'").is_static());
    assert!(ready("wrk.method = 'POST'").is_static());
    assert!(!ready("function request() return wrk.request() end").is_static());
    assert!(!ready("function init() request = function() return '' end end").is_static());
}

#[test]
fn the_static_request_is_made_after_init() {
    let script = ready("function init() wrk.path = '/later' end");
    assert!(script.next().starts_with("GET /later HTTP/1.1\r\n"));
}

#[test]
fn request_may_be_replaced_while_it_runs() {
    let script =
        ready("function request() request = function() return 'second' end return 'first' end");
    assert_eq!([script.next(), script.next(), script.next()], ["first", "second", "second"]);
}

#[test]
fn what_is_no_text_is_no_request() {
    for (value, text) in [("nil", ""), ("{}", ""), ("17", "17"), ("1.5", "1.5"), ("true", "")] {
        let script = ready(&format!("function request() return {value} end"));
        assert_eq!(script.next(), text, "{value}");
    }
}

#[test]
fn depth_is_the_number_of_requests_of_one_call() {
    assert_eq!(ready("").depth(), Ok(1));
    assert_eq!(ready("function request() return wrk.format():rep(3) end").depth(), Ok(3));
    let refused = ready("function request() return '17' end").depth().unwrap_err();
    assert_eq!(refused.to_string(), "invalid HTTP method at 1:1");
    let refused = ready("function request() return nil end").depth().unwrap_err();
    assert_eq!(refused.to_string(), "incomplete request at 1:1");
}
