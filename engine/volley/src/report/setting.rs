//! The settings, as text.

use super::scale::{bytes, grouped, rate, time};
use crate::cli::{LoadArgs, StageArg, Unit};
use std::fmt::Write as _;
use volley_load::figures::DatagramFigures;
use volley_load::schedule::Shape;
use volley_load::scheme::Scheme;
use volley_load::tally::{Tally, Terms};
use volley_net::Agreed;
use volley_protocol::Announced;

/// The number of connections, and how each is used.
pub(super) fn connections(args: &LoadArgs) -> String {
    let noun = if args.url.is_websocket { "message" } else { "request" };
    let kept = match args.requests_per_connection() {
        None => "keep-alive".into(),
        Some(1) => format!("one connection per {noun}"),
        Some(most) => format!("{} {noun}s on each", grouped(most)),
    };
    let version = if args.connecting.http_1_0 { ", HTTP/1.0" } else { "" };
    let pipelined = match args.depth() {
        1 => String::new(),
        depth if args.scheme().has_streams() => format!(", {depth} streams at a time on each"),
        depth => format!(", {depth} {noun}s at a time on each"),
    };
    let rooms = args.request.room.map_or(String::new(), |size| format!(", in rooms of {size}"));
    format!("{}, {kept}{pipelined}{version}{rooms}", args.connections())
}

/// The protocol, and what was agreed on with the server. `None` for plain HTTP/1, which readers
/// assume.
pub(super) fn protocol(args: &LoadArgs, terms: &Terms) -> Option<String> {
    let mut words = match args.scheme() {
        Scheme::H1 if args.url.is_websocket => "WebSocket",
        Scheme::H1Tls if args.url.is_websocket => "WebSocket in TLS",
        Scheme::H1 => return None,
        Scheme::H1Tls => "HTTP/1 in TLS (h1-tls)",
        Scheme::H2c => "HTTP/2 in cleartext (h2c)",
        Scheme::H2 => "HTTP/2 in TLS (h2)",
        Scheme::H3 => "HTTP/3 over QUIC v1 (h3)",
    }
    .to_owned();
    if let Some(Agreed { tls_version, cipher, alpn, .. }) = terms.tls {
        let alpn = alpn.unwrap_or("nothing");
        let _ = write!(words, ": TLS {tls_version}, {cipher}, agreed on {alpn}");
    }
    if let Some(Announced { max_concurrent_streams: Some(most), .. }) = terms.announced {
        let _ = write!(words, "; the server takes {} streams at a time", grouped(most.into()));
    }
    Some(words)
}

/// The handshakes of TLS; `None` if there were none. A client that verifies no signature does about
/// half of the asymmetric work of one that does.
pub(super) fn handshakes(args: &LoadArgs, tally: &Tally) -> Option<String> {
    let mean = time(tally.handshake_mean_us()?);
    let resumed = match tally.resumed {
        0 => "all full".to_owned(),
        resumed => format!("{} of them resumed", grouped(resumed)),
    };
    let early = if args.speaking.early_data {
        let [accepted, rejected] = [tally.early_accepted, tally.early_rejected].map(grouped);
        format!(
            ", {accepted} with an accepted request ahead (0-RTT) and {rejected} with a rejected one"
        )
    } else {
        String::new()
    };
    let unchecked = if args.speaking.insecure { "; signatures are not checked" } else { "" };
    Some(format!("{} of {mean} on average, {resumed}{early}{unchecked}", grouped(tally.handshakes)))
}

/// The datagrams.
pub(super) fn datagrams(of: &DatagramFigures) -> String {
    let [answer, call, piece] = [of.received_per_answer, of.sent_per_call, of.received_per_piece]
        .map(Option::unwrap_or_default);
    let bytes = bytes(of.received_bytes_per_answer.unwrap_or_default());
    let dropped = match of.dropped {
        Some(dropped) => format!("{} dropped on this machine", grouped(dropped)),
        None => "drops unknown".to_owned(),
    };
    let retries = match of.retries {
        0 => String::new(),
        retries => format!(", {} handshakes with a Retry", grouped(retries)),
    };
    format!(
        "{answer:.2} of {bytes} received per answer, {piece:.1} at once (GRO), {call:.1} sent at once (GSO), \
         {} lost, {dropped}{retries}; {}",
        grouped(of.lost),
        of.congestion_control,
    )
}

/// Open loop: how arrivals are spread.
pub(super) fn arrivals(args: &LoadArgs) -> String {
    let shape = match args.amount.arrivals {
        Some(Shape::Poisson) => "poisson",
        _ => "uniform",
    };
    let at_a_time = match args.amount.burst {
        None | Some(1) => String::new(),
        Some(burst) => format!(", {} at a time", grouped(burst)),
    };
    format!("{shape}{at_a_time}")
}

/// The levels, one after the other.
pub(super) fn stages(args: &LoadArgs) -> String {
    let stage = |stage: &StageArg| {
        let (from, to) = (rate(stage.stage.from), rate(stage.stage.to));
        let levels = if from == to { from } else { format!("{from} to {to}") };
        format!("{levels} for {} s", stage.stage.duration_ns as f64 / 1e9)
    };
    let stages: Vec<String> = args.amount.stages.iter().map(stage).collect();
    let unit = match args.amount.stages.first().map(|stage| stage.unit) {
        Some(Unit::Connections) => "connections",
        _ if args.request.room.is_some() => "messages sent/s",
        _ => "requests/s",
    };
    format!("{unit}: {}", stages.join(", "))
}
