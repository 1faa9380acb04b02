//! hyper's own guide to a server, with the paths that we ask for.

mod http3;

use std::env;
use std::error::Error;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes};
use hyper::header::{HeaderValue, CONTENT_TYPE};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpSocket;
use tokio_rustls::rustls::crypto::ring::{self, cipher_suite};
use tokio_rustls::rustls::crypto::CryptoProvider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::TlsAcceptor;

const BACKLOG: u32 = 4096;

type AnyError = Box<dyn Error + Send + Sync>;

#[derive(Serialize)]
struct FillBuffer {
    result: &'static str,
}

fn answer(content_type: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Its pool of connections to the upstream has no limit.
static CLIENT: LazyLock<Client<HttpConnector, Full<Bytes>>> = LazyLock::new(|| {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    Client::builder(TokioExecutor::new()).build(connector)
});

async fn forward() -> Result<Response<Full<Bytes>>, AnyError> {
    static UPSTREAM: LazyLock<String> = LazyLock::new(|| env::var("UPSTREAM").unwrap_or_default());
    let (head, body) = CLIENT.get(UPSTREAM.parse()?).await?.into_parts();
    let mut response = Response::new(Full::new(body.collect().await?.to_bytes()));
    if let Some(content_type) = head.headers.get(CONTENT_TYPE) {
        response
            .headers_mut()
            .insert(CONTENT_TYPE, content_type.clone());
    }
    Ok(response)
}

async fn handle<B>(req: Request<B>) -> Result<Response<Full<Bytes>>, AnyError>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<AnyError>,
{
    match (req.method(), req.uri().path()) {
        (&Method::GET, "/") => Ok(answer("text/plain", "Hello, World!")),
        (&Method::GET, "/empty") => Ok(Response::default()),
        (&Method::GET, "/fillbuffer") => {
            let body = serde_json::to_vec(&FillBuffer {
                result: "Hello world",
            })?;
            Ok(answer("application/json", body))
        }
        (&Method::POST, "/echo") => {
            let body = req.collect().await.map_err(Into::into)?.to_bytes();
            Ok(answer("text/plain", body))
        }
        (&Method::GET, "/delay") => {
            tokio::time::sleep(Duration::from_millis(5)).await;
            Ok(answer("text/plain", "Hello, World!"))
        }
        (&Method::POST, "/upload") => {
            let mut digest = Sha256::new();
            let mut body = req.into_body();
            while let Some(frame) = body.frame().await {
                if let Ok(data) = frame.map_err(Into::into)?.into_data() {
                    digest.update(data);
                }
            }
            Ok(answer("text/plain", format!("{:x}", digest.finalize())))
        }
        (&Method::GET, "/forward") => forward().await,
        _ => {
            let mut not_found = answer("text/plain", "Not Found");
            *not_found.status_mut() = StatusCode::NOT_FOUND;
            Ok(not_found)
        }
    }
}

/// TLS 1.3 and 1.2 with AES-128-GCM alone: rustls itself would leave the choice to the client.
fn tls(alpn: &str) -> Result<Arc<ServerConfig>, AnyError> {
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
    Ok(Arc::new(config))
}

/// Answers on one connection until it ends. Its error is a client that leaves in the middle.
async fn serve<S>(stream: S, http2: bool)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let io = TokioIo::new(stream);
    let service = service_fn(handle);
    let _ = if http2 {
        http2::Builder::new(TokioExecutor::new())
            .serve_connection(io, service)
            .await
    } else {
        http1::Builder::new().serve_connection(io, service).await
    };
}

/// What was really linked: the build takes every crate as Cargo.lock says, and so does this.
fn version_of(name: &str) -> &'static str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let (_, rest) = include_str!("../Cargo.lock").split_once(&entry).unwrap();
    rest.split('"').next().unwrap()
}

#[tokio::main]
async fn main() -> Result<(), AnyError> {
    if env::args().any(|arg| arg == "--version") {
        let [hyper, tokio, rustls, h3] = ["hyper", "tokio", "rustls", "h3"].map(version_of);
        println!("hyper {hyper}, tokio {tokio}, rustls {rustls}, h3 {h3}");
        return Ok(());
    }

    let address = format!("{}:{}", env::var("HOST")?, env::var("PORT")?).parse()?;
    let protocol = env::var("PROTOCOL").unwrap_or_default();
    if protocol == "h3" {
        return http3::serve(address, tls("h3")?).await;
    }

    // TcpListener::bind would do, had it a knob for the backlog.
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    let listener = socket.listen(BACKLOG)?;

    let http2 = protocol.starts_with("h2");
    let acceptor = match protocol.as_str() {
        "h1-tls" => Some(TlsAcceptor::from(tls("http/1.1")?)),
        "h2" => Some(TlsAcceptor::from(tls("h2")?)),
        _ => None,
    };

    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let acceptor = acceptor.clone();

        tokio::task::spawn(async move {
            match acceptor {
                None => serve(stream, http2).await,
                Some(acceptor) => {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream, http2).await;
                    }
                }
            }
        });
    }
}
