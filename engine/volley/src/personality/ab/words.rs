//! Options as apr's `getopt` reads them, and numbers as the C library's `atoi` does.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// ab's options; a colon follows those that take a value.
const KNOWN: &[u8] = b"n:c:t:s:b:T:p:u:v:lrkVhwiIx:y:z:C:H:P:A:g:X:de:SqB:m:Z:f:E:";

/// One step of the reading.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Flag(u8),
    Value(u8, OsString),
    /// Not known, or without its value. Nothing after it is read.
    Wrong(String),
}

/// Reads options until the first word that is none. What begins with two dashes ends them too, and
/// is dropped, whatever follows the dashes.
#[derive(Debug)]
pub(super) struct Words<'a> {
    all: &'a [OsString],
    /// The word that is read next.
    at: usize,
    /// How far into it.
    letter: usize,
    ended: bool,
}

impl<'a> Words<'a> {
    pub(super) fn new(words: &'a [OsString]) -> Self {
        Self { all: words, at: 0, letter: 0, ended: false }
    }

    /// The words that no option has taken.
    pub(super) fn operands(&self) -> &'a [OsString] {
        &self.all[self.at.min(self.all.len())..]
    }

    fn value(&mut self, here: &[u8], option: u8) -> Found {
        self.at += 1;
        self.letter = 0;
        if !here.is_empty() {
            return Found::Value(option, OsString::from_vec(here.to_vec()));
        }
        self.at += 1;
        match self.all.get(self.at - 1) {
            Some(value) => Found::Value(option, value.clone()),
            None => self.wrong("option requires an argument", option),
        }
    }

    fn wrong(&mut self, what: &str, option: u8) -> Found {
        self.ended = true;
        Found::Wrong(format!("ab: {what} -- {}", char::from(option)))
    }
}

impl Iterator for Words<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        let word = self.all.get(self.at).filter(|_| !self.ended)?.as_bytes();
        if self.letter == 0 {
            if word.len() < 2 || word[0] != b'-' {
                return None;
            }
            if word[1] == b'-' {
                self.at += 1;
                self.ended = true;
                return None;
            }
            self.letter = 1;
        }
        let option = word[self.letter];
        let here = &word[self.letter + 1..];
        let known = KNOWN.iter().position(|&known| known == option && option != b':');
        if known.is_some_and(|at| KNOWN.get(at + 1) == Some(&b':')) {
            return Some(self.value(here, option));
        }
        if option == b'-' {
            // A dash within a cluster: the word counts as an operand.
            self.ended = true;
            return None;
        }
        if here.is_empty() {
            (self.at, self.letter) = (self.at + 1, 0);
        } else {
            self.letter += 1;
        }
        match known {
            Some(_) => Some(Found::Flag(option)),
            None => Some(self.wrong("illegal option", option)),
        }
    }
}

/// The number that a text begins with; 0 if there is none.
pub(super) fn number(text: &OsStr) -> i32 {
    let text = text.as_bytes().trim_ascii_start();
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    let digits = digits.iter().take_while(|digit| digit.is_ascii_digit());
    let number = digits.fold(0_i64, |number, digit| {
        number.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
    });
    let number = if negative { -number } else { number };
    i32::try_from(number).unwrap_or(if negative { i32::MIN } else { i32::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (Vec<Found>, Vec<String>) {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let mut reading = Words::new(&words);
        let found = reading.by_ref().collect();
        let operands = reading.operands().iter().map(|word| word.to_str().unwrap().to_owned());
        (found, operands.collect())
    }

    fn value(option: u8, value: &str) -> Found {
        Found::Value(option, value.into())
    }

    #[test]
    fn options_end_where_the_first_operand_is() {
        for (line, found, operands) in [
            ("-n 1 url", vec![value(b'n', "1")], vec!["url"]),
            ("-n1 url -k", vec![value(b'n', "1")], vec!["url", "-k"]),
            (
                "-krn 1 url",
                vec![Found::Flag(b'k'), Found::Flag(b'r'), value(b'n', "1")],
                vec!["url"],
            ),
            ("-n -k url", vec![value(b'n', "-k")], vec!["url"]),
            ("-k -- -r", vec![Found::Flag(b'k')], vec!["-r"]),
            ("-k --anything url", vec![Found::Flag(b'k')], vec!["url"]),
            ("-k-r url", vec![Found::Flag(b'k')], vec!["-k-r", "url"]),
            ("-k- url", vec![Found::Flag(b'k')], vec!["-k-", "url"]),
            ("-k -", vec![Found::Flag(b'k')], vec!["-"]),
            ("", vec![], vec![]),
        ] {
            let operands: Vec<String> = operands.into_iter().map(String::from).collect();
            assert_eq!(read(line), (found, operands), "{line}");
        }
    }

    #[test]
    fn after_a_wrong_option_nothing_is_read() {
        for (line, said, operands) in [
            ("-j url", "ab: illegal option -- j", 1),
            ("-jk url", "ab: illegal option -- j", 2),
            ("-: url", "ab: illegal option -- :", 1),
            ("-n", "ab: option requires an argument -- n", 0),
        ] {
            let (found, rest) = read(line);
            assert_eq!((found, rest.len()), (vec![Found::Wrong(said.into())], operands), "{line}");
        }
    }

    #[test]
    fn a_number_is_what_a_text_begins_with() {
        for (text, expected) in [
            ("12", 12),
            (" +7x", 7),
            ("-3", -3),
            ("x", 0),
            ("", 0),
            ("99999999999", i32::MAX),
            ("-99999999999999999999", i32::MIN),
        ] {
            assert_eq!(number(text.as_ref()), expected, "{text}");
        }
    }
}
