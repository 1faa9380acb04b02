//! The engine, run in this process.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use volley::crew::{Crew, Size};
use volley::errors::ErrorKind;
use volley::io::{IoChoice, RingSize};
use volley::pace::Pace;
use volley::schedule::{Process, Profile, Shape, Stage};
use volley::slice::{Outcome, Plan, Wish};
use volley::target::{Address, Route, SocketBuffers, Sources, Target};
use volley_http::{BodyRule, Expectation, Request, StatusRule};
use volley_requests::Book;

/// The right answer's body.
pub const BODY: &[u8] = b"Hello, World!";

/// The right answer.
pub const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!";

/// The deepest pipeline of [`target`].
const DEPTH: usize = 8;

const MS: u64 = 1_000_000;

/// Status 200, and this body or any.
fn expecting(body: Option<&[u8]>) -> Expectation {
    let body = body.map_or(BodyRule::Any, |body| BodyRule::Exactly(body.to_vec()));
    Expectation { body, ..Expectation::of_status(StatusRule::Exactly(200)) }
}

/// One request, again and again, `depth` at a time at most, and the answer to it.
pub fn book(request: &Request, body: Option<&[u8]>, depth: usize) -> Vec<Arc<Book>> {
    vec![Arc::new(Book::of(request, expecting(body), depth).unwrap())]
}

/// A request with a body, or GET without one.
pub fn request(body: &[u8]) -> Request {
    let method = if body.is_empty() { "GET" } else { "POST" };
    let (method, body) = (method.to_owned(), body.to_vec());
    Request { method, path: "/".into(), host: "test".into(), body, ..Request::default() }
}

/// Four connections with one GET at a time, [`BODY`] to come back, ample time.
pub fn target(address: SocketAddr) -> Target {
    Target {
        route: Route {
            address: Address::Tcp(address),
            sources: Sources::System,
            connect_timeout_ns: 5000 * MS,
            buffers: SocketBuffers::default(),
        },
        books: book(&request(b""), Some(BODY), DEPTH),
        connections: 4,
        requests_per_connection: None,
        pipeline: 1,
        request_timeout_ns: 10_000 * MS,
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

/// The threads, with all connections open.
pub fn crew(size: &Size, target: Target) -> Crew {
    let mut crew = Crew::start(size, &[Arc::new(target)]).unwrap();
    let opened = crew.open(0).unwrap();
    assert_eq!(opened.first_bad, None);
    crew
}

/// As much as goes, for so long.
pub fn for_ms(duration_ms: u64) -> Plan {
    Plan {
        ramp_ns: 0,
        duration_ns: Some(duration_ms * MS),
        requests: None,
        pace: Pace::Closed,
        intervals: false,
    }
}

/// As much as goes, until so many requests are done.
pub fn requests(count: u64) -> Plan {
    Plan { duration_ns: None, requests: Some(count), ..for_ms(0) }
}

/// So many requests per second at equal distances, for so long, behind a ramp.
pub fn at_rate(rate: f64, ramp_ms: u64, duration_ms: u64) -> Plan {
    let process = Process {
        rate: level((ramp_ms + duration_ms) * MS, rate),
        shape: Shape::Uniform,
        burst: 1,
        seed: 1,
    };
    Plan { ramp_ns: ramp_ms * MS, pace: Pace::Open(process), ..for_ms(duration_ms) }
}

/// The same level for so long.
pub fn level(duration_ns: u64, level: f64) -> Profile {
    Profile::new(vec![Stage { duration_ns, from: level, to: level }])
}

/// Runs one slice as planned.
pub fn run(crew: &mut Crew, plan: &Plan) -> Outcome {
    crew.run(0, plan, &mut |_| Wish::GoOn).unwrap()
}

/// One slice of a new crew with one thread.
pub fn load(io: IoChoice, target: Target, plan: &Plan) -> Outcome {
    run(&mut crew(&size(io), target), plan)
}

/// How often each kind occurred.
pub fn errors(outcome: &Outcome) -> Vec<(ErrorKind, u64)> {
    outcome.tally.errors.occurred().into_iter().collect()
}
