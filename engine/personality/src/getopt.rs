//! Command lines parsed like those of C programs: options by `getopt`, numbers by `atoi`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// The variant of `getopt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Library {
    /// `getopt_long`: operands anywhere, long options, which may be abbreviated.
    Glibc,
    /// `apr_getopt`: options end at the first operand, at the first error, and at a word that
    /// begins with two dashes, which is dropped.
    Apr,
}

/// The options of a program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options<'a> {
    pub(crate) library: Library,
    /// The prefix of error messages.
    pub(crate) program: &'a str,
    /// Their letters; a colon follows those that take a value.
    pub(crate) short: &'a str,
    /// Long names, without dashes, and the letters that they stand for: letters that are not among
    /// the short ones take no value.
    pub(crate) long: &'a [(&'a str, char)],
}

/// A parsed option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// An option, by its letter, with its value.
    Option(char, Option<OsString>),
    /// It is unknown, or its value is missing: the line for standard error.
    Error(String),
}

impl Options<'_> {
    /// The options in `args` in their order, and the operands.
    pub(crate) fn parse(&self, args: &[OsString]) -> (Vec<Parsed>, Vec<OsString>) {
        let is_apr = self.library == Library::Apr;
        let (mut parsed, mut operands, mut at) = (Vec::new(), Vec::new(), 0);
        'args: while let Some(word) = args.get(at) {
            at += 1;
            let letters = match word.as_bytes() {
                [b'-', b'-', ..] if is_apr => break,
                b"--" => break,
                [b'-', b'-', long @ ..] => {
                    parsed.push(self.parse_long(long, args, &mut at));
                    continue;
                }
                [b'-', letters @ ..] if !letters.is_empty() => letters,
                _ if is_apr => {
                    at -= 1;
                    break;
                }
                _ => {
                    operands.push(word.clone());
                    continue;
                }
            };
            for (nth, &byte) in letters.iter().enumerate() {
                let (letter, here) = (char::from(byte), &letters[nth + 1..]);
                match self.takes_value(letter) {
                    Some(false) => parsed.push(Parsed::Option(letter, None)),
                    Some(true) => {
                        let value = Some(here).filter(|here| !here.is_empty()).map(owned);
                        let value = value.or_else(|| next(args, &mut at));
                        let is_missing = value.is_none();
                        parsed.push(match value {
                            Some(_) => Parsed::Option(letter, value),
                            None => self.error("option requires an argument", letter),
                        });
                        if is_apr && is_missing {
                            break 'args;
                        }
                        continue 'args;
                    }
                    // After a dash within a word, apr counts the whole word as an operand.
                    None if is_apr && letter == '-' => {
                        at -= 1;
                        break 'args;
                    }
                    None if is_apr => {
                        parsed.push(self.error("illegal option", letter));
                        at -= usize::from(!here.is_empty());
                        break 'args;
                    }
                    None => parsed.push(self.error("invalid option", letter)),
                }
            }
        }
        operands.extend_from_slice(&args[at..]);
        (parsed, operands)
    }

    fn parse_long(&self, word: &[u8], args: &[OsString], at: &mut usize) -> Parsed {
        let program = self.program;
        let end = word.iter().position(|&byte| byte == b'=').unwrap_or(word.len());
        let (name, value) = (&word[..end], word.get(end + 1..));
        let shown = String::from_utf8_lossy(name);
        let candidates: Vec<(&str, char)> = self
            .long
            .iter()
            .copied()
            .filter(|(long, _)| long.as_bytes().starts_with(name))
            .collect();
        let exact = candidates.iter().find(|(long, _)| long.as_bytes() == name);
        let (long, letter) = match (exact, candidates.as_slice()) {
            (Some(&option), _) | (None, &[option]) => option,
            (None, []) => {
                return Parsed::Error(format!("{program}: unrecognized option '--{shown}'"));
            }
            (None, several) => {
                let names: Vec<String> =
                    several.iter().map(|(long, _)| format!("'--{long}'")).collect();
                let names = names.join(" ");
                return Parsed::Error(format!(
                    "{program}: option '--{shown}' is ambiguous; possibilities: {names}"
                ));
            }
        };
        match (self.takes_value(letter) == Some(true), value) {
            (false, None) => Parsed::Option(letter, None),
            (false, Some(_)) => {
                Parsed::Error(format!("{program}: option '--{long}' doesn't allow an argument"))
            }
            (true, value) => match value.map(owned).or_else(|| next(args, at)) {
                Some(value) => Parsed::Option(letter, Some(value)),
                None => Parsed::Error(format!("{program}: option '--{long}' requires an argument")),
            },
        }
    }

    /// Returns `None` if there is no such option.
    fn takes_value(&self, letter: char) -> Option<bool> {
        let at = self.short.find(letter).filter(|_| letter != ':')?;
        Some(self.short[at + 1..].starts_with(':'))
    }

    fn error(&self, what: &str, letter: char) -> Parsed {
        let program = self.program;
        Parsed::Error(match self.library {
            Library::Glibc => format!("{program}: {what} -- '{letter}'"),
            Library::Apr => format!("{program}: {what} -- {letter}"),
        })
    }
}

