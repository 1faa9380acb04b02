//! The counts of a target's load.

use crate::by_request::ByRequest;
use crate::errors::{Counts, ErrorKind};
use crate::events::EventTally;
use crate::held::HeldTally;
use crate::histogram::{FirstBytes, Latencies};
use crate::rooms::RoomTally;
use serde::{Deserialize, Serialize};
use volley_net::{Agreed, Datagrams};
use volley_protocol::Announced;

/// The first exchange that went wrong. In JSON, bytes are base64.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bad {
    /// The kind of failure.
    pub kind: ErrorKind,
    /// The details.
    pub detail: String,
    /// The request's bytes, at most 64 KiB; empty if there was none.
    #[serde(rename = "request_base64", with = "base64_text")]
    pub request: Vec<u8>,
    /// The answer's received bytes, at most 64 KiB; 16 KiB where they came in pieces.
    #[serde(rename = "response_base64", with = "base64_text")]
    pub response: Vec<u8>,
}

mod base64_text {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        STANDARD.decode(String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// What client and server agreed on before the first request. `None`: nothing, or it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terms {
    /// In the handshake of TLS.
    pub tls: Option<Agreed>,
    /// The server's announcement (HTTP/2's SETTINGS).
    pub announced: Option<Announced>,
}

impl Terms {
    /// Fills in the facts that are not known yet.
    pub fn merge(&mut self, other: &Self) {
        self.tls = self.tls.or(other.tls);
        self.announced = self.announced.or(other.announced);
    }
}

/// The counts of one slice, of one thread or, merged, of all. The window's counts are separate from
/// those of the whole slice.
#[derive(Debug, Default)]
pub struct Tally {
    /// Answers, right or wrong, that were complete within the window.
    pub requests: u64,
    /// Answers to requests that were in flight within the window, each counted for the share of its
    /// time in flight that lay within. Where a server answers in bursts, [`Tally::requests`]
    /// depends on which bursts the window's ends cut off; this count does not.
    pub requests_by_share: f64,
    /// Bytes that were received within the window.
    pub bytes: u64,
    /// How many of these bytes were counted instead of read, because no rule needs them.
    pub bytes_counted: u64,
    /// Answers of ramp, window and drain, including those of the chains.
    pub requests_all: u64,
    /// Right answers of the chains with which connections begin.
    pub chained: u64,
    /// Answers within the window that redirect (3xx). They are not followed.
    pub redirects: u64,
    /// Connections established.
    pub connects: u64,
    /// Handshakes of TLS that succeeded.
    pub handshakes: u64,
    /// The total duration of these handshakes.
    pub handshake_ns: u64,
    /// How many of them resumed a session.
    pub resumed: u64,
    /// Handshakes ahead of which a request was sent that the server took (0-RTT).
    pub early_accepted: u64,
    /// The same where the server rejected it, so that it was sent again.
    pub early_rejected: u64,
    /// What was agreed on, by the first connection that agreed on anything.
    pub terms: Terms,
    /// The counts of datagrams in the whole slice, where there were any.
    pub datagrams: Option<Datagrams>,
    /// Connections found closed by the server when the slice began.
    pub idle_closed: u64,
    /// Failures of ramp, window and drain.
    pub errors: Counts,
    /// Requests of the window without an answer: failed, timed out, or never sent.
    pub misses: u64,
    /// Of these, requests that were due but never sent (open loop).
    pub unsent: u64,
    /// The latencies of the window's requests. Closed loop: from the sending. Open loop: from the
    /// time when the request was due.
    pub latencies: Latencies,
    /// The counts of event streams, if any were requested.
    pub events: Option<Box<EventTally>>,
    /// The counts of rooms, if there are any.
    pub rooms: Option<Box<RoomTally>>,
    /// The counts of streams that are held open beside the requests, if there are any. No other
    /// count has anything of them, except the handshakes.
    pub held: Option<Box<HeldTally>>,
    /// The first bytes of requests whose answers' bodies came in pieces.
    pub first_bytes: FirstBytes,
    /// Open loop: from the actual sending.
    pub service: Latencies,
    /// Open loop: from the time when a request was due to its sending.
    pub send_lag: Latencies,
    /// The time within the window that requests were in flight after their sending, summed up. In a
    /// closed loop it is connections × window (Little's law), less the time in which connections
    /// carried no request.
    pub in_flight_ns: u64,
    /// The time within the window that all threads spent waiting for the kernel to have work.
    pub waited_ns: u64,
    /// The first failure.
    pub first_bad: Option<Bad>,
    /// The counts of each request of a request file. Failures that belong to no request are only in
    /// [`Tally::errors`]: connections that could not be made ahead of requests, and bytes that were
    /// not requested.
    pub by_request: ByRequest,
}

impl Tally {
    /// Counts a failure of `count` requests. `describe` gives detail, the request's first bytes and
    /// the answer's; it is only called the first time.
    #[cold]
    pub fn count_error(
        &mut self,
        kind: ErrorKind,
        count: u64,
        describe: impl FnOnce() -> (String, Vec<u8>, Vec<u8>),
    ) {
        self.errors.add(kind, count);
        if self.first_bad.is_none() {
            let (detail, request, response) = describe();
            self.first_bad = Some(Bad { kind, detail, request, response });
        }
    }

