//! `volley drive` with the requests of a file: the figures of each.

#[macro_use]
mod common;

use common::conversations::answer_with;
use common::driver::{Driver, errors, job, mix, parts};
use common::servers::{self, GOOD};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use volley::drive::messages::{ConnectionMode, Job};
use volley_load::errors::ErrorKind;
use volley_load::schedule::Shape::Uniform;
use volley_net::IoChoice;
use volley_protocol::{Expectation, StatusRule, Version};
use volley_requests::{DRAWN, Defaults, RequestFile};

both_ways! {
    each_request_has_its_part,
    they_are_sent_as_they_were_drawn,
    rows_of_a_data_file_are_one_request,
    what_goes_wrong_goes_wrong_with_its_request,
    requests_that_were_sent_ahead_are_lost_each_for_itself,
    connections_that_carry_one_request,
    nobody_listens_to_any_of_them,
    what_is_never_sent_is_missed_by_what_comes_next,
    open_loops_count_from_the_time_when_a_request_was_due,
}

/// The same job with the requests of a file that no other test has.
fn named(job: Job, name: &str, requests: &str) -> Job {
    let io = job.io;
    mix(job, &format!("{name}-{io:?}.toml"), requests)
}

/// Two requests of which the first comes three times as often, and a third.
const SHOP: &str = "[[request]]\nname = \"search\"\nweight = 3\npath = \"/search\"\n\
                    expect.body = \"search\"\n\
                    [[request]]\npath = \"/item\"\nexpect.body = \"item\"\n\
                    [[request]]\nmethod = \"PUT\"\npath = \"/cart\"\nbody = \"x\"\n\
                    expect.status = 201\n";

fn shop(path: &str) -> Vec<u8> {
    match path {
        "/cart" => b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n".to_vec(),
        path => answer_with(&path.as_bytes()[1..]),
    }
}

fn kinds(part: &BTreeMap<ErrorKind, u64>) -> Vec<ErrorKind> {
    part.keys().copied().collect()
}

fn each_request_has_its_part(io: IoChoice) {
    for (threads, pipeline) in [(1, 1), (2, 1), (1, 8)] {
        let (address, asked) = servers::routing(|path| Some(shop(path)));
        let plain = Job { threads, pipeline, ..job(io, &[address]) };
        let (mut driver, ready) = Driver::job(named(plain, "shop", SHOP));
        let names = ["search", "GET /item", "PUT /cart"].map(str::to_owned);
        assert_eq!(ready.targets[0].requests, Some(names.to_vec()));
        for ramp_ms in [0, 0, 50] {
            asked.lock().unwrap().clear();
            let event = driver.slice(0, ramp_ms, 100);
            assert_eq!((errors(&event), event.misses), (vec![], 0), "{:?}", event.first_bad);
            let counts: Vec<u64> = parts(&event, 0).iter().map(|part| part.latency_count).collect();
            if ramp_ms > 0 {
                continue;
            }
            // Without a ramp all requests belong to the window.
            let asked = asked.lock().unwrap();
            let of = |path| asked.iter().filter(|asked| *asked == path).count() as u64;
            assert_eq!(counts, [of("/search"), of("/item"), of("/cart")]);
        }
    }
}

fn they_are_sent_as_they_were_drawn(io: IoChoice) {
    let (address, asked) = servers::routing(|path| Some(shop(path)));
    let plain = Job { connections: 1, ..job(io, &[address]) };
    let drawn = named(plain, "drawn", SHOP);
    let requests = drawn.targets[0].requests.clone().unwrap();
    let defaults = Defaults {
        host: requests.host,
        version: Version::Http11,
        close: false,
        proxied: false,
        headers: Vec::new(),
        expectation: Expectation::of_status(StatusRule::Below(400)),
    };
    let file = RequestFile::read(&requests.file).unwrap();
    let book = file.book(&defaults, requests.seed, DRAWN, 1).unwrap();
    let event = Driver::job(drawn).0.slice(0, 0, 100);
    parts(&event, 0);
    let asked = asked.lock().unwrap();
    assert!(!asked.is_empty());
    for (number, path) in asked.iter().enumerate() {
        let path_drawn = ["/search", "/item", "/cart"][book.entry(number % book.cycle())];
        assert_eq!(path, path_drawn, "request {number}");
    }
}

fn rows_of_a_data_file_are_one_request(io: IoChoice) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("items.csv"), "id\n1\n2\n3\n").unwrap();
    let text = "data = \"items.csv\"\norder = \"sequential\"\n[[request]]\npath = \"/{{id}}\"\n";
    let (address, asked) = servers::routing(|_| Some(GOOD.to_vec()));
    let plain = Job { connections: 1, ..job(io, &[address]) };
    let (mut driver, ready) = Driver::job(named(plain, "rows", text));
    assert_eq!(ready.targets[0].requests, Some(vec!["GET /{{id}}".to_owned()]));
    let parts = parts(&driver.slice(0, 0, 50), 0);
    let asked = asked.lock().unwrap();
    assert_eq!((parts.len(), parts[0].latency_count), (1, asked.len() as u64));
    for (path, expected) in asked.iter().zip(["/1", "/2", "/3"].iter().cycle()) {
        assert_eq!(path, expected);
    }
}

