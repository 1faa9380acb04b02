//! wrk's command line.

use super::units::{read_count, read_seconds};
use crate::personality::getopt::{self, Found, Known, text};
use crate::personality::place::Place;
use std::ffi::OsString;
use std::path::PathBuf;

/// It has no letter, and says nothing but the usage.
const HELP: char = '\u{80}';

const KNOWN: [Known; 10] = [
    Known { letter: 't', long: "threads", takes_value: true },
    Known { letter: 'c', long: "connections", takes_value: true },
    Known { letter: 'd', long: "duration", takes_value: true },
    Known { letter: 's', long: "script", takes_value: true },
    Known { letter: 'H', long: "header", takes_value: true },
    Known { letter: 'T', long: "timeout", takes_value: true },
    Known { letter: 'L', long: "latency", takes_value: false },
    Known { letter: 'v', long: "version", takes_value: false },
    Known { letter: 'r', long: "", takes_value: false },
    Known { letter: HELP, long: "help", takes_value: false },
];

/// What is asked of wrk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) threads: u64,
    pub(crate) connections: u64,
    pub(crate) duration_s: u64,
    /// An answer that took so long counts as a timeout.
    pub(crate) timeout_s: u64,
    /// Whether the distribution is printed.
    pub(crate) latency: bool,
    pub(crate) script: Option<PathBuf>,
    /// As given.
    pub(crate) headers: Vec<String>,
    /// As given.
    pub(crate) url: String,
    pub(crate) place: Place,
    /// The URL and what stands behind it: for the script.
    pub(crate) operands: Vec<String>,
}

/// Why nothing is run: the lines for standard error. The usage text follows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused(pub(crate) Vec<String>);

/// Reads the words behind the program's name. `version` is called for each `-v`, which stops
/// nothing.
pub(crate) fn read(words: &[OsString], version: impl FnMut()) -> Result<Arguments, Refused> {
    read_with("wrk", &[], words, version, |_, _| None)
}

/// The same for a program that knows more options than wrk. `take` is given those, with their
/// values, and answers `None` to what is wrong.
pub(crate) fn read_with(
    program: &str,
    more: &[Known],
    words: &[OsString],
    mut version: impl FnMut(),
    mut take: impl FnMut(char, &str) -> Option<()>,
) -> Result<Arguments, Refused> {
    let (found, operands) = getopt::read(program, &[&KNOWN, more].concat(), words);
    let mut arguments = Arguments {
        threads: 2,
        connections: 10,
        duration_s: 10,
        timeout_s: 2,
        latency: false,
        script: None,
        headers: Vec::new(),
        url: String::new(),
        place: Place::default(),
        operands: Vec::new(),
    };
    for one in found {
        let (letter, value) = match one {
            Found::Option(letter, value) => (letter, value.unwrap_or_default()),
            Found::Wrong(line) => return Err(Refused(vec![line])),
        };
        let number = |read: fn(&str) -> Option<u64>| read(&text(&value)).ok_or(Refused(vec![]));
        match letter {
            't' => arguments.threads = number(read_count)?,
            'c' => arguments.connections = number(read_count)?,
            'd' => arguments.duration_s = number(read_seconds)?,
            'T' => arguments.timeout_s = number(read_seconds)?,
            's' => arguments.script = Some(PathBuf::from(value)),
            'H' => arguments.headers.push(text(&value)),
            'L' => arguments.latency = true,
            'v' => version(),
            _ => take(letter, &text(&value)).ok_or(Refused(vec![]))?,
        }
    }
    let Some(url) = operands.first() else { return Err(Refused(vec![])) };
    if arguments.threads == 0 || arguments.duration_s == 0 {
        return Err(Refused(vec![]));
    }
    arguments.url = text(url);
    arguments.operands = operands.iter().map(|operand| text(operand)).collect();
    let invalid = || Refused(vec![format!("invalid URL: {}", arguments.url)]);
    arguments.place = Place::of(&arguments.url).ok_or_else(invalid)?;
    if arguments.connections == 0 || arguments.connections < arguments.threads {
        return Err(Refused(vec!["number of connections must be >= threads".to_owned()]));
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Arguments, Refused> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        read(&words, || ())
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
        assert_eq!((all.headers, all.url), (vec!["A:b".into()], "http://a:81/x".to_owned()));
        assert_eq!(all.operands, ["http://a:81/x", "1", "-2"]);
        assert_eq!(all.script, Some("x.lua".into()));
    }

    #[test]
    fn what_wrk_refuses_is_refused_with_its_words() {
        for (line, said) in [
            ("", None),
            ("-c x http://a", None),
            ("-d 0 http://a", None),
            ("-t 0 http://a", None),
            ("-d 10ms http://a", None),
            ("-r http://a", None),
            ("-h", Some("wrk: invalid option -- 'h'")),
            ("--help", None),
            ("-c 1 -t -1 http://a", Some("number of connections must be >= threads")),
            ("a", Some("invalid URL: a")),
            ("-c 1 -t 2 http://a", Some("number of connections must be >= threads")),
            ("-c 0 -t 0 http://a", None),
        ] {
            let said = said.map(str::to_owned).into_iter().collect();
            assert_eq!(of(line).unwrap_err(), Refused(said), "{line}");
        }
    }

    #[test]
    fn the_version_is_said_as_often_as_asked() {
        let mut times = 0;
        let words = ["-v", "http://a", "-v"].map(OsString::from);
        read(&words, || times += 1).unwrap();
        assert_eq!(times, 2);
    }
}
