//! `volley drive`: commands on standard input, events on standard output.

use crate::clock::{MS, process_cpu_ns};
use crate::limits;
use crate::pool::{Pool, Scratch};
use crate::protocol::{
    BadExchange, Command, ConnectionMode, Done, ErrorEvent, Event, Failure, IO, Job, PROTOCOL,
    Ready, SliceCommand, SliceEvent, TargetReady, TargetSpec,
};
use crate::slice::{self, Outcome, Plan, Unwatched};
use crate::target::Target;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::io::{self, BufRead, Write};
use volley_http::{Expectation, Request, StatusRule};

/// Why the conversation ended early.
#[derive(Debug)]
pub enum DriveError {
    /// A command was wrong; this says how.
    Command(String),
    /// Reading commands, writing events or waiting for sockets failed.
    Io(io::Error),
}

impl From<io::Error> for DriveError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<rustix::io::Errno> for DriveError {
    fn from(errno: rustix::io::Errno) -> Self {
        Self::Io(errno.into())
    }
}

/// Holds the conversation to its end.
pub fn drive(commands: impl BufRead, events: &mut impl Write) -> Result<(), DriveError> {
    let result = converse(commands, events);
    let last = match &result {
        Ok(()) => Event::Done(Done { cpu_ns: process_cpu_ns() }),
        Err(DriveError::Command(message)) => Event::Error(ErrorEvent { message: message.clone() }),
        Err(DriveError::Io(_)) => return result,
    };
    say(events, &last)?;
    result
}

fn converse(commands: impl BufRead, events: &mut impl Write) -> Result<(), DriveError> {
    let mut engine: Option<Engine> = None;
    for line in commands.lines() {
        let line = line.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => DriveError::Command("command: not UTF-8".to_owned()),
            _ => DriveError::Io(error),
        })?;
        let command = Command::parse(&line).map_err(DriveError::Command)?;
        let event = match (command, &mut engine) {
            (Command::Stop(_), _) => break,
            (Command::Job(job), None) => {
                let (started, ready) = Engine::start(&job)?;
                engine = Some(started);
                Event::Ready(ready)
            }
            (Command::Slice(command), Some(engine)) => {
                Event::Slice(Box::new(engine.slice(&command)?))
            }
            (Command::Job(_), Some(_)) => {
                return Err(DriveError::Command("job: there is one already".to_owned()));
            }
            (Command::Slice(_), None) => {
                return Err(DriveError::Command("slice: a job has to come first".to_owned()));
            }
        };
        say(events, &event)?;
    }
    Ok(())
}

fn say(events: &mut impl Write, event: &Event) -> io::Result<()> {
    let mut line = serde_json::to_vec(event)?;
    line.push(b'\n');
    events.write_all(&line)?;
    events.flush()
}

struct Engine {
    pools: Vec<Pool>,
    scratch: Scratch,
}

impl Engine {
    fn start(job: &Job) -> Result<(Self, Ready), DriveError> {
        check(job).map_err(|wrong| DriveError::Command(format!("job: {wrong}")))?;
        let mut scratch = Scratch::default();
        let mut pools = Vec::new();
        let mut targets = Vec::new();
        for (index, spec) in job.targets.iter().enumerate() {
            let target = target(job, spec).map_err(|wrong| {
                DriveError::Command(format!("job: targets[{index}] ({}): {wrong}", spec.name))
            })?;
            pools.push(Pool::new(target)?);
        }
        for (pool, spec) in pools.iter_mut().zip(&job.targets) {
            let (open, bad) = slice::open(pool, &mut scratch)?;
            let error = bad.map(|bad| Failure { kind: bad.kind, detail: bad.detail });
            targets.push(TargetReady { name: spec.name.clone(), open, error });
        }
        let (engine, io) = (env!("CARGO_PKG_VERSION").to_owned(), IO.to_owned());
        Ok((Self { pools, scratch }, Ready { protocol: PROTOCOL, engine, io, targets }))
    }

