//! The programs that volley replaces: the same flags, output and exit status, on this engine.
//!
//! Each has a module. [`getopt`] parses their command lines, [`script`] runs Lua for wrk and wrk2;
//! [`extras`] are the flags that we add to all of them, [`figures`] is the output of `--json`,
//! [`advice`] is about what the originals' figures hide. `docs/personalities.md` lists where they
//! differ from the originals.

mod ab;
mod advice;
mod extras;
mod figures;
mod getopt;
mod output;
mod script;
mod url;
mod webbench;
mod wrk;
mod wrk2;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// A program that volley replaces.
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

    /// The called program, by its own name or its first argument; and its arguments.
    #[must_use]
    pub fn called(args: &[OsString]) -> Option<(Self, &[OsString])> {
        let by_name = |word: &OsString| {
            let name = Path::new(word).file_name()?.to_owned();
            Self::ALL.into_iter().find(|program| name == *program.name())
        };
        let (program, rest) = args.split_first()?;
        if let Some(called) = by_name(program) {
            return Some((called, rest));
        }
        let (first, rest) = rest.split_first()?;
        let called = Self::ALL.into_iter().find(|program| first == program.name())?;
        Some((called, rest))
    }

    /// Runs the program with these arguments, which do not include its name.
    #[must_use]
    pub fn run(self, args: &[OsString]) -> ExitCode {
        match self {
            Self::Ab => ab::run(args),
            Self::Wrk => wrk::run(args),
            Self::Webbench => webbench::run(args),
            Self::Wrk2 => wrk2::run(args),
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
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let result = Personality::called(&args).map(|(program, rest)| (program, rest.len()));
            assert_eq!(result, called, "{line}");
        }
    }
}
