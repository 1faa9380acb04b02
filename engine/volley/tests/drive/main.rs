//! `volley drive` against small real servers: right counts by kind, and never a hang.

#[macro_use]
#[path = "../common/mod.rs"]
mod common;
mod threads;

use common::driver::{Driver, errors, has_uring, histogram, job};
use common::servers::{self, GOOD};
use common::yardstick::Yardstick;
use std::sync::atomic::Ordering;
use std::time::Duration;
use volley::drive::messages::{ConnectionMode, Event, EventsSpec, HttpVersion, SliceEvent};
use volley_load::errors::ErrorKind;
use volley_net::clock::{MS, now_ns};
use volley_net::{Io, IoChoice};

both_ways! {
    a_good_server,
    answers_that_arrive_in_the_drain_have_their_latency,
    requests_of_the_ramp_have_no_latency,
    answers_that_end_the_connection_are_right_too,
    a_close_announced_after_other_answers_is_no_error,
    wrong_answers_are_counted_and_the_first_is_kept,
    bytes_behind_an_answer_do_not_undo_it,
    a_server_that_never_answers,
    nobody_listens,
    a_server_that_slams_the_door_does_not_make_us_spin,
    a_bad_target_leaves_the_good_one_alone,
    one_connection_per_request,
    requests_in_http_1_0,
    requests_ahead_of_their_answers,
    answers_that_point_elsewhere_are_counted_and_not_followed,
    a_slice_begins_at_the_moment_that_it_is_given,
    events_are_told_apart_from_answers,
}

#[test]
fn auto_is_io_uring_where_it_works() {
    let (_, ready) = Driver::job(job(IoChoice::Auto, &[servers::nobody()]));
    assert_eq!(ready.io, if has_uring() { Io::Uring } else { Io::Epoll });
}

/// The ramp is 5 ms. A moment in the past means now.
fn a_slice_begins_at_the_moment_that_it_is_given(io: IoChoice) {
    let mut job = job(io, &[servers::always(GOOD)]);
    job.threads = 2;
    let (mut driver, _) = Driver::job(job);
    for ahead_ms in [60, 0] {
        let at_ns = now_ns() + ahead_ms * MS;
        let event = driver.slice_at(50, at_ns);
        // If the machine is disturbed, the command is read after that moment.
        assert!(event.start_ns >= at_ns + 5 * MS, "{} ns before", at_ns + 5 * MS - event.start_ns);
        assert!(event.requests > 0 && errors(&event).is_empty());
    }
    let whole = driver.slice(0, 5, 50);
    assert!(whole.start_ns < now_ns());
}

/// One slice of a separate server. On a busy machine a thread may begin some 10 ms late, but each
/// connection is to have its request.
fn slice_of(io: IoChoice, address: std::net::SocketAddr) -> SliceEvent {
    Driver::job(job(io, &[address])).0.slice(0, 0, 200)
}

fn a_good_server(io: IoChoice) {
    let (address, served) = servers::counting(GOOD);
    let (mut driver, ready) = Driver::job(job(io, &[address]));
    let used = if io == IoChoice::Uring { Io::Uring } else { Io::Epoll };
    assert_eq!((ready.protocol, ready.io, ready.threads), (5, used, 1));
    assert_eq!((ready.targets[0].open, &ready.targets[0].error), (4, &None));
    let mut sent = 0;
    for _ in 0..5 {
        let event = driver.slice(0, 5, 100);
        assert_eq!((errors(&event), event.connects, event.idle_closed), (vec![], 0, 0));
        assert_eq!((event.misses, event.redirects), (0, 0));
        assert!(event.requests_all >= 4 && event.bytes >= event.requests.saturating_sub(4) * 51);
        let latencies = histogram(&event.latency);
        assert!(latencies.len() <= event.requests_all);
        assert_eq!(latencies.len(), event.latency_count);
        assert!((event.latency_mean_us * 1e3 - latencies.mean()).abs() <= latencies.mean() * 0.01);
        assert_eq!(event.first_bad, None);
        // Nothing is in flight after a slice: every request has been answered and counted.
        sent += event.requests_all;
        assert_eq!(served.load(Ordering::SeqCst), sent);
    }
    let (status, last) = driver.finish();
    assert!(matches!(last, Some(Event::Done(done)) if done.cpu_ns > 0));
    assert_eq!(status, 0);
}

