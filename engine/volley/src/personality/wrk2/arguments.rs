//! wrk2's command line: wrk's, and a rate.

use crate::personality::getopt::Known;
use crate::personality::wrk::arguments::{self as wrk, Refused};
use crate::personality::wrk::units::read_count;
use std::ffi::OsString;

/// Stands for an option without a letter.
const HELP: char = '\u{1}';

const MORE: [Known; 5] = [
    Known { letter: 'R', long: "rate", takes_value: true },
    Known { letter: 'U', long: "u_latency", takes_value: false },
    Known { letter: 'B', long: "batch_latency", takes_value: false },
    Known { letter: HELP, long: "help", takes_value: false },
    Known { letter: '?', long: "", takes_value: false },
];

/// What is asked of wrk2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) wrk: wrk::Arguments,
    /// Requests a second, all threads together.
    pub(super) rate: u64,
    /// Whether the distribution of latencies from the sendings is printed, too.
    pub(super) uncorrected: bool,
    /// Of a batch of requests only the last answer is timed.
    pub(super) times_batches: bool,
}

/// Reads the words behind the program's name. `version` is called for each `-v`, which stops
/// nothing.
pub(super) fn read(words: &[OsString], version: impl FnMut()) -> Result<Arguments, Refused> {
    let (mut rate, mut uncorrected, mut times_batches) = (0, false, false);
    let mut wrk = wrk::read_with("wrk2", &MORE, words, version, |letter, value| {
        match letter {
            'R' => rate = read_count(value)?,
            'U' => uncorrected = true,
            'B' => times_batches = true,
            _ => return None,
        }
        Some(())
    })?;
    if rate == 0 {
        let line = "Throughput MUST be specified with the --rate or -R option";
        return Err(Refused(vec![line.to_owned()]));
    }
    wrk.latency |= uncorrected;
    Ok(Arguments { wrk, rate, uncorrected, times_batches })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Arguments, Refused> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        read(&words, || ())
    }

    #[test]
    fn wrk_s_flags_and_more() {
        let plain = of("-R 2k http://a/").unwrap();
        let flags = |one: &Arguments| (one.wrk.latency, one.uncorrected, one.times_batches);
        assert_eq!((plain.rate, flags(&plain)), (2000, (false, false, false)));
        let wrk = &plain.wrk;
        assert_eq!((wrk.threads, wrk.connections, wrk.duration_s, wrk.timeout_s), (2, 10, 10, 2));
        for (line, expected) in [
            ("-R1 -L http://a/", (true, false, false)),
            ("--rate 1 --latency http://a/", (true, false, false)),
            ("-R1 -U http://a/", (true, true, false)),
            ("-R1 --u_latency -B http://a/", (true, true, true)),
            ("-R1 --batch_latency http://a/", (false, false, true)),
        ] {
            assert_eq!(flags(&of(line).unwrap()), expected, "{line}");
        }
    }

    #[test]
    fn what_wrk2_refuses_is_refused_with_its_words() {
        let rate = "Throughput MUST be specified with the --rate or -R option";
        for (line, said) in [
            ("", None),
            ("-R 1", None),
            ("-R x http://a/", None),
            ("-R 1.5 http://a/", None),
            ("-R 1 -d 0 http://a/", None),
            ("http://a/", Some(rate)),
            ("-R 0 http://a/", Some(rate)),
            // The rate is looked for last.
            ("a", Some("invalid URL: a")),
            ("-c 1 -t 2 http://a/", Some("number of connections must be >= threads")),
            ("--help", None),
            ("-? http://a/", None),
            ("-h", Some("wrk2: invalid option -- 'h'")),
            ("-R", Some("wrk2: option requires an argument -- 'R'")),
        ] {
            let said = said.map(str::to_owned).into_iter().collect();
            assert_eq!(of(line).unwrap_err(), Refused(said), "{line}");
        }
    }
}
