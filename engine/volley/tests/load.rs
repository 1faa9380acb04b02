//! `volley load` for people and scripts: its requests, counts and output.

mod common;

use common::command::{load, run};
use common::servers::{self, GOOD};
use std::fs;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::Ordering;

/// Runs without an option for the amount.
fn load_json(address: SocketAddr, more: &[&str]) -> serde_json::Value {
    let url = format!("http://{address}/");
    let (status, text, error) = run(&[&["load", "--json", "-c", "4"], more, &[&url]].concat());
    assert_eq!((status, error.as_str()), (0, ""), "{text}");
    serde_json::from_str(&text).unwrap()
}

fn keys(value: &serde_json::Value) -> String {
    // serde_json sorts the keys that it reads.
    value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ")
}

/// A file that does not exist yet.
fn fresh(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
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
fn a_whole_distribution_for_people() {
    let (_, text, _) = load(servers::always(GOOD), &["--latency"]);
    assert!(text.contains("distribution") && text.contains("       100 %"), "{text}");
}

#[test]
fn json_has_exactly_its_keys() {
    let value = load_json(servers::always(GOOD), &["-d", "200ms"]);
    assert_eq!(
        keys(&value),
        "agreed by_request bytes_per_s ceiling client connections connects counted_bytes_per_s \
         datagrams duration_s early_accepted early_rejected errors events first_bad first_byte_us handshake_mean_us handshakes io latency_us limited_by little \
         misses mode protocol rate redirects requests requests_per_s resumed schema send_lag_us service_us streams unsent url"
    );
    assert_eq!(keys(&value["latency_us"]), "max mean p50 p75 p90 p99 p99_9");
    assert_eq!(keys(&value["client"]), "busy cpu_us_per_request threads");
    assert_eq!((&value["schema"], &value["mode"]), (&"bakeoff.load/2".into(), &"closed".into()));
    assert!(value["requests"].as_u64().unwrap() > 0 && value["little"].as_f64().unwrap() > 0.0);
    for nothing in ["rate", "service_us", "send_lag_us", "first_bad", "ceiling"] {
        assert!(value[nothing].is_null(), "{nothing}");
    }
    assert!((value["duration_s"].as_f64().unwrap() - 0.2).abs() < 1e-6);
    assert!(["uring", "epoll"].contains(&value["io"].as_str().unwrap()));
}

#[test]
fn what_was_counted_instead_of_read_is_said() {
    let body = vec![b'x'; 300_000];
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    let address = servers::answering(move |_| Some([head.as_bytes(), &body].concat()));
    let words = "were counted, not read";
    for (rule, counts) in [("--expect-length=300000", true), ("--expect-match=^x+$", false)] {
        let value = load_json(address, &["-n", "40", rule]);
        let [counted, all] =
            ["counted_bytes_per_s", "bytes_per_s"].map(|key| value[key].as_f64().unwrap());
        assert_eq!((counted > 0.0, counted < all), (counts, true), "{value}");
        let (_, text, _) = load(address, &[rule]);
        assert_eq!(text.contains(words), counts, "{text}");
    }
}

#[test]
fn an_open_loop_asks_as_often_as_said() {
    let (address, asked) = servers::counting(GOOD);
    let value = load_json(address, &["-d", "500ms", "-R", "200", "--arrivals", "poisson"]);
    assert_eq!((value["rate"].as_f64(), &value["mode"]), (Some(200.0), &"open".into()));
    for times in ["service_us", "send_lag_us"] {
        assert_eq!(keys(&value[times]), "max mean p50 p75 p90 p99 p99_9");
    }
    // 140 are expected, warm-up included; the standard error is 12.
    let asked = asked.load(Ordering::SeqCst);
    assert!((70..210).contains(&asked), "{asked}");
    assert!(value["little"].is_null());
}

#[test]
fn a_request_without_an_answer_is_infinitely_late() {
    let address = servers::answering(|nth| (nth == 0).then(|| GOOD.to_vec()));
    let options = ["-d", "300ms", "-R", "50", "-c", "2", "--json"];
    let url = format!("http://{address}/");
    let (_, text, _) = run(&[&["load"], &options[..], &[&url]].concat());
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(value["misses"].as_u64().unwrap() > 0, "{text}");
    assert!(value["latency_us"]["max"].is_null(), "{text}");
}

#[test]
fn so_many_requests_and_no_more() {
    let (address, asked) = servers::counting(GOOD);
    let value = load_json(address, &["-n", "10", "-t", "2"]);
    assert_eq!((value["requests"].as_u64(), asked.load(Ordering::SeqCst)), (Some(10), 10));
    assert_eq!(value["client"]["threads"], 2);
}

#[test]
fn stages_may_be_connections() {
    let stages = ["--stage", "100ms:1c", "--stage", "200ms:1-4c"];
    let url = format!("http://{}/", servers::always(GOOD));
    let (status, text, _) = run(&[&["load"], &stages[..], &[&url]].concat());
    assert!(status == 0 && text.contains("connections: 1 for 0.1 s, 1 to 4 for 0.2 s"), "{text}");
}

#[test]
fn one_connection_per_request() {
    let (status, text, _) = load(servers::closing(GOOD), &["--close"]);
    assert!(status == 0 && text.contains("one connection per request"), "{text}");
}

/// In a separate network, where the system has ten ports for 64 connections.
#[test]
fn other_sources_have_ports_where_the_system_has_none_left() {
    let unshared = || {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--net", "sh", "-ec"]);
        command
    };
    if !unshared().arg(":").status().is_ok_and(|status| status.success()) {
        return; // This needs a permission.
    }
    for io in ["uring", "epoll"] {
        let output = unshared()
            .arg(TEN_PORTS)
            .args(["sh", env!("CARGO_BIN_EXE_volley"), io])
            .output()
            .unwrap();
        let value: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!((&value["requests"], &value["errors"]), (&1000.into(), &serde_json::json!({})));
    }
}

const TEN_PORTS: &str = r#"
    ip link set lo up
    echo "40000 40009" > /proc/sys/net/ipv4/ip_local_port_range
    "$1" null --listen 127.0.0.1:8080 > /dev/null & server=$!
    trap 'kill $server' EXIT
    until "$1" load -n 1 -c 1 http://127.0.0.1:8080/ > /dev/null 2>&1; do :; done
    "$1" load --close -c 64 -n 1000 --io "$2" --json http://127.0.0.1:8080/
"#;

#[test]
fn a_request_is_sent_as_asked() {
    let address = servers::serve(|mut stream| {
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut bytes) {
            let text = String::from_utf8_lossy(&bytes[..length]);
            let right = text.starts_with("PUT / HTTP/1.1\r\nHost: example\r\nX-A: b\r\n")
                && text.contains("Cookie: a=1; b=2\r\nAuthorization: Basic bWU6cHc=\r\n")
                && text.ends_with("Content-Length: 2\r\n\r\nhi");
            let answer: &[u8] =
                if right { GOOD } else { b"HTTP/1.1 400 B\r\nContent-Length: 0\r\n\r\n" };
            let _ = stream.write_all(answer);
        }
    });
    let body = fresh("body");
    fs::write(&body, "hi").unwrap();
    let headers = ["-H", "X-A: b", "-H", "Host: example", "--cookie", "a=1", "--cookie", "b=2"];
    let others = ["-u", "me:pw", "-m", "PUT", "--body-file", body.to_str().unwrap()];
    let (status, text, _) = load(address, &[&headers[..], &others].concat());
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("errors       none"), "{text}");
}