    /// The answer to a request of the file was wrong. `entry`: which request.
    #[cold]
    pub(crate) fn count_wrong(&mut self, kind: ErrorKind, entry: usize) {
        if let Some(tally) = self.by_request.entry(entry) {
            tally.errors.add(kind, 1);
        }
    }

    /// Counts a request that failed. The error itself is counted already. `entry`: which request of
    /// a file. `misses`: whether it belonged to the window.
    pub(crate) fn count_unanswered(&mut self, kind: ErrorKind, entry: usize, misses: bool) {
        self.misses += u64::from(misses);
        if let Some(tally) = self.by_request.entry(entry) {
            tally.errors.add(kind, 1);
            tally.misses += u64::from(misses);
        }
    }

    /// Counts a request of the window that has no answer because of the generator alone.
    pub(crate) fn count_miss(&mut self, entry: usize) {
        self.misses += 1;
        if let Some(tally) = self.by_request.entry(entry) {
            tally.misses += 1;
        }
    }

    /// How long a handshake took on average, in µs; `None` where there was none.
    pub fn handshake_mean_us(&self) -> Option<f64> {
        (self.handshakes > 0).then(|| self.handshake_ns as f64 / 1e3 / self.handshakes as f64)
    }

    /// Right answers in the whole slice, except those of the chains.
    pub fn right(&self) -> u64 {
        self.requests_all - self.chained - self.errors.wrong_answers()
    }

    /// Adds another thread's counts.
    pub fn merge(&mut self, other: Self) {
        self.requests += other.requests;
        self.requests_by_share += other.requests_by_share;
        self.bytes += other.bytes;
        self.bytes_counted += other.bytes_counted;
        self.requests_all += other.requests_all;
        self.chained += other.chained;
        self.redirects += other.redirects;
        self.connects += other.connects;
        self.handshakes += other.handshakes;
        self.handshake_ns += other.handshake_ns;
        self.resumed += other.resumed;
        self.early_accepted += other.early_accepted;
        self.early_rejected += other.early_rejected;
        self.terms.merge(&other.terms);
        if let Some(datagrams) = &other.datagrams {
            self.datagrams.get_or_insert_default().add(datagrams);
        }
        self.idle_closed += other.idle_closed;
        self.errors.merge(&other.errors);
        self.misses += other.misses;
        self.unsent += other.unsent;
        self.latencies.merge(&other.latencies);
        self.first_bytes.merge(&other.first_bytes);
        if let Some(events) = &other.events {
            self.events.get_or_insert_default().merge(events);
        }
        if let Some(rooms) = &other.rooms {
            self.rooms.get_or_insert_default().merge(rooms);
        }
        if let Some(held) = other.held {
            self.held.get_or_insert_default().merge(*held);
        }
        self.service.merge(&other.service);
        self.send_lag.merge(&other.send_lag);
        self.in_flight_ns += other.in_flight_ns;
        self.waited_ns += other.waited_ns;
        self.first_bad = self.first_bad.take().or(other.first_bad);
        self.by_request.merge(other.by_request);
    }
}
