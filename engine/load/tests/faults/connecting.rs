//! Connections that cannot be made, or not at once.

use crate::world::guard::both_ways;
use crate::world::loading::{
    GOOD, at_rate, errors, for_ms, load, requests, run, size, target, unix_target,
};
use crate::world::servers::{Conversation, deaf, listen_unix, serve};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use volley_load::errors::ErrorKind;
use volley_load::slice::Plan;
use volley_load::target::Target;
use volley_load::workers::Workers;
use volley_net::clock::MS;

/// Sockets that try to connect to an address.
fn knocking_at(address: SocketAddr) -> usize {
    const SYN_SENT: &str = "02";
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let port = format!(":{:04X}", address.port());
    let fields = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    fields.filter(|fields| fields[2].ends_with(&port) && fields[3] == SYN_SENT).count()
}

#[test]
fn connections_given_up_are_gone() {
    both_ways(|io| {
        let (_listener, _queue, address) = deaf();
        // Without a connection no request is ever sent, unless a connection is opened for each
        // request.
        for (requests_per_connection, plan) in [(None, for_ms(100)), (Some(1), requests(8))] {
            let mut target = Target { requests_per_connection, ..target(address) };
            target.route.connect_timeout_ns = 50 * MS;
            let mut workers = Workers::start(&size(io), &[Arc::new(target)]).unwrap();
            let outcome = run(&mut workers, &plan);
            assert!(outcome.tally.errors.of(ErrorKind::ConnectTimeout) >= 4, "{outcome:?}");
            assert_eq!(errors(&outcome).len(), 1, "{outcome:?}");
            assert_eq!(outcome.tally.requests_all, 0);
            assert_eq!(knocking_at(address), 0);
        }
    });
}

#[test]
fn where_their_number_ends_a_load_requests_without_a_connection_end_as_misses() {
    both_ways(|io| {
        let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let due = Plan { duration_ns: None, requests: Some(20), ..at_rate(400.0, 0, 3_600_000) };
        for (plan, unsent) in [(requests(20), 0), (due, 20)] {
            let workers = Workers::start(&size(io), &[Arc::new(target(nobody))]);
            let outcome = run(&mut workers.unwrap(), &plan);
            let tally = &outcome.tally;
            assert_eq!((tally.requests_all, tally.misses, tally.unsent), (0, 20, unsent));
            let [(ErrorKind::ConnectRefused, refused)] = errors(&outcome)[..] else {
                panic!("{:?}", errors(&outcome))
            };
            assert!(refused >= 20, "{refused}");
            assert_eq!(tally.first_bad.as_ref().unwrap().kind, ErrorKind::ConnectRefused);
        }
        // A time ends a load by itself: then only requests that were sent count.
        let timed = Plan { requests: Some(20), ..for_ms(50) };
        let workers = Workers::start(&size(io), &[Arc::new(target(nobody))]);
        assert_eq!(run(&mut workers.unwrap(), &timed).tally.misses, 0);
    });
}

#[test]
fn a_server_that_begins_in_http_2_is_named_whenever_its_bytes_come() {
    both_ways(|io| {
        let address = serve(move |mut conversation| {
            conversation.say(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
            conversation.next_request();
        });
        let mut workers = Workers::start(&size(io), &[Arc::new(target(address))]).unwrap();
        workers.open(0).unwrap();
        thread::sleep(Duration::from_millis(50));
        let bad = run(&mut workers, &for_ms(50)).tally.first_bad.unwrap();
        assert_eq!(bad.kind, ErrorKind::Malformed);
        assert!(bad.detail.ends_with("this server seems to speak HTTP/2"), "{}", bad.detail);
    });
}

#[test]
fn more_connections_than_a_unix_socket_queues() {
    both_ways(|io| {
        let (listener, path) = listen_unix(&format!("crowded-{io:?}"));
        rustix::net::listen(&listener, 4).unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                thread::sleep(Duration::from_millis(1));
                thread::spawn(|| Conversation::new(stream, 0).answer_all(GOOD, &AtomicU64::new(0)));
            }
        });
        let target = Target { connections: 64, ..unix_target(&path) };
        let outcome = load(io, target, &requests(1000));
        assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 1000));
        std::fs::remove_file(&path).unwrap();
    });
}

#[test]
fn a_unix_socket_that_nobody_accepts_on() {
    both_ways(|io| {
        let (listener, path) = listen_unix(&format!("deaf-{io:?}"));
        rustix::net::listen(&listener, 0).unwrap();
        let mut target = Target { connections: 3, ..unix_target(&path) };
        target.route.connect_timeout_ns = 50 * MS;
        let opened = Workers::start(&size(io), &[Arc::new(target)]).unwrap().open(0).unwrap();
        assert_eq!(opened.open, 1);
        assert_eq!(opened.first_bad.unwrap().kind, ErrorKind::ConnectTimeout);
        std::fs::remove_file(&path).unwrap();
    });
}

#[test]
fn a_server_that_hangs_up_on_the_idle_is_not_called_again_and_again() {
    both_ways(|io| {
        let calls = Arc::new(AtomicU64::new(0));
        let counted = calls.clone();
        let address = serve(move |conversation| {
            counted.fetch_add(1, Ordering::SeqCst);
            conversation.stream.shutdown(Shutdown::Both).unwrap();
        });
        let workers = Workers::start(&size(io), &[Arc::new(target(address))]);
        // One request, after half a second.
        let outcome = run(&mut workers.unwrap(), &at_rate(1.0, 0, 600));
        assert_eq!((outcome.tally.requests_all, outcome.tally.misses), (0, 1));
        // After pauses of 1, 2, 4… ms there is one attempt every 100 ms.
        let most = 4 * (10 + (outcome.drained_ns - outcome.window.start_ns) / (100 * MS));
        let calls = calls.load(Ordering::SeqCst);
        assert!((4..=most).contains(&calls), "{calls}, at most {most}");
    });
}
