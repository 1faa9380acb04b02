//! A shop: each connection logs in, and must send the values that it was given with each request.

use crate::world::loading;
use crate::world::sealed::Server;
use crate::world::servers::{Conversation, serve};
use crate::world::streams::Peer;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use volley_load::scheme::Scheme;
use volley_load::target::Target;
use volley_protocol::h2::frame::{self, flag, kind};
use volley_protocol::h2::hpack::{self, Decoder, Indexing};
use volley_protocol::{Expectation, StatusRule};
use volley_requests::{Book, Defaults, RequestFile};

/// Two steps, each of which gives a value, and requests of which one needs none.
pub(crate) const LOGIN: &str = r#"
    data = "users.csv"
    order = "sequential"
    [[once]]
    method = "POST"
    path = "/login?user={{user}}"
    body = '{"user": "{{user}}"}'
    take = { token = "json /auth/token", sid = "cookie sid" }
    [[once]]
    path = "/form"
    headers = { Authorization = "Bearer {{token}}", Cookie = "sid={{sid}}" }
    take = { csrf = "header X-CSRF" }

    [[request]]
    path = "/free"
    [[request]]
    method = "PUT"
    path = "/cart/{{csrf}}"
    headers = { Authorization = "Bearer {{token}}", Cookie = "a=b; sid={{sid}}" }
    body = '{"token": "{{token}}", "n": {{random 1 9}}}'
"#;

/// The requests that the shop has received.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) logins: AtomicU64,
    pub(crate) forms: AtomicU64,
    pub(crate) free: AtomicU64,
    pub(crate) carts: AtomicU64,
    /// The requests that must never arrive.
    pub(crate) wrong: AtomicU64,
}

