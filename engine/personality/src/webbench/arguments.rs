//! webbench's arguments.

use crate::extras;
use crate::getopt::{Library, Options as Getopt, Parsed, atoi, text};
use std::ffi::OsString;

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Head,
    Options,
    Trace,
}

impl Method {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Trace => "TRACE",
        }
    }
}

/// HTTP's version. They are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Http {
    V0_9,
    V1_0,
    V1_1,
}

/// A host and its port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostPort {
    pub(super) host: String,
    /// The port, which need not be a valid one.
    pub(super) port: i32,
}

/// The settings of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) clients: usize,
    pub(super) duration_s: u32,
    /// Connections are closed without waiting for answers.
    pub(super) force: bool,
    pub(super) reload: bool,
    pub(super) http: Http,
    pub(super) method: Method,
    pub(super) proxy: Option<HostPort>,
    pub(super) url: String,
}

/// The reasons not to run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParseError {
    /// The version was requested.
    Version,
    /// The usage is to be printed, after a message if there is one.
    Usage(Option<String>),
    /// A value is wrong: the message.
    Invalid(String),
}

/// The default port.
pub(super) const PORT: i32 = 80;

const DEFAULT_S: u32 = 30;
/// The duration that `-t 0` stands for.
const DURATION_OF_ZERO_S: u32 = 60;

/// Letters of the options that have only a long name.
const GET: char = '\u{1}';
const HEAD: char = '\u{2}';
const OPTIONS: char = '\u{3}';
const TRACE: char = '\u{4}';

const GETOPT: Getopt<'static> = Getopt {
    library: Library::Glibc,
    program: "webbench",
    short: "frt:?h912Vp:c:",
    long: &[
        ("force", 'f'),
        ("reload", 'r'),
        ("time", 't'),
        ("help", '?'),
        ("http09", '9'),
        ("http10", '1'),
        ("http11", '2'),
        ("get", GET),
        ("head", HEAD),
        ("options", OPTIONS),
        ("trace", TRACE),
        ("version", 'V'),
        ("proxy", 'p'),
        ("clients", 'c'),
    ],
};

/// Parses the arguments after the program's name.
pub(super) fn parse(args: &[OsString]) -> Result<Arguments, ParseError> {
    if args.is_empty() {
        return Err(ParseError::Usage(None));
    }
    let (options, operands) = GETOPT.parse(args);
    let mut arguments = Arguments {
        clients: 1,
        duration_s: DEFAULT_S,
        force: false,
        reload: false,
        http: Http::V1_0,
        method: Method::Get,
        proxy: None,
        url: String::new(),
    };
    for option in options {
        match option {
            Parsed::Option(letter, value) => {
                arguments.take(letter, &value.map(|value| text(&value)).unwrap_or_default())?;
            }
            Parsed::Error(line) => return Err(ParseError::Usage(Some(line))),
        }
    }
    match operands.first() {
        Some(url) => Ok(Arguments { url: text(url), ..arguments }),
        None => Err(ParseError::Usage(Some(
            "webbench: a URL is needed, as in http://127.0.0.1/".into(),
        ))),
    }
}

impl Arguments {
    fn take(&mut self, letter: char, value: &str) -> Result<(), ParseError> {
        match letter {
            'f' => self.force = true,
            'r' => self.reload = true,
            '9' => self.http = Http::V0_9,
            '1' => self.http = Http::V1_0,
            '2' => self.http = Http::V1_1,
            GET => self.method = Method::Get,
            HEAD => self.method = Method::Head,
            OPTIONS => self.method = Method::Options,
            TRACE => self.method = Method::Trace,
            't' => {
                self.duration_s = match count("--time", value)? {
                    0 => DURATION_OF_ZERO_S,
                    seconds => seconds,
                }
            }
            // 0 counts as one client, too.
            'c' => self.clients = count("--clients", value)?.max(1) as usize,
            'p' => self.proxy = Some(proxy(value)?),
            'V' => return Err(ParseError::Version),
            _ => return Err(ParseError::Usage(None)),
        }
        Ok(())
    }
}

fn proxy(value: &str) -> Result<HostPort, ParseError> {
    let (host, port) = match value.rsplit_once(':') {
        None => (value, PORT),
        Some(("", _)) => return Err(wrong("--proxy", value, "the host is missing before the :")),
        Some((_, "")) => return Err(wrong("--proxy", value, "the port is missing behind the :")),
        Some((host, port)) => (host, atoi(port)),
    };
    Ok(HostPort { host: host.to_owned(), port })
}

