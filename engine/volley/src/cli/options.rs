//! The options of `volley load`, by subject.

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
    /// Open this many connections [default: 64]
    #[arg(short, long, value_name = "N", value_parser = at_least_1::<usize>)]
    pub connections: Option<usize>,
    /// Run this many threads [default: 1, or one for each core of --cpus]
    #[arg(short, long, value_name = "N", value_parser = at_least_1::<usize>)]
    pub threads: Option<usize>,
    /// Count for this long [default: 10s, or with -n no limit]
    ///
    /// A TIME is 10, 10s, 500ms, 2m or 1h.
    #[arg(short, long, value_name = "TIME", value_parser = time, conflicts_with = "stages")]
    pub duration: Option<Duration>,
    /// Stop after this many requests
    #[arg(short = 'n', long, value_name = "N", value_parser = at_least_1::<u64>)]
    pub requests: Option<u64>,
    /// Offer this many requests per second, however the server does (open loop)
    ///
    /// Latency then counts from the time when a request was due. Fractions such as 0.5 are allowed.
    /// With --room it is how many messages are sent, not how often they are heard.
    #[arg(short = 'R', long, value_name = "N", value_parser = rate, conflicts_with = "stages")]
    pub rate: Option<f64>,
    /// Space the requests of an open loop evenly or at random [default: uniform; bakeoff race: poisson]
    ///
    /// Independent users come at random: with exponential distances, as a Poisson process.
    #[arg(long, value_enum, value_name = "uniform|poisson", hide_possible_values = true)]
    pub arrivals: Option<Shape>,
    /// Send this many requests of an open loop at the same moment [default: 1]
    #[arg(long, value_name = "N", value_parser = at_least_1::<u64>)]
    pub burst: Option<u64>,
    /// Load for this long at a level, or from one to another; may be repeated
    ///
    /// Levels are requests per second (open loop), as in 10s:1000 or 30s:1000-5000, or with a
    /// trailing c connections (closed loop), as in 10s:64c or 30s:64-512c.
    #[arg(long = "stage", value_name = "TIME:LEVEL", value_parser = StageArg::parse)]
    pub stages: Vec<StageArg>,
    /// Load for this long before counting [default: 200ms, or 0 with -n]
    #[arg(short, long, alias = "warmup", value_name = "TIME", value_parser = time_or_0)]
    pub warm_up: Option<Duration>,
    /// Set the seed of random choices; bakeoff race takes a random one
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
}

/// Over which connections.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connections")]
pub struct Connecting {
    /// Open a connection for each request
    #[arg(long, conflicts_with = "requests_per_connection")]
    pub close: bool,
    /// Speak HTTP/1.0
    #[arg(long = "http1.0")]
    pub http_1_0: bool,
    /// Close a connection after this many responses
    #[arg(long, value_name = "N", value_parser = at_least_1::<u64>)]
    pub requests_per_connection: Option<u64>,
    /// Keep this many requests in flight on each HTTP/1 connection
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_1::<usize>)]
    pub pipeline: usize,
    /// Connect to this Unix socket; host and path are the URL's
    #[arg(long, value_name = "PATH", conflicts_with_all = ["connect_to", "proxy", "source"])]
    pub unix: Option<PathBuf>,
    /// Connect to this host instead of the URL's
    #[arg(long, value_name = "HOST:PORT", value_parser = place, conflicts_with = "proxy")]
    pub connect_to: Option<Authority>,
    /// Connect from this IPv4 address, or from a range of them in turn
    ///
    /// As in 127.0.0.2 or 127.0.0.2-127.0.0.9. Many addresses have more ports: each can open about
    /// 28000 short connections a minute. Short connections to 127.0.0.1 use 254 by themselves.
    #[arg(long, value_name = "ADDRESS", value_parser = SourceRange::parse)]
    pub source: Option<SourceRange>,
    /// Send the requests to this plain HTTP proxy
    #[arg(long, value_name = "http://HOST:PORT", value_parser = proxy)]
    pub proxy: Option<Authority>,
    /// Allow a connection this long to be established
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub connect_timeout: Duration,
    /// Allow a response this long, to its last byte
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub timeout: Duration,
    /// Do I/O this way; auto is uring where that works, else epoll
    #[arg(long, value_enum, default_value = "auto", hide_possible_values = true)]
    #[arg(value_name = "auto|uring|epoll", hide_default_value = true)]
    pub io: IoChoice,
    /// Run on these cores only, such as 1 or 2,3
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub cpus: Vec<usize>,
    /// Set the size of each socket's send buffer
    #[arg(long, value_name = "BYTES", value_parser = at_least_1::<usize>)]
    pub send_buffer: Option<usize>,
    /// Set the size of each socket's receive buffer
    #[arg(long, value_name = "BYTES", value_parser = at_least_1::<usize>)]
    pub receive_buffer: Option<usize>,
}

