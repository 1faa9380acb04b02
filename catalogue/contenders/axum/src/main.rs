//! axum as its README writes it, with the paths that we ask for.

mod database;

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{RawQuery, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use axum_server::accept::NoDelayAcceptor;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use rustls::crypto::ring::{self, cipher_suite};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::ServerConfig;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::net::TcpSocket;
use tokio::sync::broadcast;
use tower_http::compression::{predicate::SizeAbove, CompressionLayer};
use tower_http::services::ServeDir;

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

async fn delay() -> &'static str {
    tokio::time::sleep(Duration::from_millis(5)).await;
    "Hello, World!"
}

async fn upload(body: Bytes) -> String {
    format!("{:x}", Sha256::digest(&body))
}

async fn ws(upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(messages)
}

/// Each comes back unchanged, text or binary. Pings are answered by what is underneath.
async fn messages(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        let is_data = matches!(message, Message::Text(_) | Message::Binary(_));
        if is_data && socket.send(message).await.is_err() {
            return;
        }
    }
}

/// The rooms, by their query: what is said in one goes to all who have joined it.
type Rooms = Arc<Mutex<HashMap<String, broadcast::Sender<Message>>>>;

async fn room(
    State(rooms): State<Rooms>,
    RawQuery(name): RawQuery,
    upgrade: WebSocketUpgrade,
) -> Response {
    let mut rooms = rooms.lock().unwrap();
    let room = rooms
        .entry(name.unwrap_or_default())
        .or_insert_with(|| broadcast::channel(64).0);
    // Joined before the answer to the upgrade.
    let (room, heard) = (room.clone(), room.subscribe());
    upgrade.on_upgrade(move |socket| listen(socket, room, heard))
}

async fn listen(
    mut socket: WebSocket,
    room: broadcast::Sender<Message>,
    mut heard: broadcast::Receiver<Message>,
) {
    loop {
        tokio::select! {
            said = socket.recv() => match said {
                Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => {
                    let _ = room.send(message);
                }
                Some(Ok(_)) => {}
                _ => return,
            },
            message = heard.recv() => {
                let Ok(message) = message else { return };
                if socket.send(message).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Whom `forward` asks, and its pool of connections, which has no limit.
#[derive(Clone)]
struct Upstream {
    client: Client<HttpConnector, Body>,
    uri: Uri,
}

async fn forward(State(upstream): State<Upstream>) -> Result<Response, StatusCode> {
    let answer = upstream.client.get(upstream.uri).await;
    Ok(answer.map_err(|_| StatusCode::BAD_GATEWAY)?.into_response())
}

fn upstream() -> Upstream {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    Upstream {
        client: Client::builder(TokioExecutor::new()).build(connector),
        uri: env::var("UPSTREAM")
            .unwrap_or_default()
            .parse()
            .unwrap_or_default(),
    }
}

/// TLS 1.3 and 1.2 with AES-128-GCM alone: rustls itself would leave the choice to the client.
fn tls(alpn: &str) -> Result<RustlsConfig, Box<dyn Error>> {
    let provider = CryptoProvider {
        cipher_suites: vec![
            cipher_suite::TLS13_AES_128_GCM_SHA256,
            cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        ],
        ..ring::default_provider()
    };
    let certificates =
        CertificateDer::pem_file_iter(env::var("TLS_CERT")?)?.collect::<Result<_, _>>()?;
    let key = PrivateKeyDer::from_pem_file(env::var("TLS_KEY")?)?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(certificates, key)?;
    config.alpn_protocols = vec![alpn.into()];
    Ok(RustlsConfig::from_config(Arc::new(config)))
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
        let [axum, tower_http, hyper, tokio, rustls] =
            ["axum", "tower-http", "hyper", "tokio", "rustls"].map(version_of);
        println!(
            "axum {axum}, tower-http {tower_http}, hyper {hyper}, tokio {tokio}, rustls {rustls}"
        );
        return Ok(());
    }

    // By default the layer leaves bodies below 32 bytes alone; ours has 24.
    let compression = CompressionLayer::new().compress_when(SizeAbove::new(0));

    let mut app = Router::new()
        .route("/", get(hello))
        .route("/empty", get(empty))
        .route("/fillbuffer", get(fillbuffer).layer(compression))
        .route("/echo", post(echo))
        .route("/delay", get(delay))
        .route("/upload", post(upload))
        .route("/ws", get(ws))
        .route("/room", get(room).with_state(Rooms::default()))
        .route("/forward", get(forward).with_state(upstream()));
    if let Ok(folder) = env::var("STATIC_DIR") {
        app = app.nest_service("/static", ServeDir::new(folder));
    }
    if let Ok(url) = env::var("DATABASE_URL") {
        app = app.merge(database::routes(url)?);
    }

    // TcpListener::bind would do, had it a knob for the backlog.
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(format!("{}:{}", env::var("HOST")?, env::var("PORT")?).parse()?)?;
    let listener = socket.listen(BACKLOG)?;

    let config = match env::var("PROTOCOL").as_deref() {
        Ok("h1-tls") => tls("http/1.1")?,
        Ok("h2") => tls("h2")?,
        // In cleartext axum takes each connection for what its first bytes say.
        _ => {
            let listener = listener.tap_io(|stream| {
                let _ = stream.set_nodelay(true); // it fails where the client is gone already
            });
            axum::serve(listener, app).await?;
            return Ok(());
        }
    };
    axum_server::from_tcp(listener.into_std()?)?
        .acceptor(RustlsAcceptor::new(config).acceptor(NoDelayAcceptor::new()))
        .serve(app.into_make_service())
        .await?;
    Ok(())
}