fn count(flag: &str, value: &str) -> Result<u32, ParseError> {
    u32::try_from(atoi(value)).map_err(|_| wrong(flag, value, "it can't be negative"))
}

fn wrong(flag: &str, value: &str, why: &str) -> ParseError {
    ParseError::Invalid(format!("webbench: {flag} {value}: {why}"))
}

/// The usage, for standard error.
pub(super) fn usage() -> String {
    format!(
        "usage: webbench [OPTION]... URL
Asks for one URL as often as it can, with a connection for each request.
  -c, --clients N      so many clients ask at a time (1)
  -t, --time SECONDS   for so long (30)
  -f, --force          close each connection without waiting for the answer
  -p, --proxy HOST:PORT  ask a proxy
  -r, --reload         tell the proxy not to answer from its cache
  -9, --http09         ask in HTTP/0.9,
  -1, --http10         in HTTP/1.0 (as without a flag),
  -2, --http11         or in HTTP/1.1
      --get            ask with GET (as without a flag),
      --head           HEAD,
      --options        OPTIONS,
      --trace          or TRACE
  -V, --version        tell the version
  -?, -h, --help       tell this
Only in this webbench, which is bakeoff's:
{}",
        extras::USAGE
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Arguments, ParseError> {
        parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    fn plain() -> Arguments {
        Arguments {
            clients: 1,
            duration_s: 30,
            force: false,
            reload: false,
            http: Http::V1_0,
            method: Method::Get,
            proxy: None,
            url: "u".into(),
        }
    }

    fn place(host: &str, port: i32) -> HostPort {
        HostPort { host: host.into(), port }
    }

    #[test]
    fn each_flag_says_what_it_does() {
        for (line, arguments) in [
            ("u", plain()),
            ("u v", plain()),
            ("-t 30 -c 200 u", Arguments { clients: 200, ..plain() }),
            ("-t5 --clients=7 u", Arguments { clients: 7, duration_s: 5, ..plain() }),
            ("u -fr", Arguments { force: true, reload: true, ..plain() }),
            ("--force --reload u", Arguments { force: true, reload: true, ..plain() }),
            ("-9 u", Arguments { http: Http::V0_9, ..plain() }),
            ("-9 --http11 u", Arguments { http: Http::V1_1, ..plain() }),
            ("-2 -1 u", Arguments { http: Http::V1_0, ..plain() }),
            ("--head u", Arguments { method: Method::Head, ..plain() }),
            ("--options u", Arguments { method: Method::Options, ..plain() }),
            ("--trace u", Arguments { method: Method::Trace, ..plain() }),
            ("--trace --get u", plain()),
            ("-p h:3128 u", Arguments { proxy: Some(place("h", 3128)), ..plain() }),
            ("--proxy h u", Arguments { proxy: Some(place("h", 80)), ..plain() }),
        ] {
            assert_eq!(of(line), Ok(arguments), "{line}");
        }
    }

    #[test]
    fn numbers_are_read_as_far_as_they_go() {
        for (line, clients, duration_s) in
            [("-c 0 -t 0 u", 1, 60), ("-c ten -t 2m u", 1, 2), ("-c +3x u", 3, 30)]
        {
            assert_eq!(of(line), Ok(Arguments { clients, duration_s, ..plain() }), "{line}");
        }
    }

    #[test]
    fn what_is_no_load_is_told_apart() {
        assert_eq!(of(""), Err(ParseError::Usage(None)));
        assert_eq!(of("-V -x u"), Err(ParseError::Version));
        for line in ["-h", "-?", "--help", "--hel u", "-c 5 -h u"] {
            assert_eq!(of(line), Err(ParseError::Usage(None)), "{line}");
        }
        for (line, message) in [
            ("-x u", "webbench: invalid option -- 'x'"),
            ("-c", "webbench: option requires an argument -- 'c'"),
            ("-c 5", "webbench: a URL is needed, as in http://127.0.0.1/"),
            ("--http u", "webbench: option '--http' is ambiguous"),
        ] {
            match of(line) {
                Err(ParseError::Usage(Some(line))) => assert!(line.starts_with(message), "{line}"),
                other => panic!("{line}: {other:?}"),
            }
        }
        for (line, message) in [
            ("-p :80 u", "webbench: --proxy :80: the host is missing before the :"),
            ("-p h: u", "webbench: --proxy h:: the port is missing behind the :"),
            ("-c -4 u", "webbench: --clients -4: it can't be negative"),
            ("-t -1 u", "webbench: --time -1: it can't be negative"),
        ] {
            assert_eq!(of(line), Err(ParseError::Invalid(message.into())), "{line}");
        }
    }
}
