//! The output for each interval while a run lasts: lines of CSV, histograms.

use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, IntervalLogWriterError};
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, SystemTime};
use volley_load::intervals::{INTERVAL_NS, Interval};

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
    /// The names of the columns are written with the first line.
    pub fn new(to: Box<dyn Write>) -> Self {
        Self(csv::Writer::from_writer(to))
    }

    /// Writes intervals, and flushes them for readers.
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

/// The format can give the unit only in a comment.
const HEAD: &str = "[volley: latencies and Interval_Max in nanoseconds]";

/// Writes intervals as a log of histograms.
pub struct HdrLog {
    to: Box<dyn Write>,
    serializer: V2DeflateSerializer,
    begun: bool,
}

impl HdrLog {
    /// The head with the window's start is written with the first interval.
    pub fn new(to: Box<dyn Write>) -> Self {
        Self { to, serializer: V2DeflateSerializer::new(), begun: false }
    }

    /// Writes intervals of a window that began at `start`, and flushes them for readers.
    pub fn add(&mut self, intervals: &[Interval], start: SystemTime) -> io::Result<()> {
        let mut head = IntervalLogWriterBuilder::new();
        if !std::mem::replace(&mut self.begun, true) {
            head.add_comment(HEAD).with_start_time(start);
        }
        let mut log = head.begin_log_with(&mut self.to, &mut self.serializer)?;
        let length = Duration::from_nanos(INTERVAL_NS);
        for interval in intervals {
            let start = Duration::from_nanos(interval.index * INTERVAL_NS);
            log.write_histogram(interval.latencies.histogram(), start, length, None).map_err(
                |error| match error {
                    IntervalLogWriterError::IoError(error) => error,
                    IntervalLogWriterError::SerializeError(error) => io::Error::other(error),
                },
            )?;
        }
        self.to.flush()
    }
}

impl fmt::Debug for HdrLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HdrLog").field("begun", &self.begun).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::Shared;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
    use volley_net::clock::MS;

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

    #[test]
    fn the_log_reads_as_it_was_written() {
        let written = Shared::default();
        let mut log = HdrLog::new(Box::new(written.clone()));
        let start = SystemTime::UNIX_EPOCH + Duration::from_millis(1500);
        for index in [0, 1, 12] {
            let mut interval = Interval { index, ..Interval::default() };
            (0..=index).for_each(|n| interval.latencies.record((n + 1) * MS));
            log.add(&[interval], start).unwrap();
        }
        let text = written.text();
        assert!(text.starts_with(&format!("#{HEAD}\n#[StartTime: 1.500 ")), "{text}");
        assert_eq!(text.lines().count(), 5);
        let mut seen = Vec::new();
        for entry in IntervalLogIterator::new(text.as_bytes()) {
            let LogEntry::Interval(interval) = entry.unwrap() else { continue };
            let encoded = STANDARD.decode(interval.encoded_histogram()).unwrap();
            let histogram: Histogram<u64> =
                Deserializer::new().deserialize(&mut encoded.as_slice()).unwrap();
            assert!(interval.duration() == Duration::from_millis(100) && interval.tag().is_none());
            seen.push((interval.start_timestamp().as_millis(), histogram.len()));
        }
        assert_eq!(seen, [(0, 1), (100, 2), (1200, 13)]);
    }
}
