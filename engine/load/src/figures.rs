//! One load as JSON: the schema `bakeoff.load/2`. Unknown figures are null.

use crate::errors::ErrorKind;
use crate::scheme::Scheme;
use crate::tally::{Bad, Terms};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use volley_net::{Datagrams, Io};

/// Above this share of busy time the generator itself may be the limit.
pub const BUSY: f64 = 0.9;

/// The figures of a load. `E`: the names of errors.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the counts are those of PROTOCOL.md")]
pub struct Figures<E: Ord = ErrorKind> {
    pub schema: Schema,
    /// The program whose interface the generator had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub personality: Option<&'static str>,
    pub url: String,
    pub requests: u64,
    pub duration_s: f64,
    pub requests_per_s: f64,
    pub bytes_per_s: f64,
    /// How many of them were counted instead of read, because no rule needs them.
    pub counted_bytes_per_s: Option<f64>,
    /// Open loop: from the time when a request was due; else from its sending. Null without
    /// answers, as are the next two.
    pub latency_us: Option<LatencyUs>,
    /// The same up to the first byte of the answer's body; null where this byte comes with the
    /// body's end.
    pub first_byte_us: Option<LatencyUs>,
    /// The figures of event streams; null where answers are read otherwise.
    pub events: Option<EventFigures>,
    /// The figures of rooms; null without `--room`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rooms: Option<RoomFigures>,
    /// The figures of streams that were held beside the requests; null without `--held`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldFigures>,
    /// Open loop: from the sending of a request.
    pub service_us: Option<LatencyUs>,
    /// Open loop: from the time when a request was due to its sending.
    pub send_lag_us: Option<LatencyUs>,
    /// The errors that occurred.
    pub errors: BTreeMap<E, u64>,
    pub misses: Option<u64>,
    pub unsent: Option<u64>,
    pub redirects: Option<u64>,
    pub connects: u64,
    pub protocol: Option<Scheme>,
    /// HTTP/2: requests that may be in flight at a time on one connection.
    pub streams: Option<usize>,
    pub agreed: Option<Agreement>,
    /// HTTP/3: the datagrams, warm-up and drain included.
    pub datagrams: Option<DatagramFigures>,
    /// Handshakes of TLS that succeeded.
    pub handshakes: Option<u64>,
    /// The time from the established connection to the end of its handshake.
    pub handshake_mean_us: Option<f64>,
    /// Handshakes that resumed a session.
    pub resumed: Option<u64>,
    /// Requests ahead of a handshake (0-RTT) that servers took; null where none may be sent so.
    pub early_accepted: Option<u64>,
    /// Those that servers rejected, so that they were sent again.
    pub early_rejected: Option<u64>,
    pub first_bad: Option<Bad>,
    /// The figures of the requests of a request file, in its order; null without a file.
    pub by_request: Option<Vec<RequestFigures<E>>>,
    pub client: Client,
    /// The share of the time in which places for requests were taken, by Little's law.
    pub little: Option<f64>,
    pub limited_by: LimitedBy,
    pub ceiling: Option<Ceiling>,
    pub mode: Mode,
    pub connections: usize,
    /// The requested rate, in requests per second.
    pub rate: Option<f64>,
    pub io: Io,
}

/// The name of the schema.
#[derive(Debug, Clone, Copy, Serialize)]
pub enum Schema {
    /// This one.
    #[serde(rename = "bakeoff.load/2")]
    Load2,
}

/// What client and server agreed on before the first request, by TLS and by HTTP/2's SETTINGS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "PROTOCOL.md describes each key")]
pub struct Agreement {
    pub tls_version: Option<String>,
    pub cipher: Option<String>,
    pub alpn: Option<String>,
    pub resumed: bool,
    pub max_concurrent_streams: Option<u32>,
    pub initial_window: Option<u32>,
    pub header_table_size: Option<u32>,
    pub max_frame_size: Option<u32>,
}

