//! Other programs: nghttpd under our load, h2load on our null server. They are in Debian's
//! nghttp2-server and nghttp2-client; a test whose program is missing prints this.

use crate::processes::{certificate, has, nghttpd, null};
use crate::{load, loads_rightly, ways};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A folder with files that nghttpd serves: `small` and `large`.
fn folder(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("small"), "Hello, World!").unwrap();
    fs::write(folder.join("large"), large()).unwrap();
    folder.to_str().expect("it is UTF-8").to_owned()
}

/// More than a frame carries, and more than the default window.
fn large() -> String {
    "0123456789".repeat(20_000)
}

/// Loads `small` and `large` in each way.
fn loads_its_files(words: &[&str], url: &str, folder: &str) {
    let file = format!("{folder}/large");
    for io in ways() {
        let small = format!("{url}/small");
        for (count, streams) in [("400", "1"), ("1000", "16")] {
            let more = ["-c", "3", "-n", count, "--streams", streams, io, "--expect-body"];
            let right = loads_rightly(&[words, &more, &["Hello, World!", &small]].concat());
            assert_eq!(right, count.parse::<u64>().unwrap());
        }
        let large = format!("{url}/large");
        let more = ["-c", "2", "-n", "60", "--streams", "5", io, "--expect-body-file"];
        assert_eq!(loads_rightly(&[words, &more, &[&file, &large]].concat()), 60);
    }
}

#[test]
fn nghttpd_is_loaded_in_cleartext() {
    if !has("nghttpd", "nghttp2-server") {
        return;
    }
    let folder = folder("nghttpd-h2c");
    for options in [&[][..], &["-b", "200"], &["-m", "2"], &["--trailer", "after: all"]] {
        let server = nghttpd(&[&["--no-tls", "-d", &folder], options].concat(), &[]);
        let url = format!("http://{}", server.address);
        loads_its_files(&["--protocol", "h2c"], &url, &folder);
    }
}

#[test]
fn nghttpd_is_loaded_in_tls() {
    if !has("nghttpd", "nghttp2-server") {
        return;
    }
    let (folder, (cert, key)) = (folder("nghttpd-h2"), certificate("nghttpd"));
    let server = nghttpd(&["-d", &folder], &[&key, &cert]);
    let url = format!("https://{}", server.address);
    let words = ["--protocol", "h2", "--ca", &cert, "--server-name", "localhost"];
    loads_its_files(&words, &url, &folder);
}

#[test]
fn nghttpd_gives_bodies_back_through_small_windows() {
    if !has("nghttpd", "nghttp2-server") {
        return;
    }
    let folder = folder("nghttpd-echo");
    let options = ["--no-tls", "-d", &folder, "--echo-upload", "-w", "10", "-W", "12"];
    let server = nghttpd(&options, &[]);
    let (url, body) = (format!("http://{}/", server.address), "abcdefghij".repeat(3_000));
    for io in ways() {
        let words = ["--protocol", "h2c", "-c", "2", "-n", "30", "--streams", "3", io];
        let bodies = ["--body", &body, "--expect-body", &body, &url];
        assert_eq!(loads_rightly(&[&words[..], &bodies].concat()), 30);
    }
}

#[test]
fn what_nghttpd_does_not_have_is_a_wrong_status() {
    if !has("nghttpd", "nghttp2-server") {
        return;
    }
    let folder = folder("nghttpd-none");
    let server = nghttpd(&["--no-tls", "-d", &folder], &[]);
    let url = format!("http://{}/nothing", server.address);
    let (status, value) = load(&["--protocol", "h2c", "-c", "2", "-n", "20", &url]);
    assert_eq!(value["errors"], serde_json::json!({ "status": 20 }), "{value:#}");
    assert_eq!(status, 1);
    let detail = value["first_bad"]["detail"].as_str().unwrap();
    assert!(detail.contains("404"), "{detail}");
}

/// h2load's line about requests that all succeeded.
fn h2load(words: &[&str]) {
    let output = Command::new("timeout").arg("60").arg("h2load").args(words).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let right = "done, 600 succeeded, 0 failed, 0 errored, 0 timeout";
    assert!(output.status.success() && text.contains(right), "{words:?}: {text}");
    assert!(text.contains("status codes: 600 2xx"), "{text}");
}

#[test]
fn h2load_loads_our_null_server() {
    if !has("h2load", "nghttp2-client") {
        return;
    }
    let body = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("h2load-body");
    fs::write(&body, large()).unwrap();
    let body = body.to_str().unwrap();
    for io in ways() {
        for (protocol, scheme) in [("h2c", "http"), ("h2", "https")] {
            let server = null(&["--protocol", protocol, io]);
            let url = format!("{scheme}://{}/", server.address);
            h2load(&["-n", "600", "-c", "3", &url]);
            h2load(&["-n", "600", "-c", "3", "-m", "20", &url]);
            h2load(&["-n", "600", "-c", "3", "-m", "3", "-d", body, &url]);
            // Answers that wait for windows of 1 KiB on a stream, and of 1 KiB in all.
            h2load(&["-n", "600", "-c", "3", "-m", "50", "-w", "10", "-W", "10", &url]);
        }
        for protocol in ["h1", "h1-tls"] {
            let server = null(&["--protocol", protocol, io]);
            let scheme = if protocol == "h1" { "http" } else { "https" };
            h2load(&["--h1", "-n", "600", "-c", "3", &format!("{scheme}://{}/", server.address)]);
        }
    }
}
