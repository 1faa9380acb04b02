//! The limit of the run's speed, as far as the client can find it.

use super::Report;
use super::scale::{percent, rate, time};
use volley_load::figures::{BUSY, LimitedBy};

/// Below this share, connections were idle so much that the generator was too slow to use them.
const LITTLE: f64 = 0.97;

/// How late requests may be sent, in µs or as a share of the median latency.
const LAG_US: f64 = 50.0;
const LAG_SHARE: f64 = 0.05;

/// Below this share of the generator's own limit, the generator is not the limit.
const CEILING_SHARE: f64 = 0.8;

/// From this share on, a rate has been reached.
const REACHED: f64 = 0.99;

/// What limited the run, with its evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Limit {
    /// One of the generator's threads had no time left: its share of busy time, and its number.
    Busy { busy: f64, thread: usize, threads: usize },
    /// Connections were idle: the measured share of Little's law.
    Idle(f64),
    /// Requests were sent late although there were connections for them: the 99th percentile.
    Late(f64),
    /// The requested rate.
    Rate,
    /// The generator can do much more: the run's share of its limit.
    Target(f64),
    /// Open loop: there may have been no connection free when a request was due.
    Crowded,
    /// There is no evidence.
    Unknown,
}

impl Limit {
    pub(super) fn by(self) -> LimitedBy {
        match self {
            Self::Busy { .. } | Self::Idle(_) | Self::Late(_) => LimitedBy::Client,
            Self::Rate => LimitedBy::Rate,
            Self::Target(_) => LimitedBy::Target,
            Self::Crowded | Self::Unknown => LimitedBy::Unknown,
        }
    }

    /// The limit as text, and its reason.
    pub(super) fn words(self) -> String {
        match self {
            Self::Busy { busy, thread, threads } => format!(
                "this generator, perhaps: {} was busy {} of the time, and the server may be faster",
                if threads > 1 {
                    format!("its thread {} of {threads}", thread + 1)
                } else {
                    "it".into()
                },
                percent(busy)
            ),
            Self::Idle(little) => format!(
                "this generator: its connections lay idle {} of the time (Little's law)",
                percent(1.0 - little)
            ),
            Self::Late(lag_us) => format!(
                "this generator: 1 % of the requests went out {} late or later",
                if lag_us.is_finite() { time(lag_us) } else { "infinitely".into() }
            ),
            Self::Rate => "the rate: the server kept up with it, and may be faster".into(),
            Self::Target(share) => format!(
                "the server, or the way to it: against its null server this generator was {} times \
                 as fast",
                rate((10.0 / share).round() / 10.0)
            ),
            Self::Crowded => {
                "not known: requests waited for a free connection, since the server is \
                              slower than the rate or -c too low"
                    .into()
            }
            Self::Unknown => {
                "not this generator; whether the server or the way to it can't be seen \
                              from here"
                    .into()
            }
        }
    }
}

impl Report<'_> {
    pub(super) fn limit(&self) -> Limit {
        // Of three threads one that is busy is a limit, though their mean is a third.
        let busy = &self.run.outcome.busy_threads;
        let busiest = busy.iter().copied().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
        if let Some((thread, busy)) = busiest.filter(|&(_, busy)| busy > BUSY) {
            return Limit::Busy { busy, thread, threads: self.run.outcome.threads() };
        }
        let of_pace = if self.args.is_open_loop() { self.of_open_loop() } else { self.of_closed() };
        let share = self.ceiling().map(|ceiling| ceiling.share);
        let of_ceiling = || share.filter(|&share| share < CEILING_SHARE).map(Limit::Target);
        match of_pace {
            Some(Limit::Crowded) => of_ceiling().unwrap_or(Limit::Crowded),
            Some(limit) => limit,
            None => of_ceiling().unwrap_or(Limit::Unknown),
        }
    }

    fn of_closed(&self) -> Option<Limit> {
        let little = self.little()?;
        (little < LITTLE && self.has_steady_connections()).then_some(Limit::Idle(little))
    }

    /// Whether Little's law applies to the generator: if connections fail, time out, are reopened,
    /// or run out of requests one by one, they are idle for other reasons.
    fn has_steady_connections(&self) -> bool {
        let tally = &self.run.outcome.tally;
        let reconnects = tally.connects.saturating_sub(self.args.connections() as u64);
        // With one request per connection the latency includes the connecting.
        let is_kept = self.args.connecting.close || reconnects * 100 <= tally.requests;
        is_kept && self.args.amount.requests.is_none() && tally.misses == 0
    }

    fn of_open_loop(&self) -> Option<Limit> {
        let never = f64::INFINITY;
        let lag_us = self.send_lag()?.quantile_us(0.99).unwrap_or(never);
        let latency_us = self.latency().quantile_us(0.5).unwrap_or(never);
        let is_late = lag_us > LAG_US.max(LAG_SHARE * latency_us);
        match is_late {
            true if !self.may_be_crowded() => Some(Limit::Late(lag_us)),
            _ if self.requests_per_s() >= REACHED * self.due_per_s() => Some(Limit::Rate),
            true => Some(Limit::Crowded),
            false => None,
        }
    }

    /// Whether every connection may have been busy at some time: as many requests as there are
    /// places were due while the slowest one was served. In rooms both count listeners.
    fn may_be_crowded(&self) -> bool {
        let slowest_us = self.service().and_then(|service| service.quantile_us(1.0));
        let due = self.due_per_s() * slowest_us.unwrap_or(f64::INFINITY) / 1e6;
        let burst = self.args.amount.burst.unwrap_or(1) as f64;
        let listeners = self.args.request.room.unwrap_or(1) as f64;
        due + burst * listeners > self.places()
    }
}
