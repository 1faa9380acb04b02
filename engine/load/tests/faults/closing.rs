//! Servers that close connections, at each point of an exchange.

use crate::world::guard::both_ways;
use crate::world::loading::{
    BODY, GOOD, at_rate, book, errors, load, request, requests, run, size, target, workers,
};
use crate::world::random::Random;
use crate::world::servers::{Close, Conversation, answer_with, serve};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};
use volley_load::errors::ErrorKind;
use volley_load::slice::{Outcome, Plan};
use volley_load::target::Target;
use volley_net::IoChoice;

/// The outcome of the one request of one connection to a server that does `misdeed` with it.
fn comes_to(
    io: IoChoice,
    body: &[u8],
    misdeed: impl Fn(Conversation) + Send + Sync + 'static,
    expected: Option<ErrorKind>,
) -> Outcome {
    let books = book(&request(body), Some(BODY), 1);
    let target = Target { connections: 1, books, ..target(serve(misdeed)) };
    let outcome = load(io, target, &requests(1));
    let tally = &outcome.tally;
    let right = u64::from(expected.is_none());
    assert_eq!(errors(&outcome), expected.map(|kind| (kind, 1)).into_iter().collect::<Vec<_>>());
    assert_eq!((tally.requests_all, tally.misses), (right, 1 - right));
    outcome
}

fn kind_of(end: Close) -> ErrorKind {
    match end {
        Close::Fin => ErrorKind::EarlyClose,
        Close::Reset => ErrorKind::Reset,
    }
}

#[test]
fn before_the_request_is_read() {
    both_ways(|io| {
        for end in [Close::Fin, Close::Reset] {
            let misdeed = move |conversation: Conversation| {
                conversation.await_bytes();
                conversation.close(end);
            };
            comes_to(io, b"", misdeed, Some(kind_of(end)));
        }
    });
}

#[test]
fn within_a_request_that_is_still_being_sent() {
    both_ways(|io| {
        // The client may see the end first in writing or in reading.
        for end in [Close::Fin, Close::Reset].repeat(5) {
            let misdeed = move |mut conversation: Conversation| {
                let mut part = vec![0; 100_000];
                conversation.stream.read_exact(&mut part).unwrap();
                conversation.close(end);
            };
            comes_to(io, &vec![b'x'; 4_000_000], misdeed, Some(kind_of(end)));
        }
    });
}

/// The state of the TCP socket with this address, if it is found in the kernel's table, which
/// changes during the reading.
fn tcp_state(address: SocketAddr) -> Option<u8> {
    let SocketAddr::V4(address) = address else { panic!("{address}") };
    let ip = u32::from_le_bytes(address.ip().octets());
    let own = format!("{ip:08X}:{:04X}", address.port());
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    table.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let state = words.next().filter(|&word| word == own).and_then(|_| words.nth(1))?;
        Some(u8::from_str_radix(state, 16).unwrap())
    })
}

/// The states of sockets that are open, or closed by the peer only.
const OURS_TO_CLOSE: [u8; 2] = [0x01, 0x08];

