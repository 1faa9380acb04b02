//! Ten thousand connections.

use crate::world::guard::both_ways;
use crate::world::loading::{errors, requests, run, size, target};
use crate::world::timed::Timed;
use rustix::process::{Resource, getrlimit};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use volley::crew::Crew;
use volley::limits;
use volley::target::Target;

const CONNECTIONS: usize = 10_000;

/// Descriptors for all that other tests do meanwhile.
const SPARE: u64 = 2000;

/// Tells this program to be a server.
const SERVE: &str = "VOLLEY_TEST_SERVE";

const ANNOUNCEMENT: &str = "listening on ";

/// A server in a process of its own, since each connection takes a descriptor at both ends.
struct Elsewhere {
    process: Child,
    /// Open for as long as the process may write.
    _stdout: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Elsewhere {
    fn start() -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "many::a_server_for_another_process", "--nocapture"])
            .env(SERVE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let address = stdout
            .by_ref()
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.split_once(ANNOUNCEMENT)?.1.parse().ok())
            .expect("the server says where it listens");
        Self { process, _stdout: stdout, address }
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        drop(self.process.stdin.take()); // Tells it to end.
        let _ = self.process.wait();
    }
}

#[test]
fn a_server_for_another_process() {
    if std::env::var_os(SERVE).is_some() {
        let server = Timed::start(|arrival_ns| arrival_ns);
        println!("{ANNOUNCEMENT}{}", server.address);
        let _ = std::io::stdin().read(&mut [0]);
    }
}

#[test]
fn none_of_ten_thousand_connections_is_lost() {
    limits::raise_open_files();
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    if limit < CONNECTIONS as u64 + SPARE {
        eprintln!("not run: only {limit} files may be open");
        return;
    }
    both_ways(|io| {
        let server = Elsewhere::start();
        let target = Target { connections: CONNECTIONS, ..target(server.address) };
        let mut crew = Crew::start(&size(io), &[Arc::new(target)]).unwrap();
        let opened = crew.open(0).unwrap();
        assert_eq!((opened.open, opened.first_bad), (CONNECTIONS as u64, None));
        // One on each, and once more.
        for _ in 0..2 {
            let outcome = run(&mut crew, &requests(CONNECTIONS as u64));
            let tally = &outcome.tally;
            assert_eq!((errors(&outcome), tally.misses, tally.connects), (vec![], 0, 0));
            assert_eq!(tally.requests_all, CONNECTIONS as u64);
        }
    });
}
