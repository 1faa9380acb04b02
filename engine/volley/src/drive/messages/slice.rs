//! What is sent of a slice that is over.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use volley_load::errors::ErrorKind;
use volley_load::figures::DatagramFigures;
use volley_load::slice::ServerCost;
use volley_load::tally::Bad;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceEvent {
    pub target: usize,
    pub block: u64,
    pub start_ns: u64,
    pub end_ns: u64,
    pub drained_ns: u64,
    pub requests: u64,
    pub requests_by_share: f64,
    pub bytes: u64,
    pub requests_all: u64,
    pub redirects: u64,
    pub misses: u64,
    pub unsent: u64,
    pub connects: u64,
    pub handshakes: u64,
    pub handshake_mean_us: Option<f64>,
    pub resumed: u64,
    /// Only for targets whose bytes travel in datagrams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datagrams: Option<DatagramFigures>,
    pub idle_closed: u64,
    pub errors: BTreeMap<ErrorKind, u64>,
    pub latency: String,
    pub latency_count: u64,
    pub latency_mean_us: f64,
    pub first_byte: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<EventsSlice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rooms: Option<RoomsSlice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldSlice>,
    pub in_flight_ns: u64,
    pub service: Option<String>,
    pub send_lag: Option<String>,
    pub cpu_ns: u64,
    pub delayed_ns: Option<u64>,
    pub server: Option<ServerCost>,
    pub fixed_work_ns: Option<u64>,
    pub core_trip_ns: Option<u64>,
    pub busy: f64,
    pub busy_threads: Vec<f64>,
    pub first_bad: Option<Bad>,
    pub by_request: Option<Vec<RequestSlice>>,
}

/// The figures of a slice's streams of server-sent events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsSlice {
    pub count: u64,
    pub count_all: u64,
    pub first: String,
    pub gap: String,
    pub open: u64,
    pub faults: BTreeMap<String, u64>,
}

/// The figures of a slice's rooms of WebSocket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoomsSlice {
    pub messages: u64,
    pub unsent: u64,
    pub due: u64,
    pub heard: u64,
    pub last: String,
}

/// The figures of the streams that were held beside a slice's requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldSlice {
    pub open: u64,
    pub opened: u64,
    pub ended: u64,
    pub count: u64,
    pub count_all: u64,
    pub gap: String,
    pub faults: BTreeMap<String, u64>,
    pub errors: BTreeMap<ErrorKind, u64>,
    pub first_bad: Option<Bad>,
}

/// The figures of one request of a request file in a slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestSlice {
    pub requests: u64,
    pub misses: u64,
    pub errors: BTreeMap<ErrorKind, u64>,
    pub latency: String,
    pub latency_count: u64,
    pub latency_mean_us: f64,
    pub first_byte: Option<String>,
}
