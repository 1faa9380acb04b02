//! Servers of a few lines, one thread per connection.

use rustix::net::sockopt::set_socket_linger;
use rustix::net::{AddressFamily, SocketType};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The right answer's body.
pub const BODY: &[u8] = b"Hello, World!";

/// The right answer.
pub const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!";

/// A connection as its server sees it.
pub struct Conversation<S = TcpStream> {
    pub stream: S,
    /// The number of the connection at the server, from 0.
    pub number: u64,
    /// Bytes that were read, but are not yet part of a request.
    rest: Vec<u8>,
}

impl<S: Read + Write> Conversation<S> {
    pub fn new(stream: S, number: u64) -> Self {
        Self { stream, number, rest: Vec::new() }
    }

    /// The next request, head and body, or the end of the connection.
    pub fn next_request(&mut self) -> Option<Vec<u8>> {
        let mut buffer = [0; 16 * 1024];
        loop {
            if let Some(length) = request_length(&self.rest)
                && length <= self.rest.len()
            {
                return Some(self.rest.drain(..length).collect());
            }
            match self.stream.read(&mut buffer) {
                Ok(0) | Err(_) => return None,
                Ok(length) => self.rest.extend_from_slice(&buffer[..length]),
            }
        }
    }

    /// Sends some bytes. Returns false if the client is gone.
    pub fn say(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Answers all requests with the same bytes, and counts them.
    pub fn answer_all(&mut self, answer: &[u8], count: &AtomicU64) {
        while self.next_request().is_some() {
            count.fetch_add(1, Ordering::SeqCst);
            if !self.say(answer) {
                return;
            }
        }
    }
}

impl Conversation {
    /// Waits until there are bytes to read, and leaves them there.
    pub fn await_bytes(&self) {
        let _ = self.stream.peek(&mut [0]);
    }

    /// Closes the connection as `end` says.
    pub fn close(mut self, end: Close) {
        match end {
            // Unread bytes would turn the close into a reset.
            Close::Fin => {
                let _ = self.stream.shutdown(Shutdown::Write);
                while matches!(self.stream.read(&mut [0; 16 * 1024]), Ok(1..)) {}
            }
            Close::Reset => set_socket_linger(&self.stream, Some(Duration::ZERO)).unwrap(),
        }
    }
}

/// How a connection is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Close {
    Fin,
    Reset,
}

/// The length of the request at the beginning of some bytes, once its head is complete.
fn request_length(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|part| part == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
    Some(end + length.map_or(0, |length| length.parse::<usize>().unwrap()))
}

/// Runs `on_connection` on each connection, for as long as the test lives.
pub fn serve(on_connection: impl Fn(Conversation) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let on_connection = Arc::new(on_connection);
    thread::spawn(move || {
        for (stream, number) in listener.incoming().flatten().zip(0..) {
            stream.set_nodelay(true).unwrap();
            let on_connection = on_connection.clone();
            thread::spawn(move || on_connection(Conversation::new(stream, number)));
        }
    });
    address
}

/// A listener whose queue is full, and the sockets that fill it: connecting to its address never
/// ends.
pub fn deaf() -> (TcpListener, Vec<TcpStream>, SocketAddr) {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    rustix::net::listen(&socket, 0).unwrap();
    let listener = TcpListener::from(socket);
    let address = listener.local_addr().unwrap();
    let soon = Duration::from_millis(50);
    let queue = std::iter::from_fn(|| TcpStream::connect_timeout(&address, soon).ok());
    let queue = queue.take(8).collect();
    (listener, queue, address)
}

/// A Unix socket. The test removes its file at the end; each test needs another name.
pub fn listen_unix(name: &str) -> (UnixListener, PathBuf) {
    let path = std::env::temp_dir().join(format!("volley-{}-{name}", std::process::id()));
    (UnixListener::bind(&path).unwrap(), path)
}

/// A server with the same answer to each request, and its count of requests.
pub fn counting(answer: impl Into<Vec<u8>>) -> (SocketAddr, Arc<AtomicU64>) {
    let (answer, count) = (answer.into(), Arc::new(AtomicU64::new(0)));
    let counted = count.clone();
    (serve(move |mut conversation| conversation.answer_all(&answer, &counted)), count)
}

/// Right answers.
pub fn good() -> SocketAddr {
    counting(GOOD).0
}

/// An answer with a body.
pub fn answer_with(body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}
