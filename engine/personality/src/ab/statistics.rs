//! ab's statistics of its records.

use super::record::Record;

/// One of the four times of a request, over all of them. In ms, rounded as ab rounds them.
#[expect(clippy::struct_field_names, reason = "units come last")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Summary {
    pub(super) min_ms: i64,
    pub(super) mean_ms: i64,
    /// The deviation, with n − 1; 0 for a single request.
    pub(super) stdev_ms: f64,
    pub(super) median_ms: i64,
    pub(super) max_ms: i64,
}

/// The statistics of the four times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Summaries {
    pub(super) connect: Summary,
    pub(super) processing: Summary,
    pub(super) waiting: Summary,
    pub(super) total: Summary,
}

/// Summarises at least one record, and leaves the records in the order of their total times.
///
/// The sorts are stable and in ab's order, so that records with equal total times are left as by
/// ab.
pub(super) fn summarize(records: &mut [Record]) -> Summaries {
    Summaries {
        connect: summary(records, |record| record.connect_us),
        processing: summary(records, Record::processing_us),
        waiting: summary(records, |record| record.wait_us),
        total: summary(records, |record| record.total_us),
    }
}

/// Sorts by a time and summarises it.
fn summary(records: &mut [Record], us: impl Fn(&Record) -> i64) -> Summary {
    records.sort_by_key(&us);
    let count = records.len();
    let sum: i64 = records.iter().map(&us).sum();
    // Like ab, this uses the mean in whole µs.
    let mean_us = sum / count.cast_signed() as i64;
    let squares = records.iter().map(|record| (us(record) as f64 - mean_us as f64).powi(2));
    let variance = squares.sum::<f64>() / (count.max(2) - 1) as f64;
    Summary {
        min_ms: round_ms(us(&records[0])),
        mean_ms: round_ms(mean_us),
        stdev_ms: if count > 1 { variance.sqrt() / 1000.0 } else { 0.0 },
        median_ms: round_ms(median_us(records, &us)),
        max_ms: round_ms(us(&records[count - 1])),
    }
}

/// ab's median: for an odd number of records it is the mean of the middle one and the next.
fn median_us(records: &[Record], us: impl Fn(&Record) -> i64) -> i64 {
    let middle = records.len() / 2;
    if records.len() > 1 && !records.len().is_multiple_of(2) {
        i64::midpoint(us(&records[middle]), us(&records[middle + 1]))
    } else {
        us(&records[middle])
    }
}

/// Whole ms, half a ms rounded up.
pub(super) fn round_ms(us: i64) -> i64 {
    (us + 500) / 1000
}

/// The total time that `percent` of the sorted records do not exceed, in whole ms.
pub(super) fn percentile_ms(sorted: &[Record], percent: usize) -> i64 {
    let at = (sorted.len() * percent / 100).min(sorted.len() - 1);
    round_ms(sorted[at].total_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(totals_ms: &[i64]) -> Vec<Record> {
        let record = |&ms: &i64| Record { total_us: 1000 * ms, ..Record::default() };
        totals_ms.iter().map(record).collect()
    }

    fn total(totals_ms: &[i64]) -> Summary {
        summarize(&mut records(totals_ms)).total
    }

    #[test]
    fn the_median_of_an_odd_number_is_the_middle_s_mean_with_the_next() {
        for (totals_ms, median_ms) in [
            (&[7][..], 7),
            (&[1, 9], 9),
            (&[1, 3, 9], 6),
            (&[9, 1, 3], 6),
            (&[1, 2, 3, 4], 3),
            (&[1, 2, 4, 8, 16], 6),
        ] {
            assert_eq!(total(totals_ms).median_ms, median_ms, "{totals_ms:?}");
        }
    }

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        // 2, 4, 9: mean 5, squares 9 + 1 + 16, by 2 is 13.
        let summary = total(&[2, 9, 4]);
        assert_eq!((summary.min_ms, summary.mean_ms, summary.max_ms), (2, 5, 9));
        assert!((summary.stdev_ms - 13_f64.sqrt()).abs() < 1e-9);
        assert!(total(&[7]).stdev_ms.abs() < 1e-9);
    }

    #[test]
    fn half_a_millisecond_is_rounded_up() {
        assert_eq!([0, 499, 500, 1499, 1500].map(round_ms), [0, 0, 1, 1, 2]);
    }

    #[test]
    fn a_percentile_is_the_record_behind_that_share() {
        let sorted = records(&(1..=10).collect::<Vec<_>>());
        assert_eq!([50, 66, 75, 90, 99].map(|p| percentile_ms(&sorted, p)), [6, 7, 8, 10, 10]);
    }

    #[test]
    fn processing_is_what_connecting_leaves_of_the_total() {
        let record = |connect_us, total_us, wait_us| Record {
            connect_us,
            total_us,
            wait_us,
            ..Record::default()
        };
        let mut records = [record(4000, 5000, 500), record(1000, 9000, 2600)];
        let summaries = summarize(&mut records);
        assert_eq!(summaries.connect.max_ms, 4);
        assert_eq!((summaries.processing.min_ms, summaries.processing.max_ms), (1, 8));
        assert_eq!((summaries.waiting.min_ms, summaries.waiting.max_ms), (1, 3));
        assert_eq!(records[1].total_us, 9000, "sorted by the total");
    }
}