#[test]
fn requests_may_come_from_a_file() {
    let address = servers::serve(|mut stream| {
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut bytes) {
            let text = String::from_utf8_lossy(&bytes[..length]);
            let status = if text.starts_with("GET /often ") { 200 } else { 201 };
            let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n");
            let right = text.contains("\r\nX-A: b\r\n");
            let _ = stream.write_all(if right { answer.as_bytes() } else { b"?" });
        }
    });
    let file = fresh("mix.toml");
    let mix = r#"
        [[request]]
        weight = 9
        path = "/often"
        expect = { status = 200 }

        [[request]]
        path = "/seldom/{{random 1 9}}"
        expect = { status = 201 }
    "#;
    fs::write(&file, mix).unwrap();
    let options = ["--request-file", file.to_str().unwrap(), "-H", "X-A: b"];
    let (status, text, error) = load(address, &options);
    assert!(status == 0 && text.contains("errors       none"), "{text}{error}");
}

#[test]
fn connections_may_log_in_first() {
    let (address, asked) = servers::routing(|path| {
        let body = match path {
            "/login" => r#"{"id": 7}"#,
            "/of/7" => "mine",
            _ => return Some(b"HTTP/1.1 404 N\r\nContent-Length: 0\r\n\r\n".to_vec()),
        };
        let length = body.len();
        Some(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes())
    });
    let file = fresh("login.toml");
    let text = "[[once]]\npath = \"/login\"\ntake = { id = \"json /id\" }\n\
        [[request]]\npath = \"/of/{{id}}\"\n";
    fs::write(&file, text).unwrap();
    let name = file.to_str().unwrap();
    let options = ["-n", "50", "--expect-body", "mine", "--request-file", name];
    let value = load_json(address, &options);
    assert_eq!((value["requests"].as_u64(), &value["errors"]), (Some(50), &serde_json::json!({})));
    assert_eq!(value["by_request"][0]["name"], "GET /of/{{id}}");
    let logins = asked.lock().unwrap().iter().filter(|path| *path == "/login").count();
    assert_eq!(logins, 4, "one for each connection");

    fs::write(&file, text.replace("json /id", "json /token")).unwrap();
    let (status, text, error) = load(address, &["--request-file", name]);
    assert_eq!(status, 1, "{text}{error}");
    let detail = "take.id: json /token is not in the answer to GET /login";
    assert!(text.contains(detail) && text.contains("nothing to take from the answer"), "{text}");

    for (options, part) in [
        (&["--close"] as &[&str], "login.toml:1: [[once]] is for connections that carry several"),
        (&["--requests-per-connection", "1"], "--requests-per-connection 1 leaves nothing to"),
    ] {
        let (status, text, error) = load(address, &[options, &["--request-file", name]].concat());
        assert_eq!((status, text.as_str()), (2, ""));
        assert!(error.contains(part) && error.lines().count() == 1, "{error}");
    }
}

