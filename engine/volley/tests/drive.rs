//! `volley drive` against small real servers: right counts by kind, and never a hang.

mod common;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::driver::{Driver, errors, job, latencies};
use common::servers::{self, GOOD};
use std::sync::atomic::Ordering;
use std::time::Duration;
use volley::errors::ErrorKind;
use volley::protocol::{ConnectionMode, Event, SliceEvent};

/// One slice of a server on its own, 50 ms.
fn slice_of(address: std::net::SocketAddr) -> SliceEvent {
    Driver::job(job(&[address])).0.slice(0, 0, 50)
}

#[test]
fn a_good_server() {
    let (address, served) = servers::counting(GOOD);
    let (mut driver, ready) = Driver::job(job(&[address]));
    assert_eq!((ready.protocol, ready.io.as_str(), ready.targets[0].open), (1, "epoll", 4));
    assert_eq!(ready.targets[0].error, None);
    let mut sent = 0;
    for _ in 0..5 {
        let event = driver.slice(0, 5, 40);
        assert_eq!((errors(&event), event.connects, event.idle_closed), (vec![], 0, 0));
        assert!(event.requests_all >= 4 && event.bytes >= event.requests.saturating_sub(4) * 51);
        let latencies = latencies(&event);
        assert!(latencies.len() <= event.requests_all);
        assert_eq!(latencies.len(), event.latency_count);
        assert!((event.latency_mean_us * 1e3 - latencies.mean()).abs() <= latencies.mean() * 0.01);
        assert_eq!(event.first_bad, None);
        // Nothing is in flight after a slice: what was sent has been answered and counted.
        sent += event.requests_all;
        assert_eq!(served.load(Ordering::SeqCst), sent);
    }
    let (status, last) = driver.finish();
    assert!(matches!(last, Some(Event::Done(done)) if done.cpu_ns > 0));
    assert_eq!(status, 0);
}

#[test]
fn answers_that_arrive_in_the_drain_have_their_latency() {
    let (mut driver, _) = Driver::job(job(&[servers::slow(Duration::from_millis(50))]));
    for _ in 0..3 {
        let event = driver.slice(0, 0, 20);
        assert_eq!((event.requests, event.requests_all, errors(&event)), (0, 4, vec![]));
        let latencies = latencies(&event);
        assert_eq!(latencies.len(), 4);
        assert!(latencies.min() >= 49_900_000, "{} ns", latencies.min());
        assert!(event.drained_ns - event.start_ns >= 50_000_000);
    }
}

#[test]
fn requests_of_the_ramp_have_no_latency() {
    let (mut driver, _) = Driver::job(job(&[servers::slow(Duration::from_millis(300))]));
    let event = driver.slice(0, 250, 5);
    assert_eq!((event.requests, event.requests_all, latencies(&event).len()), (0, 4, 0));
}

#[test]
fn right_answers_in_any_framing() {
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
        6;x=y\r\nHello,\r\n7\r\n World!\r\n0\r\nTrailer: x\r\n\r\n";
    let interim = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n\
        HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!";
    for address in [
        servers::always(chunked),
        servers::always(interim),
        servers::dribbling(GOOD),
        servers::dribbling(chunked),
    ] {
        let event = slice_of(address);
        assert_eq!((errors(&event), event.connects), (vec![], 0));
        assert!(event.requests_all >= 4);
    }
}

#[test]
fn answers_that_end_the_connection_are_right_too() {
    for answer in [
        b"HTTP/1.1 200 OK\r\n\r\nHello, World!" as &[u8],
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 13\r\n\r\nHello, World!",
        b"HTTP/1.0 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!",
    ] {
        let event = slice_of(servers::closing(answer));
        assert_eq!(errors(&event), vec![]);
        assert!(event.requests_all >= 4, "{event:?}");
        // The first four connections are those of the job.
        assert!(event.connects + 4 >= event.requests_all && event.connects <= event.requests_all);
    }
}

#[test]
fn wrong_answers_are_counted_and_the_first_is_kept() {
    let wrong_body = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, world!";
    let wrong_status = b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy";
    for (answer, kind, detail) in [
        (
            wrong_body as &[u8],
            ErrorKind::Mismatch,
            "body differs at byte 7: expected \"W\", got \"w\"",
        ),
        (wrong_status, ErrorKind::Status, "status is 503, expected 200"),
    ] {
        let event = slice_of(servers::always(answer));
        assert!(event.requests_all > 0);
        assert_eq!(errors(&event), vec![(kind, event.requests_all)]);
        let bad = event.first_bad.unwrap();
        assert_eq!((bad.kind, bad.detail.as_str()), (kind, detail));
        let bytes = STANDARD.decode(bad.response_base64);
        assert_eq!(bytes.unwrap(), answer);
    }
}

#[test]
fn bytes_that_are_no_answer() {
    let extra = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!\r\n";
    for answer in [b"220 mail.example ESMTP\r\n" as &[u8], b"HTTP/1.1 200 OK\r\nno\r\n\r\n", extra]
    {
        let event = slice_of(servers::always(answer));
        assert_eq!(event.requests_all, 0);
        assert!(matches!(errors(&event)[..], [(ErrorKind::Malformed, count)] if count >= 4));
    }
}

