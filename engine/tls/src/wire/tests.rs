//! Connections to real sockets, with TLS and without, over both backends.

use super::{Event, Wire};
use crate::server::Wanted;
use crate::{Config, Terms};
use rustix::io::Errno;
use rustls::{HandshakeKind, ServerConfig, ServerConnection, StreamOwned};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use volley_net::clock::{S, now_ns};
use volley_net::{Epoll, Failure, Fault, Kernel, Patience, Route, Uring};

const OUTBOX: &[u8] = b"a request";

type Secure = StreamOwned<ServerConnection, TcpStream>;

/// Runs `on_connection` on each connection, for as long as the test lives.
fn serve(on_connection: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
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

/// The same with TLS; the requests have been read.
fn serve_tls(on_request: impl Fn(&mut Secure) + Send + Sync + 'static) -> SocketAddr {
    let config: Arc<ServerConfig> = Wanted::default().config();
    serve(move |stream| {
        let session = ServerConnection::new(config.clone()).unwrap();
        let mut stream = StreamOwned::new(session, stream);
        let mut request = [0; OUTBOX.len()];
        if stream.read_exact(&mut request).is_ok() {
            assert_eq!(request, OUTBOX);
            on_request(&mut stream);
        }
    })
}

fn wire<B: Kernel>(address: SocketAddr, tls: Option<&Config>) -> Wire<B> {
    let route = Route { connect_timeout_ns: S, ..Route::to(address) };
    Wire::new(Arc::new(route), 8, Arc::from(OUTBOX), tls).unwrap()
}

fn client(terms: &Terms) -> Config {
    Config::new(Some("localhost"), terms)
}

/// The events of a connection, with the bytes joined.
#[derive(Debug, Default, PartialEq, Eq)]
struct Story {
    established: bool,
    bytes: Vec<u8>,
    ending: Option<Ending>,
}

#[derive(Debug, PartialEq, Eq)]
enum Ending {
    Unconnected(Failure),
    Failed(Failure),
    End,
}

/// Connects in a slot and sends a request, until this many bytes have arrived or it is over.
fn story<B: Kernel>(wire: &mut Wire<B>, slot: usize, length: usize) -> Story {
    let mut story = Story::default();
    wire.connect(slot).unwrap();
    let until_ns = now_ns() + 10 * S;
    while story.ending.is_none() && story.bytes.len() < length {
        assert!(now_ns() < until_ns, "nothing comes any more after {story:?}");
        wire.turn(Patience::here(), now_ns() + S).unwrap();
        while let Some((of, event)) = wire.next_event() {
            assert_eq!(of, slot);
            assert!(story.ending.is_none(), "an event after the end");
            match event {
                Event::Established => {
                    assert!(!story.established && story.bytes.is_empty());
                    story.established = true;
                    wire.send(slot, 0..2);
                    wire.send_owned(slot, &OUTBOX[2..]);
                }
                Event::Bytes(piece) => {
                    story.bytes.extend_from_slice(wire.bytes(&piece));
                    wire.release(piece);
                }
                Event::End => story.ending = Some(Ending::End),
                Event::Unconnected(why) => story.ending = Some(Ending::Unconnected(why)),
                Event::Failed(why) => story.ending = Some(Ending::Failed(why)),
            }
        }
    }
    story
}

fn tls(fault: Fault, words: &str) -> Failure {
    Failure::tls(fault, words)
}

/// Runs a test over both ways of doing I/O.
macro_rules! over_both {
    ($($name:ident),* $(,)?) => {
        mod epoll {
            use super::Epoll;
            $(#[test] fn $name() { super::$name::<Epoll>(); })*
        }
        mod uring {
            use super::Uring;
            $(#[test] fn $name() { super::$name::<Uring>(); })*
        }
    };
}

over_both!(
    answers_come_whole_with_tls_and_without,
    a_server_that_says_goodbye_ends_the_connection,
    an_end_without_a_goodbye_is_a_failure_with_tls_only,
    a_server_without_tls_is_no_connection,
    a_server_that_closes_in_the_handshake_is_no_connection,
    where_nobody_listens_is_no_connection,
    a_closed_connection_says_goodbye_and_has_no_events,
    sessions_are_resumed_per_slot_unless_they_broke,
    facts_are_there_once_it_is_established,
);

fn answers_come_whole_with_tls_and_without<B: Kernel>() {
    let answer: Vec<u8> = (0..=250).cycle().take(1_000_000).collect();
    let (over_tls, plain) = (answer.clone(), answer.clone());
    let address = serve_tls(move |stream| stream.write_all(&over_tls).unwrap());
    let mut secure = wire::<B>(address, Some(&client(&Terms::default())));
    let heard = story(&mut secure, 3, answer.len());
    assert!(heard.established && heard.bytes == answer);

    let address = serve(move |mut stream| {
        stream.read_exact(&mut [0; OUTBOX.len()]).unwrap();
        stream.write_all(&plain).unwrap();
    });
    let heard = story(&mut wire::<B>(address, None), 3, answer.len());
    assert!(heard.established && heard.bytes == answer);
}

fn a_server_that_says_goodbye_ends_the_connection<B: Kernel>() {
    let address = serve_tls(|stream| {
        stream.write_all(b"an answer").unwrap();
        stream.conn.send_close_notify();
        stream.flush().unwrap();
    });
    let mut wire = wire::<B>(address, Some(&client(&Terms::default())));
    let bytes = b"an answer".to_vec();
    let expected = Story { established: true, bytes, ending: Some(Ending::End) };
    assert_eq!(story(&mut wire, 0, usize::MAX), expected);
}

fn an_end_without_a_goodbye_is_a_failure_with_tls_only<B: Kernel>() {
    let address = serve_tls(|stream| stream.write_all(b"an answer").unwrap());
    let mut secure = wire::<B>(address, Some(&client(&Terms::default())));
    let heard = story(&mut secure, 0, usize::MAX);
    assert_eq!(heard.bytes, b"an answer");
    assert_eq!(heard.ending, Some(Ending::Failed(tls(Fault::Cut, "unexpected eof while reading"))));

    let address = serve(|mut stream| {
        stream.read_exact(&mut [0; OUTBOX.len()]).unwrap();
        stream.write_all(b"an answer").unwrap();
    });
    let heard = story(&mut wire::<B>(address, None), 0, usize::MAX);
    assert_eq!((&heard.bytes[..], heard.ending), (&b"an answer"[..], Some(Ending::End)));
}

fn a_server_without_tls_is_no_connection<B: Kernel>() {
    let address = serve(|mut stream| {
        stream.read_exact(&mut [0; 5]).unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        // If it were closed with unread bytes, it would be reset before the answer is read.
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let mut wire = wire::<B>(address, Some(&client(&Terms::default())));
    let words = "the server does not speak TLS here: it answers in cleartext";
    let ending = Some(Ending::Unconnected(tls(Fault::Other, words)));
    assert_eq!(story(&mut wire, 0, usize::MAX), Story { ending, ..Story::default() });
}

fn a_server_that_closes_in_the_handshake_is_no_connection<B: Kernel>() {
    let address = serve(|mut stream| {
        let mut hello = [0; 1024];
        assert!(stream.read(&mut hello).unwrap() > 0);
    });
    let mut wire = wire::<B>(address, Some(&client(&Terms::default())));
    let ending = Some(Ending::Unconnected(tls(Fault::Cut, "unexpected eof while reading")));
    assert_eq!(story(&mut wire, 0, usize::MAX), Story { ending, ..Story::default() });
}

fn where_nobody_listens_is_no_connection<B: Kernel>() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for tls in [None, Some(client(&Terms::default()))] {
        let mut wire = wire::<B>(address, tls.as_ref());
        // On loopback the refusal may come at once.
        if wire.connect(0).is_err_and(|errno| errno == Errno::CONNREFUSED) {
            continue;
        }
        let (slot, event) = loop {
            wire.turn(Patience::here(), now_ns() + S).unwrap();
            if let Some(event) = wire.next_event() {
                break event;
            }
        };
        let refused = Failure::System(Errno::CONNREFUSED);
        assert!(matches!(event, Event::Unconnected(why) if why == refused) && slot == 0);
    }
}

fn a_closed_connection_says_goodbye_and_has_no_events<B: Kernel>() {
    let (sender, ends) = channel();
    let address = serve_tls(move |stream| {
        stream.write_all(b"an answer").unwrap();
        sender.send(stream.read(&mut [0; 1])).unwrap();
    });
    let mut wire = wire::<B>(address, Some(&client(&Terms::default())));
    assert_eq!(story(&mut wire, 5, 9).bytes, b"an answer");
    wire.close(5);
    wire.turn(Patience::here(), now_ns() + S / 100).unwrap();
    assert!(wire.next_event().is_none());
    assert_eq!(ends.recv().unwrap().map_err(|error| error.kind()), Ok::<_, ErrorKind>(0));
}

fn sessions_are_resumed_per_slot_unless_they_broke<B: Kernel>() {
    let (sender, kinds) = channel();
    let is_polite = Arc::new(AtomicBool::new(true));
    let polite = is_polite.clone();
    let address = serve_tls(move |stream| {
        stream.write_all(b"an answer").unwrap();
        sender.send(stream.conn.handshake_kind().unwrap()).unwrap();
        if polite.load(Ordering::SeqCst) {
            stream.conn.send_close_notify();
            stream.flush().unwrap();
        }
    });
    let mut wire = wire::<B>(address, Some(&client(&Terms::resuming())));
    let mut handshake = |slot| {
        let heard = story(&mut wire, slot, usize::MAX);
        assert_eq!(heard.ending == Some(Ending::End), is_polite.load(Ordering::SeqCst));
        wire.close(slot);
        kinds.recv().unwrap()
    };
    assert_eq!(handshake(1), HandshakeKind::Full);
    assert_eq!(handshake(1), HandshakeKind::Resumed);
    assert_eq!(handshake(2), HandshakeKind::Full);
    is_polite.store(false, Ordering::SeqCst);
    assert_eq!(handshake(1), HandshakeKind::Resumed);
    assert_eq!(handshake(1), HandshakeKind::Full);
}

fn facts_are_there_once_it_is_established<B: Kernel>() {
    let address = serve_tls(|stream| stream.write_all(b"an answer").unwrap());
    let mut wire = wire::<B>(address, Some(&client(&Terms::default())));
    assert_eq!(wire.session_facts(0), None);
    story(&mut wire, 0, 9);
    let facts = wire.session_facts(0).unwrap();
    assert_eq!(facts.to_string(), "TLSv1.3,TLS_AES_256_GCM_SHA384,256,256");
    wire.close(0);
    assert_eq!(wire.session_facts(0), None);
}
