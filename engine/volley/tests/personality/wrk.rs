//! `volley wrk`, on both ways of doing I/O where sockets matter.

use crate::common::command::{run, text};
use crate::common::servers::{always, answering, closing};
use crate::ways;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

pub(crate) const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

/// Two connections of one thread for a second; returns the status and both outputs.
fn wrk(address: SocketAddr, more: &[&str]) -> (i32, String, String) {
    let url = format!("http://{address}/p");
    run(&[&["wrk", "-t1", "-c2", "-d1"], more, &[&url]].concat())
}

/// A script in a file of its own.
pub(crate) fn script(name: &str, text: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.lua"));
    std::fs::write(&file, text).unwrap();
    file
}

/// The number in front of `what`.
pub(crate) fn number_before(out: &str, what: &str) -> u64 {
    let before = &out[..out.find(what).unwrap_or_else(|| panic!("no {what:?} in {out}"))];
    before.rsplit([' ', '\n']).next().unwrap().parse().unwrap()
}

#[test]
fn errors_are_counted_as_wrk_counts_them() {
    let refusing = || always(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    for io in ways() {
        let (status, out, _) = wrk(refusing(), &[io]);
        let all = number_before(&out, " requests in");
        assert!(out.contains(&format!("  Non-2xx or 3xx responses: {all}\n")), "{out}");
        assert!(status == 0 && !out.contains("Socket errors"), "{out}");

        // An unannounced end is a read error, and each connection is opened again.
        let (_, out, _) = wrk(closing(GOOD), &[io]);
        let line = out.lines().find(|line| line.contains("Socket errors")).unwrap();
        assert!(line.starts_with("  Socket errors: connect 0, read "), "{out}");
        assert!(number_before(&out, " requests in") > 2, "{out}");

        // An announced end is not an error.
        let announced = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi";
        let (_, out, _) = wrk(closing(announced), &[io]);
        assert!(!out.contains("Socket errors"), "{out}");
        assert!(number_before(&out, " requests in") > 2, "{out}");

        // An end that completes an answer without a length is an answer and an error.
        let (_, out, _) = wrk(closing(b"HTTP/1.1 200 OK\r\n\r\nhi"), &[io]);
        let all = number_before(&out, " requests in");
        assert!(out.contains(&format!("connect 0, read {all}, write 0")), "{out}");
    }
}

#[test]
fn an_answer_after_the_timeout_counts_but_its_latency_does_not() {
    let address = answering(|_| {
        thread::sleep(Duration::from_millis(1200));
        Some(GOOD.to_vec())
    });
    let (status, out, advice) = wrk(address, &["-T1", "-d2"]);
    assert_eq!((status, number_before(&out, " requests in")), (0, 2));
    assert!(out.contains("    Latency     0.00us    0.00us   0.00us    -nan%"), "{out}");
    assert!(out.contains("connect 0, read 0, write 0, timeout 2"), "{out}");
    assert!(advice.contains("2 answers came after the timeout"), "{advice}");
}

#[test]
fn a_script_makes_requests_sees_answers_and_sums_up() {
    let text = "
        local sent = 0
        function request() sent = sent + 1; return wrk.format('POST', '/' .. sent, nil, 'x') end
        function response(status, headers, body)
          assert(status == 200 and headers['Content-Length'] == '2' and body == 'hi')
          answers = (answers or 0) + 1
          if answers == 5 then wrk.thread:stop() end
        end
        function setup(thread) others = others or {}; others[#others + 1] = thread end
        function done(summary, latency, requests)
          print(others[1]:get('answers'), summary.requests, #latency > 0, latency.max >= latency.min)
        end";
    let file = script("five", text);
    for io in ways() {
        let (status, out, _) = wrk(always(GOOD), &["-s", file.to_str().unwrap(), io]);
        assert_eq!(status, 0);
        let last = out.lines().last().unwrap();
        let all = number_before(&out, " requests in");
        assert_eq!(last, format!("{all}\t{all}\ttrue\ttrue"));
        assert!((5..=6).contains(&all), "{out}");
    }
}

#[test]
fn each_ctrl_c_ends_the_run_with_its_result() {
    let url = format!("http://{}/", always(GOOD));
    let running = Command::new(env!("CARGO_BIN_EXE_volley"))
        .args(["wrk", "-t1", "-c2", "-d20", &url])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(500));
    for _ in 0..2 {
        kill_process(Pid::from_child(&running), Signal::INT).unwrap();
        thread::sleep(Duration::from_millis(5));
    }
    let output = running.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(number_before(&text(output.stdout), " requests in") > 0);
}

#[test]
fn json_has_the_latencies_as_they_were() {
    for io in ways() {
        let (status, out, advice) = wrk(always(GOOD), &["--json", "--quiet-advice", io]);
        let json: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((status, advice.as_str()), (0, ""), "{io}");
        assert_eq!(json["schema"], "bakeoff.load/2");
        assert_eq!(json["personality"], "wrk");
        assert_eq!(json["io"], io.trim_start_matches("--io="));
        assert!(json["requests"].as_u64().unwrap() > 0);
        let latency = &json["latency_us"];
        assert!(latency["p50"].as_f64().unwrap() <= latency["max"].as_f64().unwrap());
    }
}
