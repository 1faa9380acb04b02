//! HTTP/3 by hyper's sister h3, over quinn, as its own example of a server does it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use h3::server::{Connection, RequestStream};
use h3_quinn::BidiStream;
use http_body_util::{BodyExt, Full};
use hyper::body::{Buf, Bytes};
use hyper::{Request, Response};
use quinn::crypto::rustls::QuicServerConfig;
use quinn::{Endpoint, Incoming, ServerConfig, TransportConfig};
use tokio_rustls::rustls;

use crate::{handle, AnyError};

/// The load rotates over contenders: a connection waits for its next turn.
const IDLE: Duration = Duration::from_secs(300);

pub async fn serve(address: SocketAddr, tls: Arc<rustls::ServerConfig>) -> Result<(), AnyError> {
    let mut transport = TransportConfig::default();
    transport.max_idle_timeout(Some(IDLE.try_into()?));
    let mut config = ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls)?));
    config.transport_config(Arc::new(transport));
    let endpoint = Endpoint::server(config, address)?;
    while let Some(incoming) = endpoint.accept().await {
        tokio::task::spawn(connection(incoming));
    }
    Ok(())
}

/// Answers on one connection until it ends. Its error is a client that leaves.
async fn connection(incoming: Incoming) -> Result<(), AnyError> {
    let quic = h3_quinn::Connection::new(incoming.await?);
    let mut requests = Connection::<_, Bytes>::new(quic).await?;
    while let Some(request) = requests.accept().await? {
        tokio::task::spawn(async move {
            let (head, stream) = request.resolve_request().await?;
            respond(head, stream).await
        });
    }
    Ok(())
}

async fn respond(
    head: Request<()>,
    mut stream: RequestStream<BidiStream<Bytes>, Bytes>,
) -> Result<(), AnyError> {
    let mut body = Vec::new();
    while let Some(mut data) = stream.recv_data().await? {
        body.extend_from_slice(&data.copy_to_bytes(data.remaining()));
    }
    let (head, body) = handle(head.map(|()| Full::from(body))).await?.into_parts();
    stream.send_response(Response::from_parts(head, ())).await?;
    let data = body.collect().await?.to_bytes();
    if !data.is_empty() {
        stream.send_data(data).await?;
    }
    Ok(stream.finish().await?)
}
