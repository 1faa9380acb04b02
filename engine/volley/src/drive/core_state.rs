//! The state of a core between slices: its current speed, and its distance from the generator.

use crate::drive::core_trip::Path;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use volley_net::clock::thread_cpu_ns;
use volley_net::limits;

/// How often a message goes through the kernel, and how often the numbers are hashed: each takes
/// about 75 µs on a core of 2025.
const ROUNDS: usize = 100;
/// The length of a usual request.
const MESSAGE: [u8; 128] = [b'.'; 128];
/// 16 KiB: they stay in the fastest cache.
const NUMBERS: usize = 2048;
/// FNV's constants.
const PRIME: u64 = 0x100_0000_01b3;

/// The current state of a core.
pub(super) struct CoreState {
    /// The CPU time of a fixed amount of work there, in ns.
    pub(super) fixed_work_ns: u64,
    /// How long a line of the cache takes from the calling thread's core to this one and back. `None`:
    /// it may be the same core, or another thread was in the way.
    pub(super) trip_ns: Option<u64>,
}

/// The state of `cpu`, seen from `callers`, the cores on which the calling thread may be. No server
/// takes part.
///
/// The work has its own thread, so that no other thread has to return to its cores.
pub(super) fn core_state(cpu: usize, callers: &[usize]) -> io::Result<CoreState> {
    let apart = !callers.is_empty() && !callers.contains(&cpu);
    let path = Path::new();
    let work = || -> io::Result<u64> {
        let pinned = limits::pin(&[cpu]);
        if apart {
            path.returns();
        }
        pinned.map_err(io::Error::other)?;
        let numbers: Vec<u64> = (0..NUMBERS as u64).collect();
        let mut ends = UnixStream::pair()?;
        let began_ns = thread_cpu_ns();
        send_and_receive(&mut ends)?;
        black_box(hash(&numbers));
        Ok(thread_cpu_ns() - began_ns)
    };
    thread::scope(|threads| {
        let named = thread::Builder::new().name("fixed work".to_owned());
        let worker = named.spawn_scoped(threads, work)?;
        let trip_ns = if apart { path.trip_ns() } else { None };
        let panicked = |_| Err(io::Error::other("the fixed work ended in a panic"));
        Ok(CoreState { fixed_work_ns: worker.join().unwrap_or_else(panicked)?, trip_ns })
    })
}

/// Small servers spend most of their time on this: the kernel, with far more code than fits into
/// caches.
fn send_and_receive((sender, receiver): &mut (UnixStream, UnixStream)) -> io::Result<()> {
    let mut arrived = MESSAGE;
    for _ in 0..ROUNDS {
        sender.write_all(&MESSAGE)?;
        receiver.read_exact(&mut arrived)?;
    }
    Ok(())
}

/// It hashes in four independent chains: so it notices when the core's other half uses its units.
fn hash(numbers: &[u64]) -> u64 {
    let mut chains = [1, 2, 3, 4];
    for _ in 0..ROUNDS {
        for four in numbers.chunks_exact(chains.len()) {
            for (chain, number) in chains.iter_mut().zip(four) {
                *chain = (*chain ^ number).wrapping_mul(PRIME).rotate_left(23);
            }
        }
    }
    chains.iter().fold(0, |all, chain| all ^ chain)
}