fn answers_that_arrive_in_the_drain_have_their_latency(io: IoChoice) {
    let server = Yardstick::start("--delay 300ms");
    let (mut driver, _) = Driver::job(job(io, &[server.address]));
    for _ in 0..2 {
        let event = driver.slice(0, 0, 200);
        assert_eq!((event.requests, event.requests_all, errors(&event)), (0, 4, vec![]));
        let latencies = histogram(&event.latency);
        assert_eq!(latencies.len(), 4);
        // Three digits are kept.
        assert!(latencies.min() >= 299_700_000, "{} ns", latencies.min());
        assert!(event.drained_ns - event.start_ns >= 300_000_000);
    }
}

fn requests_of_the_ramp_have_no_latency(io: IoChoice) {
    let server = Yardstick::start("--delay 300ms");
    let (mut driver, _) = Driver::job(job(io, &[server.address]));
    let event = driver.slice(0, 250, 5);
    assert_eq!((event.requests, event.requests_all, histogram(&event.latency).len()), (0, 4, 0));
}

fn answers_that_end_the_connection_are_right_too(io: IoChoice) {
    for answer in [
        b"HTTP/1.1 200 OK\r\n\r\nHello, World!" as &[u8],
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 13\r\n\r\nHello, World!",
        b"HTTP/1.0 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!",
    ] {
        let event = slice_of(io, servers::closing(answer));
        assert_eq!(errors(&event), vec![]);
        assert!(event.requests_all >= 4, "{event:?}");
        // The first four connections are those of the job.
        assert!(event.connects + 4 >= event.requests_all && event.connects <= event.requests_all);
    }
}

fn a_close_announced_after_other_answers_is_no_error(io: IoChoice) {
    let last = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\nConnection: close\r\n\r\nHello, World!";
    let address =
        servers::answering(|nth| [GOOD, GOOD, last].get(nth).map(|answer| answer.to_vec()));
    let event = slice_of(io, address);
    assert_eq!(errors(&event), vec![]);
    assert!(event.requests_all >= 4 && event.connects < event.requests_all, "{event:?}");
}

fn wrong_answers_are_counted_and_the_first_is_kept(io: IoChoice) {
    let wrong_body = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, world!";
    let wrong_length = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello";
    let wrong_status = b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy";
    let differs = "body differs at byte 7: expected \"W\", got \"w\"";
    for (answer, kind, detail) in [
        (wrong_body as &[u8], ErrorKind::MismatchBody, differs),
        (wrong_length, ErrorKind::MismatchLength, "body has 5 bytes, expected 13"),
        (wrong_status, ErrorKind::Status, "status is 503, expected 200"),
    ] {
        let event = slice_of(io, servers::always(answer));
        assert!(event.requests_all > 0 && event.misses == 0);
        assert_eq!(errors(&event), vec![(kind, event.requests_all)]);
        let bad = event.first_bad.unwrap();
        assert_eq!((bad.kind, bad.detail.as_str()), (kind, detail));
        let request = bad.request;
        assert!(request.starts_with(b"GET / HTTP/1.1\r\n") && request.ends_with(b"\r\n\r\n"));
        assert_eq!(bad.response, answer);
    }
}

fn bytes_behind_an_answer_do_not_undo_it(io: IoChoice) {
    let extra = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!\r\n";
    let event = slice_of(io, servers::always(extra));
    assert!(event.requests_all >= 4 && event.misses == 0, "{event:?}");
    assert!(matches!(errors(&event)[..], [(ErrorKind::Malformed, count)] if count >= 4));
}

fn a_server_that_never_answers(io: IoChoice) {
    let mut job = job(io, &[servers::silent()]);
    job.request_timeout_ms = 300;
    let (mut driver, _) = Driver::job(job);
    for _ in 0..2 {
        let event = driver.slice(0, 0, 100);
        assert_eq!((event.requests_all, errors(&event)), (0, vec![(ErrorKind::Timeout, 4)]));
        assert_eq!((event.misses, event.latency_count), (4, 0));
        assert!(event.drained_ns - event.start_ns >= 300_000_000);
    }
}

fn nobody_listens(io: IoChoice) {
    let (mut driver, ready) = Driver::job(job(io, &[servers::nobody()]));
    assert_eq!(ready.targets[0].open, 0);
    assert_eq!(ready.targets[0].error.as_ref().unwrap().kind, ErrorKind::ConnectRefused);
    let event = driver.slice(0, 0, 50);
    assert_eq!(event.requests_all, 0);
    // With pauses of 1, 2, 4… ms, no connection can be refused more than 8 times in 50 ms.
    let refused = event.errors[&ErrorKind::ConnectRefused];
    assert!((4..=32).contains(&refused), "{refused}");
    assert!(event.first_bad.unwrap().detail.ends_with("Connection refused"));
}