impl Agreement {
    /// `None` where nothing was agreed on.
    pub fn of(terms: &Terms) -> Option<Self> {
        let Terms { tls, announced } = terms;
        let owned = |text: &str| text.to_owned();
        (tls.is_some() || announced.is_some()).then(|| Self {
            tls_version: tls.map(|tls| owned(tls.tls_version)),
            cipher: tls.map(|tls| owned(tls.cipher)),
            alpn: tls.and_then(|tls| tls.alpn).map(owned),
            resumed: tls.is_some_and(|tls| tls.resumed),
            max_concurrent_streams: announced.and_then(|of| of.max_concurrent_streams),
            initial_window: announced.map(|of| of.initial_window),
            header_table_size: announced.map(|of| of.header_table_size),
            max_frame_size: announced.map(|of| of.max_frame_size),
        })
    }
}

/// The counts of QUIC's datagrams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatagramFigures {
    /// The version of QUIC.
    pub quic_version: String,
    /// The congestion control of our sending.
    pub congestion_control: String,
    /// Datagrams sent.
    pub sent: u64,
    /// Datagrams received.
    pub received: u64,
    /// Datagrams received for each answer; null without answers.
    pub received_per_answer: Option<f64>,
    /// Bytes received in datagrams for each answer.
    pub received_bytes_per_answer: Option<f64>,
    /// Datagrams that one system call sent, on average: more than 1 where GSO is in effect.
    pub sent_per_call: Option<f64>,
    /// Datagrams that the kernel handed over as one piece, on average: more than 1 where GRO is in
    /// effect.
    pub received_per_piece: Option<f64>,
    /// Packets of ours that were taken for lost, and whose content was sent again.
    pub lost: u64,
    /// Datagrams that the kernel dropped on this machine, for any socket without room; null where
    /// the kernel does not report it.
    pub dropped: Option<u64>,
    /// Handshakes that a server answered with a Retry: they took one more round trip.
    pub retries: u64,
}

impl DatagramFigures {
    /// `answers`: the answers in the same time.
    pub fn of(datagrams: &Datagrams, answers: u64, dropped: Option<u64>) -> Self {
        let per = |count: u64, of: u64| (of > 0).then(|| count as f64 / of as f64);
        Self {
            quic_version: volley_quic::VERSION.to_owned(),
            congestion_control: volley_quic::CONGESTION_CONTROL.to_owned(),
            sent: datagrams.sent,
            received: datagrams.received,
            received_per_answer: per(datagrams.received, answers),
            received_bytes_per_answer: per(datagrams.received_bytes, answers),
            sent_per_call: per(datagrams.sent, datagrams.sends),
            received_per_piece: per(datagrams.received, datagrams.pieces),
            lost: datagrams.lost,
            dropped,
            retries: datagrams.retries,
        }
    }
}

/// Latencies in µs. A percentile is null where it falls among requests without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[expect(missing_docs, reason = "a mean, percentiles, a standard deviation")]
pub struct LatencyUs {
    pub mean: f64,
    pub p50: Option<f64>,
    pub p75: Option<f64>,
    pub p90: Option<f64>,
    pub p99: Option<f64>,
    pub p99_9: Option<f64>,
    pub max: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdev: Option<f64>,
}

/// The figures of streams of server-sent events.
#[derive(Debug, Clone, Serialize)]
pub struct EventFigures {
    /// Events of the window.
    pub count: u64,
    #[expect(missing_docs, reason = "as the name says")]
    pub per_s: f64,
    /// The time from where the latency of a request begins to the first event of its stream.
    pub first_us: Option<LatencyUs>,
    /// The time between two events of a stream; 0 where they came at once.
    pub gap_us: Option<LatencyUs>,
    /// Gaps that are at least as long as the threshold for a stall.
    pub stalls: u64,
    /// Events whose ids, which are numbers, are missing.
    pub lost: u64,
    /// Events that came twice.
    pub doubled: u64,
    /// Events that came after a later one.
    pub out_of_order: u64,
    /// Events with other data than expected.
    pub altered: u64,
    /// Streams that continued at the end: they count neither as requests nor as misses.
    pub open: u64,
}

