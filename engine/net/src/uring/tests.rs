//! Completions that a kernel cannot be made to give.

use super::*;
use crate::failure::Failure;
use rustix::net::{AddressFamily, SocketType, socket};

/// The kernel would report again and again that there is no buffer.
#[test]
fn a_receive_ends_where_all_buffers_are_lost() {
    let Ok(()) = probe() else { return };
    let size = RingSize { buffers: Some(2), ..RingSize::default() };
    let mut uring = Uring::new(1, Arc::from([]), size).unwrap();
    let (own, mut peer) = std::os::unix::net::UnixStream::pair().unwrap();
    uring.open(0, Opened { fd: own.into(), established: true }).unwrap();
    let mut lost = 0;
    let failure = loop {
        std::io::Write::write_all(&mut peer, b"x").unwrap();
        uring.wait(1_000_000_000).unwrap();
        match uring.next().map(|event| event.what) {
            Some(What::Bytes { piece, .. }) => {
                lost += 1;
                std::mem::forget(piece);
            }
            Some(What::Failed(failure)) => break failure,
            other => assert!(other.is_none(), "{other:?}"),
        }
    };
    assert_eq!((lost, failure), (2, Failure::System(Errno::NOBUFS)));
}

/// Most receives find no buffer at first, and two thirds of the sockets have nothing to receive
/// then.
#[test]
fn more_sockets_than_buffers_all_receive() {
    const SOCKETS: usize = 30;
    let Ok(()) = probe() else { return };
    let size = RingSize { buffers: Some(2), ..RingSize::default() };
    let mut uring = Uring::new(SOCKETS, Arc::from([]), size).unwrap();
    let mut peers: Vec<_> = (0..SOCKETS)
        .map(|slot| {
            let (own, peer) = std::os::unix::net::UnixStream::pair().unwrap();
            uring.open(slot, Opened { fd: own.into(), established: true }).unwrap();
            peer
        })
        .collect();
    let mut received = [0; SOCKETS];
    for all in [false, true] {
        for peer in peers.iter_mut().skip(if all { 0 } else { SOCKETS * 2 / 3 }) {
            std::io::Write::write_all(peer, b"x").unwrap();
        }
        let expected = received.iter().sum::<usize>() + if all { SOCKETS } else { SOCKETS / 3 };
        while received.iter().sum::<usize>() < expected {
            uring.wait(60_000_000_000).unwrap();
            while let Some(event) = uring.next() {
                let What::Bytes { piece, .. } = event.what else { panic!("{event:?}") };
                received[event.slot] += uring.bytes(&piece).len();
                uring.release(piece);
            }
        }
    }
    assert!(received.iter().all(|&bytes| bytes > 0), "{received:?}");
}

/// A kernel without memory ends the wait for a connection with an error of the wait's own, and
/// the socket has none.
#[test]
fn a_wait_that_fails_is_not_a_connection() {
    let Ok(()) = probe() else { return };
    let mut uring = Uring::new(1, Arc::from([]), RingSize::default()).unwrap();
    let fd = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    uring.open(0, Opened { fd, established: false }).unwrap();
    let completion = Completion {
        operation: Operation::Writable,
        key: uring.key(0),
        result: Err(Errno::NOMEM),
        goes_on: false,
        more_to_read: false,
        piece: None,
        accepted: None,
    };
    let event = uring.interpret(completion).unwrap();
    let What::Unconnected(Failure::System(errno)) = event.what else { panic!("{event:?}") };
    assert_eq!(errno, Errno::NOMEM);
}

/// Where `connect` had to wait, the kernel repeats it once the connection is there. If the send came
/// before and the server has reset the connection, it is `connect` that fails; the receive finds a
/// plain end, or a socket that `connect` has disconnected.
#[test]
fn a_reset_that_was_reported_to_connect_is_a_reset() {
    let Ok(()) = probe() else { return };
    for found in [Ok(0), Err(Errno::NOTCONN)] {
        let mut uring = Uring::new(1, Arc::from([]), RingSize::default()).unwrap();
        let fd = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        uring.open(0, Opened { fd, established: true }).unwrap();
        let key = uring.key(0);
        let mut completes = |operation, result| {
            uring.interpret(Completion {
                operation,
                key,
                result,
                goes_on: false,
                more_to_read: false,
                piece: None,
                accepted: None,
            })
        };
        assert!(completes(Operation::Connect, Err(Errno::CONNRESET)).is_none());
        let event = completes(Operation::Receive, found).unwrap();
        let What::Failed(Failure::System(errno)) = event.what else { panic!("{event:?}") };
        assert_eq!(errno, Errno::CONNRESET);
    }
}

/// An answer in two pieces, which arrive while the kernel is not called.
#[test]
fn what_is_handed_over_is_sent_and_what_comes_meanwhile_is_one_piece() {
    let Ok(()) = probe() else { return };
    let mut uring = Uring::new(1, Arc::from(*b"request"), RingSize::default()).unwrap();
    let (own, mut peer) = std::os::unix::net::UnixStream::pair().unwrap();
    uring.open(0, Opened { fd: own.into(), established: true }).unwrap();
    uring.turn().unwrap();
    uring.send(0, 0..7);
    uring.hand_over().unwrap();
    std::io::Read::read_exact(&mut peer, &mut [0; 7]).unwrap();
    for piece in [b"head", b"body"] {
        std::io::Write::write_all(&mut peer, piece).unwrap();
    }
    uring.turn().unwrap();
    let Some(What::Bytes { piece, .. }) = uring.next().map(|event| event.what) else { panic!() };
    assert_eq!(uring.bytes(&piece), b"headbody");
    uring.release(piece);
    assert!(uring.next().is_none());
}

/// A server may send before the first send of ours has completed.
#[test]
fn a_connection_is_there_before_what_says_so_is_reported() {
    let Ok(()) = probe() else { return };
    let mut uring = Uring::new(1, Arc::from([]), RingSize::default()).unwrap();
    let fd = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    uring.open(0, Opened { fd, established: false }).unwrap();
    let completion = Completion {
        operation: Operation::Receive,
        key: uring.key(0),
        result: Ok(0),
        goes_on: false,
        more_to_read: false,
        piece: None,
        accepted: None,
    };
    let event = uring.interpret(completion).unwrap();
    assert!(matches!(event.what, What::Established));
    assert!(uring.has_news().unwrap());
    assert!(matches!(uring.next().unwrap().what, What::End));
}
