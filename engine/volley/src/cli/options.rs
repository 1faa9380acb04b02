//! The options of `volley load`, by what they are about.

use super::values::{
    SourceRange, StageArg, at_least_1, cookie, header, length, place, proxy, rate, sha256, shape,
    status, time, time_or_0, user,
};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use volley_load::schedule::Shape;
use volley_net::IoChoice;
use volley_net::url::Authority;
use volley_protocol::{BodyRule, JsonShape, LengthRule, Pattern};

/// How much load, and when.
#[derive(Debug, Args)]
#[command(next_help_heading = "How much")]
pub struct Amount {
    /// Connections at a time [default: 64]
    #[arg(short, long, value_name = "N", value_parser = at_least_1::<usize>)]
    pub connections: Option<usize>,
    /// Threads [default: 1, or one for each core of --cpus]
    #[arg(short, long, value_name = "N", value_parser = at_least_1::<usize>)]
    pub threads: Option<usize>,
    /// How long to count [default: 10s, or with -n no limit]
    ///
    /// A TIME is 10, 10s, 500ms, 2m or 1h.
    #[arg(short, long, value_name = "TIME", value_parser = time, conflicts_with = "stages")]
    pub duration: Option<Duration>,
    /// Stop after so many requests
    #[arg(short = 'n', long, value_name = "N", value_parser = at_least_1::<u64>)]
    pub requests: Option<u64>,
    /// Open loop: so many requests per second, come what may
    ///
    /// Latency then counts from the time when a request was due. Fractions such as 0.5 are allowed.
    #[arg(short = 'R', long, value_name = "N", value_parser = rate, conflicts_with = "stages")]
    pub rate: Option<f64>,
    /// Open loop: at equal distances, or at random [default: uniform]
    ///
    /// Independent users come at random: with exponential distances, as a Poisson process.
    #[arg(long, value_enum, value_name = "uniform|poisson", hide_possible_values = true)]
    pub arrivals: Option<Shape>,
    /// Open loop: requests that are due at the same moment [default: 1]
    #[arg(long, value_name = "N", value_parser = at_least_1::<u64>)]
    pub burst: Option<u64>,
    /// A stretch at a level, or from one to another; may be repeated
    ///
    /// Levels are requests per second (open loop), as in 10s:1000 or 30s:1000-5000, or with a
    /// trailing c connections (closed loop), as in 10s:64c or 30s:64-512c.
    #[arg(long = "stage", value_name = "TIME:LEVEL", value_parser = StageArg::parse)]
    pub stages: Vec<StageArg>,
    /// Load so long before counting [default: 200ms, or 0 with -n]
    #[arg(short, long, value_name = "TIME", value_parser = time_or_0)]
    pub warm_up: Option<Duration>,
    /// Equal seeds give equal random choices
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
}

/// Over which connections.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connections")]
pub struct Connecting {
    /// One connection per request, instead of keeping them
    #[arg(long, conflicts_with = "requests_per_connection")]
    pub close: bool,
    /// Speak HTTP/1.0
    #[arg(long = "http1.0")]
    pub http_1_0: bool,
    /// Close a connection after so many answers
    #[arg(long, value_name = "N", value_parser = at_least_1::<u64>)]
    pub requests_per_connection: Option<u64>,
    /// Requests on their way at a time on one connection
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_1::<usize>)]
    pub pipeline: usize,
    /// Connect to a Unix socket; the URL still says host and path
    #[arg(long, value_name = "PATH", conflicts_with_all = ["connect_to", "proxy", "source"])]
    pub unix: Option<PathBuf>,
    /// Connect there instead of to the URL's host
    #[arg(long, value_name = "HOST:PORT", value_parser = place, conflicts_with = "proxy")]
    pub connect_to: Option<Authority>,
    /// Connect from this IPv4 address, or from a range of them in turn
    ///
    /// As in 127.0.0.2 or 127.0.0.2-127.0.0.9. Many addresses have more ports: each can open about
    /// 28000 short connections a minute. Short connections to 127.0.0.1 use 254 by themselves.
    #[arg(long, value_name = "ADDRESS", value_parser = SourceRange::parse)]
    pub source: Option<SourceRange>,
    /// Ask a plain HTTP proxy for the whole URL
    #[arg(long, value_name = "http://HOST:PORT", value_parser = proxy)]
    pub proxy: Option<Authority>,
    /// How long a connection may take to be established
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub connect_timeout: Duration,
    /// How long an answer may take, to its last byte
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub timeout: Duration,
    /// How to do I/O: uring, epoll, or auto for the first that works
    #[arg(long, value_enum, default_value = "auto", hide_possible_values = true)]
    #[arg(value_name = "auto|uring|epoll", hide_default_value = true)]
    pub io: IoChoice,
    /// Run on these cores only, like 1 or 2,3
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub cpus: Vec<usize>,
    /// Size of each socket's send buffer
    #[arg(long, value_name = "BYTES", value_parser = at_least_1::<usize>, hide_short_help = true)]
    pub send_buffer: Option<usize>,
    /// Size of each socket's receive buffer
    #[arg(long, value_name = "BYTES", value_parser = at_least_1::<usize>, hide_short_help = true)]
    pub receive_buffer: Option<usize>,
}

