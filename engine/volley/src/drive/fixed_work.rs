//! A fixed piece of work, beside the slices: how long it takes says how fast a core is just now.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use volley_net::clock::thread_cpu_ns;
use volley_net::limits;

/// How often a message goes through the kernel: about 150 µs on a core of 2025.
const TURNS: usize = 200;
/// As long as a usual request.
const MESSAGE: [u8; 128] = [b'.'; 128];

/// CPU time of the work on each of these cores, one after the other, in ns. No server takes part.
///
/// A message is sent and received, again and again: that is what small servers spend their time on.
pub(super) fn fixed_work_ns(cpus: &[usize]) -> io::Result<Vec<u64>> {
    cpus.iter().map(|&cpu| on(cpu)).collect()
}

/// The work has a thread of its own, so that no other thread has to find back to its cores.
fn on(cpu: usize) -> io::Result<u64> {
    let work = move || -> io::Result<u64> {
        limits::pin(&[cpu]).map_err(io::Error::other)?;
        let (mut sender, mut receiver) = UnixStream::pair()?;
        let mut received = MESSAGE;
        let began_ns = thread_cpu_ns();
        for _ in 0..TURNS {
            sender.write_all(&MESSAGE)?;
            receiver.read_exact(&mut received)?;
        }
        Ok(thread_cpu_ns() - began_ns)
    };
    let thread = thread::Builder::new().name("fixed work".to_owned()).spawn(work)?;
    thread.join().unwrap_or_else(|_| Err(io::Error::other("the fixed work ended in a panic")))
}