#[test]
fn a_server_is_met_where_it_is_said_to_be() {
    let address = servers::always(GOOD).to_string();
    let elsewhere = ["load", "-c", "4", "-d", "100ms", "http://name.invalid/", "--connect-to"];
    assert_eq!(run(&[&elsewhere[..], &[&address]].concat()).0, 0);

    let (proxy, asked) = servers::counting(GOOD);
    let proxy = format!("http://{proxy}");
    let proxied = ["load", "-c", "4", "-d", "100ms", "http://name.invalid/", "--proxy", &proxy];
    assert_eq!(run(&proxied).0, 0);
    assert!(asked.load(Ordering::SeqCst) > 0);

    let path = fresh("load.sock");
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut bytes = [0; 4096];
                while let Ok(1..) = stream.read(&mut bytes) {
                    let _ = stream.write_all(GOOD);
                }
            });
        }
    });
    let unix = ["load", "-c", "4", "-d", "100ms", "http://a/", "--unix", path.to_str().unwrap()];
    let (status, text, error) = run(&unix);
    assert!(status == 0 && text.contains("load.sock"), "{text}{error}");
}

#[test]
fn answers_are_held_against_what_is_expected() {
    let address = servers::always(GOOD);
    // sha256sum of the body.
    let hash = "dffd6021bb2bd5b0af676290809ec3a53191dd81c7f70a4b28688a362182986f";
    for right in [
        ["--expect-status", "200"],
        ["--expect-length", "13"],
        ["--expect-body", "Hello, World!"],
        ["--expect-sha256", hash],
        ["--expect-header", "Content-Length: 13"],
        ["--expect-length", "1-20"],
        ["--expect-contains", "World"],
        ["--expect-match", "^Hello, .*!$"],
    ] {
        let (status, text, _) = load(address, &right);
        assert!(status == 0 && text.contains("errors       none"), "{right:?}: {text}");
    }
    for (wrong, part) in [
        (["--expect-status", "201"], "status is 200, expected 201"),
        (["--expect-length", "12"], "wrong length of body"),
        (["--expect-body", "Hello, world!"], "differs at byte 7"),
        (["--expect-sha256", &hash.replace('d', "e")], "body's SHA-256 is dffd6021"),
        (["--expect-header", "X-A: b"], "wrong or missing header"),
        (["--expect-length", "20-30"], "body has 13 bytes, expected 20 to 30"),
        (["--expect-contains", "world"], "body_contains: \"world\" is not in the body"),
        (["--expect-match", "o$"], "body_matches: nothing in the body matches \"o$\""),
        (["--expect-json", "[]"], "json: the body is no JSON: expected value at line 1"),
    ] {
        let (status, text, _) = load(address, &wrong);
        assert!(status == 1 && text.contains(part), "{wrong:?}: {text}");
    }
}

