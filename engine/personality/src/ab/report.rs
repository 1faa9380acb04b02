//! ab's report as text.

use super::options::Options;
use super::outcome::Outcome;
use super::statistics::{Summaries, Summary, percentile_ms};
use std::fmt::Write as _;

/// Percentages in the table of percentiles, before the longest.
const RANKS: [usize; 8] = [50, 66, 75, 80, 90, 95, 98, 99];

/// The report. `server_name`: the name that the server got within TLS; `summaries`: those of the
/// records, if there are any.
pub(super) fn text(
    options: &Options,
    outcome: &Outcome,
    server_name: Option<&str>,
    summaries: Option<&Summaries>,
) -> Vec<u8> {
    let mut report = Vec::new();
    let server: [&[u8]; 3] = [b"\n\nServer Software:        ", &outcome.server, b"\n"];
    let path: [&[u8]; 3] = [b"\nDocument Path:          ", &options.url.path, b"\n"];
    report.extend(server.concat());
    report.extend(hostname(options, outcome, server_name).into_bytes());
    report.extend(path.concat());
    report.extend(counts(options, outcome).into_bytes());
    report.extend(rates(options, outcome).into_bytes());
    if let Some(summaries) = summaries {
        report.extend(times(options, summaries).into_bytes());
        if options.percentiles && outcome.records.len() > 1 {
            report.extend(percentiles(outcome).into_bytes());
        }
    }
    report
}

/// A line with its label.
macro_rules! line {
    ($text:ident, $label:expr, $($value:tt)+) => {
        let _ = writeln!($text, "{:<23} {}", $label, format_args!($($value)+));
    };
}

fn hostname(options: &Options, outcome: &Outcome, server_name: Option<&str>) -> String {
    let mut text = String::new();
    line!(text, "Server Hostname:", "{}", options.url.host);
    line!(text, "Server Port:", "{}", options.url.port);
    if let Some(session) = &outcome.session {
        line!(text, "SSL/TLS Protocol:", "{session}");
        if let Some(key) = session.temporary_key {
            line!(text, "Server Temp Key:", "{key}");
        }
    }
    if let Some(name) = server_name {
        line!(text, "TLS Server Name:", "{name}");
    }
    text
}

fn counts(options: &Options, outcome: &Outcome) -> String {
    let mut text = String::new();
    if options.any_length {
        line!(text, "Document Length:", "Variable");
    } else {
        line!(text, "Document Length:", "{} bytes", outcome.document_bytes);
    }
    text.push('\n');
    line!(text, "Concurrency Level:", "{}", options.connections);
    line!(text, "Time taken for tests:", "{:.3} seconds", outcome.duration_s());
    line!(text, "Complete requests:", "{}", outcome.records.len());
    line!(text, "Failed requests:", "{}", outcome.bad);
    if outcome.bad > 0 {
        let Outcome { connect_errors, receive_errors, length_errors, exceptions, .. } = outcome;
        let _ = writeln!(
            text,
            "   (Connect: {connect_errors}, Receive: {receive_errors}, Length: {length_errors}, \
             Exceptions: {exceptions})"
        );
    }
    if outcome.non_2xx > 0 {
        line!(text, "Non-2xx responses:", "{}", outcome.non_2xx);
    }
    if options.keep_alive {
        line!(text, "Keep-Alive requests:", "{}", outcome.kept_alive);
    }
    line!(text, "Total transferred:", "{} bytes", outcome.read_bytes);
    if options.body.is_some() {
        line!(text, "Total body sent:", "{}", outcome.sent_bytes);
    }
    line!(text, "HTML transferred:", "{} bytes", outcome.body_bytes);
    text
}

