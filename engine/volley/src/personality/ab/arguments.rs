//! The command line.

use super::options::{Attributes, Method, Options, TlsOptions};
use super::request;
use super::stop::Stop;
use super::url::Url;
use super::voice::complain;
use super::words::{Found, Words, number};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// More connections ab doesn't take.
const MOST_CONNECTIONS: i32 = 200_000;

/// What `-t` sets the number of requests to.
const REQUESTS_OF_A_TIMED_RUN: usize = 50_000;

/// What comes of a command line.
#[derive(Debug)]
pub(super) enum Asked {
    Run(Box<Options>),
    /// `-V`; the tables of HTML are asked for.
    Version {
        in_html: bool,
    },
}

/// Reads a command line, and the files that it names. What is wrong with an option is said at once.
pub(super) fn read(words: &[OsString]) -> Result<Asked, Stop> {
    let mut reading = Words::new(words);
    let mut read = Reading::default();
    for found in reading.by_ref() {
        match found {
            Found::Flag(b'V') => return Ok(Asked::Version { in_html: read.html.is_some() }),
            Found::Flag(option) => read.flag(option)?,
            Found::Value(option, value) => read.value(option, &value)?,
            Found::Wrong(line) => complain(&format!("{line}\n")),
        }
    }
    let [url] = reading.operands() else { return Err(Stop::usage("wrong number of arguments")) };
    let url = Url::parse(url.as_bytes()).ok_or_else(|| Stop::usage("invalid URL"))?;
    read.finish(url).map(|options| Asked::Run(Box::new(options)))
}

/// The options read so far. Those without a field of their own are flags that were met.
#[derive(Debug, Default)]
struct Reading {
    flags: Vec<u8>,
    requests: Option<usize>,
    connections: Option<i32>,
    time_limit_s: i32,
    timeout_s: Option<i32>,
    verbosity: i32,
    method: Option<Method>,
    body: Option<Vec<u8>>,
    content_type: Option<Vec<u8>>,
    cookie: Vec<u8>,
    credentials: Vec<u8>,
    headers: Vec<u8>,
    host: Option<Vec<u8>>,
    has_user_agent: bool,
    has_accept: bool,
    proxy: Option<(String, i32)>,
    source: Option<String>,
    buffer_bytes: i32,
    csv: Option<PathBuf>,
    gnuplot: Option<PathBuf>,
    html: Option<Attributes>,
    tls: TlsOptions,
}

impl Reading {
    fn flag(&mut self, option: u8) -> Result<(), Stop> {
        match option {
            b'h' => return Err(Stop::usage("")),
            b'i' => self.only_method("HEAD", Method::Head)?,
            b'w' => _ = self.html(),
            b'I' => self.tls.no_server_name = true,
            _ => self.flags.push(option),
        }
        Ok(())
    }

    fn value(&mut self, option: u8, value: &OsStr) -> Result<(), Stop> {
        let bytes = value.as_bytes();
        let text = || value.to_string_lossy().into_owned();
        match option {
            b'n' => match usize::try_from(number(value)) {
                Ok(requests @ 1..) => self.requests = Some(requests),
                _ => return Err(Stop::error("Invalid number of requests\n")),
            },
            b'c' => self.connections = Some(number(value)),
            b't' => {
                self.time_limit_s = number(value);
                self.requests = Some(REQUESTS_OF_A_TIMED_RUN);
            }
            b's' => self.timeout_s = Some(number(value)),
            b'b' => self.buffer_bytes = number(value),
            b'v' => self.verbosity = number(value),
            b'T' => self.content_type = Some(bytes.to_vec()),
            b'p' => {
                self.only_method("POST", Method::Post)?;
                self.body = Some(request::body(value)?);
            }
            b'u' => {
                self.only_method("PUT", Method::Put)?;
                self.body = Some(request::body(value)?);
            }
            b'm' => self.method = Some(Method::Other(bytes.to_vec())),
            b'C' => self.cookie = [b"Cookie: ", bytes, b"\r\n"].concat(),
            b'A' => self.credentials.extend(request::authorization(bytes)?),
            b'P' => self.credentials.extend(request::proxy_authorization(bytes)?),
            b'H' => self.header(bytes),
            b'X' => {
                let text = text();
                let (host, port) = text.split_once(':').unwrap_or((&text, ""));
                self.proxy = Some((host.to_owned(), number(port.as_ref())));
            }
            b'B' => self.source = Some(text()),
            b'e' => self.csv = Some(value.into()),
            b'g' => self.gnuplot = Some(value.into()),
            b'x' => self.html().table = text(),
            b'y' => self.html().row = text(),
            b'z' => self.html().cell = text(),
            b'f' => self.tls.protocol = Some(value.into()),
            b'Z' => self.tls.suites = Some(value.into()),
            b'E' => self.tls.certificate = Some(value.into()),
            _ => unreachable!("the options that take values"),
        }
        Ok(())
    }

    fn only_method(&mut self, name: &str, method: Method) -> Result<(), Stop> {
        if self.method.is_some() {
            return Err(Stop::error(&format!("Cannot mix {name} with other methods\n")));
        }
        self.method = Some(method);
        Ok(())
    }

