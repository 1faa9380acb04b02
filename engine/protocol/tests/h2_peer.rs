//! Random conversations of our HTTP/2 with the server of the `h2` crate, over a pipe in memory:
//! heads, bodies both ways, trailers, interim answers, small windows and tables, answers in any
//! order, resets.

use bytes::Bytes;
use h2::server::{Builder, SendResponse};
use h2::{Reason, RecvStream};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use volley_protocol::{
    Awaited, BodyRule, Expectation, Http2, Io, Protocol, Refusal, Request, StatusRule, Step,
    Verdict,
};

/// A request, and the server's answer to it.
#[derive(Debug, Clone)]
struct Exchange {
    request: Request,
    status: u16,
    fields: Vec<(String, String)>,
    /// The body in the pieces in which the server sends it.
    body: Vec<Vec<u8>>,
    trailer: Option<String>,
    interim: bool,
    /// The server resets the stream instead.
    is_reset: bool,
}

/// The server's settings, and the conduct of the conversation.
#[derive(Debug, Clone)]
struct Setup {
    window: u32,
    connection_window: u32,
    table: u32,
    most_streams: u32,
    depth: usize,
    /// Bytes that are read at a time.
    piece: usize,
    /// The number of requests, in a cycle of the exchanges.
    count: usize,
}

fn name() -> impl Strategy<Value = String> {
    let known = ["accept", "user-agent", "cookie", "etag", "x-a", "authorization", "te", "vary"];
    prop_oneof![prop::sample::select(known.to_vec()).prop_map(String::from), "x-[a-z0-9_!#]{1,12}"]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof!["", "trailers", "[!-~]{1,40}", "[!-~][ -~]{0,300}[!-~]", "[a-c]{1,3}"]
}

fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    (0..=most, any::<u8>()).prop_map(|(length, seed)| {
        (0..length).map(|at| seed.wrapping_add((at % 251).to_le_bytes()[0])).collect()
    })
}

fn exchange() -> impl Strategy<Value = Exchange> {
    let method = prop::sample::select(vec!["GET", "POST", "HEAD", "PUT", "OPTIONS", "X-Y"]);
    let body = prop_oneof![3 => bytes(0), 3 => bytes(100), 1 => bytes(70_000)];
    let request = (method, "/[!-~]{0,60}", prop::collection::vec((name(), value()), 0..6), body);
    let status = prop::sample::select(vec![200_u16, 200, 200, 204, 304, 404, 503]);
    let pieces = prop_oneof![
        3 => prop::collection::vec(bytes(60), 0..3),
        1 => prop::collection::vec(bytes(40_000), 0..3),
    ];
    let fields = prop::collection::vec((name(), value()), 0..6);
    let rest = (prop::option::of("[a-z]{0,9}"), any::<bool>(), prop::bool::weighted(0.05));
    (request, status, fields, pieces, rest).prop_map(|(asked, status, fields, pieces, rest)| {
        let (method, path, headers, body) = asked;
        let path = path.replace(['#', '\\', '"', '<', '>', '`', '{', '}', '^', '|'], "_");
        let bodiless = method == "HEAD" || matches!(status, 204 | 304);
        // For `te` only one value may be sent, and only by us.
        let headers =
            headers.into_iter().filter(|(name, value)| name != "te" || value == "trailers");
        let fields = fields.into_iter().filter(|(name, _)| name != "te").collect();
        Exchange {
            request: Request {
                method: method.into(),
                path,
                host: "example.org:8080".into(),
                headers: headers.collect(),
                body: body.into(),
                ..Request::default()
            },
            status,
            fields,
            body: if bodiless { Vec::new() } else { pieces },
            trailer: rest.0.filter(|_| !bodiless),
            interim: rest.1,
            is_reset: rest.2,
        }
    })
}