#[test]
fn a_server_that_closes_now_and_then() {
    let announced =
        b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\nConnection: close\r\n\r\nHello, World!";
    let event = slice_of(servers::answering(move |nth| match nth {
        0 | 1 => Some(GOOD.to_vec()),
        2 => Some(announced.to_vec()),
        _ => None,
    }));
    assert_eq!(errors(&event), vec![]);
    assert!(event.requests_all >= 4);
    // Without a word: a request may be on its way when the connection ends.
    let address = servers::answering(|nth| (nth < 2).then(|| GOOD.to_vec()));
    let event = Driver::job(job(&[address])).0.slice(0, 0, 500);
    assert!(event.requests_all >= 4);
    let kinds: Vec<_> = event.errors.keys().copied().collect();
    let lost = [ErrorKind::EarlyClose, ErrorKind::Reset];
    assert!(!kinds.is_empty() && kinds.iter().all(|kind| lost.contains(kind)), "{kinds:?}");
}

#[test]
fn a_server_that_closes_within_an_answer() {
    let event = slice_of(servers::closing(b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHel"));
    assert_eq!(event.requests_all, 0);
    assert!(event.errors[&ErrorKind::EarlyClose] >= 4);
    assert!(event.first_bad.unwrap().detail.contains("after 42 bytes"));
}

#[test]
fn a_server_that_never_answers() {
    let mut job = job(&[servers::silent()]);
    job.request_timeout_ms = 100;
    let (mut driver, _) = Driver::job(job);
    for _ in 0..2 {
        let event = driver.slice(0, 0, 20);
        assert_eq!((event.requests_all, errors(&event)), (0, vec![(ErrorKind::Timeout, 4)]));
        assert!(event.drained_ns - event.start_ns >= 100_000_000);
    }
}

#[test]
fn nobody_listens() {
    let (mut driver, ready) = Driver::job(job(&[servers::nobody()]));
    assert_eq!(ready.targets[0].open, 0);
    assert_eq!(ready.targets[0].error.as_ref().unwrap().kind, ErrorKind::ConnectRefused);
    let event = driver.slice(0, 0, 50);
    assert_eq!(event.requests_all, 0);
    // With pauses of 1, 2, 4… ms, no connection can be refused more than 8 times in 50 ms.
    let refused = event.errors[&ErrorKind::ConnectRefused];
    assert!((4..=32).contains(&refused), "{refused}");
    assert!(event.first_bad.unwrap().detail.ends_with("Connection refused"));
}

#[test]
fn a_server_that_slams_the_door_does_not_make_us_spin() {
    let (mut driver, _) = Driver::job(job(&[servers::slamming()]));
    let event = driver.slice(0, 0, 200);
    assert_eq!(event.requests_all, 0);
    let lost: u64 = event.errors.values().sum();
    assert!((4..=60).contains(&lost), "{lost}");
    assert!(event.cpu_ns < 100_000_000, "{} ns of CPU in 200 ms", event.cpu_ns);
}

#[test]
fn connections_closed_while_idle_are_opened_again() {
    let address = servers::impatient(Duration::from_millis(250));
    let (mut driver, ready) = Driver::job(job(&[address]));
    assert_eq!(ready.targets[0].open, 4);
    for _ in 0..2 {
        std::thread::sleep(Duration::from_millis(800));
        let event = driver.slice(0, 5, 20);
        assert_eq!((event.idle_closed, event.connects, errors(&event)), (4, 4, vec![]));
        assert!(event.requests_all >= 4);
    }
}

#[test]
fn a_bad_target_leaves_the_good_one_alone() {
    let bad = [
        servers::nobody(),
        servers::silent(),
        servers::slamming(),
        servers::always(b"garbage\r\n\r\n"),
        servers::closing(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"),
    ];
    let mut job = job(&[&bad[..], &[servers::always(GOOD)]].concat());
    job.request_timeout_ms = 1000;
    job.connections = 8;
    let (mut driver, ready) = Driver::job(job);
    assert_eq!(ready.targets[5].open, 8);
    for _ in 0..2 {
        for target in 0..bad.len() {
            let event = driver.slice(target, 0, 20);
            assert_eq!(event.requests_all, 0);
            assert!(!event.errors.is_empty());
            let good = driver.slice(5, 0, 20);
            assert_eq!((errors(&good), good.connects, good.idle_closed), (vec![], 0, 0));
            assert!(good.requests_all >= 8);
        }
    }
    assert_eq!(driver.finish().0, 0);
}

#[test]
fn one_connection_per_request() {
    let mut job = job(&[servers::closing(GOOD), servers::always(GOOD), servers::nobody()]);
    job.connection = ConnectionMode::Close;
    let (mut driver, ready) = Driver::job(job);
    let open: Vec<u64> = ready.targets.iter().map(|target| target.open).collect();
    assert_eq!(open, [1, 1, 0]);
    for target in [0, 1, 0, 1] {
        let event = driver.slice(target, 5, 300);
        assert_eq!((errors(&event), event.idle_closed), (vec![], 0));
        assert!(event.requests_all >= 4);
        assert_eq!(event.connects, event.requests_all);
    }
    let event = driver.slice(2, 0, 20);
    assert!(event.requests_all == 0 && event.errors[&ErrorKind::ConnectRefused] >= 4);
}

#[test]
fn bodies_larger_than_any_buffer() {
    let body = vec![b'x'; 3_000_000];
    let mut answer = b"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n".to_vec();
    answer.extend_from_slice(&body);
    let mut job = job(&[servers::answering(move |_| Some(answer.clone()))]);
    job.targets[0].request.method = "POST".into();
    job.targets[0].request.body_base64 = STANDARD.encode(&body);
    job.targets[0].expect.body_base64 = Some(STANDARD.encode(&body));
    let event = Driver::job(job).0.slice(0, 0, 20);
    assert_eq!(errors(&event), vec![]);
    assert!(event.requests_all >= 4);
}
