//! wrk's command line.

use super::units::{read_count, read_seconds};
use crate::extras;
use crate::getopt::{Library, Options, Parsed, text};
use crate::url::Url;
use std::ffi::OsString;
use std::path::PathBuf;

/// An option without a letter that only leads to the usage.
const HELP: char = '\u{80}';

const SHORT: &str = "t:c:d:s:H:T:Lvr";

const LONG: [(&str, char); 9] = [
    ("threads", 't'),
    ("connections", 'c'),
    ("duration", 'd'),
    ("script", 's'),
    ("header", 'H'),
    ("timeout", 'T'),
    ("latency", 'L'),
    ("version", 'v'),
    ("help", HELP),
];

/// The settings of wrk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) threads: u64,
    pub(crate) connections: u64,
    pub(crate) duration_s: u64,
    /// An answer that takes this long counts as a timeout.
    pub(crate) timeout_s: u64,
    /// Whether the distribution is printed.
    pub(crate) latency: bool,
    pub(crate) script: Option<PathBuf>,
    /// The value as given.
    pub(crate) headers: Vec<String>,
    pub(crate) url: Url,
    /// The URL and the arguments after it, as given: for the script.
    pub(crate) operands: Vec<String>,
}

impl Arguments {
    /// The headers as given.
    pub(crate) fn url_text(&self) -> &str {
        &self.operands[0]
    }
}

/// Why wrk does not run: the lines for standard error. The usage text follows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UsageError(pub(crate) Vec<String>);

/// Parses the arguments after the program's name. `version` is called for each `-v`; parsing
/// continues.
pub(crate) fn parse(args: &[OsString], version: impl FnMut()) -> Result<Arguments, UsageError> {
    parse_with("wrk", "", &[], args, version, |_, _| None)
}

/// The same for a program with more options than wrk. `take` gets those, with their values, and
/// returns `None` for a wrong one.
pub(crate) fn parse_with(
    program: &str,
    more_short: &str,
    more_long: &[(&str, char)],
    args: &[OsString],
    mut version: impl FnMut(),
    mut take: impl FnMut(char, &str) -> Option<()>,
) -> Result<Arguments, UsageError> {
    let (short, long) = (format!("{SHORT}{more_short}"), [&LONG, more_long].concat());
    let getopt = Options { library: Library::Glibc, program, short: &short, long: &long };
    let (options, operands) = getopt.parse(args);
    let mut arguments = Arguments {
        threads: 2,
        connections: 10,
        duration_s: 10,
        timeout_s: 2,
        latency: false,
        script: None,
        headers: Vec::new(),
        url: Url::default(),
        operands: Vec::new(),
    };
    for option in options {
        let (letter, value) = match option {
            Parsed::Option(letter, value) => (letter, value.unwrap_or_default()),
            Parsed::Error(line) => return Err(UsageError(vec![line])),
        };
        let number = |read: fn(&str) -> Option<u64>| read(&text(&value)).ok_or(UsageError(vec![]));
        match letter {
            't' => arguments.threads = number(read_count)?,
            'c' => arguments.connections = number(read_count)?,
            'd' => arguments.duration_s = number(read_seconds)?,
            'T' => arguments.timeout_s = number(read_seconds)?,
            's' => arguments.script = Some(PathBuf::from(value)),
            'H' => arguments.headers.push(text(&value)),
            'L' => arguments.latency = true,
            'v' => version(),
            _ => take(letter, &text(&value)).ok_or(UsageError(vec![]))?,
        }
    }
    if operands.is_empty() || arguments.threads == 0 || arguments.duration_s == 0 {
        return Err(UsageError(vec![]));
    }
    arguments.operands = operands.iter().map(|operand| text(operand)).collect();
    let invalid = || UsageError(vec![format!("invalid URL: {}", arguments.url_text())]);
    arguments.url = Url::parse(arguments.url_text()).ok_or_else(invalid)?;
    if arguments.connections == 0 || arguments.connections < arguments.threads {
        return Err(UsageError(vec!["number of connections must be >= threads".to_owned()]));
    }
    Ok(arguments)
}

/// The output of `-v`.
pub(crate) const VERSION: &str =
    concat!("wrk 4.1.0, as volley ", env!("CARGO_PKG_VERSION"), " stands in for it\n");

/// The usage text after a wrong command line.
pub(crate) fn usage() -> String {
    format!(
        "\
Usage: wrk [OPTION]... URL [-- ARGUMENT...]
Loads URL over connections that are kept, and prints what came of it.

  -c, --connections N  connections, all threads together (10)
  -d, --duration T     how long (10s)
  -t, --threads N      threads (2)
  -s, --script FILE    a Lua script; the ARGUMENTs are for it
  -H, --header H       a header of every request, as in 'Name: value'
      --latency        print percentiles of the latency as well
      --timeout T      answers after so long count as timeouts (2s)
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
    fn flags_and_operands() {
        let plain = of("http://a/").unwrap();
        let figures = (plain.threads, plain.connections, plain.duration_s, plain.timeout_s);
        assert_eq!((figures, plain.latency), ((2, 10, 10, 2), false));
        let all =
            of("http://a:81/x -t4 -c 1k -d2m -L -H A:b --timeout 5s -s x.lua -- 1 -2").unwrap();
        let figures = (all.threads, all.connections, all.duration_s, all.timeout_s);
        assert_eq!((figures, all.latency), ((4, 1000, 120, 5), true));
        assert_eq!((all.headers, all.url.port), (vec!["A:b".into()], Some("81".to_owned())));
        assert_eq!(all.operands, ["http://a:81/x", "1", "-2"]);
        assert_eq!(all.script, Some("x.lua".into()));
    }

    #[test]
    fn the_version_is_said_as_often_as_asked() {
        let mut times = 0;
        let args = ["-v", "http://a", "-v"].map(OsString::from);
        parse(&args, || times += 1).unwrap();
        assert_eq!(times, 2);
    }
}
