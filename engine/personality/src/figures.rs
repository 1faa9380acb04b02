//! The output of `--json`: `bakeoff.load/2`, the schema of `volley load --json`.

use volley_load::figures::{self, Client, Mode, Schema};
use volley_net::Io;

/// Errors have the names that bakeoff gives them when it reads the program's text.
pub(crate) type Figures = figures::Figures<&'static str>;

/// The counts of every personality.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) url: String,
    /// The number of answers.
    pub(crate) requests: u64,
    /// The received bytes.
    pub(crate) bytes: u64,
    pub(crate) duration_s: f64,
    pub(crate) connects: u64,
    pub(crate) connections: usize,
}

/// The figures of a closed loop. Other figures are unknown.
pub(crate) fn closed(
    personality: &'static str,
    io: Io,
    counted: Counted,
    client: Client,
    errors: &[(&'static str, u64)],
) -> Figures {
    let Counted { url, requests, bytes, duration_s, connects, connections } = counted;
    let per_s = |count: u64| if duration_s > 0.0 { count as f64 / duration_s } else { 0.0 };
    Figures {
        schema: Schema::Load2,
        personality: Some(personality),
        url,
        requests,
        duration_s,
        requests_per_s: per_s(requests),
        bytes_per_s: per_s(bytes),
        counted_bytes_per_s: None,
        latency_us: None,
        first_byte_us: None,
        events: None,
        rooms: None,
        held: None,
        service_us: None,
        send_lag_us: None,
        errors: errors.iter().copied().filter(|&(_, count)| count > 0).collect(),
        misses: None,
        unsent: Some(0),
        redirects: None,
        connects,
        protocol: None,
        streams: None,
        agreed: None,
        datagrams: None,
        handshakes: None,
        handshake_mean_us: None,
        resumed: None,
        early_accepted: None,
        early_rejected: None,
        first_bad: None,
        by_request: None,
        client,
        little: None,
        limited_by: client.limit(),
        ceiling: None,
        mode: Mode::Closed,
        connections,
        rate: None,
        io,
    }
}
