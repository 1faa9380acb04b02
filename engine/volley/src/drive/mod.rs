//! `volley drive`: commands on standard input, events on standard output.

mod core_state;
mod core_trip;
mod job;
pub mod messages;

use crate::drive::core_state::{CoreState, core_state};
use crate::drive::messages::{
    Command, Done, ErrorEvent, Event, EventsSlice, Failure, HeldReady, HeldSlice, Job, PROTOCOL,
    Ready, RequestSlice, RoomsSlice, SliceCommand, SliceEvent, TargetReady,
};
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use volley_load::by_request::{ByRequest, RequestTally};
use volley_load::events::EventTally;
use volley_load::figures::{Agreement, DatagramFigures};
use volley_load::held::HeldTally;
use volley_load::histogram::{FirstBytes, Latencies};
use volley_load::pace::Pace;
use volley_load::rooms::RoomTally;
use volley_load::schedule::{Process, Profile, Stage};
use volley_load::slice::{Outcome, Plan, Wish};
use volley_load::tally::Bad;
use volley_load::target::Target;
use volley_load::workers::{Size, Workers};
use volley_net::RingSize;
use volley_net::clock::{MS, S, now_ns, process_cpu_ns};

/// Arrivals have a resolution of a nanosecond.
const MAX_RATE: f64 = 1e9;

/// A start further ahead is a mistake about the clock.
const MAX_WAIT_NS: u64 = 60 * S;
/// Where in its distance the first of uniform arrivals lies.
const USUAL_PHASE: f64 = 0.5;

/// Why the conversation ended early.
#[derive(Debug)]
pub enum DriveError {
    /// A command was wrong; the message describes the error.
    Command(String),
    /// Reading commands, writing events or waiting for sockets failed.
    Io(io::Error),
}

impl From<io::Error> for DriveError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Runs the conversation to its end.
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
    workers: Workers,
    targets: Vec<Arc<Target>>,
    cpus: Vec<usize>,
    fixed_work_cpu: Option<usize>,
}

impl Engine {
    fn start(job: &Job) -> Result<(Self, Ready), DriveError> {
        let wrong = |wrong| DriveError::Command(format!("job: {wrong}"));
        job::check(job).map_err(wrong)?;
        let targets = job::targets(job).map_err(wrong)?;
        let names = targets.iter().map(|target| names(target)).collect();
        let (threads, cpus, ring) = (job.threads, job.cpus.clone(), RingSize::default());
        let size = Size { threads, cpus, io: job.io, ring };
        let workers = Workers::start(&size, &targets)?;
        let (cpus, fixed_work_cpu) = (job.cpus.clone(), job.fixed_work_cpu);
        let mut engine = Self { workers, targets, cpus, fixed_work_cpu };
        let ready = engine.open(job, names)?;
        Ok((engine, ready))
    }

    /// `names`: those of each target's requests.
    fn open(&mut self, job: &Job, names: Vec<Option<Vec<String>>>) -> io::Result<Ready> {
        let mut targets = Vec::new();
        for (index, (spec, requests)) in job.targets.iter().zip(names).enumerate() {
            let opened = self.workers.open(index)?;
            let failure = |bad: Bad| Failure { kind: bad.kind, detail: bad.detail };
            let error = opened.first_bad.map(failure);
            let held_error = opened.held_bad.map(failure);
            let held = spec.held.as_ref();
            targets.push(TargetReady {
                name: spec.name.clone(),
                open: opened.open,
                error,
                agreed: Agreement::of(&opened.terms),
                requests,
                held: held.map(|_| HeldReady { open: opened.held, error: held_error }),
            });
        }
        Ok(Ready {
            protocol: PROTOCOL,
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            io: self.workers.io(),
            threads: job.threads,
            targets,
        })
    }

    fn slice(&mut self, command: &SliceCommand) -> Result<SliceEvent, DriveError> {
        self.check(command).map_err(|wrong| DriveError::Command(format!("slice: {wrong}")))?;
        let state = self.fixed_work_cpu.map(|cpu| core_state(cpu, &self.cpus)).transpose()?;
        let outcome = self.workers.run(command.target, &plan(command), &mut |_| Wish::GoOn)?;
        Ok(event(command, state.as_ref(), outcome))
    }

    fn check(&self, command: &SliceCommand) -> Result<(), String> {
        let (number, count) = (command.target, self.targets.len());
        if number >= count {
            let last = count - 1;
            return Err(format!(
                "`target` is {number}, but the job has {count} targets: 0 to {last}"
            ));
        }
        at_least_1("duration_ms", command.duration_ms)?;
        let phase = command.phase.unwrap_or(USUAL_PHASE);
        if !(0.0..1.0).contains(&phase) {
            return Err(format!("`phase` is {phase}, but must be 0 or more, and less than 1"));
        }
        let wait_ns = command.at_ns.unwrap_or(0).saturating_sub(now_ns());
        if wait_ns > MAX_WAIT_NS {
            return Err(format!(
                "`at_ns` is {} s from now, but must be at most {} s: is it this machine's \
                 CLOCK_MONOTONIC?",
                wait_ns / S,
                MAX_WAIT_NS / S
            ));
        }
        match command.rate {
            Some(rate) if rate <= 0.0 || rate > MAX_RATE => {
                Err(format!("`rate` is {rate}, but must be above 0 and at most {MAX_RATE}"))
            }
            _ => Ok(()),
        }
    }
}

