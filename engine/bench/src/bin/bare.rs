//! The bare client: as fast as a client on this machine's `io_uring` can be.
//!
//! It is what the engine is compared with: volley over bare is the price of checking every answer
//! and timing every request. So here each receive is an answer, whatever it holds; nothing is
//! parsed, no request has a clock, and any failure ends the run.

use clap::{Parser, value_parser};
use rustix::fd::AsFd;
use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::net::{SocketAddr, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use volley_ring::{Completion, Key, Operation, Ring, Settings};

/// Loaded but not counted, at the beginning.
const WARM_UP: Duration = Duration::from_millis(200);

/// The longest sleep: a run ends this much late at worst.
const PATIENCE_NS: u64 = 10_000_000;

/// How long to poll before sleeping. It is the server that would pay for waking us.
const POLL: Duration = Duration::from_micros(50);

const SETTINGS: Settings =
    Settings { submissions: 4096, completions: 32_768, buffers: 1024, buffer_size: 2048 };

/// Load a server that answers each request in one piece, and check nothing
#[derive(Debug, Parser)]
struct Options {
    /// The server
    address: SocketAddr,
    /// Connections at a time
    #[arg(long, value_name = "N", default_value = "64", value_parser = value_parser!(u32).range(1..))]
    connections: u32,
    /// How long to count
    #[arg(long, value_name = "S", default_value = "1")]
    seconds: f64,
    /// The core to run on
    #[arg(long, value_name = "C")]
    cpu: Option<usize>,
}

struct Client {
    ring: Ring,
    sockets: Vec<TcpStream>,
    request_length: usize,
    answers: u64,
}

impl Client {
    /// Connects, and sends the first request on every connection.
    fn start(address: SocketAddr, connections: u32) -> Result<Self, Box<dyn Error>> {
        let request: Arc<[u8]> =
            format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes().into();
        let request_length = request.len();
        let mut ring = Ring::new(SETTINGS, request)?;
        let mut sockets = Vec::new();
        for slot in 0..connections {
            let socket = TcpStream::connect(address)
                .map_err(|error| format!("cannot connect to {address}: {error}"))?;
            socket.set_nodelay(true)?;
            let key = Key { slot, generation: 0 };
            ring.receive(socket.as_fd(), key);
            ring.send(socket.as_fd(), key, 0..request_length);
            sockets.push(socket);
        }
        Ok(Self { ring, sockets, request_length, answers: 0 })
    }

    /// Loads the server for a while. Gives the time that it took.
    fn load(&mut self, time: Duration) -> Result<Duration, Box<dyn Error>> {
        let from = Instant::now();
        while from.elapsed() < time {
            self.ring.submit()?;
            if !self.ring.has_work() {
                self.wait()?;
            }
            while let Some(completion) = self.ring.take() {
                if completion.operation == Operation::Receive {
                    self.on_receive(completion)?;
                }
            }
        }
        Ok(from.elapsed())
    }

    fn wait(&mut self) -> std::io::Result<()> {
        let from = Instant::now();
        while !self.ring.has_work() {
            if from.elapsed() > POLL {
                return self.ring.submit_and_wait(PATIENCE_NS);
            }
            std::hint::spin_loop();
        }
        self.ring.submit()
    }

    #[inline]
    fn on_receive(&mut self, completion: Completion) -> Result<(), Box<dyn Error>> {
        let socket = self.sockets[completion.key.slot as usize].as_fd();
        match (completion.piece, completion.result) {
            (Some(piece), _) => {
                self.ring.give_back(piece);
                self.answers += 1;
                self.ring.send(socket, completion.key, 0..self.request_length);
            }
            (None, Err(Errno::NOBUFS)) => {}
            (None, Err(errno)) => return Err(errno.into()),
            (None, Ok(_)) => return Err("the server closed a connection".into()),
        }
        if !completion.goes_on {
            self.ring.receive(socket, completion.key);
        }
        Ok(())
    }
}

fn pin(cpu: usize) -> Result<(), String> {
    let mut cores = CpuSet::new();
    if cpu < CpuSet::MAX_CPU {
        cores.set(cpu);
    }
    sched_setaffinity(None, &cores).map_err(|_| format!("--cpu {cpu}: there is no such core"))
}

fn thread_cpu_us() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

fn run(options: &Options) -> Result<serde_json::Value, Box<dyn Error>> {
    if let Some(cpu) = options.cpu {
        pin(cpu)?;
    }
    let time = Duration::try_from_secs_f64(options.seconds)
        .map_err(|error| format!("--seconds {}: {error}", options.seconds))?;
    let mut client = Client::start(options.address, options.connections)?;
    client.load(WARM_UP)?;
    let (answers_before, cpu_before_us) = (client.answers, thread_cpu_us());
    let took = client.load(time)?;
    let requests = client.answers - answers_before;
    let cpu_us = thread_cpu_us() - cpu_before_us;
    Ok(serde_json::json!({
        "requests": requests,
        "duration_s": took.as_secs_f64(),
        "requests_per_s": requests as f64 / took.as_secs_f64(),
        "cpu_us_per_request": cpu_us / requests as f64,
    }))
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(figures) => {
            println!("{figures}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("bare: {error}");
            ExitCode::from(3)
        }
    }
}
