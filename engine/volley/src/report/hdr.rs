//! Latencies of each interval, as the log that `HdrHistogram`'s tools read, written as the run goes.

use crate::intervals::{INTERVAL_NS, Interval};
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, IntervalLogWriterError};
use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, SystemTime};

/// The format has no place for the unit but a comment.
const HEAD: &str = "[volley: latencies and Interval_Max in nanoseconds]";

/// Writes intervals as a log of histograms.
pub struct HdrLog {
    to: Box<dyn Write>,
    serializer: V2DeflateSerializer,
    begun: bool,
}

impl HdrLog {
    /// Nothing is written yet: the head says when the window began.
    #[must_use]
    pub fn new(to: Box<dyn Write>) -> Self {
        Self { to, serializer: V2DeflateSerializer::new(), begun: false }
    }

    /// Writes intervals of a window that began at `start`, and sees to it that readers have them.
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
    use crate::clock::MS;
    use crate::report::tests::Shared;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

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