fn setup() -> impl Strategy<Value = Setup> {
    let window = prop::sample::select(vec![200, 5_000, 65_535, 1 << 20]);
    let connection_window = prop::sample::select(vec![65_535, 1 << 20]);
    let table = prop::sample::select(vec![0, 64, 200, 4096, 65_536]);
    (window, connection_window, table, 1..9_u32, 1..9_usize, 4..20_u32, 1..30_usize).prop_map(
        |(window, connection_window, table, most_streams, depth, piece, count)| Setup {
            window,
            connection_window,
            table,
            most_streams,
            depth,
            piece: 1 << piece,
            count,
        },
    )
}

/// The fields that a server must receive: names in lower case, sorted.
fn asked(request: &Request) -> BTreeMap<String, Vec<String>> {
    let mut fields = BTreeMap::<String, Vec<String>>::new();
    for (name, value) in &request.headers {
        fields.entry(name.clone()).or_default().push(value.clone());
    }
    if !request.body.is_empty() || matches!(request.method.as_str(), "POST" | "PUT" | "PATCH") {
        fields.insert("content-length".into(), vec![request.body.len().to_string()]);
    }
    fields
}

fn seen(fields: &HeaderMap) -> BTreeMap<String, Vec<String>> {
    let mut seen = BTreeMap::<String, Vec<String>>::new();
    for (name, value) in fields {
        let value = value.to_str().unwrap().to_owned();
        seen.entry(name.as_str().to_owned()).or_default().push(value);
    }
    seen
}

/// Serves one request by its exchange, and compares the received request with it.
async fn serve(
    exchange: Exchange,
    request: http::Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
) {
    let (head, mut received) = request.into_parts();
    let asked_for = &exchange.request;
    assert_eq!(head.method.as_str(), asked_for.method);
    assert_eq!(head.uri.scheme_str(), Some("http"));
    assert_eq!(head.uri.authority().unwrap().as_str(), asked_for.host);
    assert_eq!(head.uri.path_and_query().unwrap().as_str(), asked_for.path);
    assert_eq!(seen(&head.headers), asked(asked_for));
    let mut body = Vec::new();
    while let Some(piece) = received.data().await {
        let piece = piece.unwrap();
        received.flow_control().release_capacity(piece.len()).unwrap();
        body.extend_from_slice(&piece);
    }
    assert_eq!(body, asked_for.body);
    if exchange.is_reset {
        return respond.send_reset(Reason::INTERNAL_ERROR);
    }
    if exchange.interim {
        let interim = Response::builder().status(103).header("link", "x").body(()).unwrap();
        respond.send_informational(interim).unwrap();
    }
    let mut answer = Response::new(());
    *answer.status_mut() = StatusCode::from_u16(exchange.status).unwrap();
    for (name, value) in &exchange.fields {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        answer.headers_mut().append(name, HeaderValue::from_str(value).unwrap());
    }
    let ends = exchange.body.is_empty() && exchange.trailer.is_none();
    let mut send = respond.send_response(answer, ends).unwrap();
    let last = exchange.body.len();
    for (nth, piece) in exchange.body.into_iter().enumerate() {
        let ends = nth + 1 == last && exchange.trailer.is_none();
        send.send_data(piece.into(), ends).unwrap();
    }
    if let Some(value) = exchange.trailer {
        let mut trailers = HeaderMap::new();
        trailers.insert("x-trailer", HeaderValue::from_str(&value).unwrap());
        send.send_trailers(trailers).unwrap();
    }
}

async fn run_server(io: DuplexStream, setup: Setup, exchanges: Vec<Exchange>) {
    let mut connection = Builder::new()
        .initial_window_size(setup.window)
        .initial_connection_window_size(setup.connection_window)
        .header_table_size(setup.table)
        .max_concurrent_streams(setup.most_streams)
        .max_header_list_size(1 << 20)
        .handshake::<_, Bytes>(io)
        .await
        .unwrap();
    let mut nth = 0;
    while let Some(accepted) = connection.accept().await {
        let (request, respond) = accepted.unwrap();
        let exchange = exchanges[nth % exchanges.len()].clone();
        nth += 1;
        tokio::spawn(serve(exchange, request, respond));
    }
}