fn await_closed(client: SocketAddr) {
    let until = Instant::now() + Duration::from_secs(20);
    while tcp_state(client).is_none_or(|state| OURS_TO_CLOSE.contains(&state)) {
        assert!(Instant::now() < until, "the refused socket stays open");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// An answer in the middle of an upload.
const REFUSED: &[u8] = b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// The server has answered and closed its side, and reads no more: our socket is closed all the
/// same, and bytes for which it had no room are not sent.
#[test]
fn after_an_answer_to_a_request_that_is_still_being_sent() {
    both_ways(|io| {
        // Also after large answers, of which the second is counted and not read.
        for large in [0, 2] {
            let (refused, first) = channel();
            let (first, length) = (Mutex::new(first), 16_000_000);
            let address = serve(move |mut conversation| {
                if conversation.number == 0 {
                    for _ in 0..large {
                        conversation.next_request();
                        conversation.say(&answer_with(&vec![b'x'; 300_000]));
                    }
                    conversation.await_bytes();
                    conversation.say(REFUSED);
                    conversation.stream.shutdown(Shutdown::Write).unwrap();
                    return refused.send(conversation.stream).unwrap();
                }
                let mut stream = first.lock().unwrap().recv().unwrap();
                let client = stream.peer_addr().unwrap();
                await_closed(client);
                let read = std::io::copy(&mut stream, &mut std::io::sink()).unwrap();
                assert!(read < length as u64, "{read} bytes of a request that was refused");
                conversation.next_request();
                conversation.say(GOOD);
            });
            let books = book(&request(&vec![b'x'; length]), None, 1);
            let request_timeout_ns = 40_000_000_000; // More than the server waits.
            let target = Target { connections: 1, books, request_timeout_ns, ..target(address) };
            let count = 2 + large;
            let outcome = load(io, target, &requests(count));
            assert_eq!(errors(&outcome), [(ErrorKind::Status, 1)]);
            assert_eq!((outcome.tally.requests_all, outcome.tally.misses), (count, 0));
            assert_eq!(outcome.tally.bytes_counted > 0, large > 0);
        }
    });
}

/// No later slice is needed for this.
#[test]
fn after_an_upload_that_was_refused_at_the_end_of_a_slice() {
    both_ways(|io| {
        let (refused, stream) = channel();
        let refused = Mutex::new(refused);
        let address = serve(move |mut conversation| {
            conversation.await_bytes();
            conversation.say(REFUSED);
            conversation.stream.shutdown(Shutdown::Write).unwrap();
            let client = conversation.stream.peer_addr().unwrap();
            let _ = refused.lock().unwrap().send((client, conversation.stream));
        });
        let books = book(&request(&vec![b'x'; 16_000_000]), None, 1);
        let target = Target { connections: 1, books, ..target(address) };
        let mut workers = workers(&size(io), target);
        assert_eq!(errors(&run(&mut workers, &requests(1))), [(ErrorKind::Status, 1)]);
        let (client, _stream) = stream.recv().unwrap();
        await_closed(client);
    });
}

#[test]
fn after_each_part_of_the_answer() {
    both_ways(|io| {
        for (end, length) in [Close::Fin, Close::Reset]
            .into_iter()
            .flat_map(|end| (0..=GOOD.len()).map(move |length| (end, length)))
        {
            let misdeed = move |mut conversation: Conversation| {
                conversation.next_request();
                conversation.say(&GOOD[..length]);
                conversation.close(end);
            };
            let expected = (length < GOOD.len()).then(|| kind_of(end));
            let outcome = comes_to(io, b"", misdeed, expected);
            if expected == Some(ErrorKind::EarlyClose) && length > 0 {
                let detail = outcome.tally.first_bad.unwrap().detail;
                assert!(detail.contains(&format!("after {length} bytes")), "{detail}");
            }
        }
    });
}

/// The number of requests, where connections end at random points.
const COUNT: u64 = 5000;

/// The counts of a server that ends connections at random points.
#[derive(Default)]
struct Deeds {
    /// Requests that it read.
    read: AtomicU64,
    /// Answers that it sent completely, whatever it did then.
    answered: AtomicU64,
    /// Connections that it ended.
    closed: AtomicU64,
    /// Those of them that it ended within an answer, and without a reset.
    cut: AtomicU64,
}

/// Ends connections after some requests: before, within or after the answer.
fn unreliable() -> (SocketAddr, Arc<Deeds>) {
    let deeds = Arc::new(Deeds::default());
    let done = deeds.clone();
    let address = serve(move |mut conversation| {
        let mut random = Random(conversation.number);
        while conversation.next_request().is_some() {
            done.read.fetch_add(1, Ordering::SeqCst);
            let fate = random.below(16);
            let length = if fate < 2 { random.below(GOOD.len()) } else { GOOD.len() };
            let is_whole = u64::from(length == GOOD.len());
            done.answered.fetch_add(is_whole, Ordering::SeqCst);
            if !conversation.say(&GOOD[..length]) {
                return;
            }
            if fate < 4 {
                done.closed.fetch_add(1, Ordering::SeqCst);
                let ends = [Close::Reset, Close::Reset, Close::Reset, Close::Fin];
                let end = ends[random.below(ends.len())];
                let is_cut = u64::from(end == Close::Fin) * (1 - is_whole);
                done.cut.fetch_add(is_cut, Ordering::SeqCst);
                return conversation.close(end);
            }
        }
    });
    (address, deeds)
}

/// Every request that was sent ends as an answer or as an error, and agrees with the server's own
/// count. The server may have answered requests whose answer a reset took away, and a request may
/// have met a connection that was closed a moment ago, but each close explains at most the requests
/// of its connection.
fn every_request_is_accounted_for(io: IoChoice, plan: &Plan, change: impl Fn(Target) -> Target) {
    let (address, deeds) = unreliable();
    let target = change(Target { connections: 16, ..target(address) });
    let (pipeline, per_connection) = (target.pipeline, target.requests_per_connection);
    let outcome = load(io, target, plan);
    let tally = &outcome.tally;
    let kinds = tally.errors.occurred();
    let lost: u64 = kinds.values().sum();
    assert!(
        kinds.keys().all(|kind| [ErrorKind::Reset, ErrorKind::EarlyClose].contains(kind)),
        "{kinds:?}: {:?}",
        tally.first_bad
    );
    assert_eq!((tally.requests_all + lost, tally.misses), (COUNT, lost));
    assert_eq!(tally.latencies.count(), tally.requests_all);
    let [read, answered, closed, cut] = [&deeds.read, &deeds.answered, &deeds.closed, &deeds.cut]
        .map(|count| count.load(Ordering::SeqCst));
    assert!(lost > 0 && closed > 100, "{lost} requests were lost with {closed} connections");
    assert!(tally.requests_all <= answered, "{} of {answered}", tally.requests_all);
    let of_closed = closed * pipeline as u64;
    assert!(answered - tally.requests_all <= of_closed, "{answered}, {closed} closed");
    if per_connection == Some(1) {
        assert_eq!(tally.errors.of(ErrorKind::EarlyClose), cut, "a reset is not a plain end");
    }
    assert!(read <= COUNT && COUNT - read <= of_closed, "{read} read, {closed} closed");
}

#[test]
fn at_random_points() {
    both_ways(|io| every_request_is_accounted_for(io, &requests(COUNT), |target| target));
}

#[test]
fn at_random_points_of_pipelines() {
    let deep = |target| Target { pipeline: 8, ..target };
    both_ways(move |io| every_request_is_accounted_for(io, &requests(COUNT), deep));
}

#[test]
fn at_random_points_of_load_at_a_rate() {
    both_ways(|io| {
        let plan = at_rate(COUNT as f64 * 2.0, 0, 500);
        every_request_is_accounted_for(io, &plan, |target| target);
        every_request_is_accounted_for(io, &plan, |target| Target { pipeline: 8, ..target });
    });
}

#[test]
fn at_random_points_of_connections_for_one_request_each() {
    let single = |target| Target { requests_per_connection: Some(1), ..target };
    both_ways(move |io| {
        for plan in [requests(COUNT), at_rate(COUNT as f64 * 2.0, 0, 500)] {
            every_request_is_accounted_for(io, &plan, single);
        }
    });
}

#[test]
fn while_idle_between_slices() {
    both_ways(|io| {
        let (end, ended) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        let both = (end.clone(), ended.clone());
        let address = serve(move |mut conversation| {
            conversation.next_request();
            conversation.say(GOOD);
            both.0.wait();
            conversation.stream.shutdown(Shutdown::Both).unwrap();
            both.1.wait();
        });
        let mut workers = workers(&size(io), Target { connections: 1, ..target(address) });
        for lost in [0, 1, 1] {
            let outcome = run(&mut workers, &requests(1));
            let tally = &outcome.tally;
            assert_eq!((errors(&outcome), tally.requests_all), (vec![], 1));
            assert_eq!((tally.connects, tally.idle_closed), (lost, lost));
            end.wait();
            ended.wait();
        }
    });
}

#[test]
fn a_server_that_waits_for_our_end_before_it_serves_the_next() {
    both_ways(|io| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let in_vain = Arc::new(AtomicU64::new(0));
        let counted = in_vain.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
                let mut request = [0; 4096];
                if stream.read(&mut request).unwrap_or(0) > 0 {
                    stream.write_all(GOOD).unwrap();
                    stream.shutdown(Shutdown::Write).unwrap();
                    // It lingers, as gunicorn does: no other connection is served until we have
                    // closed.
                    counted
                        .fetch_add(u64::from(stream.read(&mut request).is_err()), Ordering::SeqCst);
                }
            }
        });
        let one_shot =
            Target { connections: 2, requests_per_connection: Some(1), ..target(address) };
        let outcome = load(io, one_shot, &requests(50));
        assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 50));
        assert_eq!(in_vain.load(Ordering::SeqCst), 0);
    });
}
