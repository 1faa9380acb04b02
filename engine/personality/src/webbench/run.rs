//! The load: each client sends a request, reads to the end of its connection, and opens the next.

use std::io;
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use volley_net::clock::{MS, S, now_ns, thread_cpu_ns};
use volley_net::{Kernel, Patience, Route};
use volley_tls::wire::{Event, Wire};

/// A signal does not end a wait: the flag is polled this often.
const LOOK_NS: u64 = 100 * MS;

/// How many bytes of an answer show the first digit of its status: `HTTP/1.1 2`.
const STATUS: usize = 10;

/// The server, and the kind of load.
#[derive(Debug)]
pub(super) struct Load {
    pub(super) route: Arc<Route>,
    pub(super) clients: usize,
    pub(super) duration_s: u32,
    pub(super) request: Vec<u8>,
    /// Connections are closed without waiting for answers.
    pub(super) force: bool,
    /// HTTP/0.9: our side of the connection ends after the request.
    pub(super) ends_sending: bool,
}

/// The counts of a run. Requests in flight at its end are not counted.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Counts {
    /// Requests with an answer of any kind; with `force`, requests that were sent.
    pub(super) ok: u64,
    /// Requests that failed: not connected, not sent, or not read to the end.
    pub(super) failed: u64,
    /// Received bytes, heads included.
    pub(super) bytes: u64,
    /// Among `ok`: with a status of 400 or more.
    pub(super) refused: u64,
    /// Among `ok`: without a byte.
    pub(super) empty: u64,
    pub(super) connects: u64,
    pub(super) duration_s: f64,
    /// The share of the time in which the generator was busy.
    pub(super) busy: f64,
    pub(super) cpu_ns: u64,
}

#[derive(Debug, Default)]
struct Client {
    /// The beginning of the answer.
    head: [u8; STATUS],
    held: usize,
    /// The request is handed over, and its answer is not awaited.
    leaves: bool,
}

struct Running<'a, B: Kernel> {
    load: &'a Load,
    wire: Wire<B>,
    clients: Vec<Client>,
    /// Clients without a connection.
    idle: Vec<usize>,
    /// Clients that close at the next turn.
    leaving: Vec<usize>,
    counts: Counts,
}

impl Load {
    /// Runs for its duration, or until `interrupted`.
    pub(super) fn run<B: Kernel>(&self, interrupted: &AtomicBool) -> io::Result<Counts> {
        let wire =
            Wire::<B>::new(self.route.clone(), self.clients, self.request.as_slice().into(), None)?;
        let clients = (0..self.clients).map(|_| Client::default()).collect();
        let idle = (0..self.clients).collect();
        let counts = Counts::default();
        let mut running = Running { load: self, wire, clients, idle, leaving: Vec::new(), counts };
        running.run(interrupted)?;
        Ok(running.counts)
    }
}

impl<B: Kernel> Running<'_, B> {
    fn run(&mut self, interrupted: &AtomicBool) -> io::Result<()> {
        let (patience, cpu_ns, start_ns) = (Patience::here(), thread_cpu_ns(), now_ns());
        let end_ns = start_ns + u64::from(self.load.duration_s) * S;
        let (mut now, mut waited_ns) = (start_ns, 0);
        while now < end_ns && !interrupted.load(Ordering::Relaxed) {
            for slot in take(&mut self.idle) {
                self.begin(slot);
            }
            let leaving = take(&mut self.leaving);
            // A client that could not start to connect tries again.
            let waits = self.idle.is_empty() && leaving.is_empty();
            let until_ns = if waits { end_ns.min(now + LOOK_NS) } else { now };
            waited_ns += self.wire.turn(patience, until_ns)?;
            while let Some((slot, event)) = self.wire.next_event() {
                self.take(slot, event);
            }
            for slot in leaving {
                if self.clients[slot].leaves {
                    self.count_answer(slot);
                }
            }
            now = now_ns();
        }
        let taken_ns = now - start_ns;
        // webbench divides by the requested duration.
        self.counts.duration_s = now.min(end_ns).saturating_sub(start_ns) as f64 / S as f64;
        self.counts.busy = 1.0 - waited_ns as f64 / taken_ns.max(1) as f64;
        self.counts.cpu_ns = thread_cpu_ns() - cpu_ns;
        Ok(())
    }

    fn begin(&mut self, slot: usize) {
        self.clients[slot] = Client::default();
        if self.wire.connect(slot).is_err() {
            self.count_failure(slot);
        }
    }

    fn take(&mut self, slot: usize, event: Event<B::Piece>) {
        match event {
            Event::Established => self.ask(slot),
            Event::Bytes(piece) => {
                if !self.load.force {
                    let bytes = self.wire.bytes(&piece);
                    self.counts.bytes += bytes.len() as u64;
                    self.clients[slot].see(bytes);
                }
                self.wire.release(piece);
            }
            // With --force answers are not read.
            Event::End if self.load.force => {}
            Event::End => self.count_answer(slot),
            Event::Unconnected(_) | Event::Failed(_) => self.count_failure(slot),
        }
    }

    fn ask(&mut self, slot: usize) {
        self.counts.connects += 1;
        self.wire.send(slot, 0..self.load.request.len());
        if self.load.ends_sending {
            self.wire.end_sending(slot);
        }
        if self.load.force {
            self.clients[slot].leaves = true;
            self.leaving.push(slot);
        }
    }

    fn count_answer(&mut self, slot: usize) {
        self.counts.ok += 1;
        if !self.load.force {
            self.counts.refused += u64::from(self.clients[slot].is_refused());
            self.counts.empty += u64::from(self.clients[slot].held == 0);
        }
        self.free(slot);
    }

    fn count_failure(&mut self, slot: usize) {
        self.counts.failed += 1;
        self.free(slot);
    }

    fn free(&mut self, slot: usize) {
        self.wire.close(slot);
        self.clients[slot].leaves = false;
        self.idle.push(slot);
    }
}

impl Client {
    fn see(&mut self, bytes: &[u8]) {
        let more = bytes.len().min(STATUS - self.held);
        self.head[self.held..self.held + more].copy_from_slice(&bytes[..more]);
        self.held += more;
    }

    fn is_refused(&self) -> bool {
        self.head.starts_with(b"HTTP/") && matches!(self.head[STATUS - 1], b'4'..=b'9')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_seen_in_pieces() {
        for (pieces, refused) in [
            (&["HTTP/1.1 404 Not Found"][..], true),
            (&["HTTP/1.0", " ", "500"], true),
            (&["HTTP/1.1 200", " 400"], false),
            (&["HTTP/1.1 3"], false),
            (&["<p>12345 4"], false),
            (&["HTTP/1.1 "], false),
            (&[], false),
        ] {
            let mut client = Client::default();
            for piece in pieces {
                client.see(piece.as_bytes());
            }
            assert_eq!(client.is_refused(), refused, "{pieces:?}");
        }
    }
}
