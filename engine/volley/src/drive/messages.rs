//! The messages of `volley drive`, as PROTOCOL.md describes them. Unknown keys are refused.
#![expect(missing_docs, reason = "PROTOCOL.md describes each key")]

mod slice;

pub use slice::{EventsSlice, HeldSlice, RequestSlice, RoomsSlice, SliceEvent};

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use volley_load::errors::ErrorKind;
use volley_load::figures::Agreement;
use volley_load::schedule::Shape;
use volley_load::scheme::Scheme;
use volley_net::{Io, IoChoice};

/// The number of this protocol.
pub const PROTOCOL: u32 = 5;

/// A message from the driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Command {
    /// The job: the targets and how to load them. It comes first, and once.
    Job(Job),
    /// Load one target now.
    Slice(SliceCommand),
    /// The end of the conversation.
    Stop(Stop),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    pub protocol: u32,
    pub targets: Vec<TargetSpec>,
    pub connections: usize,
    pub threads: usize,
    pub io: IoChoice,
    pub connection: ConnectionMode,
    #[serde(default)]
    pub http: HttpVersion,
    #[serde(default = "one_at_a_time")]
    pub pipeline: usize,
    #[serde(default = "one_at_a_time")]
    pub streams: usize,
    pub cpus: Vec<usize>,
    #[serde(default)]
    pub fixed_work_cpu: Option<usize>,
    pub connect_timeout_ms: u64,
    pub request_timeout_ms: u64,
}

/// The depth of a job that leaves `pipeline` or `streams` out.
fn one_at_a_time() -> usize {
    1
}

/// Whether connections are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionMode {
    /// A connection carries many requests.
    KeepAlive,
    /// A connection carries one request.
    Close,
}

/// The version of HTTP in which requests are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum HttpVersion {
    /// HTTP/1.0.
    #[serde(rename = "1.0")]
    Http10,
    /// HTTP/1.1.
    #[default]
    #[serde(rename = "1.1")]
    Http11,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSpec {
    pub name: String,
    pub address: String,
    #[serde(default)]
    pub protocol: Scheme,
    #[serde(default)]
    pub tls: Option<TlsSpec>,
    #[serde(default)]
    pub request: Option<RequestSpec>,
    #[serde(default)]
    pub expect: Option<ExpectSpec>,
    #[serde(default)]
    pub requests: Option<RequestsSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub websocket: Option<WebSocketSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldSpec>,
}

/// The streams that are held open beside the requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldSpec {
    pub streams: usize,
    pub request: RequestSpec,
    pub expect: ExpectSpec,
}

/// The message that is sent to a WebSocket, and has to come back, or to reach all of a `room`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebSocketSpec {
    pub message_base64: String,
    pub binary: bool,
    pub compression: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<usize>,
    #[serde(default)]
    pub first_room: usize,
}

/// The requests of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestsSpec {
    pub file: PathBuf,
    pub host: String,
    pub seed: u64,
}

/// The settings of TLS.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsSpec {
    pub server_name: String,
    #[serde(deserialize_with = "Option::deserialize")]
    pub ca_pem: Option<String>,
    pub insecure: bool,
    pub resume: bool,
}

/// The request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestSpec {
    pub method: String,
    pub path: String,
    pub host: String,
    pub headers: Vec<(String, String)>,
    pub body_base64: String,
}

/// The right answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectSpec {
    pub status: u16,
    #[serde(deserialize_with = "Option::deserialize")]
    pub body_base64: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub grpc: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<EventsSpec>,
}

/// The right stream of server-sent events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsSpec {
    #[serde(deserialize_with = "Option::deserialize")]
    pub count: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceCommand {
    pub target: usize,
    pub block: u64,
    pub ramp_ms: u64,
    pub duration_ms: u64,
    #[serde(deserialize_with = "Option::deserialize")]
    pub rate: Option<f64>,
    #[serde(with = "ShapeName")]
    pub arrivals: Shape,
    pub seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server_pids: Vec<i32>,
}

/// The protocol's names of a [`Shape`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Shape", rename_all = "lowercase")]
enum ShapeName {
    Uniform,
    Poisson,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {}

/// A message to the driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The connections are open.
    Ready(Ready),
    /// A slice is over.
    Slice(Box<SliceEvent>),
    /// The conversation is over.
    Done(Done),
    /// A command was wrong.
    Error(ErrorEvent),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    pub protocol: u32,
    pub engine: String,
    pub io: Io,
    pub threads: usize,
    pub targets: Vec<TargetReady>,
}

/// How opening a target's connections went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetReady {
    pub name: String,
    pub open: u64,
    pub error: Option<Failure>,
    pub agreed: Option<Agreement>,
    pub requests: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldReady>,
}

/// How opening the held streams went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldReady {
    pub open: u64,
    pub error: Option<Failure>,
}

/// A failure to connect, or to open a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    pub kind: ErrorKind,
    pub detail: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    pub cpu_ns: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorEvent {
    pub message: String,
}

impl Command {
    /// Reads one line. The error names the wrong command and key.
    pub fn parse(line: &str) -> Result<Self, String> {
        serde_json::from_str(line).map_err(|error| {
            let command = serde_json::from_str::<serde_json::Value>(line)
                .ok()
                .and_then(|value| value.get("type")?.as_str().map(str::to_owned))
                .unwrap_or_else(|| "command".to_owned());
            format!("{command}: {error}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_is_named() {
        let error = Command::parse(r#"{"type":"stop","now":true}"#).unwrap_err();
        assert!(error.starts_with("stop: ") && error.contains("`now`"), "{error}");
        let line = r#"{"type":"slice","target":0,"block":0,"ramp_ms":1,"durations_ms":2}"#;
        let error = Command::parse(line).unwrap_err();
        assert!(error.contains("durations_ms") && error.contains("duration_ms"), "{error}");
    }

    #[test]
    fn every_key_of_a_slice_has_to_be_there() {
        let whole = r#"{"type":"slice","target":0,"block":0,"ramp_ms":1,"duration_ms":2,"#
            .to_owned()
            + r#""rate":null,"arrivals":"uniform","seed":0}"#;
        assert!(Command::parse(&whole).is_ok());
        for (key, part) in [
            ("rate", r#","rate":null"#),
            ("arrivals", r#","arrivals":"uniform""#),
            ("seed", r#","seed":0"#),
        ] {
            let error = Command::parse(&whole.replace(part, "")).unwrap_err();
            assert!(error.contains(&format!("missing field `{key}`")), "{error}");
        }
        let error = Command::parse(&whole.replace("uniform", "normal")).unwrap_err();
        assert!(error.contains("`normal`") && error.contains("`poisson`"), "{error}");
    }

    #[test]
    fn what_is_no_command_is_refused() {
        for (line, part) in [
            ("", "command: "),
            ("[]", "command: "),
            ("{}", "type"),
            (r#"{"type":"sleep"}"#, "`sleep`"),
            (r#"{"type":"slice"}"#, "`target`"),
            (r#"{"type":"slice","target":-1,"block":0,"ramp_ms":1,"duration_ms":2}"#, "-1"),
            (r#"{"type":"stop"} {"type":"stop"}"#, "command: "),
        ] {
            let error = Command::parse(line).unwrap_err();
            assert!(error.contains(part), "{line} gave {error}");
        }
    }
}