/// What to ask.
#[derive(Debug, Args)]
#[command(next_help_heading = "Request")]
pub struct RequestArgs {
    /// Use this method [default: GET, or POST with a body]
    #[arg(short = 'X', short_alias = 'm', long, value_name = "METHOD")]
    pub method: Option<String>,
    /// Send this header; may be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", value_parser = header)]
    pub headers: Vec<(String, String)>,
    /// Send this body
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    #[arg(conflicts_with = "body_file")]
    pub body: Option<String>,
    /// Send this file as the body
    #[arg(long, value_name = "FILE")]
    pub body_file: Option<PathBuf>,
    /// Send this cookie; may be repeated
    #[arg(long = "cookie", value_name = "NAME=VALUE", value_parser = cookie)]
    pub cookies: Vec<String>,
    /// Authenticate with this name and password (Basic)
    #[arg(short, long, value_name = "NAME:PASSWORD", value_parser = user)]
    pub user: Option<String>,
    /// Send the requests of this TOML file, by their weights
    #[arg(long, value_name = "FILE", conflicts_with_all = ["body", "body_file", "method"])]
    pub request_file: Option<PathBuf>,
    /// Send this message to a WebSocket (ws:// or wss://), and await its echo
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[arg(conflicts_with = "message_size")]
    pub message: Option<String>,
    /// Send a message of this many bytes to a WebSocket
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1 << 24))]
    pub message_size: Option<u32>,
    /// Send the message as binary data, not as text
    #[arg(long)]
    pub binary: bool,
    /// Compress the messages of a WebSocket (permessage-deflate), which its server has to agree to
    #[arg(long)]
    pub compression: bool,
    /// Send each message to a room of this many connections, which all have to hear it
    ///
    /// A room is all connections of one path: the URL's with room=0, room=1 and so on in its query. The
    /// first connection of a room sends, and the server passes each message on to all of them, unchanged.
    /// The next message follows once the last of them has heard it; with --rate, when it is due, to the
    /// room that has been free for longest. Messages begin with a number, and requests count how often
    /// they were heard.
    #[arg(long, value_name = "N", value_parser = at_least_1::<usize>)]
    pub room: Option<usize>,
    /// Hold this many streams of server-sent events open beside the requests, from --held-path
    ///
    /// Each stream has a connection of its own, and is open before the first request is sent. One that ends
    /// is opened anew. Requests, their latencies and their errors have nothing of them: their events, gaps
    /// and errors stand apart. A gap counts where both of its events came in the counted time.
    #[arg(long, value_name = "N", value_parser = at_least_1::<usize>, requires = "held_path")]
    pub held: Option<usize>,
    /// The path of the held streams, as in /events
    #[arg(long, value_name = "PATH", requires = "held")]
    pub held_path: Option<String>,
}

impl RequestArgs {
    /// Whether a WebSocket's message is given.
    pub fn is_message(&self) -> bool {
        self.message.is_some() || self.message_size.is_some()
    }

