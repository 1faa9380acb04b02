//! One thread's counts, and its connections.

use crate::script::Errors;
use volley_protocol::Decoder;

/// One thread's counts.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) complete: u64,
    pub(crate) bytes: u64,
    pub(crate) connects: u64,
    pub(crate) redirects: u64,
    pub(crate) errors: Errors,
    /// Time spent waiting for the kernel.
    pub(crate) waited_ns: u64,
    pub(crate) cpu_ns: u64,
    /// The time from the thread's beginning to its end, which a script may have caused early.
    pub(crate) ran_ns: u64,
}

impl Counts {
    /// Adds another thread's.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.complete += other.complete;
        self.bytes += other.bytes;
        self.connects += other.connects;
        self.redirects += other.redirects;
        self.errors = sum(self.errors, other.errors);
        self.waited_ns += other.waited_ns;
        self.cpu_ns += other.cpu_ns;
        self.ran_ns += other.ran_ns;
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
    /// How many requests are in flight.
    pub(crate) pending: usize,
    /// How often it was opened: separates a delay of a former connection from one of this.
    pub(crate) generation: u64,
    /// The bytes of the answer in progress, if a script wants them.
    pub(crate) answer: Vec<u8>,
}