const WRONG: &str = "[[request]]\npath = \"/right\"\n[[request]]\npath = \"/status\"\n\
                     [[request]]\npath = \"/body\"\nexpect.body = \"BODY\"\n\
                     [[request]]\npath = \"/close\"\n";

fn wrong(path: &str) -> Option<Vec<u8>> {
    match path {
        "/status" => Some(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec()),
        "/close" => None,
        path => Some(answer_with(&path.as_bytes()[1..])),
    }
}

fn what_goes_wrong_goes_wrong_with_its_request(io: IoChoice) {
    let (address, _) = servers::routing(wrong);
    let (mut driver, _) = Driver::job(named(job(io, &[address]), "wrong", WRONG));
    // Until each was requested, even on a slow machine.
    let mut seen = [0; 4];
    while seen.contains(&0) {
        let parts = parts(&driver.slice(0, 0, 200), 0);
        assert_eq!(kinds(&parts[0].errors), []);
        for (part, kind) in
            parts.iter().zip([None, Some(ErrorKind::Status), Some(ErrorKind::MismatchBody)])
        {
            assert_eq!(part.misses, 0);
            if let Some(kind) = kind {
                let all = part.errors.get(&kind).copied().unwrap_or_default();
                assert_eq!((all, part.errors.len()), (part.latency_count, usize::from(all > 0)));
            }
        }
        let close = &parts[3];
        let closed = close.errors.get(&ErrorKind::EarlyClose).copied().unwrap_or_default();
        assert_eq!((close.requests, close.latency_count, close.misses), (0, 0, closed));
        for (seen, part) in seen.iter_mut().zip(&parts) {
            *seen += part.requests + part.misses;
        }
    }
}

fn requests_that_were_sent_ahead_are_lost_each_for_itself(io: IoChoice) {
    let (address, _) = servers::routing(wrong);
    let plain = Job { pipeline: 8, ..job(io, &[address]) };
    let (mut driver, _) = Driver::job(named(plain, "ahead", WRONG));
    let mut lost = 0;
    while lost == 0 {
        let parts = parts(&driver.slice(0, 0, 200), 0);
        // Requests behind one that closes the connection are lost with it.
        lost = parts[0].misses;
        for part in &parts {
            let closed = part.errors.get(&ErrorKind::EarlyClose).copied().unwrap_or_default();
            let reset = part.errors.get(&ErrorKind::Reset).copied().unwrap_or_default();
            assert_eq!(part.misses, closed + reset);
        }
    }
}

fn connections_that_carry_one_request(io: IoChoice) {
    let (address, _) = servers::routing(wrong);
    let plain = Job { connection: ConnectionMode::Close, ..job(io, &[address]) };
    let (mut driver, _) = Driver::job(named(plain, "close", WRONG));
    let event = driver.slice(0, 0, 200);
    let parts = parts(&event, 0);
    assert_eq!(parts[3].misses, event.misses);
    assert_eq!(kinds(&parts[0].errors), []);
}

fn nobody_listens_to_any_of_them(io: IoChoice) {
    let plain = job(io, &[servers::nobody()]);
    // Connections that are opened ahead belong to no request; those that carry one request belong
    // to it.
    let event = Driver::job(named(plain.clone(), "nobody", SHOP)).0.slice(0, 0, 50);
    let refused = event.errors[&ErrorKind::ConnectRefused];
    parts(&event, refused);
    let short = Job { connection: ConnectionMode::Close, ..plain };
    let event = Driver::job(named(short, "nobody-short", SHOP)).0.slice(0, 0, 50);
    let parts = parts(&event, 0);
    assert!(event.misses >= 4 && parts[0].misses > 0, "{parts:?}");
}

fn what_is_never_sent_is_missed_by_what_comes_next(io: IoChoice) {
    let plain = Job { request_timeout_ms: 300, ..job(io, &[servers::silent()]) };
    let event = Driver::job(named(plain, "unsent", SHOP)).0.open_slice(200, 500.0, Uniform, 1);
    let parts = parts(&event, 0);
    assert!(event.unsent > 0 && parts.iter().all(|part| part.misses > 0), "{parts:?}");
    assert!(parts[0].misses > parts[1].misses, "{parts:?}");
}

fn open_loops_count_from_the_time_when_a_request_was_due(io: IoChoice) {
    // The one connection waits for /item, and so do the due requests after it.
    let (address, _) = servers::routing(|path| {
        if path == "/item" {
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(shop(path))
    });
    let plain = Job { connections: 1, ..job(io, &[address]) };
    let (mut driver, _) = Driver::job(named(plain, "open", SHOP));
    let event = driver.open_slice(400, 100.0, Uniform, 1);
    assert_eq!((errors(&event), event.misses), (vec![], 0));
    let parts = parts(&event, 0);
    assert!(parts[1].latency_mean_us >= 20_000.0, "{parts:?}");
    assert!((39..=41).contains(&event.latency_count), "{event:?}");
}
