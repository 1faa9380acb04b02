//! Options of `volley load`.

use super::{
    Amount, Checks, Connecting, Output, RequestArgs, Speaking, StageArg, Unit, nanoseconds,
};
use clap::Args;
use std::time::Duration;
use volley_load::scheme::Scheme;
use volley_net::url::Url;

/// Unless said.
const CONNECTIONS: usize = 64;
const DURATION: Duration = Duration::from_secs(10);
const WARM_UP: Duration = Duration::from_millis(200);

/// Options of `volley load`.
#[derive(Debug, Args)]
pub struct LoadArgs {
    /// The URL to load, http://host:port/path, https://…, ws://… or wss://…
    #[arg(value_parser = Url::parse)]
    pub url: Url,
    /// How much, and when.
    #[command(flatten)]
    pub amount: Amount,
    /// Over which connections.
    #[command(flatten)]
    pub connecting: Connecting,
    /// What is spoken on them.
    #[command(flatten)]
    pub speaking: Speaking,
    /// What to ask.
    #[command(flatten)]
    pub request: RequestArgs,
    /// Which answer is right.
    #[command(flatten)]
    pub checks: Checks,
    /// What to print and write.
    #[command(flatten)]
    pub output: Output,
}

impl LoadArgs {
    /// Connections at a time: as many as said, or as the highest of the stages.
    pub fn connections(&self) -> usize {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole")]
        let highest = |stage: &StageArg| stage.stage.from.max(stage.stage.to) as usize;
        let stages = self.amount.stages.iter().filter(|stage| stage.unit == Unit::Connections);
        self.amount.connections.or(stages.map(highest).max()).unwrap_or(CONNECTIONS)
    }

    /// Threads: as many as said, or one for each core, but no more than connections or rooms.
    pub fn threads(&self) -> usize {
        let most = self.connections() / self.request.room.unwrap_or(1);
        let cores = self.connecting.cpus.len().clamp(1, most.max(1));
        self.amount.threads.unwrap_or(cores)
    }

    /// Loaded so long, but not counted.
    pub fn warm_up(&self) -> Duration {
        let usual = if self.amount.requests.is_some() { Duration::ZERO } else { WARM_UP };
        self.amount.warm_up.unwrap_or(usual)
    }

    /// Counted so long, at most; `None`: until the requests are done.
    pub fn duration_ns(&self) -> Option<u64> {
        let Amount { stages, duration, requests, .. } = &self.amount;
        match (duration, requests) {
            _ if !stages.is_empty() => {
                Some(stages.iter().map(|stage| stage.stage.duration_ns).sum())
            }
            (Some(duration), _) => Some(nanoseconds(*duration)),
            (None, Some(_)) => None,
            (None, None) => Some(nanoseconds(DURATION)),
        }
    }

    /// Open loop: requests per second that were asked for, on average over all stages.
    pub fn mean_rate(&self) -> Option<f64> {
        let stages = self.amount.stages.iter().filter(|stage| stage.unit == Unit::PerSecond);
        let (mut requests, mut duration_ns) = (0.0, 0.0);
        for StageArg { stage, .. } in stages {
            requests += f64::midpoint(stage.from, stage.to) * stage.duration_ns as f64;
            duration_ns += stage.duration_ns as f64;
        }
        self.amount.rate.or((duration_ns > 0.0).then_some(requests / duration_ns))
    }

    /// Whether requests are due at times of their own.
    pub fn is_open_loop(&self) -> bool {
        let rates = self.amount.stages.iter().any(|stage| stage.unit == Unit::PerSecond);
        self.amount.rate.is_some() || rates
    }

    /// The protocol: as said, or HTTP/1 as the URL has it.
    pub fn scheme(&self) -> Scheme {
        let usual = if self.url.is_tls { Scheme::H1Tls } else { Scheme::H1 };
        let named = self.speaking.http2.then_some(Scheme::H2);
        self.speaking.protocol.or(named).unwrap_or(usual)
    }

    /// Requests on their way at a time on one connection.
    pub fn depth(&self) -> usize {
        if self.scheme().has_streams() { self.speaking.streams } else { self.connecting.pipeline }
    }

    /// Answers after which a connection is closed.
    pub fn requests_per_connection(&self) -> Option<u64> {
        if self.connecting.close { Some(1) } else { self.connecting.requests_per_connection }
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::tests::{args_for, load_args as load};
    use volley_load::scheme::Scheme;

    #[test]
    fn there_is_a_thread_for_each_core_but_not_without_a_connection() {
        for (options, threads) in [
            ("", 1),
            ("-t 3", 3),
            ("--cpus 4,5", 2),
            ("--cpus 4,5 -t 1", 1),
            ("--cpus 4,5 -c 1", 1),
        ] {
            assert_eq!(load(options).threads(), threads, "{options}");
        }
    }

    #[test]
    fn stages_hold_as_many_connections_as_their_highest_level() {
        assert_eq!(load("").connections(), 64);
        assert_eq!(load("-c 7").connections(), 7);
        let stages = load("--stage 1s:2-9c --stage 1s:5c");
        assert_eq!((stages.connections(), stages.is_open_loop()), (9, false));
    }

    #[test]
    fn a_rate_makes_the_loop_open() {
        let mean_rate = |options| load(options).mean_rate().map(|rate| rate.to_string());
        assert!(!load("").is_open_loop() && mean_rate("").is_none());
        assert!(load("-R 0.5").is_open_loop() && load("--stage 1s:5").is_open_loop());
        assert_eq!(mean_rate("-R 0.5").unwrap(), "0.5");
        assert_eq!(mean_rate("--stage 1s:100 --stage 3s:100-300").unwrap(), "175");
        assert!(mean_rate("--stage 1s:100c").is_none());
    }

    #[test]
    fn the_url_says_what_is_spoken_unless_an_option_does() {
        let of = |rest| {
            let args = args_for(rest);
            (args.scheme(), args.depth())
        };
        assert_eq!(of("http://a --pipeline 3"), (Scheme::H1, 3));
        assert_eq!(of("https://a --insecure"), (Scheme::H1Tls, 1));
        assert_eq!(of("https://a --insecure --protocol h2 --streams 5"), (Scheme::H2, 5));
        assert_eq!(of("http://a --protocol h2c"), (Scheme::H2c, 1));
        assert_eq!(of("https://a -k --http2"), (Scheme::H2, 1));
    }

    #[test]
    fn close_is_one_request_per_connection() {
        assert_eq!(load("").requests_per_connection(), None);
        assert_eq!(load("--close").requests_per_connection(), Some(1));
        assert_eq!(load("--requests-per-connection 9").requests_per_connection(), Some(9));
    }
}
