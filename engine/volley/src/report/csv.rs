//! A line of CSV for each interval, written as the run goes.

use crate::intervals::{INTERVAL_NS, Interval};
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};

/// Writes intervals as CSV.
pub struct CsvLog(csv::Writer<Box<dyn Write>>);

/// The columns. Latencies of an interval without answers are empty.
#[derive(Debug, Serialize)]
struct Line {
    start_s: f64,
    requests: u64,
    errors: u64,
    bytes: u64,
    mean_us: Option<f64>,
    p50_us: Option<f64>,
    p90_us: Option<f64>,
    p99_us: Option<f64>,
    max_us: Option<f64>,
}

impl CsvLog {
    /// Nothing is written yet: the names of the columns come with the first line.
    #[must_use]
    pub fn new(to: Box<dyn Write>) -> Self {
        Self(csv::Writer::from_writer(to))
    }

    /// Writes intervals, and sees to it that readers have them.
    pub fn add(&mut self, intervals: &[Interval]) -> io::Result<()> {
        for interval in intervals {
            self.0.serialize(Line::from(interval))?;
        }
        self.0.flush()
    }
}

impl fmt::Debug for CsvLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CsvLog").finish_non_exhaustive()
    }
}

impl From<&Interval> for Line {
    fn from(interval: &Interval) -> Self {
        let Interval { index, requests, errors, bytes, ref latencies } = *interval;
        let quantile = |quantile| latencies.quantile_us(quantile, 0);
        // To the nanosecond, as the others are.
        let mean_us = (latencies.mean_us() * 1e3).round() / 1e3;
        Self {
            start_s: (index * INTERVAL_NS) as f64 / 1e9,
            requests,
            errors,
            bytes,
            mean_us: (latencies.count() > 0).then_some(mean_us),
            p50_us: quantile(0.5),
            p90_us: quantile(0.9),
            p99_us: quantile(0.99),
            max_us: quantile(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::Shared;

    #[test]
    fn each_interval_is_a_line_of_figures_below_their_names() {
        let busy = Interval { index: 3, requests: 3, errors: 1, bytes: 99, ..Interval::default() };
        let mut intervals = [busy, Interval { index: 36_000, ..Interval::default() }];
        for ns in [1000, 2000, 4000] {
            intervals[0].latencies.record(ns);
        }
        let written = Shared::default();
        let mut log = CsvLog::new(Box::new(written.clone()));
        intervals.chunks(1).for_each(|interval| log.add(interval).unwrap());
        assert_eq!(
            written.text(),
            "start_s,requests,errors,bytes,mean_us,p50_us,p90_us,p99_us,max_us\n\
             0.3,3,1,99,2.333,2.0,4.001,4.001,4.001\n\
             3600.0,0,0,0,,,,,\n"
        );
    }
}
