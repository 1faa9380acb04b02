//! The requests, and the right answers.

use crate::cli::{Checks, LoadArgs, RequestArgs};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use volley_net::errors::io_words;
use volley_protocol::events::RightEvents;
use volley_protocol::ws::Message;
use volley_protocol::{
    BodyRule, Content, Expectation, Request, RequestError, StatusRule, Version, grpc,
};
use volley_requests::{Book, DRAWN, Defaults, FIRST_BAD_STATUS, RequestFile};

/// The requests. The error names the flag.
pub(super) fn book(args: &LoadArgs) -> Result<Book, String> {
    let book = of_requests(args)?;
    let Some(path) = &args.request.held_path else { return Ok(book) };
    let asked = request(args)?;
    let is_accept = |(name, _): &(String, String)| name.eq_ignore_ascii_case("accept");
    let accepts = ("Accept".to_owned(), "text/event-stream".to_owned());
    let held = Request {
        method: "GET".into(),
        path: path.clone(),
        headers: asked
            .headers
            .into_iter()
            .filter(|header| !is_accept(header))
            .chain([accepts])
            .collect(),
        body: Vec::new().into(),
        ..asked
    };
    let body = BodyRule::Events(Arc::default());
    let right = Expectation { body, ..Expectation::of_status(StatusRule::Exactly(200)) };
    book.holding(held, right).map_err(|error| format!("--held-path: {error}"))
}

fn of_requests(args: &LoadArgs) -> Result<Book, String> {
    let (request, expectation) = (request(args)?, expectation(&args.checks)?);
    let depth = args.depth();
    if request.message.is_some() {
        return Book::of_messages(&request, args.request.room.is_some(), args.amount.seed, depth)
            .map_err(|error| of_flag(&error));
    }
    let Some(path) = &args.request.request_file else {
        return Book::of(&request, expectation, depth).map_err(|error| of_flag(&error));
    };
    let Request { host, version, close, proxied, headers, .. } = request;
    let defaults = Defaults { host, version, close, proxied, headers, expectation };
    let book = RequestFile::read(path)
        .and_then(|file| file.book(&defaults, args.amount.seed, DRAWN, depth))
        .map_err(|error| format!("--request-file {error}"))?;
    if book.chain().is_some() && args.connecting.requests_per_connection == Some(1) {
        return Err("--requests-per-connection 1 leaves nothing to what [[once]] begins".into());
    }
    Ok(book)
}

/// Checks that nothing changes if an attacker replays these requests, where they go ahead of the
/// handshake. The error names the flag.
pub(super) fn check_early(args: &LoadArgs, book: &Book) -> Result<(), String> {
    if !args.speaking.early_data {
        return Ok(());
    }
    match book.requests().iter().find(|request| !request.is_safe()) {
        None => Ok(()),
        Some(request) => Err(format!(
            "--early-data sends only GET, HEAD, OPTIONS and TRACE, because an attacker may replay \
             them: leave it out for {} {}",
            request.method, request.path
        )),
    }
}

/// One request like those, for any answer.
pub(super) fn with_any_answer(args: &LoadArgs) -> Result<Book, String> {
    let mut request = request(args)?;
    if request.message.is_some() {
        return book(args);
    }
    if request.is_head() {
        // Answers to HEAD would have no body.
        request.method = "GET".into();
    }
    let expectation = Expectation::of_status(StatusRule::Below(FIRST_BAD_STATUS));
    Book::of(&request, expectation, args.depth()).map_err(|error| of_flag(&error))
}

