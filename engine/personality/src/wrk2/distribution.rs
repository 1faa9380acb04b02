//! The latency distribution of `-L` and `-U`.

use super::histogram::{SUB_BUCKETS, Values};
use crate::wrk::units::{column, time_us};
use std::fmt::Write;

const PERCENTS: [f64; 8] = [50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999, 100.0];

/// The footer of a distribution.
const RULE_LENGTH: usize = 58;

/// Percentiles, the spectrum of all, and its footer. `latencies` are in µs.
pub(super) fn distribution(out: &mut String, latencies: &Values, what: &str) {
    let _ = writeln!(out, "  Latency Distribution (HdrHistogram - {what})");
    for percent in PERCENTS {
        let latency = time_us(latencies.percentile(percent) as f64);
        let _ = writeln!(out, "{percent:>7.3}%{}", column(&latency, 10));
    }
    out.push_str("\n  Detailed Percentile spectrum:\n");
    spectrum(out, latencies);
    let _ = writeln!(out, "{:-<RULE_LENGTH$}", "");
}

/// Converts to ms.
fn spectrum(out: &mut String, latencies: &Values) {
    let heads = ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"];
    let _ = writeln!(out, "{:>12} {:>12} {:>12} {:>12}\n", heads[0], heads[1], heads[2], heads[3]);
    for tick in latencies.spectrum() {
        let _ = writeln!(
            out,
            "{:>12.3} {:>12.6} {:>12} {:>12.2}",
            tick.value as f64 / 1e3,
            tick.share,
            tick.total,
            1.0 / (1.0 - tick.share)
        );
    }
    let [mean, stdev] = [latencies.mean(), latencies.stdev()].map(|figure| footed(figure / 1e3));
    let [max, total] = [latencies.max() as f64 / 1e3, latencies.count() as f64];
    let buckets = latencies.buckets();
    let _ = writeln!(out, "#[Mean    = {mean:>12}, StdDeviation   = {stdev:>12}]");
    let _ = writeln!(out, "#[Max     = {max:>12.3}, Total count    = {total:>12}]");
    let _ = writeln!(out, "#[Buckets = {buckets:>12}, SubBuckets     = {SUB_BUCKETS:>12}]");
}

fn footed(figure: f64) -> String {
    if figure.is_nan() { "-nan".to_owned() } else { format!("{figure:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output in wrk2's own documentation, except for the indentation of that page.
    const PUBLISHED: &str = include_str!("published-distribution.txt");

    const EMPTY: &str = "  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    0.00us
 75.000%    0.00us
 90.000%    0.00us
 99.000%    0.00us
 99.900%    0.00us
 99.990%    0.00us
 99.999%    0.00us
100.000%    0.00us

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.000     1.000000            0          inf
#[Mean    =         -nan, StdDeviation   =         -nan]
#[Max     =        0.000, Total count    =            0]
#[Buckets =           27, SubBuckets     =         2048]
----------------------------------------------------------
";

    fn of(latencies: &Values) -> String {
        let mut out = String::new();
        distribution(&mut out, latencies, "Recorded Latency");
        out
    }

    /// Latencies that have the counts of a published spectrum.
    fn published() -> Values {
        let (mut latencies, mut before) = (Values::default(), 0);
        for line in PUBLISHED.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [value, _, total, _] = words[..]
                && let (Ok(value_ms), Ok(total)) = (value.parse::<f64>(), total.parse::<u64>())
            {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "µs")]
                let value_us = (value_ms * 1e3).round() as u64;
                (before..total).for_each(|_| latencies.record(value_us));
                before = total;
            }
        }
        latencies
    }

    #[test]
    fn a_published_distribution_is_printed_as_it_was() {
        let latencies = published();
        assert_eq!(latencies.count(), 39_500);
        // The page does not give the latencies between two lines of the spectrum.
        let is_known = |line: &&str| !line.starts_with("#[Mean") && !line.starts_with(" 99.");
        let (printed, text) = (of(&latencies), PUBLISHED);
        let lines = printed.lines().filter(is_known).zip(text.lines().filter(is_known));
        for (printed, published) in lines {
            assert_eq!(printed, published);
        }
        assert_eq!(printed.lines().count(), text.lines().count());
        assert!(printed.contains("\n#[Mean    =        6."), "{printed}");
    }

    #[test]
    fn nothing_has_a_distribution_too() {
        assert_eq!(of(&Values::default()), EMPTY);
    }

    #[test]
    fn minutes_have_room() {
        let mut latencies = Values::default();
        latencies.record(600_000_000);
        let text = of(&latencies);
        assert!(text.contains("\n 50.000%   10.01m \n"), "{text}");
        assert!(text.contains("\n  600309.759     0.000000            1         1.00\n"), "{text}");
    }
}
