//! tonic on tokio's multi-thread runtime, answering two methods.

use std::vec::IntoIter;
use std::{env, fs};

use tokio::net::TcpSocket;
use tokio_stream::Iter;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Identity, Server, ServerTlsConfig};
use tonic::{Request, Response, Status};

use hello_world::greeter_server::{Greeter, GreeterServer};
use hello_world::{HelloReply, HelloRequest};

pub mod hello_world {
    tonic::include_proto!("helloworld");
}

const BACKLOG: u32 = 4096;

#[derive(Debug, Default)]
struct MyGreeter;

#[tonic::async_trait]
impl Greeter for MyGreeter {
    async fn say_hello(
        &self,
        request: Request<HelloRequest>,
    ) -> Result<Response<HelloReply>, Status> {
        let message = format!("Hello, {}!", request.into_inner().name);
        Ok(Response::new(HelloReply { message }))
    }

    type SayHelloStreamReplyStream = Iter<IntoIter<Result<HelloReply, Status>>>;

    async fn say_hello_stream_reply(
        &self,
        request: Request<HelloRequest>,
    ) -> Result<Response<Self::SayHelloStreamReplyStream>, Status> {
        let message = format!("Hello, {}!", request.into_inner().name);
        let replies = vec![Ok(HelloReply { message }); 10];
        Ok(Response::new(tokio_stream::iter(replies)))
    }
}

/// What was really linked: the build takes every crate as Cargo.lock says, and so does this.
fn version_of(name: &str) -> &'static str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let (_, rest) = include_str!("../Cargo.lock").split_once(&entry).unwrap();
    rest.split('"').next().unwrap()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if env::args().any(|arg| arg == "--version") {
        let [tonic, hyper, tokio] = ["tonic", "hyper", "tokio"].map(version_of);
        println!("tonic {tonic}, hyper {hyper}, tokio {tokio}");
        return Ok(());
    }

    // Server::serve would do, had it a knob for the backlog.
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(format!("{}:{}", env::var("HOST")?, env::var("PORT")?).parse()?)?;
    let incoming = TcpIncoming::from(socket.listen(BACKLOG)?).with_nodelay(Some(true));

    let mut server = Server::builder();
    if env::var("PROTOCOL").is_ok_and(|protocol| protocol == "h2") {
        let cert = fs::read(env::var("TLS_CERT")?)?;
        let key = fs::read(env::var("TLS_KEY")?)?;
        let identity = Identity::from_pem(cert, key);
        server = server.tls_config(ServerTlsConfig::new().identity(identity))?;
    }
    server
        .add_service(GreeterServer::new(MyGreeter))
        .serve_with_incoming(incoming)
        .await?;
    Ok(())
}
