//! The programs that volley stands in for: same flags, same output, same exit status, on this engine.
//!
//! Each has a module. They share [`wire`], connections on which bytes come and go, and [`tls`], what
//! those may travel in; [`getopt`]; [`extras`], the flags that we add to all; [`advice`], what we know better; [`figures`], what
//! `--json` prints. `docs/personalities.md` lists where they differ from the originals.

mod ab;
mod advice;
mod extras;
mod figures;
mod getopt;
mod output;
mod place;
mod script;
mod tls;
mod webbench;
mod wire;
mod wrk;
mod wrk2;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// A program that volley stands in for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Personality {
    /// `ApacheBench` 2.3.
    Ab,
    /// wrk 4.
    Wrk,
    /// wrk2: wrk at a constant rate.
    Wrk2,
    /// webbench 1.5.
    Webbench,
}

impl Personality {
    const ALL: [Self; 4] = [Self::Ab, Self::Wrk, Self::Wrk2, Self::Webbench];

    /// The program's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ab => "ab",
            Self::Wrk => "wrk",
            Self::Wrk2 => "wrk2",
            Self::Webbench => "webbench",
        }
    }

    /// Which one is called, by the name of the program or its first word; and the words for it.
    #[must_use]
    pub fn called(words: &[OsString]) -> Option<(Self, &[OsString])> {
        let by_name = |word: &OsString| {
            let name = Path::new(word).file_name()?.to_owned();
            Self::ALL.into_iter().find(|one| name == *one.name())
        };
        let (program, rest) = words.split_first()?;
        if let Some(called) = by_name(program) {
            return Some((called, rest));
        }
        let (first, rest) = rest.split_first()?;
        let called = Self::ALL.into_iter().find(|one| first == one.name())?;
        Some((called, rest))
    }

    /// Does what the program would do with these words, its name not among them.
    #[must_use]
    pub fn run(self, words: &[OsString]) -> ExitCode {
        match self {
            Self::Ab => ab::run(words),
            Self::Wrk => wrk::run(words),
            Self::Webbench => webbench::run(words),
            Self::Wrk2 => wrk2::run(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_personality_is_called_by_a_link_or_by_the_first_word() {
        for (line, called) in [
            ("volley wrk -c 1", Some((Personality::Wrk, 2))),
            ("/usr/local/bin/ab -n 1 url", Some((Personality::Ab, 3))),
            ("wrk2", Some((Personality::Wrk2, 0))),
            ("./webbench wrk", Some((Personality::Webbench, 1))),
            ("volley load wrk", None),
            ("volley", None),
            ("wrk3 -c 1", None),
            ("volley a/wrk", None),
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let found = Personality::called(&words).map(|(one, rest)| (one, rest.len()));
            assert_eq!(found, called, "{line}");
        }
    }
}
