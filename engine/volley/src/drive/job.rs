//! Checks a job and turns it into targets.

use crate::drive::at_least_1;
use crate::drive::core_state::core_state;
use crate::drive::messages::{
    ConnectionMode, EventsSpec, ExpectSpec, HeldSpec, HttpVersion, Job, PROTOCOL, RequestSpec,
    RequestsSpec, TargetSpec, TlsSpec, WebSocketSpec,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::sync::Arc;
use volley_load::scheme::Scheme;
use volley_load::target::Target;
use volley_net::clock::MS;
use volley_net::{Address, Route, SocketBuffers, Sources, limits};
use volley_protocol::events::RightEvents;
use volley_protocol::ws::Message;
use volley_protocol::{BodyRule, Expectation, Request, StatusRule, Version, grpc};
use volley_requests::{Book, DRAWN, Defaults, RequestFile};
use volley_tls::Config;

/// Checks whether the job is possible. Pins this thread, and those that it will start, to the job's
/// cores.
pub(super) fn check(job: &Job) -> Result<(), String> {
    let Job { threads, connections, pipeline, .. } = *job;
    if job.protocol != PROTOCOL {
        let got = job.protocol;
        return Err(format!("`protocol` is {got}, but this engine speaks {PROTOCOL}"));
    }
    if job.targets.is_empty() {
        return Err("`targets` is empty: there must be one at least".to_owned());
    }
    at_least_1("connections", connections as u64)?;
    at_least_1("threads", threads as u64)?;
    if threads > connections {
        return Err(format!(
            "`threads` is {threads}, but must be at most {connections}, one for each connection"
        ));
    }
    at_least_1("pipeline", pipeline as u64)?;
    if pipeline > 1 && closes(job) {
        return Err(format!(
            "`pipeline` is {pipeline}, but must be 1 where `connection` is `close`: a connection \
             carries one request"
        ));
    }
    if pipeline > 1 && job.http == HttpVersion::Http10 {
        return Err(format!("`pipeline` is {pipeline}, but must be 1 where `http` is `1.0`"));
    }
    at_least_1("streams", job.streams as u64)?;
    if job.streams > 1 && closes(job) {
        return Err(format!(
            "`streams` is {}, but must be 1 where `connection` is `close`: a connection carries one \
             request",
            job.streams
        ));
    }
    at_least_1("connect_timeout_ms", job.connect_timeout_ms)?;
    at_least_1("request_timeout_ms", job.request_timeout_ms)?;
    let held = job.targets.iter().filter_map(|target| target.held.as_ref());
    let most = held.map(|held| held.streams).max().unwrap_or(0);
    limits::check_open_files(job.targets.len(), connections.saturating_add(most), closes(job))?;
    // Each core is checked, since each thread will be on one of them: the system accepts a list of
    // which only some are available.
    job.cpus.iter().try_for_each(|&cpu| limits::pin(&[cpu]))?;
    if let Some(cpu) = job.fixed_work_cpu {
        let renamed = |wrong: String| wrong.replacen("`cpus`", "`fixed_work_cpu`", 1);
        core_state(cpu, &[]).map_err(|wrong| renamed(wrong.to_string()))?;
    }
    limits::pin(&job.cpus)
}

/// The job's targets, in their order.
pub(super) fn targets(job: &Job) -> Result<Vec<Arc<Target>>, String> {
    let numbered = job.targets.iter().enumerate();
    numbered
        .map(|(index, spec)| match target(job, spec) {
            Ok(target) => Ok(Arc::new(target)),
            Err(wrong) => Err(format!("targets[{index}] ({}): {wrong}", spec.name)),
        })
        .collect()
}

fn target(job: &Job, spec: &TargetSpec) -> Result<Target, String> {
    let address = spec.address.parse().map_err(|_| {
        let got = &spec.address;
        format!("`address` is {got:?}, but must be numeric, like 127.0.0.1:8080 or [::1]:8080")
    });
    let address = Address::Tcp(address?);
    let scheme = spec.protocol;
    if scheme.has_streams() && job.http == HttpVersion::Http10 {
        return Err(format!("`protocol` is {}, but `http` is 1.0", scheme.name()));
    }
    let tls = tls(scheme, spec.tls.as_ref())?;
    let depth = if scheme.has_streams() { job.streams } else { job.pipeline };
    let book = book(job, spec, depth)?;
    let book = match &spec.held {
        Some(held) => hold(job, spec, held, book)?,
        None => book,
    };
    let websocket = spec.websocket.as_ref();
    let room = websocket.and_then(|websocket| websocket.room);
    if let Some(size) = room {
        check_room(job, size)?;
    }
    Ok(Target {
        route: Route {
            sources: Sources::of(&address, !closes(job)),
            address,
            connect_timeout_ns: job.connect_timeout_ms.saturating_mul(MS),
            buffers: SocketBuffers::default(),
            delays_acks: false,
        },
        scheme,
        tls,
        books: vec![Arc::new(book)],
        connections: job.connections,
        room,
        first_room: websocket.map_or(0, |websocket| websocket.first_room),
        held: spec.held.as_ref().map_or(0, |held| held.streams),
        requests_per_connection: closes(job).then_some(1),
        pipeline: depth,
        request_timeout_ns: job.request_timeout_ms.saturating_mul(MS),
        counts_bodies: false,
    })
}

/// Checks whether the job's connections are rooms of this size.
fn check_room(job: &Job, size: usize) -> Result<(), String> {
    at_least_1("websocket.room", size as u64)?;
    let Job { connections, threads, .. } = *job;
    if !connections.is_multiple_of(size) || connections / size < threads {
        return Err(format!(
            "`websocket.room` is {size}, but {connections} connections and {threads} threads must be \
             whole rooms, one or more for each thread"
        ));
    }
    if job.pipeline > 1 || closes(job) {
        return Err(
            "`websocket.room` is there: `pipeline` must be 1, and `connection` keep-alive".into()
        );
    }
    Ok(())
}

/// The same book with the request of the held streams.
fn hold(job: &Job, spec: &TargetSpec, held: &HeldSpec, book: Book) -> Result<Book, String> {
    at_least_1("held.streams", held.streams as u64)?;
    let name = spec.protocol.name();
    if spec.protocol == Scheme::H3 {
        return Err(format!("`held` is for HTTP/1 and HTTP/2, but `protocol` is {name}"));
    }
    if spec.websocket.is_some() || closes(job) {
        return Err("`held` is there: `connection` must be keep-alive, and `websocket` null".into());
    }
    if held.expect.events.is_none() {
        return Err("`held.expect.events` is missing: held streams are streams of events".into());
    }
    let request = request(job, &held.request)?;
    let expectation = expectation(&held.expect, spec.protocol)?;
    book.holding(request, expectation).map_err(|error| format!("held.request: {error}"))
}

fn version(job: &Job) -> Version {
    match job.http {
        HttpVersion::Http10 => Version::Http10,
        HttpVersion::Http11 => Version::Http11,
    }
}

fn request(job: &Job, spec: &RequestSpec) -> Result<Request, String> {
    Ok(Request {
        method: spec.method.clone(),
        path: spec.path.clone(),
        host: spec.host.clone(),
        headers: spec.headers.clone(),
        body: decode("request.body_base64", &spec.body_base64)?.into(),
        close: closes(job),
        version: version(job),
        ..Request::default()
    })
}

/// The requests: one, or those of a file.
fn book(job: &Job, spec: &TargetSpec, depth: usize) -> Result<Book, String> {
    let version = version(job);
    let wrong = |error| format!("request: {error}");
    match (&spec.request, &spec.expect, &spec.requests, &spec.websocket) {
        (Some(asked), Some(expect), None, None) => {
            Book::of(&request(job, asked)?, expectation(expect, spec.protocol)?, depth)
                .map_err(wrong)
        }
        (Some(asked), None, None, Some(websocket)) => {
            let message = Some(message(websocket, spec.protocol, version)?);
            let upgrade = Request { message, close: false, ..request(job, asked)? };
            if upgrade.method != "GET" || !upgrade.body.is_empty() {
                return Err("`request` must be a GET without a body where `websocket` is".into());
            }
            Book::of_messages(&upgrade, websocket.room.is_some(), 0, depth).map_err(wrong)
        }
        (None, None, Some(RequestsSpec { file, host, seed }), None) => {
            let defaults = Defaults { version, close: closes(job), ..Defaults::of(host) };
            RequestFile::read(file)
                .and_then(|file| file.book(&defaults, *seed, DRAWN, depth))
                .map_err(|error| format!("requests: {error}"))
        }
        _ => {
            Err("there must be `request` with `expect` or `websocket`, or `requests` instead"
                .into())
        }
    }
}

fn message(spec: &WebSocketSpec, scheme: Scheme, version: Version) -> Result<Arc<Message>, String> {
    if scheme.has_streams() || version == Version::Http10 {
        return Err(
            "`websocket` is upgraded to in HTTP/1.1: `protocol` must be h1 or h1-tls".into()
        );
    }
    let bytes = decode("websocket.message_base64", &spec.message_base64)?;
    Message::new(bytes, !spec.binary)
        .map(|message| Arc::new(if spec.compression { message.compressed() } else { message }))
        .ok_or_else(|| "`websocket.message_base64` is not UTF-8: give `binary` true".to_owned())
}

fn tls(scheme: Scheme, spec: Option<&TlsSpec>) -> Result<Option<Config>, String> {
    let name = scheme.name();
    let spec = match (scheme.is_tls(), spec) {
        (false, None) => return Ok(None),
        (false, Some(_)) => return Err(format!("`tls` is there, but {name} travels in cleartext")),
        (true, None) => return Err(format!("`tls` is missing, but {name} travels in TLS")),
        (true, Some(spec)) => spec,
    };
    let mut terms = scheme.terms(spec.resume);
    match (&spec.ca_pem, spec.insecure) {
        (Some(pem), false) => {
            terms.believe(pem.as_bytes()).map_err(|why| format!("`tls.ca_pem`: {why}"))?;
        }
        (None, true) => {}
        (Some(_), true) => {
            return Err(
                "`tls.insecure` is true: any certificate is believed, so `tls.ca_pem` must \
                        be null"
                    .to_owned(),
            );
        }
        (None, false) => {
            return Err(
                "`tls.ca_pem` is null: give certificates to believe, or let `tls.insecure` \
                        be true"
                    .to_owned(),
            );
        }
    }
    if !Config::is_name(&spec.server_name) {
        let got = &spec.server_name;
        return Err(format!("`tls.server_name` is {got:?}, but must be a host's name or address"));
    }
    Ok(Some(Config::new(Some(&spec.server_name), &terms)))
}

fn closes(job: &Job) -> bool {
    job.connection == ConnectionMode::Close
}

fn expectation(expect: &ExpectSpec, scheme: Scheme) -> Result<Expectation, String> {
    let body = expect.body_base64.as_deref().map(|text| decode("expect.body_base64", text));
    let body = match (expect.grpc, body.transpose()?) {
        (true, _) if !scheme.is_h2() => {
            let name = scheme.name();
            return Err(format!("`expect.grpc` is true, but {name} carries none: h2c and h2 do"));
        }
        (true, body) if let Some(EventsSpec { count }) = expect.events => {
            let right = RightEvents::of_call(&body.unwrap_or_default());
            let right = right.map_err(|what| format!("`expect.body_base64`: {what}"))?;
            BodyRule::Events(Arc::new(RightEvents { count: right.count.or(count), ..right }))
        }
        (true, body) => {
            if let Some(wrong) = body.as_deref().and_then(grpc::misfit) {
                return Err(format!("`expect.body_base64` is no answer of gRPC: {wrong}"));
            }
            BodyRule::Message(body)
        }
        (false, stream) if let Some(EventsSpec { count }) = expect.events => {
            let right = RightEvents::read(&stream.unwrap_or_default());
            let right = right.map_err(|what| format!("`expect.body_base64`: {what}"))?;
            BodyRule::Events(Arc::new(RightEvents { count: right.count.or(count), ..right }))
        }
        (false, Some(body)) => BodyRule::Exactly(body),
        (false, None) => BodyRule::Any,
    };
    let status = StatusRule::Exactly(expect.status);
    Ok(Expectation { body, ..Expectation::of_status(status) })
}

fn decode(key: &str, text: &str) -> Result<Vec<u8>, String> {
    STANDARD.decode(text).map_err(|error| format!("`{key}` is not base64: {error}"))
}
