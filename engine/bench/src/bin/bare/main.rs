//! The bare client: as fast as a client on this machine's kernel can be.
//!
//! The engine is compared with it: volley over bare is the price of checking every answer and
//! timing every request. So here the length of an answer is learnt once, and from then on bytes are
//! only counted: nothing is parsed, no request has a clock, and any failure ends the run. It shares
//! no code with the engine, and uses every helpful feature of the kernel: see `client`.

mod buffers;
mod client;
mod sample;

use clap::{Parser, value_parser};
use client::{Client, Load};
use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

/// The time at the beginning that is loaded but not counted.
const WARM_UP: Duration = Duration::from_millis(200);

/// Load a server whose answers are all of one length, and check nothing
#[derive(Debug, Parser)]
struct Options {
    /// The server
    address: SocketAddr,
    /// What is asked for
    #[arg(long, value_name = "PATH", default_value = "/")]
    path: String,
    /// Connections at a time
    #[arg(long, value_name = "N", default_value = "64", value_parser = value_parser!(u32).range(1..))]
    connections: u32,
    /// Requests at a time on each
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parser!(u32).range(1..=1024))]
    pipeline: u32,
    /// A connection for each request, which the server closes
    #[arg(long, conflicts_with = "pipeline")]
    close: bool,
    /// How long to count
    #[arg(long, value_name = "S", default_value = "1")]
    seconds: f64,
    /// The core to run on
    #[arg(long, value_name = "C")]
    cpu: Option<usize>,
}

impl Options {
    /// One request. Its `Host` has the same length for every port, because some servers answer each
    /// request by its number of bytes.
    fn request(&self) -> Vec<u8> {
        let end = if self.close { "Connection: close\r\n" } else { "" };
        format!("GET {} HTTP/1.1\r\nHost: null\r\n{end}\r\n", self.path).into_bytes()
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
    let request = options.request();
    let answer_length = sample::answer_length(options.address, &request)?;
    let load = Load {
        address: options.address,
        connections: options.connections,
        close: options.close,
        at_once: options.pipeline as usize,
        request: request.repeat(options.pipeline as usize),
        answer_length,
    };
    let mut ring = client::ring(options.connections)?;
    let mut client = Client::start(&mut ring, load)?;
    client.load(WARM_UP)?;
    let (before, cpu_before_us) = (client.counts, thread_cpu_us());
    let took = client.load(time)?;
    let cpu_us = thread_cpu_us() - cpu_before_us;
    let now = client.counts;
    let requests = now.answers - before.answers;
    // Polling is CPU time, too, but not a cost of requests.
    let waited = now.waited.saturating_sub(before.waited);
    let busy_us = took.saturating_sub(waited).as_secs_f64() * 1e6;
    let of_each = |all: f64| all / requests as f64;
    Ok(serde_json::json!({
        "requests": requests,
        "duration_s": took.as_secs_f64(),
        "requests_per_s": requests as f64 / took.as_secs_f64(),
        "cpu_us_per_request": of_each(cpu_us),
        "work_us_per_request": of_each(cpu_us.min(busy_us)),
        "system_calls_per_request": of_each((now.calls - before.calls) as f64),
        "completions_per_request": of_each((now.completions - before.completions) as f64),
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
