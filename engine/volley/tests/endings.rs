//! What `volley` refuses, its messages, and how it ends.

mod common;

use common::command::{load, run, text};
use common::conversations;
use common::servers::{self, GOOD};
use common::yardstick::Yardstick;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn what_cannot_be_done_is_told_in_one_line() {
    let nobody = servers::nobody().to_string();
    let closed = format!("http://{nobody}/");
    let absent = "/nonexistent/file";
    for (args, status, part) in [
        (&["load", &closed] as &[&str], 3, "Connection refused"),
        (&["load", "http://name.invalid/"], 3, "cannot reach name.invalid: no address"),
        (&["load", "--connect-to", &nobody, "http://a/"], 3, "cannot reach 127.0.0.1:"),
        (&["load", "--proxy", &closed, "http://a/"], 3, "cannot reach 127.0.0.1:"),
        (&["load", "--source", "127.0.0.2", "http://[::1]/"], 3, "--source needs"),
        (&["load", "--unix", absent, "http://a/"], 3, "cannot reach /nonexistent/file: No such"),
        (&["load", "https://a/"], 2, "--ca FILE"),
        (&["load", "--ca", absent, "https://a/"], 2, "--ca /nonexistent/file: cannot be read: No"),
        (&["load", "--ca", "/dev/null", "https://a/"], 2, "it holds no certificate in PEM"),
        (&["load", "--protocol", "h2", "http://a/"], 2, "https://"),
        (&["load", "-c", "none", "http://a/"], 2, "--connections"),
        (&["load", "-c", "99999999", "http://a/"], 2, "--connections is 99999999"),
        (&["load", "-R", "0", "http://a/"], 2, "--rate"),
        (&["load", "-R", "5", "--stage", "1s:5", "http://a/"], 2, "--stage"),
        (&["load", "--csv", "-", "--json", "http://a/"], 2, "--csv"),
        (&["load", "-m", "A B", "http://a/"], 2, "--method"),
        (&["load", "-H", "Content-Length: 1", "http://a/"], 2, "Content-Length"),
        (&["load", "--body-file", absent, "http://a/"], 2, "--body-file /nonexistent/file"),
        (&["load", "--request-file", absent, "http://a/"], 2, "/nonexistent/file"),
        (&["load", "--csv", absent, &closed], 2, "--csv /nonexistent/file: cannot be written"),
        (&["load", "--hdr", absent, &closed], 2, "--hdr /nonexistent/file: cannot be written"),
        (&["load", "--cpus", "1023", "http://a/"], 2, "--cpus"),
        (&["load"], 2, "URL is missing"),
        (&["null", "--listen", "here"], 2, "--listen"),
        (&["null", "--cpus", "1023"], 2, "--cpus"),
        (&["null", "--protocol", "h4"], 2, "h1, h1-tls, h2c, h2, h3"),
        (&["null", "--cert", absent, "--key", absent], 2, "--protocol h1-tls, h2 or h3"),
        (
            &["null", "--protocol", "h2", "--cert", absent, "--key", absent],
            2,
            "/nonexistent/file: No such file",
        ),
        (
            &["null", "--protocol", "h2", "--cert", "/etc/hostname", "--key", absent],
            2,
            "/etc/hostname holds no certificate",
        ),
        (&[], 2, "volley load URL"),
    ] {
        let (got, _, error) = run(args);
        assert_eq!(got, status, "{args:?}: {error}");
        assert!(error.contains(part) && error.lines().count() == 1, "{args:?} gave {error}");
    }
}

#[test]
fn help_is_compact_or_teaches() {
    let (short, long) = (run(&["load", "-h"]).1, run(&["load", "--help"]).1);
    assert!(short.lines().count() < 80 && !short.contains("How it measures"), "{short}");
    for part in ["How much:", "Connections:", "Request:", "Checks", "Output:"] {
        assert!(short.contains(part) && long.contains(part), "{part}");
    }
    for part in ["How it measures:", "coordinated omission", "Examples:", "Exit status:"] {
        assert!(long.contains(part), "{part}");
    }
    assert!(short.lines().chain(long.lines()).all(|line| line.chars().count() <= 100));
}

