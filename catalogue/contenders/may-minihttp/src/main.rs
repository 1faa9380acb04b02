//! may_minihttp as its TechEmpower example writes it, with the four paths that we ask for.
//!
//! It gives a service the number of its connection's socket and leaves to it what other servers do
//! by themselves: TCP_NODELAY, and to close a connection when the client asks for it.

use std::env;
use std::error::Error;
use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::{BorrowedFd, RawFd};

use may_minihttp::{HttpService, HttpServiceFactory, Request, Response};
use socket2::SockRef;
use yarte::Serialize;

#[derive(Serialize)]
struct FillBuffer {
    result: &'static str,
}

/// One for each connection.
struct Service {
    socket: BorrowedFd<'static>,
}

impl HttpService for Service {
    fn call(&mut self, req: Request, rsp: &mut Response) -> io::Result<()> {
        let stays = stays_open(&req);
        if !stays {
            rsp.header("Connection: close");
        } else if req.version() == 0 {
            rsp.header("Connection: keep-alive");
        }

        match (req.method(), req.path()) {
            ("GET", "/") => {
                rsp.header("Content-Type: text/plain").body("Hello, World!");
            }
            ("GET", "/empty") => {}
            ("GET", "/fillbuffer") => {
                rsp.header("Content-Type: application/json");
                FillBuffer {
                    result: "Hello world",
                }
                .to_bytes_mut(rsp.body_mut());
            }
            ("POST", "/echo") => {
                let mut body = Vec::new();
                req.body().read_to_end(&mut body)?;
                rsp.header("Content-Type: text/plain").body_vec(body);
            }
            _ => {
                drop(req.body()); // reads it, or it would be taken for the next request
                rsp.status_code(404, "Not Found");
            }
        }

        if !stays {
            // The server writes this answer, finds nothing more to read, and closes.
            SockRef::from(&self.socket).shutdown(Shutdown::Read)?;
        }
        Ok(())
    }
}

/// HTTP/1.1 keeps a connection unless told otherwise, HTTP/1.0 only if it is asked to.
fn stays_open(req: &Request) -> bool {
    let mut headers = req.headers().iter();
    match headers.find(|header| header.name.eq_ignore_ascii_case("connection")) {
        Some(header) if header.value.eq_ignore_ascii_case(b"close") => false,
        Some(header) if header.value.eq_ignore_ascii_case(b"keep-alive") => true,
        _ => req.version() == 1,
    }
}

struct Server;

impl HttpServiceFactory for Server {
    type Service = Service;

    fn new_service(&self, id: usize) -> Service {
        // Safe: on Unix the id is the socket's descriptor, and the connection outlives its service.
        let socket = unsafe { BorrowedFd::borrow_raw(id as RawFd) };
        let _ = SockRef::from(&socket).set_tcp_nodelay(true); // it fails if the client is gone
        Service { socket }
    }
}

/// What was really linked: the build takes every crate as Cargo.lock says, and so does this.
fn version_of(name: &str) -> &'static str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let (_, rest) = include_str!("../Cargo.lock").split_once(&entry).unwrap();
    rest.split('"').next().unwrap()
}

fn main() -> Result<(), Box<dyn Error>> {
    if env::args().any(|arg| arg == "--version") {
        let [may_minihttp, may] = ["may_minihttp", "may"].map(version_of);
        println!("may_minihttp {may_minihttp}, may {may}");
        return Ok(());
    }

    may::config().set_workers(env::var("WORKERS")?.parse()?);
    // Who starts a server says which cores it runs on. Pinned, two copies would share the first.
    may::config().set_worker_pin(false);

    let server = Server.start(format!("{}:{}", env::var("HOST")?, env::var("PORT")?))?;
    server.join().unwrap();
    Ok(())
}
