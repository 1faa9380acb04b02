//! The other end of `volley drive`.

use super::conversations::BODY;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind::{PermissionDenied, Unsupported};
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use volley::drive::messages::{
    self, ConnectionMode, Event, ExpectSpec, HttpVersion, Job, PROTOCOL, RequestSlice, RequestSpec,
    RequestsSpec, SliceCommand, SliceEvent, TargetSpec,
};
use volley_load::errors::ErrorKind;
use volley_load::schedule::Shape;
use volley_load::scheme::Scheme;
use volley_net::IoChoice;

/// No conversation of a test takes longer, even on a slow machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs each test with `io_uring`, if the machine has it, and with epoll.
macro_rules! both_ways {
    ($($test:ident),+ $(,)?) => {
        mod uring {
            $(
                #[test]
                fn $test() {
                    if $crate::common::driver::has_uring() {
                        super::$test(volley_net::IoChoice::Uring);
                    }
                }
            )+
        }
        mod epoll {
            $(
                #[test]
                fn $test() {
                    super::$test(volley_net::IoChoice::Epoll);
                }
            )+
        }
    };
}

/// A running `volley drive`.
pub struct Driver {
    child: Child,
    events: mpsc::Receiver<String>,
}

impl Driver {
    pub fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_volley"))
            .arg("drive")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        Self { child, events: lines(stdout) }
    }

    /// Sends a line; returns the event that answers it.
    pub fn say(&mut self, line: &str) -> Event {
        writeln!(self.child.stdin.as_ref().unwrap(), "{line}").unwrap();
        self.event()
    }

    pub fn event(&mut self) -> Event {
        let line = self.events.recv_timeout(PATIENCE).expect("volley drive hangs or has ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line}"))
    }

    /// Starts a job, returns its `ready` event.
    pub fn job(job: Job) -> (Self, messages::Ready) {
        let mut driver = Self::start();
        let command = messages::Command::Job(job);
        match driver.say(&serde_json::to_string(&command).unwrap()) {
            Event::Ready(ready) => (driver, ready),
            other => panic!("{other:?}"),
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A slice in a closed loop.
    pub fn slice(&mut self, target: usize, ramp_ms: u64, duration_ms: u64) -> SliceEvent {
        let event = self.command(&closed(target, ramp_ms, duration_ms));
        assert_eq!((&event.service, &event.send_lag, event.unsent), (&None, &None, 0));
        event
    }

    /// The first of up to twenty slices for which `shows` holds. On a busy machine a short slice
    /// may end before an answer.
    pub fn slice_that(
        &mut self,
        target: usize,
        duration_ms: u64,
        shows: impl Fn(&SliceEvent) -> bool,
    ) -> SliceEvent {
        (0..20)
            .map(|_| self.slice(target, 0, duration_ms))
            .find(shows)
            .expect("none of twenty slices shows it")
    }

    /// A slice of target 0 in an open loop, without a ramp.
    pub fn open_slice(
        &mut self,
        duration_ms: u64,
        rate: f64,
        arrivals: Shape,
        seed: u64,
    ) -> SliceEvent {
        let rate = Some(rate);
        self.command(&SliceCommand { rate, arrivals, seed, ..closed(0, 0, duration_ms) })
    }

    /// A slice of target 0 in a closed loop, with a ramp of 5 ms that begins at a moment.
    pub fn slice_at(&mut self, duration_ms: u64, at_ns: u64) -> SliceEvent {
        self.command(&SliceCommand { at_ns: Some(at_ns), ..closed(0, 5, duration_ms) })
    }

    /// A slice of target 0 in a closed loop, with a ramp of 5 ms, whose server is these processes.
    pub fn slice_of(&mut self, server_pids: Vec<i32>) -> SliceEvent {
        self.command(&SliceCommand { server_pids, ..closed(0, 5, 50) })
    }

    fn command(&mut self, command: &SliceCommand) -> SliceEvent {
        let line = serde_json::to_string(&messages::Command::Slice(command.clone())).unwrap();
        match self.say(&line) {
            Event::Slice(event) => {
                assert_eq!((event.target, event.block), (command.target, command.block));
                assert_eq!(event.end_ns - event.start_ns, command.duration_ms * 1_000_000);
                assert!(event.drained_ns >= event.end_ns);
                assert!(event.requests_all >= event.requests);
                assert!((0.0..=1.0).contains(&event.busy));
                assert!(event.misses >= event.unsent);
                *event
            }
            other => panic!("{other:?}"),
        }
    }

    /// Closes standard input; returns the exit status and the remaining output.
    pub fn finish(mut self) -> (i32, Option<Event>) {
        drop(self.child.stdin.take());
        let last = self.events.recv_timeout(PATIENCE).ok();
        let last = last.map(|line| serde_json::from_str(&line).unwrap());
        (self.child.wait().unwrap().code().unwrap(), last)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(stdout: ChildStdout) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The command for a slice in a closed loop.
fn closed(target: usize, ramp_ms: u64, duration_ms: u64) -> SliceCommand {
    let (rate, arrivals, seed) = (None, Shape::Uniform, 0);
    let (phase, at_ns) = (None, None);
    let server_pids = Vec::new();
    SliceCommand {
        target,
        block: 7,
        ramp_ms,
        duration_ms,
        rate,
        arrivals,
        seed,
        phase,
        at_ns,
        server_pids,
    }
}

/// Whether the kernel has `io_uring` and allows it. If it fails for another reason, the test fails.
pub fn has_uring() -> bool {
    match IoChoice::Uring.resolve() {
        Ok(_) => true,
        Err(error) if matches!(error.kind(), Unsupported | PermissionDenied) => {
            // The harness would hide the output of `eprintln`.
            let _ = writeln!(std::io::stderr(), "NOT RUN with io_uring: {error}");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Four kept connections of one thread, a GET that expects `BODY`, ample time.
pub fn job(io: IoChoice, addresses: &[SocketAddr]) -> Job {
    let target = |address: &SocketAddr| TargetSpec {
        name: address.to_string(),
        address: address.to_string(),
        protocol: Scheme::H1,
        tls: None,
        request: Some(RequestSpec {
            method: "GET".into(),
            path: "/".into(),
            host: address.to_string(),
            headers: vec![],
            body_base64: String::new(),
        }),
        expect: Some(ExpectSpec {
            status: 200,
            body_base64: Some(STANDARD.encode(BODY)),
            grpc: false,
            events: None,
        }),
        requests: None,
        websocket: None,
        held: None,
    };
    Job {
        protocol: PROTOCOL,
        targets: addresses.iter().map(target).collect(),
        connections: 4,
        threads: 1,
        io,
        connection: ConnectionMode::KeepAlive,
        http: HttpVersion::Http11,
        pipeline: 1,
        streams: 1,
        cpus: vec![],
        fixed_work_cpu: None,
        connect_timeout_ms: 5000,
        request_timeout_ms: 20_000,
    }
}

/// The same with the requests of a file of that name.
pub fn mix(mut job: Job, name: &str, text: &str) -> Job {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, text).unwrap();
    for target in &mut job.targets {
        (target.request, target.expect) = (None, None);
        let host = target.address.clone();
        target.requests = Some(RequestsSpec { file: file.clone(), host, seed: 7 });
    }
    job
}

/// The figures of each request, which sum up to the slice's. `others`: errors that belong to no
/// request.
pub fn parts(event: &SliceEvent, others: u64) -> Vec<RequestSlice> {
    let parts = event.by_request.clone().unwrap();
    let sum = |of: fn(&RequestSlice) -> u64| parts.iter().map(of).sum::<u64>();
    assert_eq!(sum(|part| part.requests), event.requests);
    assert_eq!(sum(|part| part.misses), event.misses);
    assert_eq!(sum(|part| part.latency_count), event.latency_count);
    let errors = |errors: &BTreeMap<ErrorKind, u64>| errors.values().sum::<u64>();
    assert_eq!(parts.iter().map(|part| errors(&part.errors)).sum::<u64>() + others, {
        errors(&event.errors)
    });
    let mut whole = Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 3).unwrap();
    for part in &parts {
        let latencies = histogram(&part.latency);
        assert_eq!(latencies.len(), part.latency_count);
        assert!(part.latency_count > 0 || part.latency_mean_us.abs() < f64::EPSILON);
        whole.add(latencies).unwrap();
    }
    assert_eq!(whole, histogram(&event.latency));
    parts
}

/// How often each kind occurred.
pub fn errors(event: &SliceEvent) -> Vec<(ErrorKind, u64)> {
    event.errors.iter().map(|(&kind, &count)| (kind, count)).collect()
}

/// A histogram of a slice, in ns.
pub fn histogram(encoded: &str) -> Histogram<u64> {
    let bytes = STANDARD.decode(encoded).unwrap();
    Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap()
}