fn owned(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

fn next(args: &[OsString], at: &mut usize) -> Option<OsString> {
    let word = args.get(*at).cloned();
    *at += usize::from(word.is_some());
    word
}

/// A value as text; invalid UTF-8 is replaced.
pub(crate) fn text(value: &OsStr) -> String {
    value.to_string_lossy().into_owned()
}

/// The number at the beginning of a text, 0 if there is none. A number out of range becomes the
/// largest or the smallest.
pub(crate) fn atoi(text: impl AsRef<[u8]>) -> i32 {
    let number = atol(text);
    i32::try_from(number).unwrap_or(if number < 0 { i32::MIN } else { i32::MAX })
}

/// The same with 64 bits.
pub(crate) fn atol(text: impl AsRef<[u8]>) -> i64 {
    let (sign, digits) = match text.as_ref().trim_ascii_start() {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] | digits => (1, digits),
    };
    let digits = digits.iter().take_while(|digit| digit.is_ascii_digit());
    digits.fold(0, |number: i64, digit| {
        number.saturating_mul(10).saturating_add(sign * i64::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLIBC: Options<'static> = Options {
        library: Library::Glibc,
        program: "wrk",
        short: "c:Lvl",
        long: &[("connections", 'c'), ("latency", 'L'), ("version", 'v'), ("late", 'l')],
    };
    const APR: Options<'static> =
        Options { library: Library::Apr, program: "ab", short: "n:kr", long: &[] };

    /// The options and errors of a line, and, after a bar, the operands.
    fn parsed(options: Options<'_>, line: &str) -> String {
        let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let (parsed, operands) = options.parse(&args);
        let shown = parsed.into_iter().map(|parsed| match parsed {
            Parsed::Option(letter, None) => format!("{letter} "),
            Parsed::Option(letter, Some(value)) => format!("{letter}={} ", text(&value)),
            Parsed::Error(line) => format!("{line} "),
        });
        shown.chain(["|".to_owned()]).chain(operands.iter().map(|word| text(word) + " ")).collect()
    }

    #[test]
    fn with_glibc_options_stand_anywhere_in_clusters_and_abbreviated() {
        for (line, shown) in [
            ("-c 5 url", "c=5 |url "),
            ("url -c5", "c=5 |url "),
            ("-vLc 5", "v L c=5 |"),
            ("--con=5 a --vers b", "c=5 v |a b "),
            ("--connections 5", "c=5 |"),
            ("--late --laten", "l L |"),
            ("-v -- -L - x", "v |-L - x "),
            ("-c -v", "c=-v |"),
            ("-x -v", "wrk: invalid option -- 'x' v |"),
            ("-c", "wrk: option requires an argument -- 'c' |"),
            ("--connections", "wrk: option '--connections' requires an argument |"),
            ("--latency=1", "wrk: option '--latency' doesn't allow an argument |"),
            ("--what", "wrk: unrecognized option '--what' |"),
            ("--la", "wrk: option '--la' is ambiguous; possibilities: '--latency' '--late' |"),
        ] {
            assert_eq!(parsed(GLIBC, line), shown, "{line}");
        }
    }

    #[test]
    fn with_apr_options_end_at_the_first_operand_and_at_an_error() {
        for (line, shown) in [
            ("-n 1 url", "n=1 |url "),
            ("-n1 url -k", "n=1 |url -k "),
            ("-krn 1 url", "k r n=1 |url "),
            ("-n -k url", "n=-k |url "),
            ("-k -- -r", "k |-r "),
            ("-k --anything url", "k |url "),
            ("-k-r url", "k |-k-r url "),
            ("-k- url", "k |-k- url "),
            ("-k -", "k |- "),
            ("", "|"),
            ("-j url", "ab: illegal option -- j |url "),
            ("-jk url", "ab: illegal option -- j |-jk url "),
            ("-: url", "ab: illegal option -- : |url "),
            ("-n", "ab: option requires an argument -- n |"),
        ] {
            assert_eq!(parsed(APR, line), shown, "{line}");
        }
    }

    #[test]
    fn a_number_is_what_a_text_begins_with() {
        for (text, number) in [
            ("12", 12),
            (" +7x", 7),
            ("-3", -3),
            ("x", 0),
            ("", 0),
            ("99999999999", i32::MAX),
            ("-99999999999999999999", i32::MIN),
        ] {
            assert_eq!(atoi(text), number, "{text}");
        }
        assert_eq!([atol("99999999999"), atol("-9999999999999999999")], [99_999_999_999, i64::MIN]);
    }
}
