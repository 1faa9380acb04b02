//! Salvo as its guide writes it, with the paths that we ask for.

mod database;

use std::env;
use std::error::Error;
use std::time::Duration;

use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::{self, cipher_suite};
use salvo::compression::CompressionLevel;
use salvo::conn::rustls::{Keycert, RustlsConfig, RustlsListener};
use salvo::conn::tcp::TcpAcceptor;
use salvo::fuse::FuseConfig;
use salvo::prelude::*;
use salvo_proxy::Proxy;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::net::TcpSocket;
use tokio::time::sleep;

const BACKLOG: u32 = 4096;
const UPLOAD: usize = 2 << 20;
const IDLE: Duration = Duration::from_secs(300);

#[derive(Serialize)]
struct FillBuffer {
    result: &'static str,
}

#[handler]
async fn hello() -> &'static str {
    "Hello, World!"
}

#[handler]
async fn empty() -> &'static str {
    ""
}

#[handler]
async fn fillbuffer() -> Json<FillBuffer> {
    Json(FillBuffer {
        result: "Hello world",
    })
}

#[handler]
async fn echo(req: &mut Request, res: &mut Response) -> Result<(), StatusError> {
    let body = req.payload().await;
    let body = body.map_err(|_| StatusError::bad_request())?;
    let text = str::from_utf8(body).map_err(|_| StatusError::bad_request())?;
    res.render(text.to_owned());
    Ok(())
}

#[handler]
async fn delay() -> &'static str {
    sleep(Duration::from_millis(5)).await;
    "Hello, World!"
}

#[handler]
async fn upload(req: &mut Request) -> Result<String, StatusError> {
    let body = req.payload_with_max_size(UPLOAD).await;
    let body = body.map_err(|_| StatusError::bad_request())?;
    Ok(format!("{:x}", Sha256::digest(body)))
}

#[handler]
async fn ws(req: &mut Request, res: &mut Response) -> Result<(), StatusError> {
    WebSocketUpgrade::new().upgrade(req, res, messages).await
}

/// Each comes back unchanged, text or binary. Pings are answered by what is underneath.
async fn messages(mut socket: salvo::websocket::WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        let is_data = message.is_text() || message.is_binary();
        if is_data && socket.send(message).await.is_err() {
            return;
        }
    }
}

/// Salvo's own listener, but with TCP_NODELAY, which accepted connections inherit on Linux.
struct Listening;

impl Listener for Listening {
    type Acceptor = TcpAcceptor;

    async fn try_bind(self) -> salvo::Result<TcpAcceptor> {
        let address = format!(
            "{}:{}",
            env::var("HOST").unwrap_or_default(),
            env::var("PORT").unwrap_or_default()
        );
        let socket = TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.set_nodelay(true)?;
        socket.bind(address.parse().map_err(salvo::Error::other)?)?;
        Ok(socket.listen(BACKLOG)?.try_into()?)
    }
}

/// AES-128-GCM alone: rustls itself would leave the choice to the client.
fn tls(
    alpn: &str,
) -> Result<RustlsListener<RustlsConfig, RustlsConfig, Listening, std::io::Error>, Box<dyn Error>> {
    let provider = CryptoProvider {
        cipher_suites: vec![
            cipher_suite::TLS13_AES_128_GCM_SHA256,
            cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        ],
        ..ring::default_provider()
    };
    let _ = provider.install_default();
    let keys = Keycert::new()
        .cert_from_path(env::var("TLS_CERT")?)?
        .key_from_path(env::var("TLS_KEY")?)?;
    let config = RustlsConfig::new(keys).alpn_protocols(vec![alpn.into()]);
    Ok(RustlsListener::new(config, Listening))
}

async fn serve<A: salvo::conn::Acceptor + Send>(acceptor: A, router: Router) {
    // The time for a request's head runs while a connection is idle, too.
    let times = FuseConfig::default().with_http1_header_timeout(IDLE);
    Server::new(acceptor).fuse_config(times).serve(router).await;
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
        let [salvo, hyper, tokio, rustls] = ["salvo", "hyper", "tokio", "rustls"].map(version_of);
        println!("Salvo {salvo}, hyper {hyper}, tokio {tokio}, rustls {rustls}");
        return Ok(());
    }

    // By default it leaves bodies below 1 KiB alone; ours has 24 bytes.
    let compression = Compression::new()
        .disable_all()
        .enable_gzip(CompressionLevel::Default)
        .min_length(0);
    let upstream = env::var("UPSTREAM").unwrap_or_default();
    let forward = Proxy::use_hyper_client(upstream).url_path_getter(|_, _| Some("/".into()));

    let mut router = Router::new()
        .get(hello)
        .push(Router::with_path("empty").get(empty))
        .push(
            Router::with_path("fillbuffer")
                .hoop(compression)
                .get(fillbuffer),
        )
        .push(Router::with_path("echo").post(echo))
        .push(Router::with_path("delay").get(delay))
        .push(Router::with_path("upload").post(upload))
        .push(Router::with_path("ws").get(ws))
        .push(Router::with_path("forward").get(forward));
    if let Ok(folder) = env::var("STATIC_DIR") {
        router = router.push(Router::with_path("static/{*path}").get(StaticDir::new(folder)));
    }
    if let Ok(url) = env::var("DATABASE_URL") {
        router = router.append(&mut database::routes(url)?.into());
    }

    // In cleartext Salvo takes each connection for what its first bytes say.
    match env::var("PROTOCOL").as_deref() {
        Ok("h1-tls") => serve(tls("http/1.1")?.try_bind().await?, router).await,
        Ok("h2") => serve(tls("h2")?.try_bind().await?, router).await,
        _ => serve(Listening.try_bind().await?, router).await,
    }
    Ok(())
}
