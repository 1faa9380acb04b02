//! A ring whose kernel side fails.

use super::*;
use rustix::fd::AsRawFd;
use std::fs::File;
use std::os::unix::net::UnixStream;

const SETTINGS: Settings =
    Settings { submissions: 4, completions: 16, buffers: 4, buffer_size: 64, sockets: 4 };
const KEY: Key = Key { slot: 0, generation: 0 };

/// Lets every later system call of the ring fail.
fn break_off(ring: &Ring) {
    // SAFETY: the number stays open, and the ring's to close.
    let mut number = ManuallyDrop::new(unsafe { OwnedFd::from_raw_fd(ring.uring.as_raw_fd()) });
    rustix::io::dup2(File::open("/dev/null").unwrap(), &mut number).unwrap();
}

#[test]
fn requests_that_the_kernel_refuses_neither_block_nor_get_lost() {
    let (socket, _peer) = UnixStream::pair().unwrap();
    let mut ring = Ring::new(SETTINGS, Arc::from(&b"Hello"[..])).unwrap();
    let socket = ring.adopt(socket);
    break_off(&ring);
    for _ in 0..10 {
        ring.send(&socket, KEY, 0..5);
    }
    assert_eq!((ring.uring.submission().len(), ring.overflow.len(), ring.pending), (4, 6, 10));
    assert!(ring.submit().is_err());
    assert!(ring.submit_and_wait(1_000_000_000).is_err());
}

/// Busy: completions have to be taken first. Again: the kernel has no memory at the moment. Neither
/// ends the ring.
#[test]
fn requests_outlast_what_passes_and_a_failure_is_told() {
    let (socket, mut peer) = UnixStream::pair().unwrap();
    let mut ring = Ring::new(SETTINGS, Arc::from(&b"0123456789"[..])).unwrap();
    let socket = ring.adopt(socket);
    ring.faults.extend([Errno::BUSY, Errno::AGAIN, Errno::INTR, Errno::AGAIN, Errno::BUSY]);
    for at in 0..10 {
        ring.send(&socket, KEY, at..at + 1);
    }
    while !ring.faults.is_empty() {
        ring.submit().unwrap();
    }
    ring.faults.push_back(Errno::NOMEM);
    let error = ring.submit().unwrap_err();
    assert_eq!(Errno::from_io_error(&error), Some(Errno::NOMEM));
    let mut done = 0;
    while done < 10 {
        ring.submit_and_wait(1_000_000).unwrap();
        done += std::iter::from_fn(|| ring.take()).count();
    }
    let mut bytes = [0; 10];
    std::io::Read::read_exact(&mut peer, &mut bytes).unwrap();
    assert_eq!((&bytes, ring.pending), (b"0123456789", 0));
}

#[test]
fn sockets_stay_open_while_a_refused_request_names_them() {
    let (socket, peer) = UnixStream::pair().unwrap();
    peer.set_nonblocking(true).unwrap();
    let mut ring = Ring::new(SETTINGS, Arc::from([])).unwrap();
    let socket = ring.adopt(socket);
    break_off(&ring);
    ring.receive(&socket, KEY);
    ring.close(socket, KEY);
    assert!(ring.submit().is_err());
    let read = std::io::Read::read(&mut &peer, &mut [0]);
    assert_eq!(read.unwrap_err().kind(), io::ErrorKind::WouldBlock);
}

#[test]
fn memory_that_the_kernel_may_still_use_is_never_freed() {
    let (socket, _peer) = UnixStream::pair().unwrap();
    let outbox: Arc<[u8]> = Arc::from(&b"Hello"[..]);
    let bytes: Arc<[u8]> = Arc::from(vec![0; 4_000_000]);
    // The queue has no room for more.
    socket.set_nonblocking(true).unwrap();
    while std::io::Write::write(&mut &socket, &bytes).is_ok() {}
    for (fails, held) in [(false, 1), (true, 2)] {
        let mut ring = Ring::new(SETTINGS, outbox.clone()).unwrap();
        let socket = ring.adopt(socket.try_clone().unwrap());
        ring.receive(&socket, KEY);
        ring.send_owned(&socket, KEY, bytes.clone(), 0..bytes.len());
        ring.submit().unwrap();
        assert_eq!(ring.pending, 2);
        if fails {
            break_off(&ring);
        }
        drop(ring);
        assert_eq!([&outbox, &bytes].map(Arc::strong_count), [held, held], "fails: {fails}");
    }
}

/// A receive has many completions, any other request one: `drop` relies on the count.
#[test]
fn a_ring_knows_how_many_requests_are_pending() {
    let (socket, peer) = UnixStream::pair().unwrap();
    let mut ring = Ring::new(SETTINGS, Arc::from(&b"Hello"[..])).unwrap();
    let socket = ring.adopt(socket);
    ring.receive(&socket, KEY);
    ring.await_writable(&socket, KEY);
    ring.send(&socket, KEY, 0..5);
    ring.send_owned(&socket, KEY, Arc::from(&b"World"[..]), 0..5);
    assert_eq!(ring.pending, 4);
    let step = |ring: &mut Ring| {
        ring.submit_and_wait(1_000_000).unwrap();
        while let Some(completion) = ring.take() {
            if let Some(piece) = completion.piece {
                ring.release(piece);
            }
        }
        ring.pending
    };
    assert_eq!(step(&mut ring), 1);
    std::io::Write::write_all(&mut &peer, b"more").unwrap();
    assert_eq!(step(&mut ring), 1);
    ring.close(socket, KEY);
    assert_eq!([step(&mut ring), step(&mut ring)].last(), Some(&0));
}
