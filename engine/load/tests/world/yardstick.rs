//! `brick-yardstick`: a server whose behaviour is known, in a process of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, process};

/// A running yardstick. It ends when this is dropped.
pub struct Yardstick {
    process: Child,
    /// Open for as long as the process may write.
    _stdout: BufReader<ChildStdout>,
    pub address: SocketAddr,
    log: PathBuf,
}

/// A time, by `CLOCK_MONOTONIC`, in which it served no request: requests that came then waited to
/// its end.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
pub struct Stall {
    /// When the stall met its first request.
    pub begin_ns: u64,
    pub end_ns: u64,
}

impl Yardstick {
    /// `words`: its options, except port and log.
    pub fn start(words: &str) -> Self {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let started = STARTED.fetch_add(1, Ordering::Relaxed);
        let log = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("stalls-{}-{started}.jsonl", process::id()));
        // The process ends with a test that hangs or is killed.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL"]).arg(program()).args(["--port", "0"]);
        command.args(words.split_whitespace());
        if words.contains("--stall") {
            command.arg("--log").arg(&log);
        }
        let mut process = command.stdout(Stdio::piped()).spawn().expect("setpriv of util-linux");
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line
            .strip_prefix("http://")
            .and_then(|rest| rest.split('/').next()?.parse().ok())
            .unwrap_or_else(|| panic!("brick-yardstick {words} says {line:?}, not where it is"));
        Self { process, _stdout: stdout, address, log }
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The stalls so far, in the order of time; none if it was not told to stall.
    pub fn stalls(&self) -> Vec<Stall> {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Yardstick {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_file(&self.log);
    }
}

fn program() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = root.join("build/brick/brick-yardstick");
    assert!(
        program.exists(),
        "brick-yardstick is not there; in the repository's root: make build/brick/brick-yardstick"
    );
    program
}

/// The body with `length` bytes of its answers.
pub fn body(length: usize) -> Vec<u8> {
    b"Hello, World!".iter().copied().cycle().take(length).collect()
}