/// The names of the requests in a target's file, if it has one.
fn names(target: &Target) -> Option<Vec<String>> {
    let names = target.books.first()?.names();
    (!names.is_empty()).then(|| names.to_vec())
}

fn plan(command: &SliceCommand) -> Plan {
    let ramp_ns = command.ramp_ms.saturating_mul(MS);
    let duration_ns = command.duration_ms.saturating_mul(MS);
    let pace = match command.rate {
        None => Pace::Closed,
        Some(rate) => {
            let duration_ns = ramp_ns.saturating_add(duration_ns);
            let stage = Stage { duration_ns, from: rate, to: rate };
            let (rate, shape) = (Profile::new(vec![stage]), command.arrivals);
            let phase = command.phase.unwrap_or(USUAL_PHASE);
            Pace::Open(Process { rate, shape, burst: 1, seed: command.seed, phase })
        }
    };
    Plan {
        at_ns: command.at_ns,
        ramp_ns,
        duration_ns: Some(duration_ns),
        requests: None,
        pace,
        intervals: false,
        server_pids: command.server_pids.clone(),
    }
}

fn event(command: &SliceCommand, state: Option<&CoreState>, outcome: Outcome) -> SliceEvent {
    let (busy, is_open) = (outcome.busy(), command.rate.is_some());
    let busy_threads = outcome.busy_threads.clone();
    let Outcome { window, drained_ns, cpu_ns, delayed_ns, server, tally, dropped, .. } = outcome;
    let datagrams = tally.datagrams.as_ref();
    SliceEvent {
        target: command.target,
        block: command.block,
        start_ns: window.start_ns,
        end_ns: window.end_ns,
        drained_ns,
        requests: tally.requests,
        requests_by_share: tally.requests_by_share,
        bytes: tally.bytes,
        requests_all: tally.requests_all,
        redirects: tally.redirects,
        misses: tally.misses,
        unsent: tally.unsent,
        connects: tally.connects,
        handshakes: tally.handshakes,
        handshake_mean_us: tally.handshake_mean_us(),
        resumed: tally.resumed,
        datagrams: datagrams.map(|of| DatagramFigures::of(of, tally.requests_all, dropped)),
        idle_closed: tally.idle_closed,
        errors: tally.errors.occurred(),
        latency: tally.latencies.encode(),
        latency_count: tally.latencies.count(),
        latency_mean_us: tally.latencies.mean_us(),
        first_byte: first_byte(&tally.first_bytes, &tally.latencies),
        events: tally.events.as_deref().map(events),
        rooms: tally.rooms.as_deref().map(rooms),
        held: tally.held.as_deref().map(held),
        in_flight_ns: tally.in_flight_ns,
        service: is_open.then(|| tally.service.encode()),
        send_lag: is_open.then(|| tally.send_lag.encode()),
        cpu_ns,
        delayed_ns,
        server,
        fixed_work_ns: state.map(|state| state.fixed_work_ns),
        core_trip_ns: state.and_then(|state| state.trip_ns),
        busy,
        busy_threads,
        first_bad: tally.first_bad,
        by_request: by_request(&tally.by_request),
    }
}

fn first_byte(of_some: &FirstBytes, latencies: &Latencies) -> Option<String> {
    Some(of_some.of_all(latencies)?.encode())
}

fn events(tally: &EventTally) -> EventsSlice {
    let faults = tally.faults.by_kind().into_iter().filter(|&(_, count)| count > 0);
    EventsSlice {
        count: tally.events,
        count_all: tally.events_all,
        first: tally.first.encode(),
        gap: tally.gaps.encode(),
        open: tally.open,
        faults: faults.map(|(kind, count)| (kind.to_owned(), count)).collect(),
    }
}

fn rooms(tally: &RoomTally) -> RoomsSlice {
    let &RoomTally { messages, unsent, due, heard, ref last } = tally;
    RoomsSlice { messages, unsent, due, heard, last: last.encode() }
}

fn held(tally: &HeldTally) -> HeldSlice {
    let HeldTally { open, opened, ended, ref errors, ref first_bad, .. } = *tally;
    let EventsSlice { count, count_all, gap, faults, .. } = events(&tally.events);
    let (errors, first_bad) = (errors.occurred(), first_bad.clone());
    HeldSlice { open, opened, ended, count, count_all, gap, faults, errors, first_bad }
}

fn by_request(counted: &ByRequest) -> Option<Vec<RequestSlice>> {
    let part = |tally: &RequestTally| RequestSlice {
        requests: tally.requests,
        misses: tally.misses,
        errors: tally.errors.occurred(),
        latency: tally.latencies.encode(),
        latency_count: tally.latencies.count(),
        latency_mean_us: tally.latencies.mean_us(),
        first_byte: first_byte(&tally.first_bytes, &tally.latencies),
    };
    let tallies = counted.tallies();
    (!tallies.is_empty()).then(|| tallies.iter().map(part).collect())
}

fn at_least_1(key: &str, value: u64) -> Result<(), String> {
    if value == 0 { Err(format!("`{key}` is 0, but must be 1 or more")) } else { Ok(()) }
}
