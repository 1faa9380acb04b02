//! What was asked, in words.

use super::scale::{grouped, rate};
use crate::cli::{LoadArgs, StageArg, Unit};
use volley_load::schedule::Shape;

/// How many, and what is done on each.
pub(super) fn connections(args: &LoadArgs) -> String {
    let kept = match args.requests_per_connection() {
        None => "keep-alive".into(),
        Some(1) => "one connection per request".into(),
        Some(most) => format!("{} requests on each", grouped(most)),
    };
    let version = if args.connecting.http_1_0 { ", HTTP/1.0" } else { "" };
    let pipelined = match args.connecting.pipeline {
        1 => String::new(),
        depth => format!(", {depth} requests at a time on each"),
    };
    format!("{}, {kept}{pipelined}{version}", args.connections())
}

/// Open loop: how arrivals are spread.
pub(super) fn arrivals(args: &LoadArgs) -> String {
    let shape = match args.amount.arrivals {
        Some(Shape::Poisson) => "poisson",
        _ => "uniform",
    };
    let at_a_time = match args.amount.burst {
        None | Some(1) => String::new(),
        Some(burst) => format!(", {} at a time", grouped(burst)),
    };
    format!("{shape}{at_a_time}")
}

/// The levels, one after the other.
pub(super) fn stages(args: &LoadArgs) -> String {
    let stage = |stage: &StageArg| {
        let (from, to) = (rate(stage.stage.from), rate(stage.stage.to));
        let levels = if from == to { from } else { format!("{from} to {to}") };
        format!("{levels} for {} s", stage.stage.duration_ns as f64 / 1e9)
    };
    let stages: Vec<String> = args.amount.stages.iter().map(stage).collect();
    let unit = match args.amount.stages.first().map(|stage| stage.unit) {
        Some(Unit::Connections) => "connections",
        _ => "requests/s",
    };
    format!("{unit}: {}", stages.join(", "))
}
