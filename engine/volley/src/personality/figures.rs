//! What `--json` prints: `bakeoff.load/1`, the schema of `volley load --json`.

use super::advice::BUSY;
use crate::io::Io;
use serde::Serialize;
use std::collections::BTreeMap;

/// One run's figures. What is not among them is not known to the personality.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    pub(crate) schema: &'static str,
    pub(crate) personality: &'static str,
    pub(crate) url: String,
    pub(crate) requests: u64,
    pub(crate) duration_s: f64,
    pub(crate) requests_per_s: f64,
    pub(crate) bytes_per_s: f64,
    /// Exact ones, whatever the text says.
    pub(crate) latency_us: Option<LatencyUs>,
    /// Open loop: from the sending.
    pub(crate) service_us: Option<LatencyUs>,
    pub(crate) send_lag_us: Option<LatencyUs>,
    /// By the names that bakeoff gives them when it reads the program's text; none is 0.
    pub(crate) errors: BTreeMap<&'static str, u64>,
    pub(crate) misses: u64,
    pub(crate) unsent: u64,
    pub(crate) redirects: u64,
    pub(crate) connects: u64,
    pub(crate) first_bad: Option<()>,
    pub(crate) client: Client,
    pub(crate) little: Option<f64>,
    pub(crate) limited_by: &'static str,
    pub(crate) ceiling: Option<()>,
    pub(crate) mode: &'static str,
    pub(crate) connections: usize,
    pub(crate) rate: Option<f64>,
    pub(crate) io: Io,
}

/// Latencies in µs.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct LatencyUs {
    pub(crate) mean: f64,
    pub(crate) p50: Option<f64>,
    pub(crate) p75: Option<f64>,
    pub(crate) p90: Option<f64>,
    pub(crate) p99: Option<f64>,
    pub(crate) p99_9: Option<f64>,
    pub(crate) max: Option<f64>,
    pub(crate) stdev: Option<f64>,
}

impl LatencyUs {
    /// From a function that gives the latency which a share of them does not exceed.
    pub(crate) fn of(mean: f64, stdev: f64, quantile_us: impl Fn(f64) -> f64) -> Self {
        let at = |share| Some(quantile_us(share));
        Self {
            mean,
            p50: at(0.5),
            p75: at(0.75),
            p90: at(0.9),
            p99: at(0.99),
            p99_9: at(0.999),
            max: at(1.0),
            stdev: Some(stdev),
        }
    }
}

/// What the load cost its generator.
#[derive(Debug, Serialize)]
pub(crate) struct Client {
    pub(crate) cpu_us_per_request: f64,
    pub(crate) busy: f64,
    pub(crate) threads: usize,
}

/// What every personality counts.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) url: String,
    /// Answers.
    pub(crate) requests: u64,
    /// Received.
    pub(crate) bytes: u64,
    pub(crate) duration_s: f64,
    pub(crate) connects: u64,
    pub(crate) connections: usize,
}

impl Figures {
    /// Of a closed loop. All else that may be known is not, or did not happen.
    pub(crate) fn closed(
        personality: &'static str,
        io: Io,
        counted: Counted,
        client: Client,
    ) -> Self {
        let Counted { url, requests, bytes, duration_s, connects, connections } = counted;
        let per_s = |count: u64| if duration_s > 0.0 { count as f64 / duration_s } else { 0.0 };
        Self {
            schema: "bakeoff.load/1",
            personality,
            url,
            requests,
            duration_s,
            requests_per_s: per_s(requests),
            bytes_per_s: per_s(bytes),
            latency_us: None,
            service_us: None,
            send_lag_us: None,
            errors: BTreeMap::new(),
            misses: 0,
            unsent: 0,
            redirects: 0,
            connects,
            first_bad: None,
            limited_by: if client.busy > BUSY { "client" } else { "unknown" },
            client,
            little: None,
            ceiling: None,
            mode: "closed",
            connections,
            rate: None,
            io,
        }
    }

    /// One line.
    pub(crate) fn line(&self) -> String {
        let mut line = serde_json::to_string(self).expect("figures are plain data");
        line.push('\n');
        line
    }
}
