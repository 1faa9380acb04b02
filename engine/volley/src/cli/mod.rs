//! The command line, and the messages for mistakes in it.

mod contradictions;
mod help;
mod load;
mod options;
mod speaking;
mod values;

pub use load::LoadArgs;
pub use options::{Amount, Checks, Connecting, CsvPlace, Output, RequestArgs};
pub use speaking::{Speaking, TlsVersion};
pub use values::{StageArg, Unit, nanoseconds};

use clap::error::{ContextKind, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use volley_load::scheme::Scheme;
use volley_net::IoChoice;

/// HTTP load, measured.
#[derive(Debug, Parser)]
#[command(name = "volley", version, max_term_width = 100)]
#[command(
    after_help = "volley ab, wrk, wrk2 and webbench stand in for the programs of these names, \
    as does volley itself under such a name: volley wrk --help"
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Load one URL, and print throughput, latency and errors
    Load(Box<LoadArgs>),
    /// Obey another program: JSON lines on standard input and output (engine/PROTOCOL.md)
    Drive,
    /// A server that answers fixed bytes, to see how fast a generator can be
    Null(NullArgs),
    /// Make an address that leads to this machine's own servers over a path with delay and loss
    Path(PathArgs),
}

/// Options of `volley path`.
#[derive(Debug, Args)]
#[command(
    after_help = "The first line on standard output has both addresses. Each line on standard input is \
    answered by figures since the last; the path ends with its standard input. It needs the right to \
    make a network device (CAP_NET_ADMIN)."
)]
pub struct PathArgs {
    /// Add this to each round trip, half of it each way
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = values::time_or_0)]
    pub delay: Duration,
    /// Lose this share of the packets, each way
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = values::loss)]
    pub loss: f64,
    /// Set which packets are lost
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
    /// Run on these cores only, like 1 or 2,3
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub cpus: Vec<usize>,
}

/// Options of `volley null`.
#[derive(Debug, Args)]
pub struct NullArgs {
    /// Where to listen; port 0 is any free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// What to speak: HTTP/1.1 or HTTP/2, in cleartext (h1, h2c) or in TLS (h1-tls, h2), or HTTP/3 (h3)
    #[arg(long, value_enum, default_value = "h1", hide_possible_values = true)]
    #[arg(value_name = "h1|h1-tls|h2c|h2|h3")]
    pub protocol: Scheme,
    /// The certificate of h1-tls, h2 and h3, as PEM; one is made where none is given
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,
    /// The certificate's private key, as PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
    /// Answer each N bytes, as requests of h1 that are sent ahead need it, instead of each receive
    #[arg(long, value_name = "N", value_parser = values::at_least_1::<usize>)]
    pub request_length: Option<usize>,
    /// Answer with a body of this many bytes [default: Hello, World!]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1 << 30))]
    pub body_length: Option<u32>,
    /// Echo messages instead, of a WebSocket in cleartext or with h1-tls
    #[arg(long, conflicts_with_all = ["request_length", "body_length"])]
    pub websocket: bool,
    /// Run on these cores only, like 1 or 2,3
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub cpus: Vec<usize>,
    /// How to do I/O: uring, epoll, or auto for the first that works
    #[arg(long, value_enum, default_value = "auto", hide_possible_values = true)]
    #[arg(value_name = "auto|uring|epoll", hide_default_value = true)]
    pub io: IoChoice,
}

impl NullArgs {
    /// The first contradiction: what would be right, in one line.
    pub fn contradiction(&self) -> Option<&'static str> {
        if self.cert.is_some() && !self.protocol.is_tls() {
            return Some("--cert is for TLS: give --protocol h1-tls, h2 or h3 too");
        }
        if self.websocket && self.protocol.has_streams() {
            return Some("--websocket is upgraded to in HTTP/1: give --protocol h1 or h1-tls");
        }
        if self.protocol == Scheme::H3 && self.io == IoChoice::Uring {
            return Some("--io uring is not for h3: its UDP socket is served by epoll");
        }
        let is_counted = self.request_length.is_some();
        (is_counted && self.protocol.has_streams())
            .then_some("--request-length is for h1 and h1-tls: others say where requests end")
    }
}

