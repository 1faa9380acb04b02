//! Ten thousand connections.

use crate::world::guard::both_ways;
use crate::world::loading::{errors, requests, run, size, target};
use crate::world::yardstick::Yardstick;
use rustix::process::{Resource, getrlimit};
use std::sync::Arc;
use volley_load::target::Target;
use volley_load::workers::Workers;
use volley_net::limits;

const CONNECTIONS: usize = 10_000;

/// Descriptors for the other tests that run meanwhile.
const SPARE: u64 = 2000;

#[test]
fn none_of_ten_thousand_connections_is_lost() {
    limits::raise_open_files();
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    if limit < CONNECTIONS as u64 + SPARE {
        eprintln!("not run: only {limit} files may be open");
        return;
    }
    both_ways(|io| {
        // In a process of its own, since each connection takes a descriptor at both ends.
        let server = Yardstick::start("");
        let target = Target { connections: CONNECTIONS, ..target(server.address) };
        let mut workers = Workers::start(&size(io), &[Arc::new(target)]).unwrap();
        let opened = workers.open(0).unwrap();
        assert_eq!((opened.open, opened.first_bad), (CONNECTIONS as u64, None));
        // One request on each connection, and a second one.
        for _ in 0..2 {
            let outcome = run(&mut workers, &requests(CONNECTIONS as u64));
            let tally = &outcome.tally;
            assert_eq!((errors(&outcome), tally.misses, tally.connects), (vec![], 0, 0));
            assert_eq!(tally.requests_all, CONNECTIONS as u64);
        }
    });
}
