//! The command line: what may be asked, and how a mistake is answered.

use crate::url::Url;
use clap::{Args, Parser, Subcommand};
use std::time::Duration;

/// HTTP load, measured.
#[derive(Debug, Parser)]
#[command(name = "volley", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Load one URL and print what it took
    #[command(after_help = AFTER_LOAD, after_long_help = AFTER_LOAD)]
    Load(Box<LoadArgs>),
    /// Obey another program: JSON lines on standard input and output (engine/PROTOCOL.md)
    Drive,
}

const AFTER_LOAD: &str = "\
How it measures:
  Each connection sends its next request when the answer to its last one is complete (closed
  loop). So the latencies are those of a server at saturation. The first 0.2 s warm up and are
  not counted. At the end the answers in flight are waited for, up to --timeout.

What is right:
  An answer with a status below 400 whose framing is sound. Others count as errors by kind.

Examples:
  volley load http://127.0.0.1:8080/
  volley load -c 512 -d 30s --cpus 1 http://localhost:8080/plaintext
  volley load --close -d 5 http://localhost/                one connection per request
  volley load -b '{\"n\":1}' -H 'Content-Type: application/json' http://localhost:3000/echo
  volley load --json http://localhost:8080/ | jq .requests_per_s

Exit status:
  0 there were right answers, 1 not a single one, 2 wrong usage, 3 cannot be reached,
  130 interrupted";

/// Options of `volley load`.
#[derive(Debug, Args)]
pub struct LoadArgs {
    /// What to load, http://host:port/path
    #[arg(value_parser = Url::parse)]
    pub url: Url,
    /// Connections at a time
    #[arg(short, long, value_name = "N", default_value = "64", value_parser = at_least_1)]
    pub connections: usize,
    /// How long to count, like 10, 10s, 500ms or 2m
    #[arg(short, long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub duration: Duration,
    /// One connection per request, instead of keeping them
    #[arg(long)]
    pub close: bool,
    /// A header to send; may be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", value_parser = header)]
    pub headers: Vec<(String, String)>,
    /// GET unless said, POST if there is a body
    #[arg(short, long, value_name = "METHOD")]
    pub method: Option<String>,
    /// A body to send
    #[arg(short, long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub body: String,
    /// How long a connection or an answer may take
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub timeout: Duration,
    /// Run on these cores only, like 1 or 2,3
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub cpus: Vec<usize>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

fn at_least_1(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("it takes a whole number, 1 or more".into()),
    }
}

fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) => Ok((name.to_owned(), value.trim().to_owned())),
        None => Err("it takes NAME: VALUE".into()),
    }
}

/// A time span: a number of seconds, or with a unit of ms, s, m or h.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "it takes a time above 0, like 10, 10s, 500ms or 2m".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    match Duration::try_from_secs_f64(number * seconds) {
        Ok(time) if time >= Duration::from_millis(1) && time.as_secs() < 1_000_000_000 => Ok(time),
        _ => Err(wrong()),
    }
}

/// A usage error in one line: what is wrong, and where to read on.
#[must_use]
pub fn one_line(error: &clap::Error) -> String {
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "volley: say what to do: volley load URL, or volley drive".to_owned();
    }
    let text = error.to_string();
    let first: Vec<&str> = text.lines().map(str::trim).take_while(|l| !l.is_empty()).collect();
    let text = first.join(" ");
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    format!("volley: {text} (volley --help tells more)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn durations_have_units() {
        let ms = |text| duration(text).map(|time| time.as_millis());
        let right = [("10", 10_000), ("10s", 10_000), ("500ms", 500), ("2m", 120_000)];
        for (text, expected) in right {
            assert_eq!(ms(text), Ok(expected), "{text}");
        }
        assert_eq!(ms("0.25"), Ok(250));
        for text in ["", "s", "0", "-1", "1d", "1 s", "1.2.3", "1e9", "99999999999999", "nan", "ms"]
        {
            assert!(ms(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn mistakes_are_told_in_one_line() {
        for (args, part) in [
            (&["load"] as &[&str], "<URL>"),
            (&["load", "-c", "0", "http://a"], "--connections <N>': it takes a whole number"),
            (&["load", "-d", "x", "http://a"], "--duration <TIME>': it takes a time"),
            (&["load", "-H", "x", "http://a"], "NAME: VALUE"),
            (&["load", "--cpus", "x", "http://a"], "--cpus"),
            (&["load", "https://a"], "https is not supported"),
            (&["load", "--rate", "1", "http://a"], "--rate"),
            (&["lod"], "lod"),
        ] {
            let error = Cli::try_parse_from([&["volley"], args].concat()).unwrap_err();
            let line = one_line(&error);
            assert!(line.contains(part) && !line.contains('\n'), "{args:?} gave {line}");
        }
    }
}
