//! What one thread counts, and its connections.

use super::statistics::Statistics;
use crate::clock::S;
use crate::personality::script::Errors;
use volley_http::Decoder;

/// Rates from here on, in requests a second, are not counted.
const RATE_LIMIT: u64 = 10_000_000;

/// One thread's counts.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) complete: u64,
    pub(crate) bytes: u64,
    pub(crate) connects: u64,
    pub(crate) redirects: u64,
    pub(crate) errors: Errors,
    /// In µs.
    pub(crate) latencies: Statistics,
    /// Requests a second, in each tenth of a second that had any.
    pub(crate) rates: Statistics,
    /// Time spent waiting for the kernel.
    pub(crate) waited_ns: u64,
    pub(crate) cpu_ns: u64,
}

impl Counts {
    pub(crate) fn new(timeout_s: u64) -> Self {
        Self {
            complete: 0,
            bytes: 0,
            connects: 0,
            redirects: 0,
            errors: Errors::default(),
            latencies: Statistics::below(timeout_s.saturating_mul(S / 1000)),
            rates: Statistics::below(RATE_LIMIT),
            waited_ns: 0,
            cpu_ns: 0,
        }
    }

    /// Adds another thread's.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.complete += other.complete;
        self.bytes += other.bytes;
        self.connects += other.connects;
        self.redirects += other.redirects;
        self.errors = sum(self.errors, other.errors);
        self.latencies.merge(&other.latencies);
        self.rates.merge(&other.rates);
        self.waited_ns += other.waited_ns;
        self.cpu_ns += other.cpu_ns;
    }
}

fn sum(one: Errors, other: Errors) -> Errors {
    Errors {
        connect: one.connect + other.connect,
        read: one.read + other.read,
        write: one.write + other.write,
        status: one.status + other.status,
        timeout: one.timeout + other.timeout,
    }
}

/// One connection.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    pub(crate) decoder: Decoder,
    /// When the requests in flight were sent.
    pub(crate) start_ns: u64,
    /// How many are in flight.
    pub(crate) pending: usize,
    /// How often it was opened: tells a delay of a former connection from one of this.
    pub(crate) generation: u64,
    /// The bytes of the answer in progress, where a script wants to see it.
    pub(crate) answer: Vec<u8>,
}
