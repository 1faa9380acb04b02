//! The blocking ping-pong client: the latency that one connection sees with nothing in the way.
//!
//! It makes a write, a blocking read, and reads the clock before and after: the least that a client
//! of the socket interface can do. A higher latency of a generator at the same rate is its own
//! cost.

use clap::Parser;
use rustix::thread::set_current_timer_slack;
use std::error::Error;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::num::NonZeroU64;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The time at the beginning that is loaded but not counted.
const WARM_UP: Duration = Duration::from_millis(200);

/// A sleep ends a little late: the last part before a due time is spun.
const SPIN: Duration = Duration::from_micros(60);

/// Time a server that answers each request in one piece, one request at a time
#[derive(Debug, Parser)]
struct Options {
    /// The server
    address: SocketAddr,
    /// Requests per second
    #[arg(long, value_name = "R", default_value = "1000")]
    rate: f64,
    /// How long to count
    #[arg(long, value_name = "S", default_value = "1")]
    seconds: f64,
}

fn wait_until(due: Instant) {
    std::thread::sleep(due.saturating_duration_since(Instant::now()).saturating_sub(SPIN));
    while Instant::now() < due {
        std::hint::spin_loop();
    }
}

/// The latencies of requests that are due at a steady rate, in µs, sorted.
fn latencies_us(options: &Options) -> Result<Vec<f64>, Box<dyn Error>> {
    let time = Duration::try_from_secs_f64(options.seconds)
        .map_err(|error| format!("--seconds {}: {error}", options.seconds))?;
    let gap = Duration::try_from_secs_f64(1.0 / options.rate)
        .map_err(|_| format!("--rate {}: it takes a number above 0", options.rate))?;
    set_current_timer_slack(NonZeroU64::new(1))?;
    let mut socket = TcpStream::connect(options.address)
        .map_err(|error| format!("cannot connect to {}: {error}", options.address))?;
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(Duration::from_secs(5)))?;
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", options.address);
    let (mut answer, mut latencies) = (vec![0; 64 * 1024], Vec::new());
    let start = Instant::now() + WARM_UP;
    let mut due = Instant::now();
    while due < start + time {
        wait_until(due);
        let sent = Instant::now();
        socket.write_all(request.as_bytes())?;
        if socket.read(&mut answer)? == 0 {
            return Err("the server closed the connection".into());
        }
        if due >= start {
            latencies.push(sent.elapsed().as_secs_f64() * 1e6);
        }
        due += gap;
    }
    latencies.sort_by(f64::total_cmp);
    Ok(latencies)
}

fn run(options: &Options) -> Result<serde_json::Value, Box<dyn Error>> {
    let latencies = latencies_us(options)?;
    let mean = latencies.iter().sum::<f64>() / latencies.len() as f64;
    let p50 = latencies.get(latencies.len() / 2).ok_or("no request was due")?;
    Ok(serde_json::json!({
        "requests": latencies.len(),
        "latency_us": { "mean": mean, "p50": p50 },
    }))
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(figures) => {
            println!("{figures}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("pingpong: {error}");
            ExitCode::from(3)
        }
    }
}
