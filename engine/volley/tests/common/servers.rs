//! Servers of a few lines, one thread per connection.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The right answer's body.
pub const BODY: &str = "Hello, World!";

/// The right answer.
pub const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!";

/// Runs `on_connection` on each connection, for as long as the test lives.
pub fn serve(on_connection: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let on_connection = Arc::new(on_connection);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let on_connection = on_connection.clone();
            thread::spawn(move || on_connection(stream));
        }
    });
    address
}

/// Answers each request with `answer(n)`, n = 0, 1, 2… on each connection. None closes it.
pub fn answering(answer: impl Fn(usize) -> Option<Vec<u8>> + Send + Sync + 'static) -> SocketAddr {
    serve(move |mut stream| {
        for nth in 0.. {
            if !read_request(&mut stream) {
                return;
            }
            match answer(nth) {
                Some(bytes) => {
                    let _ = stream.write_all(&bytes);
                }
                None => return,
            }
        }
    })
}

/// The same answer to each request, and a count of the requests.
pub fn counting(answer: &'static [u8]) -> (SocketAddr, Arc<AtomicU64>) {
    let count = Arc::new(AtomicU64::new(0));
    let counted = count.clone();
    let address = answering(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        Some(answer.to_vec())
    });
    (address, count)
}

/// The same answer to each request.
pub fn always(answer: &'static [u8]) -> SocketAddr {
    counting(answer).0
}

/// Closes each connection after one answer.
pub fn closing(answer: &'static [u8]) -> SocketAddr {
    serve(move |mut stream| {
        if read_request(&mut stream) {
            let _ = stream.write_all(answer);
        }
    })
}

/// Reads requests and never answers.
pub fn silent() -> SocketAddr {
    serve(|mut stream| while read_request(&mut stream) {})
}

/// Closes connections as soon as they are there.
pub fn slamming() -> SocketAddr {
    serve(drop)
}

/// Closes connections that ask nothing for a while.
pub fn impatient(patience: Duration) -> SocketAddr {
    serve(move |mut stream| {
        stream.set_read_timeout(Some(patience)).unwrap();
        while read_request(&mut stream) {
            let _ = stream.write_all(GOOD);
        }
    })
}

/// Takes what has come on a connection, waits a while, and answers all of it. Tells the most
/// requests that it had unanswered at a time.
pub fn batching(pause: Duration) -> (SocketAddr, Arc<AtomicU64>) {
    let most = Arc::new(AtomicU64::new(0));
    let told = most.clone();
    let address = serve(move |mut stream| {
        let mut held = Vec::new();
        let mut buffer = [0; 16 * 1024];
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            held.extend_from_slice(&buffer[..length]);
            let ends = held.windows(4).filter(|part| part == b"\r\n\r\n").count();
            let Some(last) = held.windows(4).rposition(|part| part == b"\r\n\r\n") else {
                continue;
            };
            held.drain(..last + 4);
            told.fetch_max(ends as u64, Ordering::SeqCst);
            thread::sleep(pause);
            if stream.write_all(&GOOD.repeat(ends)).is_err() {
                return;
            }
        }
    });
    (address, most)
}

/// An address where nobody listens.
pub fn nobody() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Reads one request, body included. False at the end of the connection.
pub fn read_request(stream: &mut TcpStream) -> bool {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return false,
            Ok(length) => bytes.extend_from_slice(&buffer[..length]),
        }
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head.split("content-length: ").nth(1).and_then(|rest| {
                rest.lines().next().and_then(|number| number.parse::<usize>().ok())
            });
            if bytes.len() >= end + 4 + length.unwrap_or(0) {
                return true;
            }
        }
    }
}
