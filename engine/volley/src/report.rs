//! What `volley load` says in the end.

use crate::cli::LoadArgs;
use crate::clock::S;
use crate::errors::ErrorKind;
use crate::slice::Outcome;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Above this share of busy time the generator itself may be the limit.
const BUSY_LIMIT: f64 = 0.9;

/// The figures, as `--json` prints them.
#[derive(Debug, Serialize)]
pub struct Report {
    schema: &'static str,
    url: String,
    requests: u64,
    duration_s: f64,
    requests_per_s: f64,
    bytes_per_s: f64,
    latency_us: LatencyUs,
    send_lag_us: Option<LatencyUs>,
    errors: BTreeMap<ErrorKind, u64>,
    client: Client,
    limited_by: LimitedBy,
    mode: &'static str,
    connections: usize,
    rate: Option<f64>,
    io: &'static str,
    #[serde(skip)]
    close: bool,
    #[serde(skip)]
    first_bad: Option<String>,
    /// Right answers, warm-up and drain included.
    #[serde(skip)]
    pub right: u64,
    /// The user stopped it early.
    #[serde(skip)]
    pub interrupted: bool,
}

#[derive(Debug, Serialize)]
struct LatencyUs {
    mean: f64,
    p50: f64,
    p75: f64,
    p90: f64,
    p99: f64,
    p99_9: f64,
    max: f64,
}

#[derive(Debug, Serialize)]
struct Client {
    cpu_us_per_request: f64,
    busy: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum LimitedBy {
    Client,
    Unknown,
}

impl Report {
    /// The figures of a run.
    #[must_use]
    pub fn new(args: &LoadArgs, outcome: Outcome, interrupted: bool) -> Self {
        let busy = outcome.busy();
        let duration_s = outcome.duration_ns() as f64 / S as f64;
        let tally = outcome.tally;
        let per_s = |count: u64| if duration_s > 0.0 { count as f64 / duration_s } else { 0.0 };
        let us = |quantile| tally.latencies.quantile_us(quantile);
        Self {
            schema: "bakeoff.load/1",
            url: format!("http://{}{}", args.url.authority, args.url.path),
            requests: tally.requests,
            duration_s,
            requests_per_s: per_s(tally.requests),
            bytes_per_s: per_s(tally.bytes),
            latency_us: LatencyUs {
                mean: tally.latencies.mean_us(),
                p50: us(0.5),
                p75: us(0.75),
                p90: us(0.9),
                p99: us(0.99),
                p99_9: us(0.999),
                max: us(1.0),
            },
            send_lag_us: None,
            errors: tally.errors.occurred(),
            client: Client {
                cpu_us_per_request: outcome.cpu_ns as f64 / 1e3 / tally.requests.max(1) as f64,
                busy,
            },
            limited_by: if busy > BUSY_LIMIT { LimitedBy::Client } else { LimitedBy::Unknown },
            mode: "closed",
            connections: args.connections,
            rate: None,
            io: crate::protocol::IO,
            close: args.close,
            right: tally.right(),
            first_bad: tally.first_bad.map(|bad| format!("{}: {}", bad.kind.words(), bad.detail)),
            interrupted,
        }
    }

    /// One line of JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let mut line = serde_json::to_string(self).expect("a report is plain data");
        line.push('\n');
        line
    }

    /// Text for people; `bold` marks the headline for a terminal.
    #[must_use]
    pub fn text(&self, bold: bool) -> String {
        let (on, off) = if bold { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        let kept = if self.close { "one connection per request" } else { "keep-alive" };
        let early = if self.interrupted { ", interrupted" } else { "" };
        let mut text = String::new();
        let mut line = |name: &str, rest: String| {
            let _ = writeln!(text, "{}", format!("{name:13}{rest}").trim_end());
        };
        line("url", self.url.clone());
        line("connections", format!("{}, {kept}", self.connections));
        line("counted", format!("{:.2} s after 0.2 s of warm-up{early}", self.duration_s));
        line("requests", grouped(&self.requests.to_string()));
        line("requests/s", format!("{on}{}{off}", grouped(&format!("{:.0}", self.requests_per_s))));
        line("transfer", format!("{}/s", bytes(self.bytes_per_s)));
        line("", String::new());
        line("latency", self.quantiles(|name, _| name.to_owned()));
        line("", self.quantiles(|_, us| time(us)));
        line("", String::new());
        line("errors", if self.errors.is_empty() { "none".into() } else { String::new() });
        for (kind, count) in &self.errors {
            line("", format!("{:>9}  {}", grouped(&count.to_string()), kind.words()));
        }
        if let Some(first) = &self.first_bad {
            line("", format!("    first  {first}"));
        }
        let Client { cpu_us_per_request: cpu_us, busy } = self.client;
        let busy = format!("busy {:.0} % of the time", busy * 100.0);
        line("generator", format!("{cpu_us:.2} µs of CPU per request, {busy}"));
        line("limited by", self.limit().to_owned());
        text
    }

    fn limit(&self) -> &'static str {
        match self.limited_by {
            LimitedBy::Client => "this generator, perhaps: the server may be faster than that",
            LimitedBy::Unknown => {
                "not this generator; whether the server or the way to it can't be seen from here"
            }
        }
    }

    fn quantiles(&self, show: impl Fn(&str, f64) -> String) -> String {
        let latency = &self.latency_us;
        [
            ("mean", latency.mean),
            ("p50", latency.p50),
            ("p75", latency.p75),
            ("p90", latency.p90),
            ("p99", latency.p99),
            ("p99.9", latency.p99_9),
            ("max", latency.max),
        ]
        .map(|(name, us)| format!("{:>9}", show(name, us)))
        .join("  ")
    }
}

/// 1234567 as 1,234,567.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn time(us: f64) -> String {
    match us {
        _ if us < 1e3 => format!("{us:.1} µs"),
        _ if us < 1e6 => format!("{:.2} ms", us / 1e3),
        _ => format!("{:.2} s", us / 1e6),
    }
}

fn bytes(count: f64) -> String {
    match count {
        _ if count < 1024.0 => format!("{count:.0} B"),
        _ if count < 1_048_576.0 => format!("{:.1} KiB", count / 1024.0),
        _ if count < 1_073_741_824.0 => format!("{:.1} MiB", count / 1_048_576.0),
        _ => format!("{:.2} GiB", count / 1_073_741_824.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_scaled_for_people() {
        let grouped = ["0", "999", "1000", "1234567"].map(grouped);
        assert_eq!(grouped, ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0.5, 999.94, 1000.0, 2.5e6].map(time),
            ["0.5 µs", "999.9 µs", "1.00 ms", "2.50 s"]
        );
        let sizes = [10.0, 2048.0, 3_145_728.0, 2_147_483_648.0].map(bytes);
        assert_eq!(sizes, ["10 B", "2.0 KiB", "3.0 MiB", "2.00 GiB"]);
    }
}