/// An answer: status, fields and body.
pub(crate) type Reply = (u16, Vec<(&'static str, String)>, String);

/// The answer to a request: `text` has its method and path in the first line, then a line for each
/// field, then its body. `connection`: the connection's number.
pub(crate) fn reply(asked: &Asked, connection: u64, text: &str) -> Reply {
    let count = |counter: &AtomicU64| counter.fetch_add(1, Ordering::SeqCst);
    let (token, sid) = (format!("t-{connection}"), format!("sid=s{connection}"));
    let lower = text.to_ascii_lowercase();
    let is_known = lower.contains(&format!("authorization: bearer {token}\n"))
        && lower.lines().any(|line| line.starts_with("cookie: ") && line.ends_with(&sid));
    let first = text.lines().next().unwrap_or_default();
    if first.starts_with("POST /login?user=") {
        let user = first.strip_prefix("POST /login?user=").unwrap();
        assert!(text.ends_with(&format!("\n{{\"user\": \"{user}\"}}")), "{text}");
        count(&asked.logins);
        let body = format!("{{\"auth\": {{\"token\": \"{token}\", \"for\": \"{user}\"}}}}");
        return (201, vec![("set-cookie", format!("{sid}; Path=/"))], body);
    }
    if first == "GET /form" && is_known {
        count(&asked.forms);
        return (200, vec![("x-csrf", format!("c{connection}"))], String::new());
    }
    if first == "GET /free" {
        count(&asked.free);
        return (200, vec![], "Hello, World!".into());
    }
    let is_cart = first == format!("PUT /cart/c{connection}")
        && text.contains(&format!("\n{{\"token\": \"{token}\", \"n\": "));
    if is_cart && is_known {
        count(&asked.carts);
        return (200, vec![], "Hello, World!".into());
    }
    count(&asked.wrong);
    (403, vec![], text.to_owned())
}

/// The bytes of an answer in HTTP/1.
pub(crate) fn written((status, fields, body): &Reply) -> Vec<u8> {
    let fields: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let fields = fields.concat();
    format!("HTTP/1.1 {status} X\r\n{fields}Content-Length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// A request as `reply` takes it.
pub(crate) fn as_text(request: &[u8]) -> String {
    String::from_utf8(request.to_vec()).unwrap().replace("\r\n", "\n").replace(" HTTP/1.1\n", "\n")
}

/// The shop over HTTP/1. A connection is closed after `most` answers.
pub(crate) fn h1(most: usize) -> (SocketAddr, Arc<Asked>) {
    let asked = Arc::new(Asked::default());
    let told = asked.clone();
    (serve(move |mut talk| talk_h1(&mut talk, most, &told)), asked)
}

/// The same in TLS, and its CA.
pub(crate) fn h1_tls() -> (SocketAddr, Arc<Asked>, String) {
    let asked = Arc::new(Asked::default());
    let told = asked.clone();
    let (address, ca) =
        Server::default().serve(move |mut talk| talk_h1(&mut talk, usize::MAX, &told));
    (address, asked, ca)
}

fn talk_h1<S: Read + Write>(talk: &mut Conversation<S>, most: usize, asked: &Asked) {
    for nth in 1..=most {
        let Some(request) = talk.next_request() else { return };
        let mut answer = reply(asked, talk.number, &as_text(&request));
        if nth == most {
            answer.1.push(("connection", "close".into()));
        }
        if !talk.say(&written(&answer)) {
            return;
        }
    }
}

/// The shop over HTTP/2 in TLS, and its CA.
pub(crate) fn h2_tls() -> (SocketAddr, Arc<Asked>, String) {
    let asked = Arc::new(Asked::default());
    let told = asked.clone();
    let server = Server { alpn: &["h2"], ..Server::default() };
    let (address, ca) = server.serve(move |talk| {
        let number = talk.number;
        talk_h2(Peer::new(talk.stream, &[]), number, &told);
    });
    (address, asked, ca)
}

/// The shop over HTTP/2.
pub(crate) fn h2(settings: &'static [(u16, u32)]) -> (SocketAddr, Arc<Asked>) {
    let asked = Arc::new(Asked::default());
    let told = asked.clone();
    let address = serve(move |talk| {
        let number = talk.number;
        talk_h2(Peer::new(talk.stream, settings), number, &told);
    });
    (address, asked)
}

fn talk_h2(mut peer: Peer<impl Read + Write>, number: u64, asked: &Asked) {
    let (mut decoder, mut open) = (Decoder::default(), BTreeMap::<u32, String>::new());
    loop {
        let Some((head, payload)) = peer.next_frame() else {
            if !peer.read() {
                return;
            }
            continue;
        };
        let mut out = Vec::new();
        match head.kind {
            kind::HEADERS => {
                assert!(head.has(flag::END_HEADERS));
                drop(open.insert(head.stream, head_as_text(&mut decoder, &payload)));
            }
            kind::DATA => {
                open.get_mut(&head.stream).unwrap().push_str(str::from_utf8(&payload).unwrap());
                // The sender of the request may go on.
                for stream in [0, head.stream] {
                    let more = head.length.max(1).to_be_bytes();
                    frame::write(&mut out, kind::WINDOW_UPDATE, 0, stream, &more);
                }
            }
            kind::SETTINGS if !head.has(flag::ACK) => {
                frame::write(&mut out, kind::SETTINGS, flag::ACK, 0, &[]);
            }
            _ => {}
        }
        let ends = matches!(head.kind, kind::HEADERS | kind::DATA) && head.has(flag::END_STREAM);
        if ends {
            let text = open.remove(&head.stream).unwrap();
            let (status, fields, body) = reply(asked, number, &text);
            let mut block = Vec::new();
            let status = status.to_string();
            hpack::write_literal(&mut block, Indexing::Without, ":status", &status);
            for (name, value) in &fields {
                hpack::write_literal(&mut block, Indexing::Without, name, value);
            }
            frame::write(&mut out, kind::HEADERS, flag::END_HEADERS, head.stream, &block);
            frame::write(&mut out, kind::DATA, flag::END_STREAM, head.stream, body.as_bytes());
        }
        if !peer.say(&out) {
            return;
        }
    }
}

fn head_as_text(decoder: &mut Decoder, block: &[u8]) -> String {
    let (mut first, mut fields) = ([String::new(), String::new()], String::new());
    decoder
        .decode(block, |name, value| {
            let [name, value] = [name, value].map(|bytes| str::from_utf8(bytes).unwrap());
            match name {
                ":method" => first[0] = value.into(),
                ":path" => first[1] = value.into(),
                _ => [name, ": ", value, "\n"].into_iter().for_each(|part| fields += part),
            }
            Ok(())
        })
        .unwrap();
    format!("{}\n{fields}\n", first.join(" "))
}

/// Two connections that send the requests of a file.
pub(crate) fn target(address: SocketAddr, text: &str, scheme: Scheme, depth: usize) -> Target {
    Target {
        books: vec![Arc::new(book(text, depth))],
        connections: 2,
        pipeline: depth,
        scheme,
        ..loading::target(address)
    }
}

fn book(text: &str, depth: usize) -> Book {
    let users = |_: &Path| Ok(b"user\nann\nbob\n".to_vec());
    let defaults = Defaults {
        headers: vec![("Accept".into(), "*/*".into())],
        expectation: Expectation::of_status(StatusRule::Exactly(200)),
        ..Defaults::of("shop")
    };
    let file = RequestFile::parse(text, Path::new("shop.toml"), users).unwrap();
    file.book(&defaults, 1, 64, depth).unwrap()
}
