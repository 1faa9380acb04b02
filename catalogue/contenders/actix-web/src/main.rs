//! Actix Web as its README writes it, with the four paths that we ask for.

use std::env;
use std::error::Error;
use std::time::Duration;

use actix_web::middleware::Compress;
use actix_web::{get, post, web, App, HttpResponse, HttpServer, Responder};
use serde::Serialize;

const BACKLOG: u32 = 4096;
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

/// What was really linked: the build takes every crate as Cargo.lock says, and so does this.
fn version_of(name: &str) -> &'static str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let (_, rest) = include_str!("../Cargo.lock").split_once(&entry).unwrap();
    rest.split('"').next().unwrap()
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if env::args().any(|arg| arg == "--version") {
        let [web, http, tokio] = ["actix-web", "actix-http", "tokio"].map(version_of);
        println!("actix-web {web}, actix-http {http}, tokio {tokio}");
        return Ok(());
    }

    let app = || {
        App::new()
            .service(hello)
            .service(empty)
            .service(fillbuffer)
            .service(echo)
    };
    HttpServer::new(app)
        .workers(env::var("WORKERS")?.parse()?)
        .backlog(BACKLOG)
        .tcp_nodelay(true)
        // The load rotates over contenders: a connection waits for its next turn (keep_alive) and
        // before that for its first one (client_request_timeout).
        .keep_alive(IDLE)
        .client_request_timeout(IDLE)
        // SIGTERM ends it at once; else it would let idle connections finish for up to 30 s.
        .disable_signals()
        .bind((env::var("HOST")?, env::var("PORT")?.parse()?))?
        .run()
        .await?;
    Ok(())
}