#[test]
fn the_first_bad_exchange_is_kept() {
    let address = servers::always(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    let (status, text, _) = load(address, &[]);
    assert_eq!(status, 1, "{text}");
    for part in ["wrong status: status is 404, expected one below 400", "GET / HTTP/1.1", "404 Not"]
    {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let (_, json, _) = load(address, &["--json"]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(keys(&value["first_bad"]), "detail kind request_base64 response_base64");
    assert_eq!(value["first_bad"]["kind"], "status");
    // "HTTP/1.1 404 "
    assert!(
        value["first_bad"]["response_base64"].as_str().unwrap().starts_with("SFRUUC8xLjEgNDA0I")
    );
}

#[test]
fn not_a_single_answer() {
    let (status, text, _) = load(servers::silent(), &["--timeout", "100ms"]);
    assert!(status == 1 && text.contains("no answer in time") && text.contains('∞'), "{text}");
}

#[test]
fn every_tenth_of_a_second_is_written() {
    let address = servers::always(GOOD);
    let (csv, hdr) = (fresh("load.csv"), fresh("load.hlog"));
    let files = ["--csv", csv.to_str().unwrap(), "--hdr", hdr.to_str().unwrap()];
    assert_eq!(load(address, &files).0, 0);
    let csv = fs::read_to_string(csv).unwrap();
    let mut lines = csv.lines();
    let head = "start_s,requests,errors,bytes,mean_us,p50_us,p90_us,p99_us,max_us";
    assert_eq!(lines.next(), Some(head));
    let starts: Vec<&str> = lines.map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(starts[..2], ["0.0", "0.1"]);
    let hdr = fs::read_to_string(hdr).unwrap();
    assert!(hdr.contains("\n#[StartTime: ") && hdr.contains("\n0.100,0.100,"), "{hdr}");

    let (status, csv, text) = load(address, &["--csv", "-"]);
    assert!(status == 0 && csv.starts_with(head) && text.contains("requests/s"), "{csv}{text}");
}

#[test]
fn the_generators_own_limit_is_measured_on_demand() {
    let value = load_json(servers::always(GOOD), &["-d", "100ms", "--ceiling"]);
    assert_eq!(keys(&value["ceiling"]), "requests_per_s share");
    let of = |key: &str| value["ceiling"][key].as_f64().unwrap();
    let share = value["requests_per_s"].as_f64().unwrap() / of("requests_per_s");
    assert!((of("share") - share).abs() < 1e-9, "{value}");
}

#[test]
fn the_requests_of_a_file_are_told_apart() {
    let (address, asked) = servers::routing(|path| {
        Some(if path == "/gone" {
            b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n".to_vec()
        } else {
            GOOD.to_vec()
        })
    });
    let file = fresh("parts.toml");
    let text = "[[request]]\nname = \"home\"\npath = \"/\"\n[[request]]\npath = \"/gone\"\n";
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let value = load_json(address, &["--request-file", file, "-n", "200"]);
    let gone = asked.lock().unwrap().iter().filter(|path| *path == "/gone").count();
    let parts = &value["by_request"];
    assert_eq!((&parts[0]["name"], &parts[1]["name"]), (&"home".into(), &"GET /gone".into()));
    assert_eq!(parts[0]["requests"], 200 - gone);
    assert_eq!(
        (&parts[1]["requests"], &parts[1]["errors"]["status"]),
        (&gone.into(), &gone.into())
    );
    assert_eq!(value["errors"]["status"], gone);
    let (_, text, _) = load(address, &["--request-file", file]);
    assert!(text.contains("by request") && text.contains("  GET /gone\n"), "{text}");
}
