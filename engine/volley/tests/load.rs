//! `volley load` as people and scripts meet it.

mod common;

use common::servers::{self, GOOD};
use std::net::SocketAddr;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn volley(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_volley")).args(args).output().unwrap()
}

fn load(address: SocketAddr, more: &[&str]) -> (i32, String, String) {
    let url = format!("http://{address}/");
    let args = [&["load", "-c", "4", "-d", "200ms"], more, &[url.as_str()]].concat();
    let output = volley(&args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_summary_for_people() {
    let (status, text, progress) = load(servers::always(GOOD), &[]);
    assert_eq!((status, progress.as_str()), (0, ""));
    for part in ["requests/s", "p99.9", "errors       none", "CPU per request", "limited by", "µs"]
    {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(!text.contains('\x1b'));
}

#[test]
fn json_has_exactly_its_keys() {
    let (status, text, _) = load(servers::always(GOOD), &["--json"]);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys = |value: &serde_json::Value| {
        value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ")
    };
    // serde_json sorts the keys that it reads.
    assert_eq!(
        keys(&value),
        "bytes_per_s client connections duration_s errors io latency_us limited_by mode rate \
         requests requests_per_s schema send_lag_us url"
    );
    assert_eq!(keys(&value["latency_us"]), "max mean p50 p75 p90 p99 p99_9");
    assert_eq!(keys(&value["client"]), "busy cpu_us_per_request");
    assert_eq!((status, &value["schema"]), (0, &"bakeoff.load/1".into()));
    assert!(value["requests"].as_u64().unwrap() > 0 && value["rate"].is_null());
    assert!((value["duration_s"].as_f64().unwrap() - 0.2).abs() < 1e-6);
}

#[test]
fn one_connection_per_request() {
    let (status, text, _) = load(servers::closing(GOOD), &["--close"]);
    assert!(status == 0 && text.contains("one connection per request"), "{text}");
}

#[test]
fn a_body_and_headers_are_sent() {
    let address = servers::serve(|mut stream| {
        use std::io::{Read, Write};
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut bytes) {
            let text = String::from_utf8_lossy(&bytes[..length]);
            let right = text.starts_with("POST / HTTP/1.1\r\nHost: example\r\nX-A: b\r\n")
                && text.ends_with("Content-Length: 2\r\n\r\nhi");
            let answer: &[u8] =
                if right { GOOD } else { b"HTTP/1.1 400 B\r\nContent-Length: 0\r\n\r\n" };
            let _ = stream.write_all(answer);
        }
    });
    let (status, text, _) = load(address, &["-b", "hi", "-H", "X-A: b", "-H", "Host: example"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("errors       none"), "{text}");
}

#[test]
fn not_a_single_right_answer() {
    let (status, text, _) =
        load(servers::always(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), &[]);
    assert!(status == 1 && text.contains("wrong status"), "{text}");
    assert!(text.contains("status is 404, expected one below 400"), "{text}");
    let (status, text, _) = load(servers::silent(), &["--timeout", "100ms"]);
    assert!(status == 1 && text.contains("no answer in time"), "{text}");
}

#[test]
fn what_cannot_be_done_is_told_in_one_line() {
    let nobody = format!("http://{}/", servers::nobody());
    for (args, status, part) in [
        (&["load", &nobody] as &[&str], 3, "Connection refused"),
        (&["load", "http://name.invalid/"], 3, "name.invalid"),
        (&["load", "https://a/"], 2, "https is not supported"),
        (&["load", "-c", "none", "http://a/"], 2, "--connections"),
        (&["load", "-c", "99999999", "http://a/"], 2, "ulimit"),
        (&["load", "-m", "A B", "http://a/"], 2, "`method`"),
        (&["load", "-H", "Content-Length: 1", "http://a/"], 2, "Content-Length"),
        (&["load", "--cpus", "1023", "http://a/"], 2, "cpus"),
        (&["load"], 2, "<URL>"),
        (&[], 2, "volley load URL"),
    ] {
        let output = volley(args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{args:?}: {text}");
        assert!(text.contains(part) && text.lines().count() == 1, "{args:?} gave {text}");
    }
}

#[test]
fn an_interruption_keeps_what_there_is() {
    let url = format!("http://{}/", servers::slow(Duration::from_millis(20)));
    let child = Command::new(env!("CARGO_BIN_EXE_volley"))
        .args(["load", "-d", "1h", "--json", &url])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(1));
    let started = Instant::now();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(output.status.code(), Some(130));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        value["requests"].as_u64().unwrap() > 0 && value["duration_s"].as_f64().unwrap() < 60.0
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let url = format!("http://{}/", servers::always(GOOD));
    let mut child = Command::new(env!("CARGO_BIN_EXE_volley"))
        .args(["load", "-d", "100ms", &url])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]));
}