fn request(args: &LoadArgs) -> Result<Request, String> {
    let (asked, connecting) = (&args.request, &args.connecting);
    let body = bytes("--body-file", asked.body.as_deref(), asked.body_file.as_deref())?;
    let body =
        if args.checks.grpc { Some(framed("--body", &body.unwrap_or_default())?) } else { body };
    let method = if body.is_some() { "POST" } else { "GET" };
    let is_host = |name: &str| name.eq_ignore_ascii_case("host");
    let host = asked.headers.iter().find(|(name, _)| is_host(name)).map(|(_, value)| value.clone());
    let is_accept = |(name, _): &(String, String)| name.eq_ignore_ascii_case("accept");
    let accepts_events = args.checks.events && !asked.headers.iter().any(is_accept);
    let calls = args.checks.grpc.then(|| {
        [("Content-Type", "application/grpc"), ("TE", "trailers")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
    });
    Ok(Request {
        method: asked.method.clone().unwrap_or_else(|| method.to_owned()),
        path: args.url.path.clone(),
        host: host.unwrap_or_else(|| args.url.authority.to_string()),
        headers: headers(asked)
            .filter(|(name, _)| !is_host(name))
            .chain(accepts_events.then(|| ("Accept".into(), "text/event-stream".into())))
            .chain(calls.into_iter().flatten())
            .collect(),
        body: body.unwrap_or_default().into(),
        close: connecting.close && !args.url.is_websocket,
        version: if connecting.http_1_0 { Version::Http10 } else { Version::Http11 },
        proxied: connecting.proxy.is_some(),
        message: message(asked),
    })
}

/// The message to a WebSocket, if there is one: the text, or letters of a given number.
fn message(asked: &RequestArgs) -> Option<Arc<Message>> {
    let letters = |length| (b'a'..=b'z').cycle().take(length as usize).collect();
    let text = asked.message.as_ref().map(|text| text.as_bytes().to_vec());
    let message = Message::new(text.or_else(|| asked.message_size.map(letters))?, !asked.binary)?;
    Some(Arc::new(if asked.compression { message.compressed() } else { message }))
}

/// The headers, including those of other flags.
fn headers(asked: &RequestArgs) -> impl Iterator<Item = (String, String)> {
    let cookies = (!asked.cookies.is_empty()).then(|| asked.cookies.join("; "));
    let user = asked.user.as_ref().map(|user| format!("Basic {}", STANDARD.encode(user)));
    let cookies = cookies.map(|value| ("Cookie".to_owned(), value));
    let user = user.map(|value| ("Authorization".to_owned(), value));
    asked.headers.iter().cloned().chain(cookies).chain(user)
}

fn expectation(checks: &Checks) -> Result<Expectation, String> {
    let status = if checks.grpc { Some(200) } else { checks.expect_status };
    let (text, file) = (checks.expect_body.as_deref(), checks.expect_body_file.as_deref());
    let exactly = bytes("--expect-body-file", text, file)?;
    let exactly = match exactly {
        _ if checks.events && checks.grpc => {
            let right = RightEvents { is_call: true, ..RightEvents::default() };
            Some(BodyRule::Events(Arc::new(right)))
        }
        body if checks.events => {
            let right = RightEvents::read(&body.unwrap_or_default());
            Some(BodyRule::Events(Arc::new(
                right.map_err(|what| format!("--expect-body: {what}"))?,
            )))
        }
        body if checks.grpc => {
            let message = body.map(|message| framed("--expect-body", &message));
            Some(BodyRule::Message(message.transpose()?))
        }
        body => body.map(BodyRule::Exactly),
    };
    let fixed = exactly.or_else(|| checks.expect_sha256.clone());
    Ok(Expectation {
        status: status.map_or(StatusRule::Below(FIRST_BAD_STATUS), StatusRule::Exactly),
        length: checks.expect_length,
        body: fixed.or_else(|| content(checks)).unwrap_or(BodyRule::Any),
        headers: checks.expect_headers.clone(),
    })
}

/// A message of gRPC as a body.
fn framed(flag: &str, message: &[u8]) -> Result<Vec<u8>, String> {
    let too_long = || format!("{flag}: a message of gRPC has less than 4 GiB");
    grpc::framed(message).ok_or_else(too_long)
}

/// The rules for the contents of a body, if there are any.
fn content(checks: &Checks) -> Option<BodyRule> {
    let Checks { expect_contains: texts, expect_match: pattern, expect_json: shape, .. } = checks;
    let is_any = texts.is_empty() && pattern.is_none() && shape.is_none();
    let content = || Content::new(texts, pattern.clone(), shape.clone());
    (!is_any).then(|| BodyRule::Holds(Arc::new(content())))
}

/// A text, or a file's bytes.
fn bytes(flag: &str, text: Option<&str>, file: Option<&Path>) -> Result<Option<Vec<u8>>, String> {
    match (text, file) {
        (Some(text), _) => Ok(Some(text.as_bytes().to_vec())),
        (None, None) => Ok(None),
        (None, Some(path)) => fs::read(path).map(Some).map_err(|error| {
            format!("{flag} {}: cannot be read: {}", path.display(), io_words(&error))
        }),
    }
}

/// The error in a request, with the flag that causes it.
fn of_flag(error: &RequestError) -> String {
    let flag = match error {
        RequestError::Method(_) => "--method",
        RequestError::Path(_) => "URL",
        RequestError::Host(_)
        | RequestError::HeaderName(_)
        | RequestError::HeaderValue(_)
        | RequestError::Ours(_)
        | RequestError::Hides(_) => "--header",
    };
    format!("{flag}: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::load_args;
    use volley_protocol::{JsonShape, LengthRule, Pattern};

    fn sent(options: &str) -> String {
        let book = book(&load_args(options)).unwrap();
        String::from_utf8(book.bytes_of(0).to_vec()).unwrap()
    }

    #[test]
    fn flags_become_a_request() {
        for (options, expected) in [
            ("", "GET /x HTTP/1.1\r\nHost: a.example:8080\r\n\r\n"),
            ("-m PUT", "PUT /x HTTP/1.1\r\nHost: a.example:8080\r\nContent-Length: 0\r\n\r\n"),
            (
                "-b hi --cookie a=1 --cookie b=2 -u me:pw",
                "POST /x HTTP/1.1\r\nHost: a.example:8080\r\nCookie: a=1; b=2\r\n\
                 Authorization: Basic bWU6cHc=\r\nContent-Length: 2\r\n\r\nhi",
            ),
            ("-H host:b -H A:1", "GET /x HTTP/1.1\r\nHost: b\r\nA: 1\r\n\r\n"),
            ("--close", "GET /x HTTP/1.1\r\nHost: a.example:8080\r\nConnection: close\r\n\r\n"),
            (
                "--http1.0",
                "GET /x HTTP/1.0\r\nHost: a.example:8080\r\nConnection: keep-alive\r\n\r\n",
            ),
            (
                "--proxy http://p:3128",
                "GET http://a.example:8080/x HTTP/1.1\r\nHost: a.example:8080\r\n\r\n",
            ),
        ] {
            assert_eq!(sent(options), expected, "{options}");
        }
    }

    #[test]
    fn what_cannot_be_sent_names_the_flag() {
        let wrong = |options| book(&load_args(options)).unwrap_err();
        for (options, part) in [
            ("-m G@T", "--method: "),
            ("-H Content-Length:1", "--header: "),
            ("-H Host:", "--header: "),
            ("-H Accept-Encoding:br --expect-contains a", "--header: header `Accept-Encoding`"),
            ("--body-file /nonexistent/body", "--body-file /nonexistent/body: cannot be read: No"),
            ("--expect-body-file /nonexistent/body", "--expect-body-file /nonexistent/body"),
            ("--request-file /nonexistent/mix", "--request-file /nonexistent/mix: cannot be read"),
        ] {
            assert!(wrong(options).starts_with(part), "{options} gave {}", wrong(options));
        }
    }

    #[test]
    fn only_what_may_be_replayed_goes_ahead_of_a_handshake() {
        for (options, method) in
            [("", None), ("-m HEAD", None), ("-m PUT", Some("PUT /x")), ("-b hi", Some("POST /x"))]
        {
            let args = load_args(&format!("--early-data {options}"));
            let refused = check_early(&args, &book(&args).unwrap()).err();
            let is_right = match (method, &refused) {
                (Some(method), Some(words)) => words.ends_with(method),
                (method, words) => method.is_none() && words.is_none(),
            };
            assert!(is_right, "{options}: {refused:?}");
        }
    }

    #[test]
    fn checks_become_an_expectation() {
        let expects = |options: &str| expectation(&load_args(options).checks).unwrap();
        let any = expects("");
        assert_eq!((any.status, any.length), (StatusRule::Below(400), None));
        assert_eq!((any.body, any.headers), (BodyRule::Any, vec![]));
        let all =
            expects("--expect-status 201 --expect-length 2 --expect-body hi --expect-header A:b");
        assert_eq!(
            (all.status, all.length),
            (StatusRule::Exactly(201), Some(LengthRule::Exactly(2)))
        );
        assert_eq!(all.body, BodyRule::Exactly(b"hi".to_vec()));
        assert_eq!(all.headers, [("A".to_owned(), "b".to_owned())]);
        let hash = expects(&format!("--expect-sha256 {}", "0f".repeat(32)));
        assert_eq!(hash.body, BodyRule::Sha256([0x0f; 32]));
        let varying = expects(
            "--expect-length 2-9 --expect-contains a --expect-contains b \
            --expect-match c+ --expect-json {\"d\":[]}",
        );
        let shape = JsonShape::parse("{\"d\": []}").ok();
        let pattern = Pattern::parse("c+").ok();
        let content = Content::new(&["a".into(), "b".into()], pattern, shape);
        assert_eq!(varying.length, Some(LengthRule::Between(2, 9)));
        assert_eq!(varying.body, BodyRule::Holds(Arc::new(content)));
    }

    #[test]
    fn a_call_has_its_message_behind_a_prefix() {
        let args = load_args("--grpc --protocol h2c -b hi --expect-body ho");
        let asked = request(&args).unwrap();
        assert_eq!((asked.method.as_str(), &asked.body[..]), ("POST", &b"\0\0\0\0\x02hi"[..]));
        let header = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let headers = [("Content-Type", "application/grpc"), ("TE", "trailers")].map(header);
        assert_eq!(asked.headers, headers);
        let expected = expectation(&args.checks).unwrap();
        assert_eq!(expected.status, StatusRule::Exactly(200));
        assert_eq!(expected.body, BodyRule::Message(Some(b"\0\0\0\0\x02ho".to_vec())));
        let args = load_args("--grpc --protocol h2c");
        assert_eq!(request(&args).unwrap().body, grpc::framed(b"").unwrap());
        assert_eq!(expectation(&args.checks).unwrap().body, BodyRule::Message(None));
    }

    #[test]
    fn a_null_server_is_asked_the_same_for_any_answer() {
        let asked = |options| {
            let book = with_any_answer(&load_args(options)).unwrap();
            String::from_utf8(book.bytes_of(0).to_vec()).unwrap()
        };
        assert_eq!(asked("-b hi --expect-body ho"), sent("-b hi"));
        assert_eq!(asked("-m HEAD"), sent("-m GET"));
    }
}
