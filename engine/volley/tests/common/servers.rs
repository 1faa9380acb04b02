//! Servers of a few lines, one thread per connection.

use super::conversations::{self, Conversation};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

pub use super::conversations::GOOD;

/// Runs `on_connection` on each connection, for as long as the test lives.
pub fn serve(on_connection: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    conversations::serve(move |conversation| on_connection(conversation.stream))
}

/// Answers each request with `answer(n)`, n = 0, 1, 2… on each connection. `None` closes it.
pub fn answering(answer: impl Fn(usize) -> Option<Vec<u8>> + Send + Sync + 'static) -> SocketAddr {
    conversations::serve(move |mut conversation| {
        for nth in 0.. {
            if conversation.next_request().is_none()
                || !answer(nth).is_some_and(|bytes| conversation.say(&bytes))
            {
                return;
            }
        }
    })
}

/// Gives the same answer to each request, and a count of the requests.
pub fn counting(answer: &'static [u8]) -> (SocketAddr, Arc<AtomicU64>) {
    conversations::counting(answer)
}

/// Gives the same answer to each request.
pub fn always(answer: &'static [u8]) -> SocketAddr {
    counting(answer).0
}

/// Answers each request by its path, and reports the requested paths, in their order. `None` closes
/// the connection.
pub fn routing(
    answer: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static,
) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let told = asked.clone();
    let address = conversations::serve(move |mut conversation| {
        while let Some(request) = conversation.next_request() {
            let request = String::from_utf8(request).unwrap();
            let path = request.split(' ').nth(1).unwrap();
            told.lock().unwrap().push(path.to_owned());
            if !answer(path).is_some_and(|bytes| conversation.say(&bytes)) {
                return;
            }
        }
    });
    (address, asked)
}

/// Closes each connection after one answer.
pub fn closing(answer: &'static [u8]) -> SocketAddr {
    conversations::serve(move |mut conversation| {
        if conversation.next_request().is_some() {
            conversation.say(answer);
        }
    })
}

/// Reads requests and never answers.
pub fn silent() -> SocketAddr {
    conversations::serve(|mut conversation| while conversation.next_request().is_some() {})
}

/// Closes connections as soon as they are established.
pub fn slamming() -> SocketAddr {
    serve(drop)
}

/// Takes the pending requests of a connection, waits a while, and answers all of them. Reports the
/// most requests that were unanswered at a time.
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

/// Takes one connection, and then stops listening.
pub fn once() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || listener.accept().map(drop));
    address
}

/// An address without a listener.
pub fn nobody() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Reads one request, body included. Returns false at the end of the connection.
pub fn read_request(stream: &mut TcpStream) -> bool {
    Conversation::new(stream, 0).next_request().is_some()
}
