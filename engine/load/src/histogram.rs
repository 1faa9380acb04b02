//! Latencies: an `HdrHistogram` with an exact mean beside it.

use std::cell::RefCell;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer as _, V2DeflateSerializer, V2Serializer};
use volley_net::clock::S;

/// Latencies of one slice: 1 ns to 24 hours, 3 significant digits.
#[derive(Debug)]
pub struct Latencies {
    histogram: Histogram<u64>,
    sum_ns: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        Self::with_room_for(60 * S)
    }
}

/// The longest latency that is recorded.
const LONGEST_NS: u64 = 24 * 3600 * S;

impl Latencies {
    /// Grows on demand instead of preallocating the usual minute: for large numbers of histograms.
    pub fn growing() -> Self {
        Self::with_room_for(2)
    }

    fn with_room_for(longest_ns: u64) -> Self {
        let histogram = Histogram::new_with_bounds(1, longest_ns, 3);
        let mut histogram = histogram.expect("these bounds are valid");
        histogram.auto(true);
        Self { histogram, sum_ns: 0 }
    }

    /// Records one latency.
    #[inline]
    pub fn record(&mut self, latency_ns: u64) {
        self.record_n(latency_ns, 1);
    }

    /// Records the same latency several times.
    #[inline]
    pub fn record_n(&mut self, latency_ns: u64, count: u64) {
        self.histogram.record_n(latency_ns.min(LONGEST_NS), count).expect("it grows");
        self.sum_ns += count * latency_ns;
    }

    /// Removes all latencies, and keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.histogram.reset();
        self.sum_ns = 0;
    }

    /// Adds another histogram's latencies.
    pub fn merge(&mut self, other: &Self) {
        if other.count() > 0 {
            self.histogram.add(&other.histogram).expect("it grows");
        }
        self.sum_ns += other.sum_ns;
    }

    /// How many were recorded.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The exact mean in µs; 0 if there are no latencies.
    pub fn mean_us(&self) -> f64 {
        match self.count() {
            0 => 0.0,
            count => self.sum_ns as f64 / count as f64 / 1e3,
        }
    }

    /// The latency in µs that a share `quantile` of the requests does not exceed, if `misses` more
    /// requests took for ever. `None`: it is infinite, or there are no requests.
    pub fn quantile_us(&self, quantile: f64, misses: u64) -> Option<f64> {
        let all = self.count() + misses;
        let rank = (quantile * all as f64).ceil().max(1.0);
        if rank > self.count() as f64 {
            return None;
        }
        let within = rank / self.count() as f64;
        Some(self.histogram.value_at_quantile(within) as f64 / 1e3)
    }

    /// How many latencies are at least this long, as far as the histogram tells lengths apart.
    pub fn count_from(&self, latency_ns: u64) -> u64 {
        self.histogram.count_between(latency_ns, u64::MAX)
    }

    /// The histogram, in ns.
    pub fn histogram(&self) -> &Histogram<u64> {
        &self.histogram
    }

    /// V2 compressed encoding in base64, which `HdrHistogram`'s other implementations read.
    pub fn encode(&self) -> String {
        let (mut bytes, memory) = (Vec::new(), "writing to memory does not fail");
        SERIALIZER.with_borrow_mut(|it| it.serialize(&self.histogram, &mut bytes)).expect(memory);
        if bytes.len() <= STORED {
            return STANDARD.encode(stored(&bytes));
        }
        bytes.clear();
        V2DeflateSerializer::new().serialize(&self.histogram, &mut bytes).expect(memory);
        STANDARD.encode(bytes)
    }
}

/// Requests whose answers' bodies came in pieces: the times to the first bytes, and to the ends.
/// For all other requests the two times are the same, and cost nothing here.
#[derive(Debug, Default)]
pub struct FirstBytes(Option<Box<[Latencies; 2]>>);

impl FirstBytes {
    /// Records one request.
    pub fn record(&mut self, first_ns: u64, end_ns: u64) {
        let [first, end] = self.histograms();
        first.record(first_ns);
        end.record(end_ns);
    }

    /// Adds another's.
    pub(crate) fn merge(&mut self, other: &Self) {
        if let Some(theirs) = &other.0 {
            self.histograms().iter_mut().zip(&**theirs).for_each(|(mine, its)| mine.merge(its));
        }
    }

    /// The times to the first bytes of all requests, given the latencies of these and all others.
    /// `None`: they equal the times to the ends.
    pub fn of_all(&self, latencies: &Latencies) -> Option<Latencies> {
        let [first, end] = &**self.0.as_ref()?;
        let mut all = Latencies::growing();
        all.merge(latencies);
        all.histogram.subtract(&end.histogram).expect("they are among the latencies");
        all.sum_ns -= end.sum_ns;
        all.merge(first);
        Some(all)
    }

    fn histograms(&mut self) -> &mut [Latencies; 2] {
        self.0.get_or_insert_with(|| Box::new([(); 2].map(|()| Latencies::growing())))
    }
}

