//! Over which connections.

use super::values::{SourceRange, at_least_1, place, proxy, time};
use crate::io::IoChoice;
use crate::url::Authority;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Over which connections.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connections")]
pub struct Connecting {
    /// One connection per request, instead of keeping them
    #[arg(long)]
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
    #[arg(long, value_name = "PATH")]
    pub unix: Option<PathBuf>,
    /// Connect there instead of to the URL's host
    #[arg(long, value_name = "HOST:PORT", value_parser = place)]
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
    #[arg(long, value_name = "BYTES", value_parser = at_least_1::<usize>)]
    pub send_buffer: Option<usize>,
    /// Size of each socket's receive buffer
    #[arg(long, value_name = "BYTES", value_parser = at_least_1::<usize>)]
    pub receive_buffer: Option<usize>,
}
