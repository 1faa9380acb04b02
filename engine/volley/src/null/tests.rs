//! The null server as clients see it, with both ways of I/O.

use super::{Answers, Null};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use volley_net::{Io, IoChoice};

const WAYS: [IoChoice; 2] = [IoChoice::Uring, IoChoice::Epoll];

fn bind(answer: &[u8], request_length: Option<usize>, io: IoChoice) -> std::io::Result<Null> {
    let answers = Answers::Http1 { answer: answer.to_vec(), request_length };
    Null::bind("127.0.0.1:0".parse().unwrap(), answers, None, io)
}

/// A null server on a thread of its own.
struct Served {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<std::io::Result<()>>>,
}

impl Served {
    fn new(io: IoChoice, answer: &[u8], request_length: Option<usize>) -> Self {
        Self::run(bind(answer, request_length, io).unwrap())
    }

    fn run(null: Null) -> Self {
        let (address, stop) = (null.address().unwrap(), Arc::new(AtomicBool::new(false)));
        let seen = stop.clone();
        let thread = Some(std::thread::spawn(move || null.run(&seen)));
        Self { address, stop, thread }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream
    }

    fn end(&mut self) -> std::io::Result<()> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().map_or(Ok(()), |thread| thread.join().unwrap())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.end().unwrap();
    }
}

fn read(mut stream: &TcpStream, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).unwrap();
    bytes
}

/// Reads until the server closes: no unrequested bytes arrived.
fn rest(mut stream: &TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn every_receive_is_answered_once() {
    for io in WAYS {
        let served = Served::new(io, b"answer", None);
        let mut stream = served.connect();
        for request in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"x", &[0; 2000]] {
            stream.write_all(request).unwrap();
            assert_eq!(read(&stream, 6), b"answer", "{io:?}");
        }
        stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(rest(&stream), b"", "{io:?}");
    }
}

#[test]
fn with_a_request_length_whole_requests_are_answered() {
    for io in WAYS {
        let served = Served::new(io, b"abc", Some(10));
        let mut stream = served.connect();
        for piece in [4, 3, 2] {
            stream.write_all(&vec![0; piece]).unwrap();
            std::thread::sleep(Duration::from_millis(2));
        }
        stream.write_all(&[0]).unwrap();
        assert_eq!(read(&stream, 3), b"abc", "{io:?}");
        stream.write_all(&[0; 2009]).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(rest(&stream), b"abc".repeat(200), "{io:?}");
    }
}

#[test]
fn a_client_that_reads_late_gets_every_answer_in_order() {
    let answer: Vec<u8> = (0..50_021_u32).map(|n| n.to_le_bytes()[0]).collect();
    for io in WAYS {
        let served = Served::new(io, &answer, Some(4));
        let mut stream = served.connect();
        stream.write_all(&[0; 4 * 300]).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert!(rest(&stream) == answer.repeat(300), "{io:?}");
    }
}

#[test]
fn connections_come_and_go() {
    for io in WAYS {
        let served = Served::new(io, b"answer", None);
        for _ in 0..5 {
            let streams: Vec<_> = (0..150).map(|_| served.connect()).collect();
            for mut stream in &streams {
                stream.write_all(b"request").unwrap();
            }
            for stream in &streams {
                assert_eq!(read(stream, 6), b"answer", "{io:?}");
            }
        }
    }
}

#[test]
fn a_client_that_resets_disturbs_nobody() {
    for io in WAYS {
        let served = Served::new(io, &vec![b'x'; 1_000_000], None);
        let mut calm = served.connect();
        for _ in 0..20 {
            let mut stream = served.connect();
            stream.write_all(b"request").unwrap();
            // Bytes were sent and never read: closing resets.
            read(&stream, 1);
        }
        calm.write_all(b"request").unwrap();
        assert_eq!(read(&calm, 1_000_000).len(), 1_000_000, "{io:?}");
    }
}

#[test]
fn it_stops_soon_and_closes_its_connections() {
    for io in WAYS {
        let mut served = Served::new(io, b"answer", None);
        let mut stream = served.connect();
        stream.write_all(b"request").unwrap();
        read(&stream, 6);
        let from = Instant::now();
        served.end().unwrap();
        assert!(from.elapsed() < Duration::from_secs(2), "{io:?}");
        assert_eq!(rest(&stream), b"", "{io:?}");
        TcpStream::connect(served.address).unwrap_err();
    }
}

#[test]
fn it_says_what_it_uses_and_refuses_what_it_cannot_serve() {
    assert_eq!(bind(b"a", None, IoChoice::Uring).unwrap().io(), Io::Uring);
    assert_eq!(bind(b"a", None, IoChoice::Epoll).unwrap().io(), Io::Epoll);
    let wrong = [(&b""[..], None, "the answer has no bytes"), (b"a", Some(0), "request is 0")];
    for (answer, length, words) in wrong {
        let error = bind(answer, length, IoChoice::Auto).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let taken = bind(b"a", None, IoChoice::Auto).unwrap();
    let answers = Answers::Http2 { body: b"a".to_vec() };
    Null::bind(taken.address().unwrap(), answers, None, IoChoice::Auto).unwrap_err();
}

#[test]
fn a_client_that_waits_for_the_end_gets_it_behind_the_answer() {
    for io in WAYS {
        for (request, length) in [
            ("GET / HTTP/1.0\r\n\r\n", None),
            ("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", None),
            ("GET / HTTP/1.0\r\n\r\n", Some(18)),
        ] {
            let served = Served::new(io, &vec![b'x'; 1_000_000], length);
            for _ in 0..3 {
                let mut stream = served.connect();
                stream.write_all(request.as_bytes()).unwrap();
                assert_eq!(rest(&stream).len(), 1_000_000, "{io:?} {request:?}");
            }
        }
    }
}
