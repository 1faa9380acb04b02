//! What a server and the way to it may do: Retry, new keys, lost datagrams.

use crate::server::{Server, Treat};
use crate::world::loading::{errors, load, requests};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};
use tokio::net::UdpSocket;
use tokio::runtime;
use volley_load::errors::ErrorKind;
use volley_load::target::Target;
use volley_net::IoChoice;
use volley_protocol::h3::frame::code;

/// 200 right answers on four connections, eight at a time on each.
fn assert_right(target: Target) -> volley_net::Datagrams {
    let target = Target { pipeline: 8, ..target };
    let outcome = load(IoChoice::Epoll, target, &requests(200));
    let tally = &outcome.tally;
    assert_eq!((errors(&outcome), &tally.first_bad), (vec![], &None));
    assert_eq!((tally.requests_all, tally.right(), tally.misses), (200, 200, 0));
    tally.datagrams.unwrap()
}

#[test]
fn a_retry_is_answered() {
    let server = Server::start(0, |_| Treat::Warily);
    let target = Target { requests_per_connection: Some(8), ..server.target(false, false) };
    // The first four connections are opened ahead of what is counted.
    assert!(assert_right(target).retries >= 200 / 8 - 4);
}

#[test]
fn new_keys_are_taken() {
    let server = Server::start(0, |_| Treat::Rekeying);
    assert_eq!(assert_right(server.target(false, false)).retries, 0);
}

#[test]
fn what_is_lost_on_the_way_comes_again() {
    let server = Server::start(0, |_| Treat::Well);
    let mut target = server.target(false, false);
    target.route.address = volley_net::Address::Tcp(lossy(server.address));
    assert_right(target);
}

#[test]
fn a_server_that_breaks_a_rule_is_told_which_by_the_error_code() {
    let server = Server::start(0, |_| Treat::Wrongly);
    let outcome = load(IoChoice::Epoll, server.target(false, false), &requests(8));
    let kinds: Vec<_> = errors(&outcome).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [ErrorKind::Malformed]);
    // The server reads it on a thread of its own.
    let began = Instant::now();
    while server.closed.load(Ordering::SeqCst) == 0 && began.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(server.closed.load(Ordering::SeqCst), code::FRAME_UNEXPECTED);
}

/// The address of a relay to `server` that drops each fiftieth datagram of either direction.
fn lossy(server: SocketAddr) -> SocketAddr {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let near = runtime.block_on(UdpSocket::bind("127.0.0.1:0")).unwrap();
    let address = near.local_addr().unwrap();
    thread::spawn(move || {
        runtime.block_on(async move {
            let (near, mut far) = (Arc::new(near), HashMap::new());
            let mut bytes = vec![0; 65_536];
            for nth in 1_u64.. {
                let (length, client) = near.recv_from(&mut bytes).await.unwrap();
                if nth.is_multiple_of(50) {
                    continue;
                }
                let socket = match far.entry(client) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => {
                        let socket = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
                        socket.connect(server).await.unwrap();
                        tokio::spawn(relay_back(socket.clone(), near.clone(), client));
                        new.insert(socket)
                    }
                };
                socket.send(&bytes[..length]).await.unwrap();
            }
        });
    });
    address
}

async fn relay_back(from: Arc<UdpSocket>, near: Arc<UdpSocket>, client: SocketAddr) {
    let mut bytes = vec![0; 65_536];
    for nth in 1_u64.. {
        let Ok(length) = from.recv(&mut bytes).await else { return };
        if !nth.is_multiple_of(50) && near.send_to(&bytes[..length], client).await.is_err() {
            return;
        }
    }
}