/// The figures of streams that were held open beside the requests.
#[derive(Debug, Clone, Serialize)]
pub struct HeldFigures {
    /// Streams that were open at the end of the window.
    pub open: u64,
    /// Streams that had their first event, before the window or in it.
    pub opened: u64,
    /// Streams that ended rightly, and were opened anew.
    pub ended: u64,
    /// Their events. A gap counts where both of its events came in the window.
    pub events: EventFigures,
    /// Streams that broke or could not be opened, by kind.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// The first of them.
    pub first_bad: Option<Bad>,
}

/// The figures of rooms, in which a message is for all.
#[derive(Debug, Clone, Serialize)]
pub struct RoomFigures {
    /// Messages of the window that were sent.
    pub messages: u64,
    /// Messages that were due in the window but never sent (open loop): nobody heard them.
    pub unsent: u64,
    #[expect(missing_docs, reason = "as the name says")]
    pub per_s: f64,
    /// The time from the sending of a message (open loop: from when it was due) until the last
    /// listener has heard it.
    pub last_us: Option<LatencyUs>,
    /// The share of listeners that heard a message in time and unchanged; null without messages.
    pub reach: Option<f64>,
}

/// The figures of one request of a request file.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "as in `Figures`")]
pub struct RequestFigures<E: Ord = ErrorKind> {
    /// The request's own name, or its method and path as they are written.
    pub name: String,
    pub requests: u64,
    pub latency_us: Option<LatencyUs>,
    pub first_byte_us: Option<LatencyUs>,
    pub errors: BTreeMap<E, u64>,
    pub misses: u64,
}

/// The cost of the load to its generator.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Client {
    /// CPU time of all its threads per request, in the counted time; null without requests.
    pub cpu_us_per_request: Option<f64>,
    /// The share of the time that the threads did not wait, on average.
    pub busy: f64,
    /// The number of threads.
    pub threads: usize,
}

/// The generator's own limit.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Ceiling {
    /// The rate that the generator reaches against its null server.
    pub requests_per_s: f64,
    /// The run's share of that.
    pub share: f64,
}

/// Whether requests wait for answers, or come at times of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "as the names say")]
pub enum Mode {
    Closed,
    Open,
}

/// What limited the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitedBy {
    /// The generator.
    Client,
    /// The requested rate.
    Rate,
    /// The server, or the path to it, by the proof of a [`Ceiling`].
    Target,
    /// Unknown.
    Unknown,
}

impl<E: Ord + Serialize> Figures<E> {
    /// One line of JSON.
    pub fn line(&self) -> String {
        let mut line = serde_json::to_string(self).expect("figures are plain data");
        line.push('\n');
        line
    }
}

impl LatencyUs {
    /// By a function that gives the latency which a share of the requests does not exceed.
    pub fn of(mean: f64, stdev: Option<f64>, quantile_us: impl Fn(f64) -> Option<f64>) -> Self {
        Self {
            mean,
            p50: quantile_us(0.5),
            p75: quantile_us(0.75),
            p90: quantile_us(0.9),
            p99: quantile_us(0.99),
            p99_9: quantile_us(0.999),
            max: quantile_us(1.0),
            stdev,
        }
    }
}

impl Client {
    /// `cpu_ns`: CPU time of all threads.
    pub fn new(cpu_ns: u64, requests: u64, busy: f64, threads: usize) -> Self {
        let cpu_us_per_request = (requests > 0).then(|| cpu_ns as f64 / 1e3 / requests as f64);
        Self { cpu_us_per_request, busy, threads }
    }

    /// The limit that a closed loop shows without a [`Ceiling`].
    pub fn limit(&self) -> LimitedBy {
        if self.busy > BUSY { LimitedBy::Client } else { LimitedBy::Unknown }
    }
}
