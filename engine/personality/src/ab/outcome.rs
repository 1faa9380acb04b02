//! The counts of a run.

use super::exit::Exit;
use super::record::Record;
use volley_net::Failure;
use volley_tls::Facts;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// One record for each completed request.
    pub(super) records: Vec<Record>,
    pub(super) start_us: i64,
    /// When an event last began or ended a step.
    pub(super) last_us: i64,
    /// The `Server` field of the first answers.
    pub(super) server: Vec<u8>,
    /// Bytes of the first good answer's body.
    pub(super) document_bytes: u64,
    /// Answers that ended properly, as far as this is known.
    pub(super) good: u64,
    /// All failures. A request may have several.
    pub(super) bad: u64,
    pub(super) connect_errors: u64,
    pub(super) receive_errors: u64,
    pub(super) length_errors: u64,
    pub(super) exceptions: u64,
    pub(super) non_2xx: u64,
    /// Redirects among `non_2xx`.
    pub(super) redirects: u64,
    /// Requests whose connection was kept.
    pub(super) kept_alive: u64,
    pub(super) connects: u64,
    pub(super) read_bytes: u64,
    pub(super) body_bytes: u64,
    /// Heads and bodies that were sent.
    pub(super) sent_bytes: u64,
    /// What was agreed on with the server, with TLS.
    pub(super) session: Option<Facts>,
    /// The last failure of TLS.
    pub(super) tls_failure: Option<Failure>,
    /// The time in which the generator waited for events.
    pub(super) waited_ns: u64,
    /// Ctrl-C ended it.
    pub(super) interrupted: bool,
}

impl Outcome {
    /// Reserves room for all records. The error has the number of bytes that are not available.
    pub(super) fn with_room(requests: usize) -> Result<Self, Exit> {
        let mut outcome = Self::default();
        outcome.records.try_reserve_exact(requests).map_err(|_| {
            let bytes = requests.saturating_mul(size_of::<Record>());
            Exit {
                status: 1,
                message: format!("Could not allocate memory ({bytes} bytes)\n"),
                done: 0,
            }
        })?;
        Ok(outcome)
    }

    pub(super) fn duration_s(&self) -> f64 {
        (self.last_us - self.start_us) as f64 / 1e6
    }

    /// The share of the time in which the generator worked.
    pub(super) fn busy(&self) -> f64 {
        let duration_ns = 1e9 * self.duration_s();
        if duration_ns > 0.0 {
            (1.0 - self.waited_ns as f64 / duration_ns).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }
}
