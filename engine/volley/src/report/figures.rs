//! The figures as `--json` prints them.

use super::Report;
use super::exchange::BadExchange;
use super::latency::Column;
use super::limit::LimitedBy;
use crate::errors::ErrorKind;
use crate::io::Io;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Serialize)]
pub(super) struct Figures {
    schema: &'static str,
    url: String,
    requests: u64,
    duration_s: f64,
    requests_per_s: f64,
    bytes_per_s: f64,
    latency_us: LatencyUs,
    service_us: Option<LatencyUs>,
    send_lag_us: Option<LatencyUs>,
    errors: BTreeMap<ErrorKind, u64>,
    misses: u64,
    unsent: u64,
    redirects: u64,
    connects: u64,
    first_bad: Option<BadExchange>,
    client: Client,
    little: Option<f64>,
    limited_by: LimitedBy,
    ceiling: Option<Ceiling>,
    mode: Mode,
    connections: usize,
    rate: Option<f64>,
    io: Io,
}

#[derive(Debug, Serialize)]
struct LatencyUs {
    mean: f64,
    p50: Option<f64>,
    p75: Option<f64>,
    p90: Option<f64>,
    p99: Option<f64>,
    p99_9: Option<f64>,
    max: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Client {
    cpu_us_per_request: f64,
    busy: f64,
    threads: usize,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Ceiling {
    pub(super) requests_per_s: f64,
    pub(super) share: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Closed,
    Open,
}

impl Figures {
    pub(super) fn new(report: &Report<'_>) -> Self {
        let Report { args, run } = report;
        let (outcome, tally) = (&run.outcome, &run.outcome.tally);
        Self {
            schema: "bakeoff.load/1",
            url: args.url.to_string(),
            requests: tally.requests,
            duration_s: report.duration_s(),
            requests_per_s: report.requests_per_s(),
            bytes_per_s: report.per_s(tally.bytes),
            latency_us: LatencyUs::of(report.latency()),
            service_us: report.service().map(LatencyUs::of),
            send_lag_us: report.send_lag().map(LatencyUs::of),
            errors: tally.errors.occurred(),
            misses: tally.misses,
            unsent: tally.unsent,
            redirects: tally.redirects,
            connects: tally.connects,
            first_bad: tally.first_bad.as_ref().map(BadExchange::from),
            client: Client {
                cpu_us_per_request: outcome.cpu_ns as f64 / 1e3 / tally.requests.max(1) as f64,
                busy: outcome.busy(),
                threads: outcome.threads,
            },
            little: report.little(),
            limited_by: report.limit().by(),
            ceiling: report.ceiling(),
            mode: if args.is_open_loop() { Mode::Open } else { Mode::Closed },
            connections: args.connections(),
            rate: args.mean_rate(),
            io: run.io,
        }
    }
}

impl LatencyUs {
    fn of(column: Column<'_>) -> Self {
        Self {
            mean: column.mean_us().unwrap_or_default(),
            p50: column.quantile_us(0.5),
            p75: column.quantile_us(0.75),
            p90: column.quantile_us(0.9),
            p99: column.quantile_us(0.99),
            p99_9: column.quantile_us(0.999),
            max: column.quantile_us(1.0),
        }
    }
}