/// What to ask.
#[derive(Debug, Args)]
#[command(next_help_heading = "Request")]
pub struct RequestArgs {
    /// GET unless said, POST if there is a body
    #[arg(short, long, value_name = "METHOD")]
    pub method: Option<String>,
    /// A header to send; may be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", value_parser = header)]
    pub headers: Vec<(String, String)>,
    /// A body to send
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    #[arg(conflicts_with = "body_file")]
    pub body: Option<String>,
    /// A file whose bytes are the body
    #[arg(long, value_name = "FILE")]
    pub body_file: Option<PathBuf>,
    /// A cookie to send; may be repeated
    #[arg(long = "cookie", value_name = "NAME=VALUE", value_parser = cookie)]
    pub cookies: Vec<String>,
    /// Basic authentication
    #[arg(short, long, value_name = "NAME:PASSWORD", value_parser = user)]
    pub user: Option<String>,
    /// Several requests with weights, from a TOML file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["body", "body_file", "method"])]
    pub request_file: Option<PathBuf>,
}

/// Which answer is right.
#[derive(Debug, Args)]
#[command(next_help_heading = "Checks, of every answer")]
pub struct Checks {
    /// The status must be this one [default: any below 400]
    #[arg(long, value_name = "N", value_parser = status)]
    pub expect_status: Option<u16>,
    /// The body must have so many bytes, like 13 or 10-2000
    #[arg(long, value_name = "N", value_parser = length)]
    pub expect_length: Option<LengthRule>,
    /// The body must be this text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, group = "right_body")]
    pub expect_body: Option<String>,
    /// The body must be the bytes of this file
    #[arg(long, value_name = "FILE", group = "right_body")]
    pub expect_body_file: Option<PathBuf>,
    /// The body must have this SHA-256
    #[arg(long, value_name = "HEX", value_parser = sha256, group = "right_body")]
    pub expect_sha256: Option<BodyRule>,
    /// The body must contain this text; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "right_body")]
    pub expect_contains: Vec<String>,
    /// The body must match this regular expression somewhere
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true, conflicts_with = "right_body")]
    #[arg(value_parser = Pattern::parse)]
    pub expect_match: Option<Pattern>,
    /// The body must be JSON of this shape, like `{"id": "number"}`
    ///
    /// As in `{"id": "number", "name?": "string|null", "tags": ["string"]}`: a string names a type: string, number, boolean, null, several with | between them, or any. An
    /// object lists the keys that must be there, and with a trailing ? those that may. An array holds
    /// the shape of all of its elements, or nothing.
    #[arg(long, value_name = "SHAPE", conflicts_with = "right_body", value_parser = shape)]
    pub expect_json: Option<JsonShape>,
    /// The answer must have this header; may be repeated
    #[arg(long = "expect-header", value_name = "NAME: VALUE", value_parser = header)]
    pub expect_headers: Vec<(String, String)>,
}

/// What to print and write.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Print the whole distribution of latencies
    #[arg(long)]
    pub latency: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Write a line of CSV for each 100 ms; - is standard output
    ///
    /// With - the text goes to standard error.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<CsvPlace>,
    /// Write the latencies of each 100 ms as an interval log of HDR histograms
    #[arg(long, value_name = "FILE")]
    pub hdr: Option<PathBuf>,
    /// Find the generator's own limit too: 2 s more, against its built-in null server
    #[arg(long)]
    pub ceiling: bool,
}

/// Where CSV goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CsvPlace {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl From<&str> for CsvPlace {
    fn from(text: &str) -> Self {
        match text {
            "-" => Self::Stdout,
            path => Self::File(path.into()),
        }
    }
}