    fn slice(&mut self, command: &SliceCommand) -> Result<SliceEvent, DriveError> {
        let count = self.pools.len();
        let pool = self.pools.get_mut(command.target).ok_or_else(|| {
            let (target, last) = (command.target, count - 1);
            let wrong =
                format!("`target` is {target}, but the job has {count} targets: 0 to {last}");
            DriveError::Command(format!("slice: {wrong}"))
        })?;
        at_least_1("duration_ms", command.duration_ms)
            .map_err(|wrong| DriveError::Command(format!("slice: {wrong}")))?;
        let plan = Plan {
            ramp_ns: command.ramp_ms.saturating_mul(MS),
            duration_ns: command.duration_ms.saturating_mul(MS),
        };
        let outcome = slice::run(pool, &mut self.scratch, plan, &mut Unwatched)?;
        Ok(event(command, outcome))
    }
}

fn event(command: &SliceCommand, outcome: Outcome) -> SliceEvent {
    let busy = outcome.busy();
    let Outcome { window, drained_ns, cpu_ns, tally } = outcome;
    SliceEvent {
        target: command.target,
        block: command.block,
        start_ns: window.start_ns,
        end_ns: window.end_ns,
        drained_ns,
        requests: tally.requests,
        bytes: tally.bytes,
        requests_all: tally.requests_all,
        connects: tally.connects,
        idle_closed: tally.idle_closed,
        errors: tally.errors.occurred(),
        latency: tally.latencies.encode(),
        latency_count: tally.latencies.count(),
        latency_mean_us: tally.latencies.mean_us(),
        cpu_ns,
        busy,
        first_bad: tally.first_bad.map(|bad| BadExchange {
            kind: bad.kind,
            detail: bad.detail,
            response_base64: STANDARD.encode(bad.response),
        }),
    }
}

fn check(job: &Job) -> Result<(), String> {
    if job.protocol != PROTOCOL {
        let got = job.protocol;
        return Err(format!("`protocol` is {got}, but this engine speaks {PROTOCOL}"));
    }
    if job.targets.is_empty() {
        return Err("`targets` is empty: there must be one at least".to_owned());
    }
    at_least_1("connections", job.connections as u64)?;
    at_least_1("connect_timeout_ms", job.connect_timeout_ms)?;
    at_least_1("request_timeout_ms", job.request_timeout_ms)?;
    let close = job.connection == ConnectionMode::Close;
    limits::check_open_files(job.targets.len(), job.connections, close)?;
    limits::pin(&job.cpus)
}

fn at_least_1(key: &str, value: u64) -> Result<(), String> {
    if value == 0 { Err(format!("`{key}` is 0, but must be 1 or more")) } else { Ok(()) }
}

fn target(job: &Job, spec: &TargetSpec) -> Result<Target, String> {
    let address = spec.address.parse().map_err(|_| {
        let got = &spec.address;
        format!("`address` is {got:?}, but must be numeric, like 127.0.0.1:8080 or [::1]:8080")
    })?;
    let close = job.connection == ConnectionMode::Close;
    let request = Request {
        method: spec.request.method.clone(),
        path: spec.request.path.clone(),
        host: spec.request.host.clone(),
        headers: spec.request.headers.clone(),
        body: decode("request.body_base64", &spec.request.body_base64)?,
        close,
    };
    let body = spec.expect.body_base64.as_deref();
    let expectation = Expectation {
        status: StatusRule::Exactly(spec.expect.status),
        body: body.map(|text| decode("expect.body_base64", text)).transpose()?,
    };
    Ok(Target {
        address,
        to_head: request.is_head(),
        request: request.render().map_err(|error| format!("request: {error}"))?,
        expectation,
        connections: job.connections,
        close,
        connect_timeout_ns: job.connect_timeout_ms.saturating_mul(MS),
        request_timeout_ns: job.request_timeout_ms.saturating_mul(MS),
    })
}

fn decode(key: &str, text: &str) -> Result<Vec<u8>, String> {
    STANDARD.decode(text).map_err(|error| format!("`{key}` is not base64: {error}"))
}
