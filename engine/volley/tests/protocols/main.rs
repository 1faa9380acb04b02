//! HTTP/1, HTTP/2, HTTP/3 and WebSocket, in cleartext and in TLS, as users see them: `volley load`
//! against servers of all kinds, and other programs against `volley null`.

#[path = "../common/mod.rs"]
mod common;

mod calls;
mod driven;
mod misbehaving;
mod null;
mod peers;
mod processes;
mod quic;
mod rooms;
mod websocket;

use common::command::run;
use common::driver::has_uring;
use serde_json::Value;

/// Each way of doing I/O that the machine has.
fn ways() -> Vec<&'static str> {
    let uring = has_uring().then_some("--io=uring");
    uring.into_iter().chain(["--io=epoll"]).collect()
}

/// The same for one protocol: UDP uses epoll.
fn ways_of(protocol: &str) -> Vec<&'static str> {
    if protocol == "h3" { vec!["--io=epoll"] } else { ways() }
}

/// The output of `volley load --json`, and its status.
fn load(args: &[&str]) -> (i32, Value) {
    let (status, out, error) = run(&[&["load", "--json"], args].concat());
    assert_eq!(error, "", "{args:?}");
    (status, serde_json::from_str(&out).unwrap_or_else(|wrong| panic!("{args:?}: {wrong}: {out}")))
}

/// Expects only right answers, and returns how many there were.
fn loads_rightly(args: &[&str]) -> u64 {
    let (status, value) = load(args);
    assert_eq!(value["errors"], serde_json::json!({}), "{args:?}: {value:#}");
    assert_eq!((status, &value["misses"]), (0, &0.into()), "{args:?}");
    value["requests"].as_u64().unwrap()
}
