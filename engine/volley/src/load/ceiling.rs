//! The generator's own limit: the same load on a server that costs nothing.

use super::{request, sealing, target};
use crate::cli::LoadArgs;
use crate::null::{Answers, Null};
use rustix::thread::{CpuSet, sched_getaffinity};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use volley_load::pace::Pace;
use volley_load::scheme::Scheme;
use volley_load::slice::{Outcome, Plan, Wish};
use volley_load::tally::Tally;
use volley_load::workers::{Size, Workers};
use volley_net::clock::{MS, S};
use volley_net::errors::io_words;
use volley_net::{Address, limits};
use volley_tls::Identity;

/// Long enough to settle, short enough for an option.
const RAMP_NS: u64 = 200 * MS;
const DURATION_NS: u64 = 2 * S;

/// The cores for the null server: all that are allowed except `taken`, or all if none is left. To
/// be called before this thread is pinned.
pub(super) fn spare_cpus(taken: &[usize]) -> Vec<usize> {
    let Ok(allowed) = sched_getaffinity(None) else { return Vec::new() };
    let allowed: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu)).collect();
    let spare: Vec<usize> = allowed.iter().copied().filter(|cpu| !taken.contains(cpu)).collect();
    if spare.is_empty() { allowed } else { spare }
}

/// Requests per second that the same number of threads reach on the same number of connections, in
/// closed loop, with answers of the same length as in `run`. The error says why the rate is
/// unknown.
pub(super) fn measure(
    args: &LoadArgs,
    size: &Size,
    run: &Tally,
    server_cpus: &[usize],
    interrupted: &AtomicBool,
) -> Result<f64, String> {
    let length = run.bytes.checked_div(run.requests).unwrap_or_default();
    let book = request::with_any_answer(args)?;
    let body = || vec![b'x'; body_length(length)];
    let answers = match args.scheme() {
        _ if args.url.is_websocket => Answers::WebSocket,
        Scheme::H1 | Scheme::H1Tls => {
            let request_length = Some(book.bytes_of(0).len());
            Answers::Http1 { answer: answer(length, args.connecting.http_1_0), request_length }
        }
        Scheme::H2c | Scheme::H2 => Answers::Http2 { body: body() },
        Scheme::H3 => Answers::Http3 { body: body() },
    };
    let (identity, tls) = if args.scheme().is_tls() {
        let (identity, pem) = Identity::of_its_own()?;
        (Some(identity), sealing::own_config(args, &pem)?)
    } else {
        (None, None)
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let in_words = |error: io::Error| io_words(&error);
    let null = Null::bind(address, answers, identity, size.io).map_err(in_words)?;
    let address = Address::Tcp(null.address().map_err(in_words)?);
    let target = Arc::new(target(args, address, book, tls));
    let stop = AtomicBool::new(false);
    let (outcome, served) = thread::scope(|scope| {
        let server = scope.spawn(|| {
            limits::pin(server_cpus)?;
            null.run(&stop).map_err(in_words)
        });
        let outcome =
            Workers::start(size, &[target]).and_then(|mut workers| load(&mut workers, interrupted));
        stop.store(true, Ordering::Relaxed);
        (outcome, server.join())
    });
    served.map_err(|_| "the null server has died")??;
    let outcome = outcome.map_err(in_words)?;
    if interrupted.load(Ordering::Relaxed) {
        return Err("interrupted".into());
    }
    match outcome.tally.requests {
        0 => Err("the null server got no request".into()),
        requests => Ok(requests as f64 / (outcome.duration_ns() as f64 / S as f64)),
    }
}

fn load(workers: &mut Workers, interrupted: &AtomicBool) -> io::Result<Outcome> {
    let plan = Plan {
        at_ns: None,
        ramp_ns: RAMP_NS,
        duration_ns: Some(DURATION_NS),
        requests: None,
        pace: Pace::Closed,
        intervals: false,
        server_pids: Vec::new(),
    };
    let wish = || if interrupted.load(Ordering::Relaxed) { Wish::Leave } else { Wish::GoOn };
    workers.run(0, &plan, &mut |_| wish())
}

/// An answer of this length, or the shortest possible one. `keeps`: it tells a client of HTTP/1.0
/// that the connection is kept, as it then is.
fn answer(length: u64, keeps: bool) -> Vec<u8> {
    let kept = if keeps { "Connection: keep-alive\r\n" } else { "" };
    let head = |body: u64| format!("HTTP/1.1 200 OK\r\n{kept}Content-Length: {body}\r\n\r\n");
    let mut body = length.saturating_sub(head(length).len() as u64);
    // The body is shorter than the answer, and so may be the number that gives its length.
    while body > 0 && head(body + 1).len() as u64 + body < length {
        body += 1;
    }
    let mut bytes = head(body).into_bytes();
    bytes.resize(bytes.len() + usize::try_from(body).unwrap_or_default(), b'x');
    bytes
}

/// The length of HTTP/2's answer, and nearly that of HTTP/3's record, without its body and the
/// digits of the body's length.
const HTTP2_OVERHEAD: usize = 35;

/// The length of the body of an HTTP/2 answer with about this length in all.
fn body_length(length: u64) -> usize {
    let digits = length.to_string().len();
    usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(HTTP2_OVERHEAD + digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_as_long_as_asked_and_well_framed() {
        for length in [0, 1, 37, 38, 39, 50, 100, 137, 139, 140, 141, 1000, 1040, 1041, 100_000] {
            let answer = answer(length, false);
            let text = String::from_utf8(answer.clone()).unwrap();
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            let said: usize = head.rsplit(' ').next().unwrap().parse().unwrap();
            assert_eq!(said, body.len());
            // Where one more digit would make it one byte too long, it is one byte shorter.
            let got = answer.len() as u64;
            assert!(got == length.max(38) || got + 1 == length, "{got} of {length}");
        }
    }

    #[test]
    fn the_null_server_gets_the_cores_that_are_left() {
        let all = spare_cpus(&[]);
        assert!(!all.is_empty());
        assert_eq!(spare_cpus(&all), all);
        if let [first, others @ ..] = &all[..]
            && !others.is_empty()
        {
            assert_eq!(spare_cpus(&[*first]), others);
        }
    }
}