thread_local! {
    /// Its buffer has room for every bucket: making a new one takes longer than filling it.
    static SERIALIZER: RefCell<V2Serializer> = RefCell::new(V2Serializer::new());
}

/// Histograms shorter than this are stored: making a compressor takes longer than counting a
/// thousand answers, and a mix has a histogram for each of its requests.
const STORED: usize = 512;

/// V2 compressed encoding of a histogram's V2 encoding, with nothing compressed: a stream of zlib
/// (RFC 1950) that is one stored block (RFC 1951, 3.2.4).
fn stored(encoded: &[u8]) -> Vec<u8> {
    let length = u16::try_from(encoded.len()).expect("few values");
    let mut zlib = vec![0x78, 0x01, 1];
    zlib.extend(length.to_le_bytes());
    zlib.extend((!length).to_le_bytes());
    zlib.extend(encoded);
    zlib.extend(adler2::adler32_slice(encoded).to_be_bytes());
    let mut bytes = V2_COMPRESSED_COOKIE.to_be_bytes().to_vec();
    bytes.extend(u32::try_from(zlib.len()).expect("few values").to_be_bytes());
    bytes.extend(zlib);
    bytes
}

const V2_COMPRESSED_COOKIE: u32 = 0x1c84_9314;

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Deserializer;

    #[test]
    fn survives_its_encoding_be_it_short_or_long() {
        for count in [0, 1, 2, 50, 150, 170, 200, 1000, 10_000] {
            let mut latencies = Latencies::default();
            (1..=count).for_each(|n| latencies.record(n * 1000));
            let bytes = STANDARD.decode(latencies.encode()).unwrap();
            let back: Histogram<u64> =
                Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
            assert_eq!(back, latencies.histogram);
            assert_eq!(back.len(), count);
        }
    }

    #[test]
    fn the_mean_is_exact_and_long_ones_are_kept() {
        let mut latencies = Latencies::default();
        assert!(latencies.mean_us().abs() < f64::EPSILON);
        latencies.record(1_000_001);
        latencies.record(90 * S);
        assert!((latencies.mean_us() - 45_000_500.000_5).abs() < 1e-6);
        assert_eq!(latencies.count(), 2);
        assert!((latencies.quantile_us(1.0, 0).unwrap() / 90e6 - 1.0).abs() < 1e-3);
        let bytes = STANDARD.decode(latencies.encode()).unwrap();
        let back: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!(back, latencies.histogram);
    }

    #[test]
    fn those_that_grow_hold_the_same() {
        let [mut whole, mut small, mut more] =
            [Latencies::default(), Latencies::growing(), Latencies::growing()];
        for n in [0, 1, 5, 2047, 2048, 1_000_001, 59 * S, 90 * S] {
            whole.record(n);
            if n < S { small.record(n) } else { more.record(n) }
        }
        small.merge(&more);
        assert_eq!((small.count(), small.sum_ns), (whole.count(), whole.sum_ns));
        for quantile in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] {
            assert_eq!(small.quantile_us(quantile, 0), whole.quantile_us(quantile, 0));
        }
        let bytes = STANDARD.decode(small.encode()).unwrap();
        let back: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!(back, whole.histogram);
    }

    #[test]
    fn merging_loses_nothing() {
        let [mut whole, mut odd, mut even] = [(); 3].map(|()| Latencies::default());
        for n in 1..=10_001_u64 {
            whole.record(n * n);
            if n % 2 == 0 { even.record(n * n) } else { odd.record(n * n) }
        }
        odd.merge(&even);
        assert_eq!((odd.histogram, odd.sum_ns), (whole.histogram, whole.sum_ns));
    }

    #[test]
    fn first_bytes_stand_in_for_the_ends_of_the_same_requests() {
        let [mut latencies, mut expected] = [Latencies::default(), Latencies::default()];
        let [mut one, mut other] = [FirstBytes::default(), FirstBytes::default()];
        assert!(one.of_all(&latencies).is_none());
        for n in 1..=1000_u64 {
            let end_ns = n * n * 1000;
            latencies.record(end_ns);
            let first_ns = if n % 3 == 0 { end_ns } else { n };
            expected.record(first_ns);
            match n % 3 {
                0 => {}
                1 => one.record(first_ns, end_ns),
                _ => other.record(first_ns, end_ns),
            }
        }
        one.merge(&other);
        one.merge(&FirstBytes::default());
        let all = one.of_all(&latencies).unwrap();
        assert_eq!((all.histogram, all.sum_ns), (expected.histogram, expected.sum_ns));
    }

    #[test]
    fn a_miss_takes_for_ever() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.quantile_us(0.5, 0), None);
        (0..99).for_each(|_| latencies.record(1000));
        for (quantile, finite) in [(0.0, true), (0.5, true), (0.99, true), (0.991, false)] {
            assert_eq!(latencies.quantile_us(quantile, 1).is_some(), finite, "{quantile}");
        }
        assert!((latencies.quantile_us(1.0, 0).unwrap() - 1.0).abs() < 0.01);
    }
}