fn rates(options: &Options, outcome: &Outcome) -> String {
    let mut text = String::new();
    let (duration_s, done) = (outcome.duration_s(), outcome.records.len() as f64);
    if duration_s == 0.0 || outcome.records.is_empty() {
        return text;
    }
    let kib_per_s = |bytes: u64| bytes as f64 / 1024.0 / duration_s;
    let ms_each = duration_s * 1000.0 / done;
    line!(text, "Requests per second:", "{:.2} [#/sec] (mean)", done / duration_s);
    let ms_on_a_connection = options.connections as f64 * duration_s * 1000.0 / done;
    line!(text, "Time per request:", "{ms_on_a_connection:.3} [ms] (mean)");
    line!(text, "Time per request:", "{ms_each:.3} [ms] (mean, across all concurrent requests)");
    line!(text, "Transfer rate:", "{:.2} [Kbytes/sec] received", kib_per_s(outcome.read_bytes));
    if options.body.is_some() {
        line!(text, "", "{:.2} kb/s sent", kib_per_s(outcome.sent_bytes));
        line!(text, "", "{:.2} kb/s total", kib_per_s(outcome.read_bytes + outcome.sent_bytes));
    }
    text
}

fn times(options: &Options, summaries: &Summaries) -> String {
    let Summaries { connect, processing, waiting, total } = summaries;
    let rows = [
        ("Connect:", "the initial connection time", connect),
        ("Processing:", "the processing time", processing),
        ("Waiting:", "the waiting time", waiting),
        ("Total:", "the total time", total),
    ];
    let mut text = String::from("\nConnection Times (ms)\n");
    if !options.confidence {
        text.push_str("              min   avg   max\n");
        for (label, _, Summary { min_ms, mean_ms, max_ms, .. }) in rows {
            let _ = writeln!(text, "{label:<11} {min_ms:5} {mean_ms:5}{max_ms:5}");
        }
        return text;
    }
    text.push_str("              min  mean[+/-sd] median   max\n");
    for (label, _, row) in rows {
        let Summary { min_ms, mean_ms, stdev_ms, median_ms, max_ms } = row;
        let _ = writeln!(
            text,
            "{label:<11} {min_ms:5} {mean_ms:4} {stdev_ms:5.1} {median_ms:6} {max_ms:7}"
        );
    }
    text.extend(rows.into_iter().map(|(_, what, row)| doubts(what, row)));
    text
}

/// ab's warning about a mean that is far from its median.
fn doubts(what: &str, summary: &Summary) -> String {
    let apart_ms = summary.mean_ms.abs_diff(summary.median_ms) as f64;
    if apart_ms > 2.0 * summary.stdev_ms {
        format!(
            "ERROR: The median and mean for {what} are more than twice the standard\n       \
             deviation apart. These results are NOT reliable.\n"
        )
    } else if apart_ms > summary.stdev_ms {
        format!(
            "WARNING: The median and mean for {what} are not within a normal deviation\n        \
             These results are probably not that reliable.\n"
        )
    } else {
        String::new()
    }
}

fn percentiles(outcome: &Outcome) -> String {
    let mut text = String::from("\nPercentage of the requests served within a certain time (ms)\n");
    for rank in RANKS {
        let _ = writeln!(text, "  {rank}%  {:5}", percentile_ms(&outcome.records, rank));
    }
    let longest = percentile_ms(&outcome.records, 100);
    let _ = writeln!(text, " 100%  {longest:5} (longest request)");
    text
}

#[cfg(test)]
mod tests {
    use super::super::arguments::tests::options;
    use super::super::record::Record;
    use super::super::statistics::summarize;
    use super::*;

    fn of(line: &str, mut outcome: Outcome) -> String {
        let mut records = std::mem::take(&mut outcome.records);
        let summaries = (!records.is_empty()).then(|| summarize(&mut records));
        outcome.records = records;
        String::from_utf8(text(&options(line), &outcome, None, summaries.as_ref())).unwrap()
    }

    /// Three requests in 40 ms, of 2, 4 and 9 ms.
    fn outcome() -> Outcome {
        let record =
            |total_us| Record { start_us: 0, connect_us: 1000, total_us, wait_us: total_us - 1600 };
        Outcome {
            records: [2000, 9000, 4000].map(record).to_vec(),
            last_us: 40_000,
            server: b"Foo/1.0".to_vec(),
            document_bytes: 5,
            good: 3,
            read_bytes: 4096,
            body_bytes: 15,
            sent_bytes: 2048,
            ..Outcome::default()
        }
    }

