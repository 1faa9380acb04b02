//! warp as its documentation writes it, with the paths that we ask for.

mod database;

use std::env;
use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::net::TcpSocket;
use tokio::time::sleep;
use warp::Filter;
use warp::filters::BoxedFilter;
use warp::http::header::CONTENT_TYPE;
use warp::http::{StatusCode, Uri};
use warp::reply::{Reply, Response, json, with_header};
use warp::ws::{WebSocket, Ws};

const BACKLOG: u32 = 4096;

#[derive(Serialize)]
struct FillBuffer {
    result: &'static str,
}

/// Each comes back unchanged, text or binary. Pings are answered by what is underneath.
async fn messages(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.next().await {
        let is_data = message.is_text() || message.is_binary();
        if is_data && socket.send(message).await.is_err() {
            return;
        }
    }
}

/// Whom `forward` asks, and its pool of connections, which has no limit.
#[derive(Clone)]
struct Upstream {
    client: Client<HttpConnector, Empty<Bytes>>,
    uri: Uri,
}

impl Upstream {
    fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let uri = env::var("UPSTREAM").unwrap_or_default();
        Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            uri: uri.parse().unwrap_or_default(),
        }
    }

    async fn ask(self) -> Result<Response, Box<dyn Error + Send + Sync>> {
        let (head, body) = self.client.get(self.uri).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        let kind = head.headers.get(CONTENT_TYPE).ok_or("it has no type")?;
        Ok(with_header(body.to_vec(), CONTENT_TYPE, kind).into_response())
    }
}

async fn forward(upstream: Upstream) -> Response {
    let answer = upstream.ask().await;
    answer.unwrap_or_else(|_| StatusCode::BAD_GATEWAY.into_response())
}

fn routes() -> Result<BoxedFilter<(Response,)>, Box<dyn Error>> {
    let upstream = Upstream::new();
    let hello = warp::path::end().map(|| "Hello, World!".into_response());
    let empty = warp::path!("empty").map(|| "".into_response());
    let fillbuffer = warp::path!("fillbuffer").map(|| {
        json(&FillBuffer {
            result: "Hello world",
        })
        .into_response()
    });
    let delay = warp::path!("delay").then(|| async {
        sleep(Duration::from_millis(5)).await;
        "Hello, World!".into_response()
    });
    let forward = warp::path!("forward")
        .map(move || upstream.clone())
        .then(forward);
    let ws = warp::path!("ws")
        .and(warp::ws())
        .map(|upgrade: Ws| upgrade.on_upgrade(messages).into_response());
    let echo = warp::path!("echo")
        .and(warp::body::bytes())
        .map(|body: Bytes| match String::from_utf8(body.into()) {
            Ok(text) => text.into_response(),
            Err(_) => StatusCode::BAD_REQUEST.into_response(),
        });
    let upload = warp::path!("upload")
        .and(warp::body::bytes())
        .map(|body: Bytes| format!("{:x}", Sha256::digest(&body)).into_response());

    let read = hello.or(empty).unify().or(fillbuffer).unify().or(delay);
    let read = read.unify().or(forward).unify().or(ws).unify();
    let written = echo.or(upload).unify();
    let mut all = warp::get()
        .and(read)
        .or(warp::post().and(written))
        .unify()
        .boxed();
    if let Ok(folder) = env::var("STATIC_DIR") {
        let files = warp::path("static").and(warp::fs::dir(folder));
        all = all.or(files.map(Reply::into_response)).unify().boxed();
    }
    if let Ok(url) = env::var("DATABASE_URL") {
        all = all.or(database::routes(url)?).unify().boxed();
    }
    Ok(all)
}

/// What was really linked: the build takes every crate as Cargo.lock says, and so does this.
fn version_of(name: &str) -> &'static str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let (_, rest) = include_str!("../Cargo.lock").split_once(&entry).unwrap();
    rest.split('"').next().unwrap()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if env::args().any(|arg| arg == "--version") {
        let [warp, hyper, tokio] = ["warp", "hyper", "tokio"].map(version_of);
        println!("warp {warp}, hyper {hyper}, tokio {tokio}");
        return Ok(());
    }

    // warp's own `bind` has no knobs. On Linux an accepted connection inherits TCP_NODELAY.
    let address: SocketAddr = format!("{}:{}", env::var("HOST")?, env::var("PORT")?).parse()?;
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_nodelay(true)?;
    socket.bind(address)?;
    warp::serve(routes()?)
        .incoming(socket.listen(BACKLOG)?)
        .run()
        .await;
    Ok(())
}
