//! The settings of the command line.

use super::url::Url;
use std::ffi::OsString;
use std::path::PathBuf;

/// See the module.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "most of ab's options are flags")]
pub(super) struct Options {
    pub(super) requests: usize,
    pub(super) connections: usize,
    /// `-t`; 0: no limit.
    pub(super) time_limit_s: i32,
    /// `-s`: the run ends after this long without an event; below 0 never.
    pub(super) timeout_s: i32,
    pub(super) keep_alive: bool,
    pub(super) any_length: bool,
    pub(super) receive_errors_are_fine: bool,
    pub(super) verbosity: i32,
    /// Requests between two lines of progress; 0: no such lines.
    pub(super) heartbeat: usize,
    pub(super) method: Method,
    pub(super) body: Option<Vec<u8>>,
    pub(super) content_type: Option<Vec<u8>>,
    /// The `Cookie` line, with its end. A later one replaces it.
    pub(super) cookie: Vec<u8>,
    /// The lines of `-A` and `-P`.
    pub(super) credentials: Vec<u8>,
    /// The lines of `-H`.
    pub(super) headers: Vec<u8>,
    /// The value of a `Host` among them.
    pub(super) host: Option<Vec<u8>>,
    pub(super) has_user_agent: bool,
    pub(super) has_accept: bool,
    pub(super) proxy: Option<(String, i32)>,
    pub(super) source: Option<String>,
    /// `-b`; 0: the system's.
    pub(super) buffer_bytes: i32,
    pub(super) percentiles: bool,
    pub(super) confidence: bool,
    pub(super) csv: Option<PathBuf>,
    pub(super) gnuplot: Option<PathBuf>,
    pub(super) html: Option<Attributes>,
    pub(super) tls: TlsOptions,
    pub(super) url: Url,
}

/// The form of the requests.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) enum Method {
    #[default]
    Get,
    /// The answer has no body, whatever its head says.
    Head,
    Post,
    Put,
    /// `-m`.
    Other(Vec<u8>),
}

/// Attributes of the tags in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) table: String,
    pub(super) row: String,
    pub(super) cell: String,
}

/// The text as typed.
#[derive(Debug, Default)]
pub(super) struct TlsOptions {
    pub(super) protocol: Option<OsString>,
    pub(super) suites: Option<OsString>,
    pub(super) certificate: Option<PathBuf>,
    pub(super) no_server_name: bool,
}