fn start(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_volley")).args(args).stdout(Stdio::piped()).spawn().unwrap()
}

fn interrupt(child: &Child) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
}

/// The output of a command that is interrupted after a second, and then ends soon.
fn interrupted(args: &[&str]) -> Vec<u8> {
    let child = start(args);
    std::thread::sleep(Duration::from_secs(1));
    let started = Instant::now();
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(output.status.code(), Some(130));
    output.stdout
}

#[test]
fn an_interruption_keeps_what_there_is() {
    let server = Yardstick::start("--delay 20ms");
    let url = format!("http://{}/", server.address);
    let stdout = interrupted(&["load", "-d", "1h", "--json", &url]);
    let value: serde_json::Value = serde_json::from_slice(&stdout).unwrap();
    assert!(
        value["requests"].as_u64().unwrap() > 0 && value["duration_s"].as_f64().unwrap() < 60.0
    );
}

/// As timeout(1) does: it signals the process, and then its group.
#[test]
fn an_interruption_that_comes_twice_at_once_is_one() {
    let url = format!("http://{}/", servers::always(GOOD));
    for gap_ms in [0, 1, 5, 20] {
        let child = start(&["load", "-d", "1h", "-c", "1", "--rate", "100", "--json", &url]);
        std::thread::sleep(Duration::from_millis(800));
        interrupt(&child);
        std::thread::sleep(Duration::from_millis(gap_ms));
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let value = serde_json::from_slice::<serde_json::Value>(&output.stdout);
        assert!(value.unwrap()["requests"].as_u64().unwrap() > 0, "{gap_ms} ms apart");
    }
}

#[test]
fn a_later_interruption_ends_it_at_once() {
    // The first signal is not seen while the address is not reached.
    let (_listener, _queue, address) = conversations::deaf();
    let child = start(&["load", "--connect-timeout", "60s", &format!("http://{address}/")]);
    std::thread::sleep(Duration::from_millis(800));
    let started = Instant::now();
    interrupt(&child);
    std::thread::sleep(Duration::from_secs(1));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(30));
    assert_eq!((output.status.code(), text(output.stdout)), (Some(130), String::new()));
}

#[test]
fn requests_that_cannot_be_started_end_a_load_without_a_time() {
    for more in [&[] as &[&str], &["--close"], &["-R", "200"]] {
        let url = format!("http://{}/", servers::once());
        let (status, said, error) = run(&[&["load", "-n", "20", "--json"], more, &[&url]].concat());
        assert_eq!(status, 1, "{said}{error}");
        let value: serde_json::Value = serde_json::from_str(&said).unwrap();
        let errors = value["errors"].as_object().unwrap();
        // Connections that came before the listener closed were closed.
        assert!(errors["connect_refused"].as_u64().unwrap() > 0, "{more:?} gave {said}");
        assert_eq!((&value["requests"], &value["misses"]), (&0.into(), &20.into()), "{more:?}");
    }
}

#[test]
fn an_interruption_does_not_wait_for_ever() {
    let url = format!("http://{}/", servers::silent());
    let stdout = interrupted(&["load", "-n", "1000", "--timeout", "30s", &url]);
    assert!(text(stdout).contains("interrupted"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let url = format!("http://{}/", servers::always(GOOD));
    for more in [&[] as &[&str], &["--csv", "-"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_volley"))
            .args([&["load", "-d", "300ms"], more, &[&url]].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let error = text(output.stderr);
        assert_eq!(output.status.code(), Some(0), "{error}");
        assert!(!error.contains("cannot"), "{error}");
    }
}

#[test]
fn the_null_server_says_where_it_listens_and_answers() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_volley"))
        .arg("null")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening on ").map(|text| text.parse().unwrap());
    let checks = ["--expect-status", "200", "--expect-body", "Hello, World!"];
    let (status, text, error) = load(address.unwrap(), &checks);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(status, 0, "{text}{error}");
}