    /// A line, which may take the place of one that ab adds.
    fn header(&mut self, line: &[u8]) {
        self.headers.extend_from_slice(line);
        self.headers.extend_from_slice(b"\r\n");
        let value_of = |name: &str| {
            let (start, rest) = line.split_at_checked(name.len())?;
            start.eq_ignore_ascii_case(name.as_bytes()).then_some(rest)
        };
        if let Some(value) = value_of("Host:") {
            self.host = Some(value.trim_ascii().to_vec());
        } else if value_of("Accept:").is_some() {
            self.has_accept = true;
        } else if value_of("User-Agent:").is_some() {
            self.has_user_agent = true;
        }
    }

    fn html(&mut self) -> &mut Attributes {
        let plain = || Attributes {
            table: String::new(),
            row: String::new(),
            cell: "bgcolor=white".to_owned(),
        };
        self.html.get_or_insert_with(plain)
    }

    fn finish(self, url: Url) -> Result<Options, Stop> {
        let requests = self.requests.unwrap_or(1);
        let connections = usize::try_from(self.connections.unwrap_or(1))
            .ok()
            .filter(|_| self.connections <= Some(MOST_CONNECTIONS))
            .ok_or_else(|| {
                Stop::usage(&format!("Invalid Concurrency [Range 0..{MOST_CONNECTIONS}]"))
            })?;
        if connections > requests {
            return Err(Stop::usage(
                "Cannot use concurrency level greater than total number of requests",
            ));
        }
        let has = |flag| self.flags.contains(&flag);
        Ok(Options {
            requests,
            connections,
            time_limit_s: self.time_limit_s,
            timeout_s: self.timeout_s.unwrap_or(30),
            keep_alive: has(b'k'),
            any_length: has(b'l'),
            receive_errors_are_fine: has(b'r'),
            verbosity: self.verbosity,
            heartbeat: if requests > 150 && !has(b'q') { (requests / 10).max(100) } else { 0 },
            method: self.method.unwrap_or(Method::Get),
            body: self.body,
            content_type: self.content_type,
            cookie: self.cookie,
            credentials: self.credentials,
            headers: self.headers,
            host: self.host,
            has_user_agent: self.has_user_agent,
            has_accept: self.has_accept,
            proxy: self.proxy,
            source: self.source,
            buffer_bytes: self.buffer_bytes,
            percentiles: !has(b'd'),
            confidence: !has(b'S'),
            csv: self.csv,
            gnuplot: self.gnuplot,
            html: self.html,
            tls: self.tls,
            url,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The options of a line that is right.
    pub(in super::super) fn options(line: &str) -> Options {
        match asked(line) {
            Ok(Asked::Run(options)) => *options,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn asked(line: &str) -> Result<Asked, Stop> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        read(&words)
    }

    #[test]
    fn a_limit_of_time_sets_a_number_of_requests_which_a_later_one_changes() {
        for (line, requests, seconds) in [
            ("h/", 1, 0),
            ("-n 7 -t 2 h/", 50_000, 2),
            ("-t 2 -n 7 h/", 7, 2),
            ("-n 99999999999 h/", 2_147_483_647, 0),
        ] {
            let options = options(line);
            assert_eq!((options.requests, options.time_limit_s), (requests, seconds), "{line}");
        }
    }

    #[test]
    fn lines_tell_how_far_it_is_every_tenth_but_each_hundred_at_most() {
        for (line, heartbeat) in
            [("-n 150 h/", 0), ("-n 151 h/", 100), ("-n 5009 h/", 500), ("-q -n 5000 h/", 0)]
        {
            assert_eq!(options(line).heartbeat, heartbeat, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_ab_s_words() {
        for (line, status, said) in [
            ("-n 0 h/", 1, "Invalid number of requests\n\n"),
            ("-n 0 -c 9", 1, "Invalid number of requests\n\n"),
            ("-m GET -i h/", 1, "Cannot mix HEAD with other methods\n\n"),
            ("-i -p /dev/null h/", 1, "Cannot mix POST with other methods\n\n"),
            ("-p /dev/null -u /dev/null h/", 1, "Cannot mix PUT with other methods\n\n"),
            ("-h", 22, "Usage: ab"),
            ("", 22, "ab: wrong number of arguments\nUsage: ab"),
            ("h/ -n 1", 22, "ab: wrong number of arguments\n"),
            ("h", 22, "ab: invalid URL\n"),
            ("-c -1 h/", 22, "ab: Invalid Concurrency [Range 0..200000]\n"),
            ("-c 200001 -n 300000 h/", 22, "ab: Invalid Concurrency [Range 0..200000]\n"),
            (
                "-c 2 h/",
                22,
                "ab: Cannot use concurrency level greater than total number of requests\n",
            ),
        ] {
            let stop = asked(line).unwrap_err();
            assert_eq!(stop.status, status, "{line}");
            assert!(stop.said.starts_with(said), "{line}: {}", stop.said);
        }
    }

    #[test]
    fn another_method_may_follow_a_file_to_send() {
        let options = options("-p /dev/null -m PATCH h/");
        assert_eq!(options.method, Method::Other(b"PATCH".to_vec()));
        assert_eq!(options.body, Some(vec![]));
    }

    #[test]
    fn each_attribute_asks_for_tables() {
        let html = |line| options(line).html.map(|tags| [tags.table, tags.row, tags.cell]);
        let tags = |table: &str, row: &str, cell: &str| Some([table, row, cell].map(String::from));
        assert_eq!(html("h/"), None);
        assert_eq!(html("-w h/"), tags("", "", "bgcolor=white"));
        assert_eq!(html("-x a -y b -z c h/"), tags("a", "b", "c"));
    }
}