    /// Whether something is given that an upgrade has no place for.
    pub(super) fn is_http(&self) -> bool {
        let bodies = [&self.body_file, &self.request_file];
        self.method.is_some() || self.body.is_some() || bodies.into_iter().any(Option::is_some)
    }
}

/// Which answer is right.
#[derive(Debug, Args)]
#[command(next_help_heading = "Checks, of every answer")]
pub struct Checks {
    /// Require this status [default: any below 400]
    #[arg(long, value_name = "N", value_parser = status)]
    pub expect_status: Option<u16>,
    /// Require a body of this many bytes, such as 13 or 10-2000
    #[arg(long, value_name = "N", value_parser = length)]
    pub expect_length: Option<LengthRule>,
    /// Require this body
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, group = "right_body")]
    pub expect_body: Option<String>,
    /// Require the body to be this file's content
    #[arg(long, value_name = "FILE", group = "right_body")]
    pub expect_body_file: Option<PathBuf>,
    /// Require a body with this SHA-256
    #[arg(long, value_name = "HEX", value_parser = sha256, group = "right_body")]
    pub expect_sha256: Option<BodyRule>,
    /// Require this text in the body; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "right_body")]
    pub expect_contains: Vec<String>,
    /// Require a match of this regular expression somewhere in the body
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true, conflicts_with = "right_body")]
    #[arg(value_parser = Pattern::parse)]
    pub expect_match: Option<Pattern>,
    /// Require JSON of this shape, such as `{"id": "number"}`
    ///
    /// In `{"id": "number", "name?": "string|null", "tags": ["string"]}` a string names a type: string,
    /// number, boolean, null, several with | between them, or any. An object lists the keys that must
    /// be there, and with a trailing ? those that may. An array holds the shape of all of its elements,
    /// or nothing.
    #[arg(long, value_name = "SHAPE", conflicts_with = "right_body", value_parser = shape)]
    pub expect_json: Option<JsonShape>,
    /// Read answers as server-sent events, and measure each event; with --grpc, as a stream of messages
    ///
    /// With --expect-body or --expect-body-file, these are the events that have to come. Ids that are
    /// numbers tell which events are lost, doubled or out of order. --timeout is for each event.
    #[arg(long, conflicts_with_all = ["expect_sha256", "expect_contains", "expect_match", "expect_json"])]
    #[arg(conflicts_with_all = ["expect_length", "request_file", "ceiling"])]
    pub events: bool,
    /// Call the URL's path as a method of gRPC, /package.Service/Method, with the body as its message
    ///
    /// The body is sent uncompressed behind a prefix of its length, and so is what --expect-body and
    /// --expect-body-file require. A response is right with status 200, a grpc-status of 0 and one message,
    /// or with any messages, where --events measures each of them. It needs --protocol h2c or h2.
    #[arg(long, conflicts_with_all = ["expect_sha256", "expect_contains", "expect_match", "expect_json"])]
    #[arg(conflicts_with_all = ["expect_length", "expect_status", "request_file", "method"])]
    pub grpc: bool,
    /// Count a gap between events as a stall from this length on
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = time)]
    pub stall: Duration,
    /// Require this header; may be repeated
    #[arg(long = "expect-header", value_name = "NAME: VALUE", value_parser = header)]
    pub expect_headers: Vec<(String, String)>,
}

impl Checks {
    /// Whether an answer has to be anything in particular.
    pub(super) fn are_given(&self) -> bool {
        self.events
            || self.grpc
            || self.expect_status.is_some()
            || self.expect_length.is_some()
            || self.expect_body.is_some()
            || self.expect_body_file.is_some()
            || self.expect_sha256.is_some()
            || !self.expect_contains.is_empty()
            || self.expect_match.is_some()
            || self.expect_json.is_some()
            || !self.expect_headers.is_empty()
    }
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
