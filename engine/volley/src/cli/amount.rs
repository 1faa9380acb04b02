//! How much load, and when.

use super::values::{StageArg, at_least_1, rate, time, time_or_0};
use crate::schedule::Shape;
use clap::Args;
use std::time::Duration;

/// How much load, and when.
#[derive(Debug, Args)]
#[command(next_help_heading = "How much")]
pub struct Amount {
    /// Connections at a time [default: 64]
    #[arg(short, long, value_name = "N", value_parser = at_least_1::<usize>)]
    pub connections: Option<usize>,
    /// Threads [default: 1, or one for each core of --cpus]
    #[arg(short, long, value_name = "N", value_parser = at_least_1::<usize>)]
    pub threads: Option<usize>,
    /// How long to count [default: 10s, or with -n no limit]
    ///
    /// A TIME is 10, 10s, 500ms, 2m or 1h.
    #[arg(short, long, value_name = "TIME", value_parser = time)]
    pub duration: Option<Duration>,
    /// Stop after so many requests
    #[arg(short = 'n', long, value_name = "N", value_parser = at_least_1::<u64>)]
    pub requests: Option<u64>,
    /// Open loop: so many requests per second, come what may
    ///
    /// Latency then counts from the time when a request was due. Fractions such as 0.5 are allowed.
    #[arg(short = 'R', long, value_name = "N", value_parser = rate)]
    pub rate: Option<f64>,
    /// Open loop: at equal distances, or at random [default: uniform]
    ///
    /// Independent users come at random: with exponential distances, as a Poisson process.
    #[arg(long, value_enum, value_name = "uniform|poisson", hide_possible_values = true)]
    pub arrivals: Option<Shape>,
    /// Open loop: requests that are due at the same moment [default: 1]
    #[arg(long, value_name = "N", value_parser = at_least_1::<u64>)]
    pub burst: Option<u64>,
    /// A stretch at a level, or from one to another; may be repeated
    ///
    /// Levels are requests per second (open loop), as in 10s:1000 or 30s:1000-5000, or with a
    /// trailing c connections (closed loop), as in 10s:64c or 30s:64-512c.
    #[arg(long = "stage", value_name = "TIME:LEVEL", value_parser = StageArg::parse)]
    pub stages: Vec<StageArg>,
    /// Load so long before counting [default: 200ms, or 0 with -n]
    #[arg(short, long, value_name = "TIME", value_parser = time_or_0)]
    pub warm_up: Option<Duration>,
    /// Equal seeds give equal random choices
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
}
