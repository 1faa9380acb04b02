//! Options of `volley load`.

use super::{Amount, Checks, Connecting, Output, RequestArgs, Unit};
use crate::url::Url;
use clap::Args;

/// Options of `volley load`.
#[derive(Debug, Args)]
pub struct LoadArgs {
    /// What to load, http://host:port/path
    #[arg(value_parser = Url::parse)]
    pub url: Url,
    /// How much, and when.
    #[command(flatten)]
    pub amount: Amount,
    /// Over which connections.
    #[command(flatten)]
    pub connecting: Connecting,
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
    #[must_use]
    pub fn connections(&self) -> usize {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole")]
        let highest = |stage: &super::StageArg| stage.stage.from.max(stage.stage.to) as usize;
        let stages = self.amount.stages.iter().filter(|stage| stage.unit == Unit::Connections);
        self.amount.connections.or(stages.map(highest).max()).unwrap_or(64)
    }

    /// Threads: as many as said, or one for each core, but no more than connections.
    #[must_use]
    pub fn threads(&self) -> usize {
        let cores = self.connecting.cpus.len().clamp(1, self.connections().max(1));
        self.amount.threads.unwrap_or(cores)
    }

    /// Whether requests are due at times of their own.
    #[must_use]
    pub fn is_open_loop(&self) -> bool {
        let rates = self.amount.stages.iter().any(|stage| stage.unit == Unit::PerSecond);
        self.amount.rate.is_some() || rates
    }

    /// Answers after which a connection is closed.
    #[must_use]
    pub fn requests_per_connection(&self) -> Option<u64> {
        if self.connecting.close { Some(1) } else { self.connecting.requests_per_connection }
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::{Cli, Command, LoadArgs};

    fn load(options: &[&str]) -> LoadArgs {
        match Cli::read([&["volley", "load", "http://a"], options].concat()).unwrap().command {
            Command::Load(args) => *args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn there_is_a_thread_for_each_core_but_not_without_a_connection() {
        let threads = |options: &[&str]| load(options).threads();
        assert_eq!(threads(&[]), 1);
        assert_eq!(threads(&["-t", "3"]), 3);
        assert_eq!(threads(&["--cpus", "4,5"]), 2);
        assert_eq!(threads(&["--cpus", "4,5", "-t", "1"]), 1);
        assert_eq!(threads(&["--cpus", "4,5", "-c", "1"]), 1);
    }

    #[test]
    fn stages_hold_as_many_connections_as_their_highest_level() {
        assert_eq!(load(&[]).connections(), 64);
        assert_eq!(load(&["-c", "7"]).connections(), 7);
        let stages = ["--stage", "1s:2-9c", "--stage", "1s:5c"];
        assert_eq!(load(&stages).connections(), 9);
        assert!(!load(&stages).is_open_loop());
    }

    #[test]
    fn a_rate_makes_the_loop_open() {
        assert!(!load(&[]).is_open_loop());
        assert!(load(&["-R", "0.5"]).is_open_loop());
        assert!(load(&["--stage", "1s:5"]).is_open_loop());
    }

    #[test]
    fn close_is_one_request_per_connection() {
        assert_eq!(load(&[]).requests_per_connection(), None);
        assert_eq!(load(&["--close"]).requests_per_connection(), Some(1));
        assert_eq!(load(&["--requests-per-connection", "9"]).requests_per_connection(), Some(9));
    }
}
