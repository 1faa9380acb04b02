//! The kernel's answers to requests, on real sockets.

use crate::next;
use rustix::io::Errno;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};
use volley_ring::{Completion, Key, Operation, Piece, Ring, Settings, Socket};

const SETTINGS: Settings =
    Settings { submissions: 16, completions: 64, buffers: 8, buffer_size: 1024, sockets: 4 };

fn ring(settings: Settings, outbox: &[u8]) -> Ring {
    Ring::new(settings, Arc::from(outbox)).unwrap()
}

fn key(slot: u32) -> Key {
    Key { slot, generation: 7 }
}

/// The ring's end of a connection, and the peer's. Neither waits for the other for ever.
fn pair() -> (UnixStream, UnixStream) {
    let (own, peer) = UnixStream::pair().unwrap();
    peer.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    peer.set_write_timeout(Some(Duration::from_secs(5))).unwrap();
    (own, peer)
}

/// The same, where the ring holds its end.
fn adopted(ring: &mut Ring) -> (Socket, UnixStream) {
    let (own, peer) = pair();
    (ring.adopt(own), peer)
}

fn taken(ring: &mut Ring, completion: Completion) -> Vec<u8> {
    let piece = completion.piece.expect("a receive that brought bytes has a piece");
    assert_eq!(completion.result, Ok(u32::try_from(piece.length()).unwrap()));
    let bytes = ring.bytes(&piece).to_vec();
    ring.release(piece);
    bytes
}

#[test]
fn bytes_arrive_and_parts_of_the_outbox_are_sent() {
    let (own, mut peer) = pair();
    let mut ring = ring(SETTINGS, b"Hello, World!");
    let own = ring.adopt(own);
    ring.receive(&own, key(3));
    for round in 0..20_u8 {
        peer.write_all(&[round; 5]).unwrap();
        let received = next(&mut ring);
        assert_eq!((received.operation, received.key), (Operation::Receive, key(3)));
        assert!(received.goes_on);
        assert_eq!(taken(&mut ring, received), [round; 5]);

        ring.send(&own, key(4), 7..12);
        let sent = next(&mut ring);
        assert_eq!((sent.operation, sent.key, sent.result), (Operation::Send, key(4), Ok(5)));
        let mut answer = [0; 5];
        peer.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"World");
    }
    drop(peer);
    let end = next(&mut ring);
    assert_eq!((end.result, end.goes_on), (Ok(0), false));
    assert!(end.piece.is_none());
}

/// Fills a socket; returns how many bytes it took. The next send waits for room.
fn fill(ring: &mut Ring, socket: &Socket) -> usize {
    ring.send(socket, key(0), 0..LARGE);
    let sent = next(ring).result.unwrap() as usize;
    assert!(0 < sent && sent < LARGE, "{LARGE} bytes do not fit into a socket");
    sent
}

/// More than a socket has room for.
const LARGE: usize = 4_000_000;

#[test]
fn a_send_takes_what_there_is_room_for_and_waits_where_there_is_none() {
    let (own, mut peer) = pair();
    let outbox: Vec<u8> = (0..LARGE).map(|n| n.to_le_bytes()[1]).collect();
    let mut ring = ring(SETTINGS, &outbox);
    let own = ring.adopt(own);
    let mut sent = fill(&mut ring, &own);
    ring.send(&own, key(0), sent..LARGE);
    ring.submit().unwrap();
    assert!(ring.take().is_none());
    let reader = std::thread::spawn(move || {
        let mut bytes = vec![0; LARGE];
        peer.read_exact(&mut bytes).unwrap();
        bytes
    });
    loop {
        sent += next(&mut ring).result.unwrap() as usize;
        if sent == LARGE {
            break;
        }
        ring.send(&own, key(0), sent..LARGE);
    }
    assert!(reader.join().unwrap() == outbox);
}

#[test]
fn a_receive_that_finds_no_buffer_is_made_again_and_nothing_is_lost() {
    let (own, mut peer) = pair();
    let mut ring = ring(Settings { buffers: 4, buffer_size: 64, ..SETTINGS }, b"-");
    let own = ring.adopt(own);
    let sent: Vec<u8> = (0..64_000_u32).map(|n| n.to_le_bytes()[0]).collect();
    peer.write_all(&sent).unwrap();
    ring.receive(&own, key(0));
    let (mut received, mut held, mut shortages) = (Vec::new(), Vec::new(), 0);
    while received.len() + held.len() * 64 < sent.len() {
        let completion = next(&mut ring);
        let goes_on = completion.goes_on;
        match completion.result {
            Ok(_) => held.extend(completion.piece),
            Err(errno) => {
                assert_eq!((errno, goes_on), (Errno::NOBUFS, false));
                shortages += 1;
                for piece in held.drain(..) {
                    received.extend_from_slice(ring.bytes(&piece));
                    ring.release(piece);
                }
            }
        }
        if !goes_on {
            ring.receive(&own, key(0));
        }
    }
    for piece in held {
        received.extend_from_slice(ring.bytes(&piece));
        ring.release(piece);
    }
    assert_eq!(received, sent);
    assert!(shortages >= 200, "{shortages} shortages with 4 buffers and 1000 pieces");
}