impl Cli {
    /// Reads a command line, the program's name included.
    pub fn read(
        args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Self, clap::Error> {
        let declared = |arg: clap::Arg| {
            let takes_value = arg.get_action().takes_values();
            let is_rare = !help::COMMON.contains(&arg.get_id().as_str());
            // `-c -5` is a wrong number of connections, not an unknown option -5.
            arg.allow_negative_numbers(takes_value).hide_short_help(is_rare)
        };
        let known = |text: &str| text.replace("volley", program());
        let mut command = Self::command().mut_subcommand("load", |load| {
            load.mut_args(declared)
                .after_help(known(help::AFTER_SHORT))
                .after_long_help(known(help::AFTER_LONG))
        });
        let matches = command.try_get_matches_from_mut(args)?;
        Self::from_arg_matches(&matches)
    }
}

/// The name that a user knows this program by: bakeoff runs it under its own.
pub fn program() -> &'static str {
    let called = std::env::args_os().next().unwrap_or_default();
    if Path::new(&called).file_name().is_some_and(|name| name == "bakeoff") {
        "bakeoff"
    } else {
        "volley"
    }
}

/// A usage error in one line: what is wrong, and where to read on.
pub fn one_line(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "volley: say what to do: volley load URL, volley drive, volley null or volley path"
            .to_owned();
    }
    let program = program();
    let about = |kind| error.get(kind).map(|value| value.to_string().replace(['<', '>'], ""));
    let (named, near) = (about(ContextKind::InvalidArg), about(ContextKind::SuggestedArg));
    let text = match (error.kind(), named, near) {
        (ErrorKind::UnknownArgument, Some(typed), Some(near)) => {
            format!("unknown option {typed}; did you mean {near}?")
        }
        (ErrorKind::MissingRequiredArgument, Some(missing), _) => format!("{missing} is missing"),
        _ => {
            let text = error.to_string();
            let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
            let text = lines.collect::<Vec<_>>().join(" ");
            text.strip_prefix("error: ").unwrap_or(&text).to_owned()
        }
    };
    let more = if program == "volley" { "volley" } else { "bakeoff load" };
    format!("{program}: {text} ({more} --help tells more)")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The options of `volley load`, separated by spaces.
    pub(crate) fn load_args(options: &str) -> LoadArgs {
        args_for(&format!("http://a.example:8080/x {options}"))
    }

    /// The same with another URL before them.
    pub(crate) fn args_for(rest: &str) -> LoadArgs {
        let args = format!("volley load {rest}");
        match Cli::read(args.split_whitespace()).unwrap().command {
            Command::Load(args) => *args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        <Cli as CommandFactory>::command().debug_assert();
    }

    #[test]
    fn every_wrong_value_is_told_in_one_line_that_names_the_flag() {
        let number = "it takes a whole number, 1 or more";
        let time = "it takes a time above 0, like 10, 10s, 500ms or 2m";
        for (flag, values, takes) in [
            ("--connections", &["0", "-5", "x", "1.5", ""] as &[_], number),
            ("--threads", &["0", "x"], number),
            ("--requests", &["0", "1k", "-1"], number),
            ("--burst", &["0", "x"], number),
            ("--requests-per-connection", &["0"], number),
            ("--pipeline", &["0"], number),
            ("--protocol", &["h4", "http"], "h1, h1-tls, h2c, h2, h3"),
            ("--streams", &["0", "-1"], number),
            ("--tls", &["1.1", "x"], "1.2, 1.3"),
            ("--server-name", &["", "a b"], "it takes a host's name or address"),
            ("--send-buffer", &["0", "64k"], number),
            ("--receive-buffer", &["0"], number),
            ("--duration", &["0", "x", "1d", "-1"], time),
            ("--connect-timeout", &["0", "forever"], time),
            ("--timeout", &["0"], time),
            ("--stall", &["0"], time),
            ("--warm-up", &["-1", "x"], "it takes a time, like 0, 200ms or 2s"),
            ("--rate", &["0", "-1", "nan", "inf", "1e99", "x"], "it takes requests per second"),
            ("--stage", &["10s", "10s:", ":5", "10s:5-", "10s:1.5c", "0:5", "10s:x"], "it takes"),
            ("--arrivals", &["even"], "uniform, poisson"),
            ("--seed", &["-1", "x"], "--seed"),
            ("--connect-to", &["host", ":80", "host:0"], "--connect-to"),
            ("--source", &["::1", "1.2.3", "127.0.0.9-127.0.0.2"], "it takes an IPv4 address"),
            ("--proxy", &["host:80", "https://a", "http://a/b"], "--proxy"),
            ("--io", &["fast"], "auto, uring, epoll"),
            ("--cpus", &["x", "1-3", "-1"], "--cpus"),
            ("--header", &["x"], "it takes NAME: VALUE"),
            ("--cookie", &["x", "=1"], "it takes NAME=VALUE"),
            ("--user", &["x"], "it takes NAME:PASSWORD"),
            ("--expect-status", &["99", "600", "x"], "it takes a status from 100 to 599"),
            ("--expect-length", &["-1", "x", "3-2", "1-2-3"], "it takes a number of bytes or a"),
            ("--expect-match", &["a("], "\"a(\" is no regular expression: unclosed group"),
            ("--expect-json", &["number", "[1]", "\"text\""], "it takes a shape in JSON: "),
            ("--expect-sha256", &["abc", "x"], "it takes 64 hexadecimal digits"),
            ("--expect-header", &["x"], "it takes NAME: VALUE"),
        ] {
            for value in values {
                let read = Cli::read(["volley", "load", flag, value, "http://a"]);
                let line = one_line(&read.expect_err(&format!("{flag} {value}")));
                assert!(line.contains(flag) && line.contains(takes), "{flag} {value:?}: {line}");
                assert!(!line.contains('\n'), "{line}");
            }
        }
    }

    #[test]
    fn what_is_no_command_at_all_is_told_in_one_line() {
        for (args, part) in [
            (&["load"] as &[&str], "URL is missing"),
            (&["load", "--rte", "1", "http://a"], "unknown option --rte; did you mean --rate?"),
            (&["load", "ftp://a"], "only http:// and https://, ws:// and wss://"),
            (&["load", "--speed", "1", "http://a"], "--speed"),
            (&["load", "http://a", "http://b"], "http://b"),
            (&["null", "--listen", "80"], "--listen"),
            (&["lod"], "lod"),
            (&[], "volley load URL"),
        ] {
            let line = one_line(&Cli::read([&["volley"], args].concat()).unwrap_err());
            assert!(line.contains(part) && !line.contains('\n'), "{args:?} gave {line}");
        }
    }

    #[test]
    fn what_the_null_server_cannot_be_is_told() {
        for (args, part) in [
            (&["--protocol", "h4"] as &[&str], "h1, h1-tls, h2c, h2, h3"),
            (&["--protocol", "h2", "--cert", "a"], "--key"),
            (&["--protocol", "h2", "--key", "a"], "--cert"),
            (&["--cert", "a", "--key", "b"], "give --protocol h1-tls, h2 or h3"),
            (&["--protocol", "h2c", "--request-length", "5"], "--request-length is for h1"),
            (&["--protocol", "h3", "--io", "uring"], "--io uring is not for h3"),
            (&["--websocket", "--protocol", "h2"], "give --protocol h1 or h1-tls"),
            (&["--websocket", "--body-length", "5"], "--body-length"),
            (&["--body-length", "2000000000"], "1073741824"),
        ] {
            let line = match Cli::read([&["volley", "null"], args].concat()) {
                Err(error) => one_line(&error),
                Ok(Cli { command: Command::Null(args) }) => args.contradiction().unwrap().into(),
                Ok(other) => panic!("{other:?}"),
            };
            assert!(line.contains(part) && !line.contains('\n'), "{args:?} gave {line}");
        }
    }
}
