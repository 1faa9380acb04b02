//! The command line.

use super::exit::Exit;
use super::options::{Attributes, Method, Options};
use super::printer::print_error;
use super::request;
use super::url::Url;
use crate::getopt::{Library, Options as Getopt, Parsed, atoi};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

const GETOPT: Getopt<'static> = Getopt {
    library: Library::Apr,
    program: "ab",
    short: "n:c:t:s:b:T:p:u:v:lrkVhwiIx:y:z:C:H:P:A:g:X:de:SqB:m:Z:f:E:",
    long: &[],
};

/// The most connections that ab accepts.
const MOST_CONNECTIONS: i32 = 200_000;

/// The number of requests with `-t`.
const REQUESTS_OF_A_TIMED_RUN: usize = 50_000;

/// The task of a command line.
#[derive(Debug)]
pub(super) enum Command {
    Run(Box<Options>),
    /// `-V`; in HTML if tables in HTML are requested.
    Version {
        in_html: bool,
    },
}

/// Parses a command line, and reads the files that it names. Wrong options are reported at once.
pub(super) fn parse(args: &[OsString]) -> Result<Command, Exit> {
    let (parsed, operands) = GETOPT.parse(args);
    let mut parser = Parser::new();
    for option in parsed {
        match option {
            Parsed::Option('V', _) => {
                return Ok(Command::Version { in_html: parser.options.html.is_some() });
            }
            Parsed::Option(letter, value) => parser.take(letter, &value.unwrap_or_default())?,
            Parsed::Error(line) => print_error(&format!("{line}\n")),
        }
    }
    let [url] = operands.as_slice() else { return Err(Exit::usage("wrong number of arguments")) };
    parser.options.url = Url::parse(url.as_bytes()).ok_or_else(|| Exit::usage("invalid URL"))?;
    parser.finish().map(|options| Command::Run(Box::new(options)))
}

/// The options parsed so far, and the ones that are checked at the end.
struct Parser {
    options: Options,
    connections: i32,
    has_method: bool,
    is_quiet: bool,
}

impl Parser {
    fn new() -> Self {
        let (percentiles, confidence) = (true, true);
        let options =
            Options { requests: 1, timeout_s: 30, percentiles, confidence, ..Options::default() };
        Self { options, connections: 1, has_method: false, is_quiet: false }
    }

    /// Takes an option; the value of a flag is empty.
    fn take(&mut self, letter: char, value: &OsStr) -> Result<(), Exit> {
        let options = &mut self.options;
        let bytes = value.as_bytes();
        let text = || value.to_string_lossy().into_owned();
        match letter {
            'h' => return Err(Exit::usage("")),
            'k' => options.keep_alive = true,
            'l' => options.any_length = true,
            'r' => options.receive_errors_are_fine = true,
            'q' => self.is_quiet = true,
            'd' => options.percentiles = false,
            'S' => options.confidence = false,
            'n' => match usize::try_from(atoi(bytes)) {
                Ok(requests @ 1..) => options.requests = requests,
                _ => return Err(Exit::error("Invalid number of requests\n")),
            },
            'c' => self.connections = atoi(bytes),
            't' => {
                options.time_limit_s = atoi(bytes);
                options.requests = REQUESTS_OF_A_TIMED_RUN;
            }
            's' => options.timeout_s = atoi(bytes),
            'b' => options.buffer_bytes = atoi(bytes),
            'v' => options.verbosity = atoi(bytes),
            'T' => options.content_type = Some(bytes.to_vec()),
            'i' => self.only_method("HEAD", Method::Head)?,
            'p' => {
                self.only_method("POST", Method::Post)?;
                self.options.body = Some(request::body(value)?);
            }
            'u' => {
                self.only_method("PUT", Method::Put)?;
                self.options.body = Some(request::body(value)?);
            }
            'm' => (options.method, self.has_method) = (Method::Other(bytes.to_vec()), true),
            'C' => options.cookie = [b"Cookie: ", bytes, b"\r\n"].concat(),
            'A' => options.credentials.extend(request::authorization(bytes)?),
            'P' => options.credentials.extend(request::proxy_authorization(bytes)?),
            'H' => self.header(bytes),
            'X' => {
                let text = text();
                let (host, port) = text.split_once(':').unwrap_or((&text, ""));
                options.proxy = Some((host.to_owned(), atoi(port)));
            }
            'B' => options.source = Some(text()),
            'e' => options.csv = Some(value.into()),
            'g' => options.gnuplot = Some(value.into()),
            'w' => _ = self.html(),
            'x' => self.html().table = text(),
            'y' => self.html().row = text(),
            'z' => self.html().cell = text(),
            'f' => options.tls.protocol = Some(value.into()),
            'Z' => options.tls.suites = Some(value.into()),
            'E' => options.tls.certificate = Some(value.into()),
            'I' => options.tls.no_server_name = true,
            _ => unreachable!("GETOPT has no other option"),
        }
        Ok(())
    }

    fn only_method(&mut self, name: &str, method: Method) -> Result<(), Exit> {
        if self.has_method {
            return Err(Exit::error(&format!("Cannot mix {name} with other methods\n")));
        }
        (self.options.method, self.has_method) = (method, true);
        Ok(())
    }

    /// A header line, which may replace one that ab adds.
    fn header(&mut self, line: &[u8]) {
        let options = &mut self.options;
        options.headers.extend_from_slice(line);
        options.headers.extend_from_slice(b"\r\n");
        let value_of = |name: &str| {
            let (start, rest) = line.split_at_checked(name.len())?;
            start.eq_ignore_ascii_case(name.as_bytes()).then_some(rest)
        };
        if let Some(value) = value_of("Host:") {
            options.host = Some(value.trim_ascii().to_vec());
        } else if value_of("Accept:").is_some() {
            options.has_accept = true;
        } else if value_of("User-Agent:").is_some() {
            options.has_user_agent = true;
        }
    }

    fn html(&mut self) -> &mut Attributes {
        let plain = || Attributes {
            table: String::new(),
            row: String::new(),
            cell: "bgcolor=white".to_owned(),
        };
        self.options.html.get_or_insert_with(plain)
    }

    fn finish(self) -> Result<Options, Exit> {
        let requests = self.options.requests;
        let connections = usize::try_from(self.connections)
            .ok()
            .filter(|_| self.connections <= MOST_CONNECTIONS)
            .ok_or_else(|| {
                Exit::usage(&format!("Invalid Concurrency [Range 0..{MOST_CONNECTIONS}]"))
            })?;
        if connections > requests {
            return Err(Exit::usage(
                "Cannot use concurrency level greater than total number of requests",
            ));
        }
        let heartbeat = if requests > 150 && !self.is_quiet { (requests / 10).max(100) } else { 0 };
        Ok(Options { connections, heartbeat, ..self.options })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The options of a valid line.
    pub(in super::super) fn options(line: &str) -> Options {
        match parsed(line) {
            Ok(Command::Run(options)) => *options,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn parsed(line: &str) -> Result<Command, Exit> {
        let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        parse(&args)
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
    fn another_method_may_follow_a_file_to_send() {
        let options = options("-p /dev/null -m PATCH h/");
        assert_eq!(options.method, Method::Other(b"PATCH".to_vec()));
        assert_eq!(options.body, Some(vec![]));
    }
}
