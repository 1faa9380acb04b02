//! Sockets that only the ring knows: made, connected, used and closed by its requests.

use crate::next;
use rustix::io::Errno;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};
use volley_ring::{Key, Operation, Ring, Settings, Socket, Start};

const SETTINGS: Settings =
    Settings { submissions: 16, completions: 64, buffers: 8, buffer_size: 1024, sockets: 2 };
const KEY: Key = Key { slot: 3, generation: 7 };

fn ring() -> Ring {
    Ring::new(SETTINGS, Arc::from(&b"Hello"[..])).unwrap()
}

fn listen(address: &str) -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind(address).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    let (peer, from) = listener.accept().unwrap();
    peer.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    (peer, from)
}

/// A connected socket.
fn connected(ring: &mut Ring, to: SocketAddr, from: Option<IpAddr>) -> Socket {
    let socket = ring.connect(to, from, KEY, Start::default()).expect("there is room");
    let completion = next(ring);
    assert_eq!((completion.operation, completion.key), (Operation::Connect, KEY));
    assert_eq!((completion.result, completion.goes_on), (Ok(0), false));
    socket
}

#[test]
fn it_sends_receives_and_closes() {
    for at in ["127.0.0.1:0", "[::1]:0"] {
        let (listener, address) = listen(at);
        let mut ring = ring();
        // More sockets than there is room for at a time.
        for _ in 0..10 {
            let socket = connected(&mut ring, address, None);
            let (mut peer, _) = accept(&listener);
            ring.receive(&socket, KEY);
            ring.send(&socket, KEY, 0..5);
            assert_eq!(next(&mut ring).result, Ok(5));
            let mut bytes = [0; 5];
            peer.read_exact(&mut bytes).unwrap();
            assert_eq!(&bytes, b"Hello");

            peer.write_all(b"World").unwrap();
            let completion = next(&mut ring);
            let piece = completion.piece.unwrap();
            assert_eq!(ring.bytes(&piece), b"World");
            ring.release(piece);

            ring.close(socket, KEY);
            assert_eq!(next(&mut ring).result, Err(Errno::CANCELED));
            assert_eq!(peer.read(&mut bytes).unwrap(), 0);
        }
    }
}

#[test]
fn what_is_sent_at_once_says_that_the_connection_is_there() {
    let (listener, address) = listen("127.0.0.1:0");
    let mut ring = ring();
    let start = Start { first_length: Some(5), delays_acks: true };
    let socket = ring.connect(address, None, KEY, start).unwrap();
    ring.send(&socket, KEY, 0..5);
    let sent = next(&mut ring);
    assert_eq!((sent.operation, sent.result), (Operation::Send, Ok(5)));
    let mut bytes = [0; 5];
    accept(&listener).0.read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes, b"Hello");
    ring.close_ended(socket);

    drop(listener);
    let socket = ring.connect(address, None, KEY, start).unwrap();
    ring.send(&socket, KEY, 0..5);
    assert_eq!(next(&mut ring).result, Err(Errno::CONNREFUSED));
    ring.close(socket, KEY);
}

/// The server has its connection with the first bytes.
#[test]
fn the_handshakes_last_packet_waits_for_the_first_bytes() {
    let (listener, address) = listen("127.0.0.1:0");
    listener.set_nonblocking(true).unwrap();
    let mut ring = ring();
    for delays_acks in [false, true] {
        let start = Start { first_length: None, delays_acks };
        let socket = ring.connect(address, None, KEY, start).unwrap();
        assert_eq!(next(&mut ring).operation, Operation::Connect);
        assert_eq!(listener.accept().is_ok(), !delays_acks);
        ring.send(&socket, KEY, 0..5);
        assert_eq!(next(&mut ring).operation, Operation::Send);
        assert_eq!(listener.accept().is_ok(), delays_acks);
        ring.close_ended(socket);
    }
}

#[test]
fn bytes_are_counted_and_not_received() {
    let (listener, address) = listen("127.0.0.1:0");
    let mut ring = ring();
    let socket = connected(&mut ring, address, None);
    let (mut peer, _) = accept(&listener);
    for _ in 0..3 {
        ring.receive_once(&socket, KEY, 4);
        peer.write_all(b"head").unwrap();
        peer.write_all(&[b'x'; 3000]).unwrap();
        peer.write_all(b"next").unwrap();
        let head = next(&mut ring);
        assert_eq!((head.operation, head.goes_on), (Operation::Receive, false));
        let piece = head.piece.unwrap();
        assert_eq!(ring.bytes(&piece), b"head");
        ring.release(piece);

        let mut left = 3000;
        while left > 0 {
            ring.count(&socket, KEY, left);
            let counted = next(&mut ring);
            assert_eq!((counted.operation, counted.goes_on), (Operation::Count, false));
            assert!(counted.piece.is_none());
            left -= u64::from(counted.result.unwrap());
        }

        ring.receive(&socket, KEY);
        let piece = next(&mut ring).piece.unwrap();
        assert_eq!(ring.bytes(&piece), b"next");
        ring.release(piece);
        ring.end_receiving(KEY);
        let ended = next(&mut ring);
        assert_eq!((ended.operation, ended.result), (Operation::Receive, Err(Errno::CANCELED)));
    }
    drop(peer);
    ring.count(&socket, KEY, 1);
    assert_eq!(next(&mut ring).result, Ok(0));
    ring.close_ended(socket);
}

