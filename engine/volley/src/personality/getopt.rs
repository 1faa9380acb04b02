//! Options as the C library's `getopt_long` reads them: short ones in clusters, long ones
//! abbreviated, operands anywhere, and its words for what is wrong.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// An option that a program knows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    /// The letter, or what stands for a long option without one.
    pub(crate) letter: char,
    /// Without its dashes; empty if there is none.
    pub(crate) long: &'static str,
    /// Whether a value follows.
    pub(crate) takes_value: bool,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// An option, by its letter, with its value.
    Option(char, Option<OsString>),
    /// Nothing that is known, or without its value: the line for standard error.
    Wrong(String),
}

/// The options in `words` in their order, and then the operands.
///
/// `program` begins the lines for standard error.
pub(crate) fn read(
    program: &str,
    known: &[Known],
    words: &[OsString],
) -> (Vec<Found>, Vec<OsString>) {
    let (mut found, mut operands) = (Vec::new(), Vec::new());
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let bytes = word.as_bytes();
        if bytes == b"--" {
            operands.extend(rest.cloned());
            break;
        } else if let Some(long) = bytes.strip_prefix(b"--") {
            found.push(read_long(program, known, long, &mut rest));
        } else if bytes.len() > 1 && bytes[0] == b'-' {
            read_cluster(program, known, &bytes[1..], &mut rest, &mut found);
        } else {
            operands.push(word.clone());
        }
    }
    (found, operands)
}

fn read_long<'a>(
    program: &str,
    known: &[Known],
    word: &[u8],
    rest: &mut impl Iterator<Item = &'a OsString>,
) -> Found {
    let end = word.iter().position(|&byte| byte == b'=').unwrap_or(word.len());
    let (name, value) = (&word[..end], word.get(end + 1..));
    let shown = String::from_utf8_lossy(name);
    let meant: Vec<&Known> = known
        .iter()
        .filter(|one| !one.long.is_empty() && one.long.as_bytes().starts_with(name))
        .collect();
    let exact = meant.iter().find(|one| one.long.as_bytes() == name);
    let option = match (exact, meant.as_slice()) {
        (Some(one), _) | (None, [one]) => *one,
        (None, []) => return Found::Wrong(format!("{program}: unrecognized option '--{shown}'")),
        (None, several) => {
            let names: Vec<String> =
                several.iter().map(|one| format!("'--{}'", one.long)).collect();
            let names = names.join(" ");
            let line =
                format!("{program}: option '--{shown}' is ambiguous; possibilities: {names}");
            return Found::Wrong(line);
        }
    };
    match (option.takes_value, value) {
        (true, Some(value)) => Found::Option(option.letter, Some(owned(value))),
        (true, None) => match rest.next() {
            Some(value) => Found::Option(option.letter, Some(value.clone())),
            None => {
                Found::Wrong(format!("{program}: option '--{}' requires an argument", option.long))
            }
        },
        (false, None) => Found::Option(option.letter, None),
        (false, Some(_)) => {
            Found::Wrong(format!("{program}: option '--{}' doesn't allow an argument", option.long))
        }
    }
}

fn read_cluster<'a>(
    program: &str,
    known: &[Known],
    letters: &[u8],
    rest: &mut impl Iterator<Item = &'a OsString>,
    found: &mut Vec<Found>,
) {
    for (at, &byte) in letters.iter().enumerate() {
        let letter = char::from(byte);
        let option = known.iter().find(|one| one.letter == letter && letter.is_ascii_graphic());
        found.push(match option {
            None => Found::Wrong(format!("{program}: invalid option -- '{letter}'")),
            Some(option) if !option.takes_value => Found::Option(letter, None),
            Some(_) => {
                let here = &letters[at + 1..];
                let value = if here.is_empty() { rest.next().cloned() } else { Some(owned(here)) };
                found.push(match value {
                    Some(value) => Found::Option(letter, Some(value)),
                    None => Found::Wrong(format!(
                        "{program}: option requires an argument -- '{letter}'"
                    )),
                });
                return;
            }
        });
    }
}

fn owned(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

/// A value as text; what is no UTF-8 is replaced.
pub(crate) fn text(value: &OsStr) -> String {
    value.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [Known; 4] = [
        Known { letter: 'c', long: "connections", takes_value: true },
        Known { letter: 'L', long: "latency", takes_value: false },
        Known { letter: 'v', long: "version", takes_value: false },
        Known { letter: 'l', long: "late", takes_value: false },
    ];

    fn of(line: &str) -> (Vec<Found>, Vec<OsString>) {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        read("wrk", &KNOWN, &words)
    }

    fn option(letter: char, value: &str) -> Found {
        Found::Option(letter, (!value.is_empty()).then(|| value.into()))
    }

    #[test]
    fn options_stand_anywhere_in_clusters_and_abbreviated() {
        for (line, found, operands) in [
            ("-c 5 url", vec![option('c', "5")], vec!["url"]),
            ("url -c5", vec![option('c', "5")], vec!["url"]),
            ("-vLc 5", vec![option('v', ""), option('L', ""), option('c', "5")], vec![]),
            ("--con=5 a --vers b", vec![option('c', "5"), option('v', "")], vec!["a", "b"]),
            ("--connections 5", vec![option('c', "5")], vec![]),
            ("--late --laten", vec![option('l', ""), option('L', "")], vec![]),
            ("-v -- -L - x", vec![option('v', "")], vec!["-L", "-", "x"]),
            ("-c -v", vec![option('c', "-v")], vec![]),
        ] {
            let operands: Vec<OsString> = operands.into_iter().map(OsString::from).collect();
            assert_eq!(of(line), (found, operands), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_the_c_library_s_words() {
        for (line, said) in [
            ("-x", "wrk: invalid option -- 'x'"),
            ("-c", "wrk: option requires an argument -- 'c'"),
            ("--connections", "wrk: option '--connections' requires an argument"),
            ("--latency=1", "wrk: option '--latency' doesn't allow an argument"),
            ("--what", "wrk: unrecognized option '--what'"),
            ("--la", "wrk: option '--la' is ambiguous; possibilities: '--latency' '--late'"),
        ] {
            assert_eq!(of(line).0, [Found::Wrong(said.to_owned())], "{line}");
        }
    }
}
