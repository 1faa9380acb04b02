//! Actix Web as its README writes it, with the paths that we ask for.

mod database;

use std::env;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use actix_files::Files;
use actix_web::error::ErrorPayloadTooLarge;
use actix_web::middleware::Compress;
use actix_web::{get, post, web, App, HttpResponse, HttpServer, Responder};
use rustls::crypto::ring::{self, cipher_suite};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::ServerConfig;
use serde::Serialize;
use sha2::{Digest, Sha256};

const BACKLOG: u32 = 4096;
const UPLOAD_BYTES_MAX: usize = 2 * 1024 * 1024;
const IDLE: Duration = Duration::from_secs(300);

#[derive(Serialize)]
struct FillBuffer {
    result: &'static str,
}

#[get("/")]
async fn hello() -> impl Responder {
    "Hello, World!"
}

#[get("/empty")]
async fn empty() -> impl Responder {
    HttpResponse::Ok()
}

#[get("/fillbuffer", wrap = "Compress::default()")]
async fn fillbuffer() -> impl Responder {
    web::Json(FillBuffer {
        result: "Hello world",
    })
}

#[post("/echo")]
async fn echo(body: String) -> impl Responder {
    body
}

#[get("/delay")]
async fn delay() -> impl Responder {
    actix_web::rt::time::sleep(Duration::from_millis(5)).await;
    "Hello, World!"
}

#[post("/upload")]
async fn upload(body: web::Payload) -> actix_web::Result<String> {
    let body = body.to_bytes_limited(UPLOAD_BYTES_MAX).await;
    let body = body.map_err(|_| ErrorPayloadTooLarge("Payload Too Large"))??;
    Ok(format!("{:x}", Sha256::digest(&body)))
}

fn files(config: &mut web::ServiceConfig) {
    if let Ok(folder) = env::var("STATIC_DIR") {
        config.service(Files::new("/static", folder));
    }
}

/// TLS 1.3 and 1.2 with AES-128-GCM alone: rustls itself would leave the choice to the client.
fn tls() -> Result<ServerConfig, Box<dyn Error>> {
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
    let config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(certificates, key)?;
    Ok(config)
}

/// What was really linked: the build takes every crate as Cargo.lock says, and so does this.
fn version_of(name: &str) -> &'static str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let (_, rest) = include_str!("../Cargo.lock").split_once(&entry).unwrap();
    rest.split('"').next().unwrap()
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if env::args().any(|arg| arg == "--version") {
        let [web, http, tokio, rustls] =
            ["actix-web", "actix-http", "tokio", "rustls"].map(version_of);
        println!("actix-web {web}, actix-http {http}, tokio {tokio}, rustls {rustls}");
        return Ok(());
    }

    let stored = match env::var("DATABASE_URL") {
        Ok(url) => Some(database::pool(url)?),
        Err(_) => None,
    };
    let app = move || {
        App::new()
            .service(hello)
            .service(empty)
            .service(fillbuffer)
            .service(echo)
            .service(delay)
            .service(upload)
            .configure(files)
            .configure(|config| database::routes(config, stored.clone()))
    };
    let server = HttpServer::new(app)
        .workers(env::var("WORKERS")?.parse()?)
        .backlog(BACKLOG)
        .tcp_nodelay(true)
        // The load rotates over contenders: a connection waits for its next turn (keep_alive) and
        // before that for its first one (client_request_timeout).
        .keep_alive(IDLE)
        .client_request_timeout(IDLE)
        // SIGTERM ends it at once; else it would let idle connections finish for up to 30 s.
        .disable_signals();
    let address = (env::var("HOST")?, env::var("PORT")?.parse::<u16>()?);
    let server = match env::var("PROTOCOL").as_deref() {
        Ok("h2c") => server.bind_auto_h2c(address)?,
        // The client chooses: Actix itself adds both to ALPN, HTTP/2 before HTTP/1.1.
        Ok("h1-tls" | "h2") => server.bind_rustls_0_23(address, tls()?)?,
        _ => server.bind(address)?,
    };
    server.run().await?;
    Ok(())
}