#[test]
fn more_completions_than_the_queue_holds_all_come() {
    let mut ring =
        ring(Settings { submissions: 4, completions: 16, buffers: 128, ..SETTINGS }, b"-");
    let pairs: Vec<_> = (0..100).map(|_| adopted(&mut ring)).collect();
    for (slot, (own, _)) in (0..).zip(&pairs) {
        ring.receive(own, key(slot));
    }
    ring.submit().unwrap();
    for (slot, (_, peer)) in (0..100_u8).zip(&pairs) {
        (&*peer).write_all(&[slot]).unwrap();
    }
    let mut seen = [false; 100];
    while seen.contains(&false) {
        let completion = next(&mut ring);
        let (slot, goes_on) = (completion.key.slot, completion.goes_on);
        assert_eq!(taken(&mut ring, completion), [u8::try_from(slot).unwrap()]);
        assert!(!std::mem::replace(&mut seen[slot as usize], true));
        if !goes_on {
            ring.receive(&pairs[slot as usize].0, key(slot));
        }
    }
}

#[test]
fn closing_ends_what_is_going_on() {
    let (own, mut peer) = pair();
    let mut ring = ring(SETTINGS, &vec![0; LARGE]);
    let own = ring.adopt(own);
    let sent = fill(&mut ring, &own);
    ring.receive(&own, key(5));
    ring.send(&own, key(5), sent..LARGE);
    ring.submit().unwrap();
    ring.close(own, key(5));
    let mut ended = [next(&mut ring), next(&mut ring)];
    ended.sort_by_key(|completion| completion.operation);
    assert_eq!(
        ended.each_ref().map(|ended| ended.operation),
        [Operation::Receive, Operation::Send]
    );
    for completion in ended {
        assert_eq!((completion.key, completion.result), (key(5), Err(Errno::CANCELED)));
        assert!(!completion.goes_on);
    }
    let mut rest = Vec::new();
    peer.read_to_end(&mut rest).unwrap();
    assert_eq!(rest.len(), sent);
}

#[test]
fn a_socket_whose_receive_has_ended_closes_with_the_next_submission() {
    let (own, mut peer) = pair();
    let mut ring = ring(SETTINGS, b"-");
    let own = ring.adopt(own);
    ring.receive(&own, key(0));
    peer.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(next(&mut ring).result, Ok(0));
    ring.close_ended(own);
    ring.submit().unwrap();
    assert_eq!(peer.read(&mut [0; 8]).unwrap(), 0);
}

#[test]
fn a_ring_that_goes_lets_go_of_its_sockets_and_its_memory() {
    let (own, mut peer) = pair();
    let mut ring = ring(SETTINGS, &vec![0; LARGE]);
    let (other, other_peer) = adopted(&mut ring);
    let ours = own.try_clone().unwrap();
    let own = ring.adopt(own);
    let sent = fill(&mut ring, &other);
    ring.receive(&own, key(0));
    ring.send(&other, key(1), sent..LARGE);
    ring.submit().unwrap();
    drop(ring);
    // The receive is cancelled: the bytes wait for the next reader.
    peer.write_all(b"later").unwrap();
    let mut bytes = [0; 5];
    (&ours).read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes, b"later");
    // The send is cancelled, and its socket closed: the stream ends in the middle of the bytes.
    let mut rest = Vec::new();
    (&other_peer).read_to_end(&mut rest).unwrap();
    assert_eq!(rest.len(), sent);
}

#[test]
fn accepted_sockets_are_owned() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut ring = ring(SETTINGS, b"-");
    let listener = ring.adopt(listener);
    ring.accept(&listener, key(9));
    for _ in 0..3 {
        let mut client = TcpStream::connect(address).unwrap();
        let completion = next(&mut ring);
        assert_eq!((completion.operation, completion.key), (Operation::Accept, key(9)));
        assert!(completion.goes_on && completion.result.is_ok());
        let mut socket = TcpStream::from(completion.accepted.unwrap());
        socket.write_all(b"hi").unwrap();
        drop(socket);
        let mut text = String::new();
        client.read_to_string(&mut text).unwrap();
        assert_eq!(text, "hi");
    }
}

#[test]
fn sockets_that_were_accepted_and_never_asked_for_close_with_the_ring() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut ring = ring(SETTINGS, b"-");
    let address = listener.local_addr().unwrap();
    let listener = ring.adopt(listener);
    ring.accept(&listener, key(0));
    let mut client = TcpStream::connect(address).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    ring.submit_and_wait(1_000_000_000).unwrap();
    drop(ring);
    assert_eq!(client.read(&mut [0; 8]).unwrap(), 0);
}

#[test]
fn a_socket_that_can_be_written_to_is_told_of() {
    let (own, _peer) = pair();
    let mut ring = ring(SETTINGS, b"-");
    let own = ring.adopt(own);
    ring.await_writable(&own, key(2));
    let completion = next(&mut ring);
    assert_eq!((completion.operation, completion.key), (Operation::Writable, key(2)));
    assert!(completion.result.is_ok() && !completion.goes_on);
}

