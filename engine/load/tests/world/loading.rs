//! The engine, run in this process.

pub use super::servers::{BODY, GOOD};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use volley_load::errors::ErrorKind;
use volley_load::pace::Pace;
use volley_load::schedule::{Process, Profile, Shape, Stage};
use volley_load::scheme::Scheme;
use volley_load::slice::{Outcome, Plan, Wish};
use volley_load::target::Target;
use volley_load::workers::{Size, Workers};
use volley_net::{Address, IoChoice, RingSize, Route, SocketBuffers, Sources};
use volley_protocol::{BodyRule, Expectation, Request, StatusRule};
use volley_requests::Book;

/// The depth of [`target`]'s pipeline.
const DEPTH: usize = 8;

const MS: u64 = 1_000_000;

/// Expects status 200, and this body or any.
fn expecting(body: Option<&[u8]>) -> Expectation {
    let body = body.map_or(BodyRule::Any, |body| BodyRule::Exactly(body.to_vec()));
    Expectation { body, ..Expectation::of_status(StatusRule::Exactly(200)) }
}

/// One repeated request, `depth` at a time at most, and its answer.
pub fn book(request: &Request, body: Option<&[u8]>, depth: usize) -> Vec<Arc<Book>> {
    vec![Arc::new(Book::of(request, expecting(body), depth).unwrap())]
}

/// A request with a body, or GET without one.
pub fn request(body: &[u8]) -> Request {
    let method = if body.is_empty() { "GET" } else { "POST" };
    let (method, body) = (method.to_owned(), body.to_vec().into());
    Request { method, path: "/".into(), host: "test".into(), body, ..Request::default() }
}

/// Four connections with one GET at a time, [`BODY`] as the answer, ample time.
pub fn target(address: SocketAddr) -> Target {
    Target {
        route: Route {
            address: Address::Tcp(address),
            sources: Sources::System,
            connect_timeout_ns: 5000 * MS,
            buffers: SocketBuffers::default(),
            delays_acks: false,
        },
        scheme: Scheme::H1,
        tls: None,
        books: book(&request(b""), Some(BODY), DEPTH),
        connections: 4,
        room: None,
        first_room: 0,
        held: 0,
        requests_per_connection: None,
        pipeline: 1,
        request_timeout_ns: 10_000 * MS,
        counts_bodies: true,
    }
}

/// The same on a Unix socket.
pub fn unix_target(path: &Path) -> Target {
    let mut target = target(([127, 0, 0, 1], 0).into());
    target.route.address = Address::Unix(path.to_owned());
    target
}

/// One thread.
pub fn size(io: IoChoice) -> Size {
    Size { threads: 1, cpus: vec![], io, ring: RingSize::default() }
}

/// Starts the threads and opens all connections.
pub fn workers(size: &Size, target: Target) -> Workers {
    let mut workers = Workers::start(size, &[Arc::new(target)]).unwrap();
    let opened = workers.open(0).unwrap();
    assert_eq!(opened.first_bad, None);
    workers
}

/// As fast as possible, for this long.
pub fn for_ms(duration_ms: u64) -> Plan {
    Plan {
        at_ns: None,
        ramp_ns: 0,
        duration_ns: Some(duration_ms * MS),
        requests: None,
        pace: Pace::Closed,
        intervals: false,
        server_pids: Vec::new(),
    }
}

/// As fast as possible, until this many requests are done.
pub fn requests(count: u64) -> Plan {
    Plan { duration_ns: None, requests: Some(count), ..for_ms(0) }
}

/// Requests at equal intervals, after a ramp.
pub fn at_rate(rate: f64, ramp_ms: u64, duration_ms: u64) -> Plan {
    let process = Process {
        rate: level((ramp_ms + duration_ms) * MS, rate),
        shape: Shape::Uniform,
        burst: 1,
        seed: 1,
        phase: 0.5,
    };
    Plan { ramp_ns: ramp_ms * MS, pace: Pace::Open(process), ..for_ms(duration_ms) }
}

/// A constant level for this long.
pub fn level(duration_ns: u64, level: f64) -> Profile {
    Profile::new(vec![Stage { duration_ns, from: level, to: level }])
}

/// Runs one slice as planned.
pub fn run(workers: &mut Workers, plan: &Plan) -> Outcome {
    workers.run(0, plan, &mut |_| Wish::GoOn).unwrap()
}

/// Runs one slice with new workers of one thread.
pub fn load(io: IoChoice, target: Target, plan: &Plan) -> Outcome {
    run(&mut workers(&size(io), target), plan)
}

/// How often each kind occurred.
pub fn errors(outcome: &Outcome) -> Vec<(ErrorKind, u64)> {
    outcome.tally.errors.occurred().into_iter().collect()
}
