//! The flags that every personality adds to its original's.

use clap::ValueEnum;
use std::ffi::OsString;
use volley_net::IoChoice;

/// Their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extras {
    /// `--json`: the figures as `bakeoff.load/2`, instead of the text.
    pub(crate) json: bool,
    /// `--quiet-advice`: standard error has only the original's lines.
    pub(crate) quiet_advice: bool,
    /// `--io=auto|uring|epoll`: how to do I/O.
    pub(crate) io: IoChoice,
}

/// Their lines in a usage text.
pub(crate) const USAGE: &str =
    "      --json           print the figures as one line of JSON (bakeoff.load/2) instead
      --quiet-advice   keep advice off standard error
      --io=HOW         do I/O with uring or epoll; auto takes the first that works
";

impl Extras {
    /// Removes these flags from the arguments before a `--`. The error is a line for standard
    /// error.
    pub(crate) fn take(args: &[OsString]) -> Result<(Self, Vec<OsString>), String> {
        let mut extras = Self { json: false, quiet_advice: false, io: IoChoice::Auto };
        let end = args.iter().position(|word| word == "--").unwrap_or(args.len());
        let mut rest = Vec::with_capacity(args.len());
        for word in &args[..end] {
            match word.to_str() {
                Some("--json") => extras.json = true,
                Some("--quiet-advice") => extras.quiet_advice = true,
                Some(text) if text.starts_with("--io=") => {
                    extras.io = IoChoice::from_str(&text["--io=".len()..], true)
                        .map_err(|_| format!("{text}: --io takes auto, uring or epoll"))?;
                }
                _ => rest.push(word.clone()),
            }
        }
        rest.extend_from_slice(&args[end..]);
        Ok((extras, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(line: &str) -> Result<(Extras, String), String> {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let (extras, rest) = Extras::take(&args)?;
        Ok((extras, rest.join(" ".as_ref()).into_string().unwrap()))
    }

    #[test]
    fn they_stand_anywhere_before_the_operands_of_a_script() {
        let none = Extras { json: false, quiet_advice: false, io: IoChoice::Auto };
        for (line, extras, rest) in [
            ("-c 1 url", none, "-c 1 url"),
            ("-c 1 --json url", Extras { json: true, ..none }, "-c 1 url"),
            ("url --quiet-advice", Extras { quiet_advice: true, ..none }, "url"),
            ("--io=epoll -n 1", Extras { io: IoChoice::Epoll, ..none }, "-n 1"),
            ("url -- --json", none, "url -- --json"),
        ] {
            assert_eq!(take(line).unwrap(), (extras, rest.to_owned()), "{line}");
        }
        assert_eq!(
            take("--io=fast url").unwrap_err(),
            "--io=fast: --io takes auto, uring or epoll"
        );
    }
}