/// The rules for a right answer, and its expected form.
fn check(exchange: &Exchange, evidence: &[u8]) {
    let body = exchange.body.concat();
    let end = evidence.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let (head, start) = evidence.split_at(end);
    // The piece that completes a right answer is not kept.
    assert!(body.starts_with(start), "{start:?}");
    let head = str::from_utf8(head).unwrap();
    let mut lines: Vec<&str> = head.trim_end_matches("\r\n\r\n").split("\r\n").collect();
    assert_eq!(lines.remove(0), format!("HTTP/2 {}", exchange.status));
    let trailer = exchange.trailer.iter().map(|value| format!("x-trailer: {value}"));
    let fields = exchange.fields.iter().map(|(name, value)| format!("{name}: {value}"));
    let mut expected: Vec<String> = fields.chain(trailer).collect();
    lines.sort_unstable();
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

async fn converse(setup: Setup, exchanges: Vec<Exchange>) {
    let (mut near, far) = tokio::io::duplex(16 << 20);
    let server = tokio::spawn(run_server(far, setup.clone(), exchanges.clone()));
    let rule = |exchange: &Exchange| {
        Arc::new(Expectation {
            headers: exchange.fields.iter().take(3).cloned().collect(),
            body: BodyRule::Exactly(exchange.body.concat()),
            ..Expectation::of_status(StatusRule::Exactly(exchange.status))
        })
    };
    let expectations: Vec<_> = exchanges.iter().map(rule).collect();
    let requests: Vec<_> = exchanges.iter().map(|it| Arc::new(it.request.clone())).collect();
    let mut shared = <Http2<usize> as Protocol<usize>>::shared(&expectations, &requests);
    let mut client = Http2::<usize>::default();
    let mut out = Vec::new();
    client.greet(&mut shared, &mut out);
    let (mut sent, mut done, mut buffer) = (0, vec![false; setup.count], vec![0; setup.piece]);
    let awaited = |ticket: usize| {
        let nth = ticket % exchanges.len();
        let expectation = u32::try_from(nth).unwrap();
        Awaited { expectation, to_head: exchanges[nth].request.is_head() }
    };
    while done.contains(&false) {
        if client.announced().is_some() {
            while sent < setup.count && client.room(setup.depth) > 0 {
                client.write(sent, sent % exchanges.len(), &mut shared, &mut out);
                sent += 1;
                assert!(client.in_flight() <= setup.depth.min(setup.most_streams as usize));
            }
        }
        near.write_all(&out).await.unwrap();
        out.clear();
        let length = near.read(&mut buffer).await.unwrap();
        assert_ne!(length, 0, "the server closed: {:?}", client.evidence(b""));
        let mut rest = &buffer[..length];
        while !rest.is_empty() {
            let io = &mut Io { now_ns: 1, out: &mut out };
            match client.receive(rest, awaited, &mut shared, io).unwrap() {
                Step::Incomplete => break,
                Step::Complete(answer) => {
                    let ticket = client.completed().unwrap();
                    let exchange = &exchanges[ticket % exchanges.len()];
                    let words = client.describe(&answer, awaited(ticket), &shared, rest);
                    assert_eq!(answer.verdict, Verdict::Right, "{words}");
                    assert!(answer.keep_alive && !exchange.is_reset);
                    check(exchange, &client.evidence(&rest[..answer.consumed]));
                    rest = &rest[answer.consumed..];
                    assert_eq!(client.finish(), Some(ticket));
                    assert!(!std::mem::replace(&mut done[ticket], true));
                }
                Step::Refused { consumed, what } => {
                    assert_eq!(what, Refusal::Reset(2));
                    rest = &rest[consumed..];
                    let ticket = client.finish().unwrap();
                    assert!(exchanges[ticket % exchanges.len()].is_reset);
                    assert!(!std::mem::replace(&mut done[ticket], true));
                }
                step @ (Step::Malformed(_) | Step::Lost(_)) => panic!("{step:?}"),
            }
        }
    }
    assert_eq!((client.in_flight(), client.oldest()), (0, None));
    drop(near);
    let _closed = server.await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_understand_each_other(
        setup in setup(),
        exchanges in prop::collection::vec(exchange(), 1..5),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(converse(setup, exchanges));
    }
}