fn a_server_that_slams_the_door_does_not_make_us_spin(io: IoChoice) {
    let event = slice_of(io, servers::slamming());
    assert_eq!(event.requests_all, 0);
    let lost: u64 = event.errors.values().sum();
    assert!((4..=60).contains(&lost), "{lost}");
    assert!(event.cpu_ns < 100_000_000, "{} ns of CPU in 200 ms", event.cpu_ns);
}

fn a_bad_target_leaves_the_good_one_alone(io: IoChoice) {
    let bad = [
        servers::nobody(),
        servers::silent(),
        servers::slamming(),
        servers::always(b"garbage\r\n\r\n"),
        servers::closing(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"),
    ];
    let mut job = job(io, &[&bad[..], &[servers::always(GOOD)]].concat());
    job.request_timeout_ms = 1000;
    job.connections = 8;
    let (mut driver, ready) = Driver::job(job);
    assert_eq!(ready.targets[5].open, 8);
    for _ in 0..2 {
        for target in 0..bad.len() {
            let event = driver.slice(target, 0, 100);
            assert_eq!(event.requests_all, 0);
            assert!(!event.errors.is_empty());
            let good = driver.slice(5, 0, 100);
            assert_eq!((errors(&good), good.connects, good.idle_closed), (vec![], 0, 0));
            assert!(good.requests_all >= 8);
        }
    }
    assert_eq!(driver.finish().0, 0);
}

fn one_connection_per_request(io: IoChoice) {
    let mut job = job(io, &[servers::closing(GOOD), servers::always(GOOD), servers::nobody()]);
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
    let event = driver.slice(2, 0, 100);
    assert!(event.requests_all == 0 && event.errors[&ErrorKind::ConnectRefused] > 0);
}

fn requests_in_http_1_0(io: IoChoice) {
    let mut job =
        job(io, &[servers::always(b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n")]);
    job.http = HttpVersion::Http10;
    let bad = Driver::job(job).0.slice(0, 0, 50).first_bad.unwrap();
    let asked = String::from_utf8(bad.request).unwrap();
    assert!(asked.starts_with("GET / HTTP/1.0\r\n"), "{asked}");
    assert!(asked.contains("\r\nConnection: keep-alive\r\n"), "{asked}");
}

fn requests_ahead_of_their_answers(io: IoChoice) {
    let (address, most) = servers::batching(Duration::from_millis(5));
    let mut job = job(io, &[address]);
    job.pipeline = 8;
    let (mut driver, ready) = Driver::job(job);
    assert_eq!(ready.targets[0].open, 4);
    for _ in 0..2 {
        let event = driver.slice(0, 20, 300);
        assert_eq!((errors(&event), event.misses, event.connects), (vec![], 0, 0));
        assert!(event.requests_all >= 4 * 8, "{event:?}");
        assert_eq!(histogram(&event.latency).len(), event.latency_count);
        // Little's law: at most connections times depth are in flight.
        let in_flight = event.in_flight_ns as f64 / (event.end_ns - event.start_ns) as f64;
        assert!(in_flight > 4.0 && in_flight <= 4.0 * 8.0, "{in_flight}");
    }
    assert_eq!(most.load(Ordering::SeqCst), 8);
}

fn answers_that_point_elsewhere_are_counted_and_not_followed(io: IoChoice) {
    let (address, served) = servers::counting(
        b"HTTP/1.1 302 Found\r\nLocation: /else\r\nContent-Length: 13\r\n\r\nHello, World!",
    );
    let mut job = job(io, &[address]);
    job.targets[0].expect.as_mut().unwrap().status = 302;
    let event = Driver::job(job).0.slice(0, 0, 100);
    assert_eq!((errors(&event), event.redirects), (vec![], event.requests));
    assert_eq!(served.load(Ordering::SeqCst), event.requests_all);
}

/// For a stream whose number of events is known, the slice has its figures; for another answer it
/// has none.
fn events_are_told_apart_from_answers(io: IoChoice) {
    let stream =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 27\r\n\r\n\
                   id: 1\ndata: a\n\nid: 2\ndata\n\n";
    let mut job = job(io, &[servers::always(stream), servers::always(GOOD)]);
    let expect = job.targets[0].expect.as_mut().unwrap();
    (expect.body_base64, expect.events) = (None, Some(EventsSpec { count: Some(2) }));
    let (mut driver, _) = Driver::job(job);
    let event = driver.slice(0, 5, 50);
    let events = event.events.clone().unwrap();
    assert!(errors(&event).is_empty() && events.faults.is_empty() && events.open == 0);
    assert_eq!(events.count_all, 2 * event.requests_all);
    assert_eq!(histogram(&events.first).len(), event.latency_count);
    assert!(events.count > 0 && events.count <= events.count_all);
    assert_eq!(driver.slice(1, 5, 50).events, None);
}
