//! hyper's own guide to a server, with the four paths that we ask for.

use std::env;
use std::error::Error;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderValue, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use tokio::net::TcpSocket;

const BACKLOG: u32 = 4096;

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

async fn handle(
    req: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Box<dyn Error + Send + Sync>> {
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
            let body = req.collect().await?.to_bytes();
            Ok(answer("text/plain", body))
        }
        _ => {
            let mut not_found = answer("text/plain", "Not Found");
            *not_found.status_mut() = StatusCode::NOT_FOUND;
            Ok(not_found)
        }
    }
}

/// What was really linked: the build takes every crate as Cargo.lock says, and so does this.
fn version_of(name: &str) -> &'static str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let (_, rest) = include_str!("../Cargo.lock").split_once(&entry).unwrap();
    rest.split('"').next().unwrap()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    if env::args().any(|arg| arg == "--version") {
        println!("hyper {}, tokio {}", version_of("hyper"), version_of("tokio"));
        return Ok(());
    }

    // TcpListener::bind would do, had it a knob for the backlog.
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(format!("{}:{}", env::var("HOST")?, env::var("PORT")?).parse()?)?;
    let listener = socket.listen(BACKLOG)?;

    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let io = TokioIo::new(stream);

        tokio::task::spawn(async move {
            // The only error there is to see is a client that leaves in the middle.
            let _ = http1::Builder::new()
                .serve_connection(io, service_fn(handle))
                .await;
        });
    }
}
