//! axum as its README writes it, with the four paths that we ask for.

use std::env;
use std::error::Error;

use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use serde::Serialize;
use tokio::net::TcpSocket;
use tower_http::compression::{predicate::SizeAbove, CompressionLayer};

const BACKLOG: u32 = 4096;

#[derive(Serialize)]
struct FillBuffer {
    result: &'static str,
}

async fn hello() -> &'static str {
    "Hello, World!"
}

async fn empty() {}

async fn fillbuffer() -> Json<FillBuffer> {
    Json(FillBuffer {
        result: "Hello world",
    })
}

async fn echo(body: String) -> String {
    body
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
        let [axum, tower_http, hyper, tokio] =
            ["axum", "tower-http", "hyper", "tokio"].map(version_of);
        println!("axum {axum}, tower-http {tower_http}, hyper {hyper}, tokio {tokio}");
        return Ok(());
    }

    // By default the layer leaves bodies below 32 bytes alone; ours has 24.
    let compression = CompressionLayer::new().compress_when(SizeAbove::new(0));

    let app = Router::new()
        .route("/", get(hello))
        .route("/empty", get(empty))
        .route("/fillbuffer", get(fillbuffer).layer(compression))
        .route("/echo", post(echo));

    // TcpListener::bind would do, had it a knob for the backlog.
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(format!("{}:{}", env::var("HOST")?, env::var("PORT")?).parse()?)?;
    let listener = socket.listen(BACKLOG)?.tap_io(|stream| {
        let _ = stream.set_nodelay(true); // it fails where the client is gone already
    });

    axum::serve(listener, app).await?;
    Ok(())
}
