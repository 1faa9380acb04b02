//! Figures for `--json`, and advice.

use super::options::Options;
use super::outcome::Outcome;
use super::record::Record;
use crate::advice::{coordinated_omission, generator_was_the_limit};
use crate::figures::{Counted, Figures, closed};
use volley_load::figures::{Client, LatencyUs};
use volley_net::{Io, clock};

/// The figures as `bakeoff.load/2`, from records that are sorted by their total times.
pub(super) fn figures(options: &Options, outcome: &Outcome, io: Io) -> Figures {
    // With -r ab counts a request without an answer as complete.
    let answers = (outcome.records.len() as u64).saturating_sub(outcome.receive_errors);
    let errors = [
        ("connect", outcome.connect_errors),
        ("read", outcome.receive_errors),
        ("length", outcome.length_errors),
        ("exception", outcome.exceptions),
        ("status", outcome.non_2xx),
    ];
    let counted = Counted {
        url: String::from_utf8_lossy(&options.url.typed).into_owned(),
        requests: answers,
        bytes: outcome.read_bytes,
        duration_s: outcome.duration_s(),
        connects: outcome.connects,
        connections: options.connections,
    };
    let client = Client::new(clock::process_cpu_ns(), answers, outcome.busy(), 1);
    Figures {
        latency_us: (answers > 0).then(|| latency_us(&outcome.records)),
        redirects: Some(outcome.redirects),
        ..closed("ab", io, counted, client, &errors)
    }
}

fn latency_us(sorted: &[Record]) -> LatencyUs {
    let count = sorted.len();
    let totals = sorted.iter().map(|record| record.total_us as f64);
    let mean = totals.clone().sum::<f64>() / count as f64;
    let squares = totals.map(|total| (total - mean).powi(2)).sum::<f64>();
    let stdev = (squares / count.saturating_sub(1).max(1) as f64).sqrt();
    LatencyUs::of(mean, Some(stdev), |share| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to count")]
        let rank = (share * count as f64).ceil() as usize;
        Some(sorted[rank.clamp(1, count) - 1].total_us as f64)
    })
}

/// The sentences that apply.
pub(super) fn advice(options: &Options, outcome: &Outcome) -> Vec<String> {
    let done = outcome.records.len() as u64;
    let mut sentences = Vec::new();
    if done > 1 {
        sentences.push(coordinated_omission());
    }
    sentences.extend(generator_was_the_limit(outcome.busy()));
    if outcome.non_2xx > 0 {
        sentences.push(format!(
            "{} of {done} answers were not 2xx: ab counts them as complete, and their rate is not \
             that of the page",
            outcome.non_2xx
        ));
    }
    if outcome.length_errors > 0 {
        sentences.push(format!(
            "{} answers had another length than the first one's {} bytes: a page that is made anew \
             each time takes -l, else they were cut off",
            outcome.length_errors, outcome.document_bytes
        ));
    }
    if let Some(failure) = &outcome.tls_failure {
        sentences.push(format!("TLS failed: {failure}"));
    }
    if options.keep_alive && outcome.kept_alive == 0 && done > 0 {
        sentences.push(
            "-k asked to keep connections, but none was: each request had one of its own \
             (ab speaks HTTP/1.0, and wants to see \"Keep-Alive\" in the answer)"
                .to_owned(),
        );
    } else if !options.keep_alive && done > 1 {
        sentences.push(
            "each request had a connection of its own, over HTTP/1.0: -k asks to keep connections"
                .to_owned(),
        );
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::super::arguments::tests::options;
    use super::*;

    /// 100 requests of 1 to 100 µs in a second, of which two failed.
    fn outcome() -> Outcome {
        let record = |total_us| Record { total_us, ..Record::default() };
        Outcome {
            records: (1..=100).map(record).collect(),
            last_us: 1_000_000,
            waited_ns: 500_000_000,
            receive_errors: 2,
            read_bytes: 1000,
            good: 98,
            ..Outcome::default()
        }
    }

    #[test]
    fn figures_are_of_the_answers() {
        let figures = figures(&options("-n 100 h/"), &outcome(), Io::Epoll);
        assert_eq!((figures.requests, figures.errors["read"]), (98, 2));
        assert!((figures.requests_per_s - 98.0).abs() < 1e-9);
        assert!((figures.client.busy - 0.5).abs() < 1e-9);
        let latency_us = figures.latency_us.unwrap();
        assert_eq!(
            (latency_us.p50, latency_us.p99_9, latency_us.max),
            (Some(50.0), Some(100.0), Some(100.0))
        );
        // The variance of 1 to n, with n − 1, is n (n + 1) / 12.
        assert!((latency_us.stdev.unwrap() - (100.0 * 101.0 / 12.0_f64).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn advice_is_given_where_it_applies() {
        let advised = |line, outcome: &Outcome| advice(&options(line), outcome).join("\n");
        let kept = Outcome { kept_alive: 100, ..outcome() };
        assert!(!advised("-k h/", &kept).contains("-k"));
        assert!(advised("-k h/", &outcome()).contains("none was"));
        assert!(advised("h/", &outcome()).contains("-k asks to keep"));
        assert!(advised("h/", &Outcome { non_2xx: 3, ..outcome() }).contains("3 of 100 answers"));
        let cut_off = Outcome { length_errors: 4, document_bytes: 9, ..outcome() };
        assert!(
            advised("h/", &cut_off).contains("4 answers had another length than the first one's 9")
        );
        let one = Outcome { records: vec![Record::default()], ..Outcome::default() };
        assert_eq!(advised("h/", &one), "");
    }
}
