//! tokio-quiche's own example of a server, with the paths that we ask for.

use std::env;
use std::time::Duration;

use futures_util::SinkExt;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::net::UdpSocket;
use tokio_quiche::buf_factory::BufFactory;
use tokio_quiche::http3::driver::{
    H3Event, InboundFrame, InboundFrameStream, IncomingH3Headers, OutboundFrame, ServerH3Event,
};
use tokio_quiche::http3::settings::Http3Settings;
use tokio_quiche::metrics::DefaultMetrics;
use tokio_quiche::quiche::h3::{Header, NameValue};
use tokio_quiche::settings::{CertificateKind, Hooks, QuicSettings, TlsCertificatePaths};
use tokio_quiche::{listen, ConnectionParams, ServerH3Controller, ServerH3Driver};

/// The load rotates over contenders: a connection waits for its next turn.
const IDLE: Duration = Duration::from_secs(300);

type AnyError = Box<dyn std::error::Error + Send + Sync>;

#[derive(Serialize)]
struct FillBuffer {
    result: &'static str,
}

struct Answer {
    status: &'static str,
    content_type: Option<&'static str>,
    body: Vec<u8>,
}

fn ok(content_type: &'static str, body: impl Into<Vec<u8>>) -> Answer {
    Answer {
        status: "200",
        content_type: Some(content_type),
        body: body.into(),
    }
}

/// The pieces of a request's body, until its last.
async fn next_piece(body: &mut Option<InboundFrameStream>) -> Option<Vec<u8>> {
    loop {
        match body.as_mut()?.recv().await? {
            InboundFrame::Body(piece, is_last) => {
                if is_last {
                    *body = None;
                }
                return Some(piece.to_vec());
            }
            InboundFrame::Datagram(_) => {}
        }
    }
}

async fn handle(
    method: &[u8],
    path: &[u8],
    mut body: Option<InboundFrameStream>,
) -> Result<Answer, AnyError> {
    Ok(match (method, path) {
        (b"GET", b"/") => ok("text/plain", "Hello, World!"),
        (b"GET", b"/empty") => Answer {
            status: "200",
            content_type: None,
            body: Vec::new(),
        },
        (b"GET", b"/fillbuffer") => {
            let result = "Hello world";
            ok("application/json", serde_json::to_vec(&FillBuffer { result })?)
        }
        (b"POST", b"/echo") => {
            let mut all = Vec::new();
            while let Some(piece) = next_piece(&mut body).await {
                all.extend_from_slice(&piece);
            }
            ok("text/plain", all)
        }
        (b"GET", b"/delay") => {
            tokio::time::sleep(Duration::from_millis(5)).await;
            ok("text/plain", "Hello, World!")
        }
        (b"POST", b"/upload") => {
            let mut digest = Sha256::new();
            while let Some(piece) = next_piece(&mut body).await {
                digest.update(&piece);
            }
            ok("text/plain", format!("{:x}", digest.finalize()))
        }
        _ => Answer {
            status: "404",
            ..ok("text/plain", "Not Found")
        },
    })
}

/// Answers one request. Its error is a client that leaves.
async fn respond(request: IncomingH3Headers) -> Result<(), AnyError> {
    let IncomingH3Headers {
        headers,
        mut send,
        recv,
        read_fin,
        ..
    } = request;
    let value = |name: &[u8]| {
        let header = headers.iter().find(|header| header.name() == name);
        header.map_or(&b""[..], |header| header.value())
    };
    let body = (!read_fin).then_some(recv);
    let answer = handle(value(b":method"), value(b":path"), body).await?;
    let mut head = vec![Header::new(b":status", answer.status.as_bytes())];
    if let Some(content_type) = answer.content_type {
        head.push(Header::new(b"content-type", content_type.as_bytes()));
    }
    let length = answer.body.len().to_string();
    head.push(Header::new(b"content-length", length.as_bytes()));
    send.send(OutboundFrame::Headers(head, None)).await?;
    let mut rest = answer.body.as_slice();
    loop {
        let (chunk, after) = rest.split_at(rest.len().min(BufFactory::MAX_BUF_SIZE));
        let frame = OutboundFrame::Body(chunk.to_vec().into(), after.is_empty());
        send.send(frame).await?;
        if after.is_empty() {
            return Ok(());
        }
        rest = after;
    }
}

/// Answers on one connection until it ends.
async fn serve(mut controller: ServerH3Controller) {
    while let Some(event) = controller.event_receiver_mut().recv().await {
        match event {
            ServerH3Event::Headers {
                incoming_headers, ..
            } => {
                tokio::spawn(respond(incoming_headers));
            }
            ServerH3Event::Core(H3Event::ConnectionError(_) | H3Event::ConnectionShutdown(_)) => {
                return;
            }
            ServerH3Event::Core(_) => {}
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
async fn main() -> Result<(), AnyError> {
    if env::args().any(|arg| arg == "--version") {
        let [wrapper, quiche, tokio] = ["tokio-quiche", "quiche", "tokio"].map(version_of);
        println!("tokio-quiche {wrapper}, quiche {quiche}, tokio {tokio}");
        return Ok(());
    }

    let socket = UdpSocket::bind(format!("{}:{}", env::var("HOST")?, env::var("PORT")?)).await?;
    let mut settings = QuicSettings::default();
    settings.max_idle_timeout = Some(IDLE);
    let (certificate, key) = (env::var("TLS_CERT")?, env::var("TLS_KEY")?);
    let files = TlsCertificatePaths {
        cert: &certificate,
        private_key: &key,
        kind: CertificateKind::X509,
    };
    let params = ConnectionParams::new_server(settings, files, Hooks::default());
    let mut listeners = listen([socket], params, DefaultMetrics)?;
    while let Some(connection) = futures_util::StreamExt::next(&mut listeners[0]).await {
        // An error is that of one client's handshake.
        let Ok(connection) = connection else { continue };
        let (driver, controller) = ServerH3Driver::new(Http3Settings::default());
        connection.start(driver);
        tokio::spawn(serve(controller));
    }
    Ok(())
}