#[test]
fn it_comes_from_the_source_that_was_named() {
    let (listener, address) = listen("127.0.0.1:0");
    let mut ring = ring();
    for last in [5, 6] {
        let source = IpAddr::from(Ipv4Addr::new(127, 0, 0, last));
        let socket = connected(&mut ring, address, Some(source));
        assert_eq!(accept(&listener).1.ip(), source);
        ring.close_ended(socket);
    }
}

#[test]
fn a_refusal_is_an_error() {
    let (listener, address) = listen("127.0.0.1:0");
    drop(listener);
    let mut ring = ring();
    let socket = ring.connect(address, None, KEY, Start::default()).unwrap();
    let completion = next(&mut ring);
    assert_eq!(completion.operation, Operation::Connect);
    assert_eq!(completion.result, Err(Errno::CONNREFUSED));
    ring.close(socket, KEY);
    ring.submit().unwrap();
}

#[test]
fn a_source_that_is_not_ours_is_an_error_before_all_others() {
    let (_listener, address) = listen("127.0.0.1:0");
    let mut ring = ring();
    let source = IpAddr::from(Ipv4Addr::new(192, 0, 2, 1));
    let socket = ring.connect(address, Some(source), KEY, Start::default()).unwrap();
    let completion = next(&mut ring);
    assert_eq!(completion.operation, Operation::Connect);
    assert_eq!(completion.result, Err(Errno::ADDRNOTAVAIL));
    ring.close(socket, KEY);
}

#[test]
fn there_are_no_more_than_there_may_be() {
    let (_listener, address) = listen("127.0.0.1:0");
    let mut ring = ring();
    let first = connected(&mut ring, address, None);
    let _second = connected(&mut ring, address, None);
    assert!(ring.connect(address, None, KEY, Start::default()).is_none());
    // The place of a closed socket is free at once, even before the close is handed over.
    ring.close_ended(first);
    let _socket = connected(&mut ring, address, None);

    let none = Settings { sockets: 0, ..SETTINGS };
    assert!(
        Ring::new(none, Arc::from([]))
            .unwrap()
            .connect(address, None, KEY, Start::default())
            .is_none()
    );
}

#[test]
fn one_that_is_on_its_way_is_given_up() {
    // A listener with a full queue of one drops further connections.
    let listener = {
        use rustix::net::{AddressFamily, SocketType, bind, listen, socket};
        let fd = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        bind(&fd, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        listen(&fd, 0).unwrap();
        TcpListener::from(fd)
    };
    let address = listener.local_addr().unwrap();
    let soon = Duration::from_millis(50);
    let _queued: Vec<_> =
        std::iter::from_fn(|| TcpStream::connect_timeout(&address, soon).ok()).take(8).collect();
    let mut ring = ring();
    let socket = ring.connect(address, None, KEY, Start::default()).unwrap();
    ring.submit_and_wait(20_000_000).unwrap();
    assert!(ring.take().is_none());
    ring.close(socket, KEY);
    let completion = next(&mut ring);
    assert_eq!(completion.operation, Operation::Connect);
    assert!(completion.result.is_err(), "{completion:?}");
}

#[test]
fn our_side_alone_can_be_closed() {
    let (listener, address) = listen("127.0.0.1:0");
    let mut ring = ring();
    let socket = connected(&mut ring, address, None);
    let (mut peer, _) = accept(&listener);
    ring.receive(&socket, KEY);
    ring.end_sending(&socket);
    ring.submit().unwrap();
    assert_eq!(peer.read(&mut [0; 8]).unwrap(), 0);
    peer.write_all(b"late").unwrap();
    let piece = next(&mut ring).piece.unwrap();
    assert_eq!(ring.bytes(&piece), b"late");
    ring.release(piece);
}

/// Else the next socket in that place would be shut down instead of it.
#[test]
fn one_that_is_closed_while_our_side_is_being_closed_keeps_its_place_until_then() {
    let (listener, address) = listen("127.0.0.1:0");
    let mut ring = Ring::new(Settings { sockets: 1, ..SETTINGS }, Arc::from([])).unwrap();
    for _ in 0..20 {
        let until = Instant::now() + Duration::from_secs(5);
        let socket = loop {
            if let Some(socket) = ring.connect(address, None, KEY, Start::default()) {
                break socket;
            }
            assert!(Instant::now() < until, "the place is never free");
            ring.submit_and_wait(1_000_000).unwrap();
            assert!(ring.take().is_none());
        };
        assert_eq!(
            (next(&mut ring).operation, listener.accept().is_ok()),
            (Operation::Connect, true)
        );
        ring.end_sending(&socket);
        ring.close_ended(socket);
        assert!(ring.connect(address, None, KEY, Start::default()).is_none());
    }
}

/// The other ring would close the socket that it has in that place itself.
#[test]
#[should_panic(expected = "a socket of another ring")]
fn another_ring_cannot_close_it() {
    let (_listener, address) = listen("127.0.0.1:0");
    let socket = connected(&mut ring(), address, None);
    ring().close_ended(socket);
}

#[test]
fn those_that_are_open_close_with_the_ring() {
    let (listener, address) = listen("127.0.0.1:0");
    let mut ring = ring();
    let socket = connected(&mut ring, address, None);
    let (mut peer, _) = accept(&listener);
    ring.receive(&socket, KEY);
    ring.submit().unwrap();
    drop(ring);
    assert_eq!(peer.read(&mut [0; 8]).unwrap(), 0);
}