#[test]
fn waiting_ends_with_its_time() {
    let mut ring = ring(SETTINGS, b"-");
    let from = Instant::now();
    ring.submit_and_wait(20_000_000).unwrap();
    assert!(ring.take().is_none());
    assert!(from.elapsed() >= Duration::from_millis(20));
}

#[test]
fn work_is_seen_without_a_system_call() {
    let (own, mut peer) = pair();
    let mut ring = ring(SETTINGS, b"-");
    let own = ring.adopt(own);
    ring.receive(&own, key(0));
    ring.submit().unwrap();
    assert!(!ring.has_work());
    peer.write_all(b"x").unwrap();
    assert!(ring.has_work());
    ring.submit().unwrap();
    let completion = ring.take().unwrap();
    assert_eq!(taken(&mut ring, completion), b"x");
    assert!(!ring.has_work());
}

/// The first two wait for room, so the kernel may still read them.
#[test]
fn bytes_of_their_own_are_held_until_they_are_sent() {
    let (own, mut peer) = pair();
    let mut ring = ring(SETTINGS, &vec![0; LARGE]);
    let own = ring.adopt(own);
    let sent = fill(&mut ring, &own);
    let [first, second]: [Arc<[u8]>; 2] = [1, 2].map(|byte| vec![byte; 1000].into());
    for bytes in [&first, &second] {
        ring.send_owned(&own, key(1), bytes.clone(), 0..bytes.len());
    }
    ring.submit().unwrap();
    assert_eq!([&first, &second].map(Arc::strong_count), [2, 2]);
    peer.read_exact(&mut vec![0; sent]).unwrap();
    for _ in 0..2 {
        let sent = next(&mut ring);
        assert_eq!((sent.operation, sent.key), (Operation::SendOwned, key(1)));
        assert_eq!(sent.result, Ok(1000));
    }
    assert_eq!([&first, &second].map(Arc::strong_count), [1, 1]);
    let mut got = [0; 2000];
    peer.read_exact(&mut got).unwrap();
    assert_eq!(got.into_iter().map(usize::from).sum::<usize>(), 1000 + 2 * 1000);

    // A part of the bytes is sent as well.
    ring.send_owned(&own, key(1), Arc::from(&b"Hello"[..]), 1..3);
    assert_eq!(next(&mut ring).result, Ok(2));
}

/// A piece of one ring, and another ring, which is smaller.
fn piece_and_another_ring() -> (Piece, Ring) {
    let (own, mut peer) = pair();
    let mut large = ring(SETTINGS, b"-");
    let own = large.adopt(own);
    large.receive(&own, key(0));
    peer.write_all(&[7; 1000]).unwrap();
    let piece = next(&mut large).piece.unwrap();
    (piece, ring(Settings { buffers: 1, buffer_size: 1, ..SETTINGS }, b"-"))
}

#[test]
#[should_panic(expected = "a piece of another ring")]
fn a_piece_cannot_be_read_from_another_ring() {
    let (piece, other) = piece_and_another_ring();
    let _ = other.bytes(&piece);
}

#[test]
#[should_panic(expected = "a piece of another ring")]
fn a_piece_cannot_be_given_back_to_another_ring() {
    let (piece, mut other) = piece_and_another_ring();
    other.release(piece);
}

/// Where a test is compiled with the checks of our own code.
#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "its buffer is lost"))]
fn a_piece_that_is_dropped_is_found() {
    drop(piece_and_another_ring().0);
}

/// A free number goes to the next socket: the bytes would go to that one.
#[test]
fn a_request_names_its_socket_whatever_becomes_of_that() {
    for closes in [false, true] {
        let mut ring = ring(SETTINGS, b"Hello");
        let (own, mut peer) = adopted(&mut ring);
        ring.send(&own, key(0), 0..5);
        if closes {
            ring.close_ended(own);
        }
        let (_other, other_peer) = pair();
        assert_eq!(next(&mut ring).result, Ok(5));
        let mut bytes = [0; 5];
        peer.read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"Hello");
        other_peer.set_nonblocking(true).unwrap();
        assert!((&other_peer).read(&mut bytes).is_err());
    }
}

#[test]
#[should_panic(expected = "a socket of another ring")]
fn a_socket_cannot_be_used_by_another_ring() {
    let (own, _peer) = adopted(&mut ring(SETTINGS, b"-"));
    ring(SETTINGS, b"-").receive(&own, key(0));
}

#[test]
fn more_requests_than_the_queue_holds_are_all_handed_over() {
    let mut ring = ring(Settings { submissions: 2, ..SETTINGS }, b"Hello");
    let pairs: Vec<_> = (0..50).map(|_| adopted(&mut ring)).collect();
    for (slot, (own, _)) in (0..).zip(&pairs) {
        ring.send(own, key(slot), 0..5);
    }
    let mut slots: Vec<u32> = pairs.iter().map(|_| next(&mut ring).key.slot).collect();
    slots.sort_unstable();
    assert!(slots.into_iter().eq(0..50));
}