    #[test]
    fn the_report_is_ab_s() {
        assert_eq!(
            of("-n 3 -c 2 http://localhost:81/x", outcome()),
            "\n\nServer Software:        Foo/1.0\n\
             Server Hostname:        localhost\n\
             Server Port:            81\n\
             \n\
             Document Path:          /x\n\
             Document Length:        5 bytes\n\
             \n\
             Concurrency Level:      2\n\
             Time taken for tests:   0.040 seconds\n\
             Complete requests:      3\n\
             Failed requests:        0\n\
             Total transferred:      4096 bytes\n\
             HTML transferred:       15 bytes\n\
             Requests per second:    75.00 [#/sec] (mean)\n\
             Time per request:       26.667 [ms] (mean)\n\
             Time per request:       13.333 [ms] (mean, across all concurrent requests)\n\
             Transfer rate:          100.00 [Kbytes/sec] received\n\
             \n\
             Connection Times (ms)\n              \
             min  mean[+/-sd] median   max\n\
             Connect:        1    1   0.0      1       1\n\
             Processing:     1    4   3.6      6       8\n\
             Waiting:        0    3   3.6      5       7\n\
             Total:          2    5   3.6      7       9\n\
             \n\
             Percentage of the requests served within a certain time (ms)\n  \
             50%      4\n  66%      4\n  75%      9\n  80%      9\n  90%      9\n  95%      9\n  \
             98%      9\n  99%      9\n 100%      9 (longest request)\n"
        );
    }

    #[test]
    fn what_was_sent_is_told_where_it_had_a_body() {
        let report = of("-n 3 -p /dev/null h/", outcome());
        assert!(report.contains(
            "Transfer rate:          100.00 [Kbytes/sec] received\n                        \
             50.00 kb/s sent\n                        150.00 kb/s total\n"
        ));
        assert!(report.contains("Total body sent:        2048\n"));
    }

    #[test]
    fn failures_are_told_by_kind() {
        let failed = Outcome {
            bad: 10,
            connect_errors: 1,
            receive_errors: 2,
            length_errors: 3,
            exceptions: 4,
            non_2xx: 5,
            ..outcome()
        };
        assert!(of("-k -l h/", failed).contains(
            "Document Length:        Variable\n\nConcurrency Level:      1\n\
             Time taken for tests:   0.040 seconds\nComplete requests:      3\n\
             Failed requests:        10\n   \
             (Connect: 1, Receive: 2, Length: 3, Exceptions: 4)\n\
             Non-2xx responses:      5\nKeep-Alive requests:    0\n"
        ));
    }

    #[test]
    fn what_is_not_wanted_is_left_out() {
        let report = of("-S -d h/", outcome());
        assert!(report.ends_with(
            "              min   avg   max\nConnect:        1     1    1\n\
             Processing:     1     4    8\nWaiting:        0     3    7\n\
             Total:          2     5    9\n"
        ));
    }

    #[test]
    fn without_a_request_there_are_no_rates_and_no_times() {
        let report = of("h/", Outcome { last_us: 1, ..Outcome::default() });
        assert!(report.ends_with("HTML transferred:       0 bytes\n"), "{report}");
    }

    #[test]
    fn a_mean_far_from_the_median_is_doubted() {
        let summary =
            |median_ms| Summary { min_ms: 0, mean_ms: 5, stdev_ms: 2.0, median_ms, max_ms: 9 };
        let message = |median_ms| doubts("it", &summary(median_ms));
        assert_eq!(message(3), "");
        assert!(message(8).starts_with("WARNING: The median and mean for it are not within"));
        assert!(message(9).starts_with("WARNING"));
        assert!(message(10).starts_with("ERROR: The median and mean for it are more than twice"));
    }
}
