//! The files of `-e` and `-g`.

use super::exit::Exit;
use super::record::Record;
use super::statistics::round_ms;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use volley_net::errors::io_words;

/// Percentiles of records that are sorted by their total times.
pub(super) fn csv(sorted: &[Record]) -> String {
    let last = sorted.len() - 1;
    let mut text = String::from("Percentage served,Time in ms\n");
    for percent in 0..=100 {
        let at = match percent {
            0 => 0,
            100 => last,
            // Rounded to the nearest, halves up.
            _ => ((sorted.len() * percent + 50) / 100).min(last),
        };
        let _ = writeln!(text, "{percent},{:.3}", sorted[at].total_us as f64 / 1000.0);
    }
    text
}

/// The times of each request. `offset_us`: the difference from `start_us` to a time since 1970.
pub(super) fn gnuplot(records: &[Record], offset_us: i64, zone: &TimeZone) -> String {
    let mut text = String::from("starttime\tseconds\tctime\tdtime\tttime\twait\n");
    for record in records {
        let start_us = record.start_us + offset_us;
        let when = Timestamp::from_microsecond(start_us).unwrap_or_default();
        let _ = writeln!(
            text,
            "{}\t{}\t{}\t{}\t{}\t{}",
            when.to_zoned(zone.clone()).strftime("%a %b %d %H:%M:%S %Y"),
            start_us / 1_000_000,
            round_ms(record.connect_us),
            round_ms(record.processing_us()),
            round_ms(record.total_us),
            round_ms(record.wait_us),
        );
    }
    text
}

/// Writes one of the files; `what` is its kind.
pub(super) fn write(file: &Path, what: &str, text: &str) -> Result<(), Exit> {
    fs::write(file, text).map_err(|error| Exit {
        status: 1,
        message: format!("Cannot open {what} output file: {}\n", io_words(&error)),
        done: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(totals_us: impl IntoIterator<Item = i64>) -> Vec<Record> {
        let record = |total_us| Record { total_us, ..Record::default() };
        totals_us.into_iter().map(record).collect()
    }

    #[test]
    fn percentages_are_of_the_records_behind_them() {
        let text = csv(&totals((1..=10).map(|nth| nth * 1001)));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 102);
        assert_eq!(lines[0], "Percentage served,Time in ms");
        assert_eq!(lines[1], "0,1.001");
        assert_eq!(lines[5], "4,1.001");
        assert_eq!(lines[6], "5,2.002");
        assert_eq!(lines[51], "50,6.006");
        assert_eq!(lines[101], "100,10.010");
    }

    #[test]
    fn a_single_record_is_all_percentages() {
        assert!(csv(&totals([7])).lines().skip(1).all(|line| line.ends_with(",0.007")));
    }

    #[test]
    fn each_request_has_a_line_with_its_times() {
        let record = Record { start_us: 7, connect_us: 1499, total_us: 4000, wait_us: 501 };
        assert_eq!(
            gnuplot(&[record], 1_795_353_057_999_999, &TimeZone::UTC),
            "starttime\tseconds\tctime\tdtime\tttime\twait\n\
             Sun Nov 22 13:10:58 2026\t1795353058\t1\t3\t4\t1\n"
        );
    }

    #[test]
    fn a_file_that_cannot_be_written() {
        let exit = write(Path::new("/nonexistent/x"), "CSV", "").unwrap_err();
        assert_eq!(exit.message, "Cannot open CSV output file: No such file or directory\n");
        assert_eq!(exit.status, 1);
    }
}
