//! Latencies: an `HdrHistogram` with an exact mean beside it.

use crate::clock::S;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer as _, V2DeflateSerializer};

/// Latencies of one slice: 1 ns to 60 s, longer ones counted as 60 s, 3 significant digits.
#[derive(Debug)]
pub struct Latencies {
    histogram: Histogram<u64>,
    sum_ns: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, 60 * S, 3);
        Self { histogram: histogram.expect("these bounds are valid"), sum_ns: 0 }
    }
}

impl Latencies {
    /// One more.
    #[inline]
    pub fn record(&mut self, latency_ns: u64) {
        self.histogram.saturating_record(latency_ns);
        self.sum_ns += latency_ns;
    }

    /// How many were recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Their exact mean in µs; 0 if there are none.
    #[must_use]
    pub fn mean_us(&self) -> f64 {
        match self.count() {
            0 => 0.0,
            count => self.sum_ns as f64 / count as f64 / 1e3,
        }
    }

    /// The latency in µs that a share `quantile` of them does not exceed; 0 if there are none.
    #[must_use]
    pub fn quantile_us(&self, quantile: f64) -> f64 {
        match self.count() {
            0 => 0.0,
            _ => self.histogram.value_at_quantile(quantile) as f64 / 1e3,
        }
    }

    /// V2 compressed encoding in base64, as `HdrHistogram`'s other implementations read it.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.histogram, &mut bytes)
            .expect("writing to memory does not fail");
        STANDARD.encode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Deserializer;

    #[test]
    fn survives_its_encoding() {
        let mut latencies = Latencies::default();
        (1..=1000).for_each(|n| latencies.record(n * 1000));
        let bytes = STANDARD.decode(latencies.encode()).unwrap();
        let back: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!(back, latencies.histogram);
        assert_eq!(back.len(), 1000);
    }

    #[test]
    fn the_mean_is_exact_and_long_ones_are_kept() {
        let mut latencies = Latencies::default();
        assert!(latencies.mean_us().abs() < f64::EPSILON);
        latencies.record(1_000_001);
        latencies.record(90 * S);
        assert!((latencies.mean_us() - 45_000_500.000_5).abs() < 1e-6);
        assert_eq!(latencies.count(), 2);
        assert!(latencies.quantile_us(1.0) >= 60e6);
    }
}
