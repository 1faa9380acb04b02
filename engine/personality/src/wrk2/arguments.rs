//! wrk2's command line: wrk's options, and a rate.

use crate::extras;
use crate::wrk::arguments::{self as wrk, UsageError};
use crate::wrk::units::read_count;
use std::ffi::OsString;

const MORE_SHORT: &str = "R:UB?";

const MORE_LONG: [(&str, char); 3] = [("rate", 'R'), ("u_latency", 'U'), ("batch_latency", 'B')];

/// The settings of wrk2.
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

/// Parses the arguments after the program's name. `version` is called for each `-v`; parsing
/// continues.
pub(super) fn parse(args: &[OsString], version: impl FnMut()) -> Result<Arguments, UsageError> {
    let (mut rate, mut uncorrected, mut times_batches) = (0, false, false);
    let mut wrk =
        wrk::parse_with("wrk2", MORE_SHORT, &MORE_LONG, args, version, |letter, value| {
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
        return Err(UsageError(vec![line.to_owned()]));
    }
    wrk.latency |= uncorrected;
    Ok(Arguments { wrk, rate, uncorrected, times_batches })
}

/// The output of `-v`.
pub(super) const VERSION: &str =
    concat!("wrk2 4.0.0, as volley ", env!("CARGO_PKG_VERSION"), " stands in for it\n");

/// The usage text after a wrong command line.
pub(super) fn usage() -> String {
    format!(
        "\
Usage: wrk2 [OPTION]... -R RATE URL [-- ARGUMENT...]
Loads URL at a constant rate over connections that are kept, and prints what came of it.

  -R, --rate N         requests a second, all threads together (needed)
  -c, --connections N  connections, all threads together (10)
  -d, --duration T     how long (10s)
  -t, --threads N      threads (2)
  -s, --script FILE    a Lua script; the ARGUMENTs are for it
  -H, --header H       a header of every request, as in 'Name: value'
  -L, --latency        print the distribution of latencies since requests were due as well
  -U, --u_latency      and that of latencies since they were sent
  -B, --batch_latency  time only the last answer of a batch of requests
      --timeout T      requests that wait so long count as timeouts (2s)
  -v, --version        print the version
{}
N may have a unit (1k, 1M, 1G), T too (2s, 2m, 2h).
",
        extras::USAGE
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Arguments, UsageError> {
        let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        parse(&args, || ())
    }

    #[test]
    fn wrk_s_flags_and_more() {
        let plain = of("-R 2k http://a/").unwrap();
        let flags = |arguments: &Arguments| {
            (arguments.wrk.latency, arguments.uncorrected, arguments.times_batches)
        };
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
        for (line, message) in [
            ("", None),
            ("-R 1", None),
            ("-R x http://a/", None),
            ("-R 1.5 http://a/", None),
            ("-R 1 -d 0 http://a/", None),
            ("http://a/", Some(rate)),
            ("-R 0 http://a/", Some(rate)),
            // The rate is checked last.
            ("a", Some("invalid URL: a")),
            ("-c 1 -t 2 http://a/", Some("number of connections must be >= threads")),
            ("--help", None),
            ("-? http://a/", None),
            ("-h", Some("wrk2: invalid option -- 'h'")),
            ("-R", Some("wrk2: option requires an argument -- 'R'")),
        ] {
            let message = message.map(str::to_owned).into_iter().collect();
            assert_eq!(of(line).unwrap_err(), UsageError(message), "{line}");
        }
    }
}
