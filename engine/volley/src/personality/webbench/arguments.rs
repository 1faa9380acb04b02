//! What webbench is asked to do.

use super::super::getopt::{self, Found, Known, text};
use std::ffi::OsString;

/// The word at the head of a request.
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
pub(super) struct Place {
    pub(super) host: String,
    /// Not every number is a port.
    pub(super) port: i32,
}

/// A load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) clients: usize,
    pub(super) duration_s: u32,
    /// Nobody waits for answers.
    pub(super) force: bool,
    pub(super) reload: bool,
    pub(super) http: Http,
    pub(super) method: Method,
    pub(super) proxy: Option<Place>,
    pub(super) url: String,
}

/// What else the words may come to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// To tell the version.
    Version,
    /// To explain the flags, after a complaint if there is one.
    Usage(Option<String>),
    /// To complain.
    Wrong(String),
}

/// The port of who names none.
pub(super) const PORT: i32 = 80;

const DEFAULT_S: u32 = 30;
/// What a duration of 0 comes to.
const DURATION_OF_ZERO_S: u32 = 60;

/// Stand for the options that have no letter.
const GET: char = '\u{1}';
const HEAD: char = '\u{2}';
const OPTIONS: char = '\u{3}';
const TRACE: char = '\u{4}';

const KNOWN: [Known; 15] = [
    flag('f', "force"),
    flag('r', "reload"),
    valued('t', "time"),
    flag('?', "help"),
    flag('h', ""),
    flag('9', "http09"),
    flag('1', "http10"),
    flag('2', "http11"),
    flag(GET, "get"),
    flag(HEAD, "head"),
    flag(OPTIONS, "options"),
    flag(TRACE, "trace"),
    flag('V', "version"),
    valued('p', "proxy"),
    valued('c', "clients"),
];

const fn flag(letter: char, long: &'static str) -> Known {
    Known { letter, long, takes_value: false }
}

const fn valued(letter: char, long: &'static str) -> Known {
    Known { letter, long, takes_value: true }
}

/// Reads the words behind the program's name.
pub(super) fn read(words: &[OsString]) -> Result<Asked, Other> {
    if words.is_empty() {
        return Err(Other::Usage(None));
    }
    let (found, operands) = getopt::read("webbench", &KNOWN, words);
    let mut asked = Asked {
        clients: 1,
        duration_s: DEFAULT_S,
        force: false,
        reload: false,
        http: Http::V1_0,
        method: Method::Get,
        proxy: None,
        url: String::new(),
    };
    for one in found {
        match one {
            Found::Option(letter, value) => {
                asked.take(letter, &value.map(|value| text(&value)).unwrap_or_default())?;
            }
            Found::Wrong(line) => return Err(Other::Usage(Some(line))),
        }
    }
    match operands.first() {
        Some(url) => Ok(Asked { url: text(url), ..asked }),
        None => {
            Err(Other::Usage(Some("webbench: a URL is needed, as in http://127.0.0.1/".into())))
        }
    }
}

impl Asked {
    fn take(&mut self, letter: char, value: &str) -> Result<(), Other> {
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
            // None is one, too.
            'c' => self.clients = count("--clients", value)?.max(1) as usize,
            'p' => self.proxy = Some(proxy(value)?),
            'V' => return Err(Other::Version),
            _ => return Err(Other::Usage(None)),
        }
        Ok(())
    }
}

fn proxy(value: &str) -> Result<Place, Other> {
    let (host, port) = match value.rsplit_once(':') {
        None => (value, PORT),
        Some(("", _)) => return Err(wrong("--proxy", value, "the host is missing before the :")),
        Some((_, "")) => return Err(wrong("--proxy", value, "the port is missing behind the :")),
        Some((host, port)) => (host, leading_number(port)),
    };
    Ok(Place { host: host.to_owned(), port })
}

