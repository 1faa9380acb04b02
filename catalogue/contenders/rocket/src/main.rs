//! Rocket as its guide writes it, with the paths that we ask for.

use std::env;

use rocket::data::{Data, ToByteUnit};
use rocket::fs::{FileServer, Options};
use rocket::http::{ContentType, Status};
use rocket::serde::json::Json;
use rocket::serde::Serialize;
use rocket::tokio::time::{sleep, Duration};
use rocket::{get, post, routes, State};
use sha2::{Digest, Sha256};

#[derive(Serialize)]
#[serde(crate = "rocket::serde")]
struct FillBuffer {
    result: &'static str,
}

#[get("/")]
fn hello() -> &'static str {
    "Hello, World!"
}

#[get("/empty")]
fn empty() {}

#[get("/fillbuffer")]
fn fillbuffer() -> Json<FillBuffer> {
    Json(FillBuffer {
        result: "Hello world",
    })
}

#[post("/echo", data = "<body>")]
fn echo(body: String) -> String {
    body
}

#[get("/delay")]
async fn delay() -> &'static str {
    sleep(Duration::from_millis(5)).await;
    "Hello, World!"
}

#[post("/upload", data = "<data>")]
async fn upload(data: Data<'_>) -> std::io::Result<String> {
    let body = data.open(2.mebibytes()).into_bytes().await?;
    Ok(format!("{:x}", Sha256::digest(body.as_slice())))
}

/// Whom `forward` asks; the client's pool has no limit.
struct Upstream {
    client: reqwest::Client,
    url: String,
}

#[get("/forward")]
async fn forward(upstream: &State<Upstream>) -> Result<(ContentType, Vec<u8>), Status> {
    let answer = upstream.client.get(&upstream.url).send().await;
    let answer = answer.map_err(|_| Status::BadGateway)?;
    let kind = answer.headers().get("content-type");
    let kind = kind.and_then(|value| ContentType::parse_flexible(value.to_str().ok()?));
    let body = answer.bytes().await.map_err(|_| Status::BadGateway)?;
    Ok((kind.unwrap_or(ContentType::Binary), body.to_vec()))
}

/// What was really linked: the build takes every crate as Cargo.lock says, and so does this.
fn version_of(name: &str) -> &'static str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let (_, rest) = include_str!("../Cargo.lock").split_once(&entry).unwrap();
    rest.split('"').next().unwrap()
}

#[rocket::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if env::args().any(|arg| arg == "--version") {
        let [rocket, tokio] = ["rocket", "tokio"].map(version_of);
        println!("Rocket {rocket}, tokio {tokio}");
        return Ok(());
    }
    let upstream = Upstream {
        client: reqwest::Client::builder()
            .pool_idle_timeout(Duration::from_secs(300))
            .build()?,
        url: format!("{}/", env::var("UPSTREAM").unwrap_or_default()),
    };
    let all = routes![hello, empty, fillbuffer, echo, delay, upload, forward];
    let mut app = rocket::build().manage(upstream).mount("/", all);
    if let Ok(folder) = env::var("STATIC_DIR") {
        app = app.mount("/static", FileServer::new(folder, Options::None));
    }
    app.launch().await?;
    Ok(())
}