fn count(flag: &str, value: &str) -> Result<u32, Other> {
    u32::try_from(leading_number(value)).map_err(|_| wrong(flag, value, "it can't be negative"))
}

fn wrong(flag: &str, value: &str, why: &str) -> Other {
    Other::Wrong(format!("webbench: {flag} {value}: {why}"))
}

/// The number that a text begins with, 0 if there is none: C's `atoi`, but for numbers beyond it.
pub(super) fn leading_number(text: &str) -> i32 {
    let text = text.trim_ascii_start();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let size = digits[..end].bytes().fold(0_i32, |number, digit| {
        number.saturating_mul(10).saturating_add(i32::from(digit - b'0'))
    });
    if text.starts_with('-') { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Asked, Other> {
        read(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    fn plain() -> Asked {
        Asked {
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

    fn place(host: &str, port: i32) -> Place {
        Place { host: host.into(), port }
    }

    #[test]
    fn each_flag_says_what_it_does() {
        for (line, asked) in [
            ("u", plain()),
            ("u v", plain()),
            ("-t 30 -c 200 u", Asked { clients: 200, ..plain() }),
            ("-t5 --clients=7 u", Asked { clients: 7, duration_s: 5, ..plain() }),
            ("u -fr", Asked { force: true, reload: true, ..plain() }),
            ("--force --reload u", Asked { force: true, reload: true, ..plain() }),
            ("-9 u", Asked { http: Http::V0_9, ..plain() }),
            ("-9 --http11 u", Asked { http: Http::V1_1, ..plain() }),
            ("-2 -1 u", Asked { http: Http::V1_0, ..plain() }),
            ("--head u", Asked { method: Method::Head, ..plain() }),
            ("--options u", Asked { method: Method::Options, ..plain() }),
            ("--trace u", Asked { method: Method::Trace, ..plain() }),
            ("--trace --get u", plain()),
            ("-p h:3128 u", Asked { proxy: Some(place("h", 3128)), ..plain() }),
            ("--proxy h u", Asked { proxy: Some(place("h", 80)), ..plain() }),
        ] {
            assert_eq!(of(line), Ok(asked), "{line}");
        }
    }

    #[test]
    fn numbers_are_read_as_far_as_they_go() {
        for (line, clients, duration_s) in
            [("-c 0 -t 0 u", 1, 60), ("-c ten -t 2m u", 1, 2), ("-c +3x u", 3, 30)]
        {
            assert_eq!(of(line), Ok(Asked { clients, duration_s, ..plain() }), "{line}");
        }
        for (text, number) in [("-12a", -12), (" 7", 7), ("99999999999", i32::MAX), ("", 0)] {
            assert_eq!(leading_number(text), number, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_load_is_told_apart() {
        assert_eq!(of(""), Err(Other::Usage(None)));
        assert_eq!(of("-V -x u"), Err(Other::Version));
        for line in ["-h", "-?", "--help", "--hel u", "-c 5 -h u"] {
            assert_eq!(of(line), Err(Other::Usage(None)), "{line}");
        }
        for (line, said) in [
            ("-x u", "webbench: invalid option -- 'x'"),
            ("-c", "webbench: option requires an argument -- 'c'"),
            ("-c 5", "webbench: a URL is needed, as in http://127.0.0.1/"),
            ("--http u", "webbench: option '--http' is ambiguous"),
        ] {
            match of(line) {
                Err(Other::Usage(Some(line))) => assert!(line.starts_with(said), "{line}"),
                other => panic!("{line}: {other:?}"),
            }
        }
        for (line, said) in [
            ("-p :80 u", "webbench: --proxy :80: the host is missing before the :"),
            ("-p h: u", "webbench: --proxy h:: the port is missing behind the :"),
            ("-c -4 u", "webbench: --clients -4: it can't be negative"),
            ("-t -1 u", "webbench: --time -1: it can't be negative"),
        ] {
            assert_eq!(of(line), Err(Other::Wrong(said.into())), "{line}");
        }
    }
}
