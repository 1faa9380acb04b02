//! `volley webbench`, on both ways of doing I/O where sockets matter.

use crate::common::command::{run, text};
use crate::common::servers::{GOOD, nobody, serve, silent};
use crate::ways;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

const BANNER: &str = "Webbench - Simple Web Benchmark 1.5\n\
    (as bakeoff does it: the same flags and figures, on another engine)\n";

/// A server that answers a head, or all bytes until the client ends its side, and closes; it is not
/// too fast, and reports the bytes that it received.
fn recording(answer: &'static [u8]) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let noted = heard.clone();
    let address = serve(move |mut stream| {
        let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
        while !bytes.ends_with(b"\r\n\r\n") {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(length) => bytes.extend_from_slice(&buffer[..length]),
            }
        }
        // The first connection only tests whether the server is there.
        if !bytes.is_empty() {
            noted.lock().unwrap().push(String::from_utf8(bytes).unwrap());
            thread::sleep(Duration::from_millis(20));
            let _ = stream.write_all(answer);
        }
    });
    (address, heard)
}

/// Runs one client for a second. Returns the status, and both outputs without the banner.
fn webbench(address: SocketAddr, more: &[&str]) -> (i32, String, String) {
    let url = format!("http://{address}/p");
    let (status, out, error) = run(&[&["webbench", "-t", "1"], more, &[&url]].concat());
    let advice = error.strip_prefix(BANNER).expect("the banner comes first").to_owned();
    (status, out, advice)
}

/// The numbers in a result: pages a minute, bytes a second, answers, failures.
fn figures(out: &str) -> [u64; 4] {
    let result = &out[out.find("Speed=").expect("there is a result")..];
    let numbers = result.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
    let numbers: Vec<u64> = numbers.map(|number| number.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

/// `text` with `N` for each number after a space or `=`.
fn masked(text: &str) -> String {
    let words = text.split_inclusive([' ', '=', '\n']);
    words
        .map(|word| {
            let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
            if rest.len() < word.len() { format!("N{rest}") } else { word.to_owned() }
        })
        .collect()
}

#[test]
fn standard_output_has_its_two_paragraphs_and_nothing_else() {
    for io in ways() {
        let (address, heard) = recording(GOOD);
        let (status, out, _) = webbench(address, &["-c", "3", io]);
        assert_eq!(status, 0);
        let shape = format!(
            "\nBenchmarking: GET http://{address}/p\nN clients, running N sec.\n\nSpeed=N \
             pages/min, N bytes/sec.\nRequests: N susceed, N failed.\n"
        );
        assert_eq!(masked(&out), shape);
        let [pages, bytes, ok, failed] = figures(&out);
        assert_eq!((pages, failed), (60 * ok, 0), "{io}");
        // Three may be in flight when the time is up: requested, and read except for their end.
        let asked = heard.lock().unwrap().len() as u64;
        assert!(ok > 0 && (ok..=ok + 3).contains(&asked), "{io}: {ok} of {asked}");
        let length = GOOD.len() as u64;
        assert!((ok * length..=asked * length).contains(&bytes), "{io}: {bytes} of {ok}");
    }
}

#[test]
fn a_proxy_is_asked_for_the_whole_url() {
    let (proxy, heard) = recording(GOOD);
    let line = ["webbench", "-t", "1", "-r", "-p", &proxy.to_string(), "http://a.example:81/p"];
    let (status, out, _) = run(&line);
    assert_eq!(status, 0);
    let said = format!("1 client, running 1 sec, via proxy server {proxy}, forcing reload.\n");
    assert!(out.contains(&said), "{out}");
    assert_eq!(
        heard.lock().unwrap()[0],
        "GET http://a.example:81/p HTTP/1.0\r\nUser-Agent: WebBench 1.5\r\n\
         Pragma: no-cache\r\n\r\n"
    );
}

#[test]
fn any_answer_is_a_success_and_advice_says_which_are_none() {
    let (address, _) = recording(b"HTTP/1.0 503 Busy\r\n\r\n");
    let (status, out, advice) = webbench(address, &[]);
    let [_, _, ok, failed] = figures(&out);
    assert!((status, failed) == (0, 0) && ok > 0);
    let said = format!("advice: {ok} of the {ok} answers had a status of 400 or more");
    assert!(advice.contains(&said), "{advice}");

    let (address, _) = recording(b"");
    let (_, out, advice) = webbench(address, &[]);
    let [_, bytes, ok, failed] = figures(&out);
    assert!((bytes, failed) == (0, 0) && ok > 0);
    let said = format!("{ok} of the {ok} connections ended without a byte");
    assert!(advice.contains(&said), "{advice}");

    let (address, _) = recording(GOOD);
    assert_eq!(webbench(address, &["--quiet-advice"]).2, "");
}

#[test]
fn a_reset_is_a_failure_that_the_speed_has_in_it() {
    for io in ways() {
        // The answer is not read: the system resets the connection.
        let address = serve(|stream: TcpStream| {
            let _ = stream.peek(&mut [0]);
            thread::sleep(Duration::from_millis(20));
        });
        let (status, out, advice) = webbench(address, &[io]);
        let [pages, bytes, ok, failed] = figures(&out);
        assert_eq!((status, bytes, ok), (0, 0, 0), "{io}");
        assert!(failed > 0 && pages == 60 * failed, "{io}: {out}");
        assert!(advice.contains(&format!("{failed} of the {failed} requests failed")), "{advice}");
    }
}

#[test]
fn what_is_on_its_way_at_the_end_is_neither() {
    let (status, out, _) = webbench(silent(), &["-c", "5"]);
    assert_eq!((status, figures(&out)), (0, [0; 4]));
}

#[test]
fn early_close_sends_whole_requests_and_waits_for_no_answer() {
    for io in ways() {
        let heard = Arc::new(Mutex::new((0_u64, 0_u64)));
        let noted = heard.clone();
        let address = serve(move |mut stream| {
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes);
            let mut noted = noted.lock().unwrap();
            noted.0 += u64::from(bytes.ends_with(b"Host: 127.0.0.1\r\n\r\n"));
            noted.1 += u64::from(!bytes.is_empty());
        });
        let (status, out, advice) = webbench(address, &["-f", io]);
        let [pages, bytes, ok, failed] = figures(&out);
        assert_eq!((status, bytes, failed, pages), (0, 0, 0, 60 * ok), "{io}");
        let (whole, begun) = *heard.lock().unwrap();
        assert!(ok > 0 && whole > 0 && whole == begun, "{io}: {whole} of {begun}");
        assert!(out.contains("1 client, running 1 sec, early socket close.\n"), "{out}");
        assert!(advice.starts_with("advice: with --force nobody reads the answers"), "{advice}");
    }
}

#[test]
fn for_machines_there_is_one_line() {
    let (address, _) = recording(GOOD);
    let (status, out, _) = webbench(address, &["--json", "-c", "2"]);
    assert_eq!((status, out.lines().count()), (0, 1), "{out}");
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    for (key, is) in [
        ("schema", "bakeoff.load/2".into()),
        ("personality", "webbench".into()),
        ("mode", "closed".into()),
        ("connections", 2.into()),
        ("latency_us", serde_json::Value::Null),
        ("duration_s", 1.0.into()),
        ("errors", serde_json::json!({})),
    ] {
        assert_eq!(value[key], is, "{key}");
    }
    let requests = value["requests"].as_f64().unwrap();
    assert!(requests > 0.0);
    assert_eq!(value["requests_per_s"].as_f64(), Some(requests));
    assert_eq!(value["bytes_per_s"].as_f64(), Some(requests * GOOD.len() as f64));
}

#[test]
fn what_can_not_be_done_is_said_with_webbench_s_exit_status() {
    let gone = nobody();
    let refused = format!("\nwebbench: cannot connect to {gone}: Connection refused\n");
    let gone_url = format!("http://{gone}/");
    for (line, status, head, said) in [
        (&[][..], 2, "", "usage: webbench "),
        (&["-h"], 2, "", "usage: webbench "),
        (&["-x", "http://h/"], 2, "", "webbench: invalid option -- 'x'\nusage: webbench "),
        (&["-c", "5"], 2, "", "webbench: a URL is needed"),
        (&["-p", ":1", "http://h/"], 2, "", "webbench: --proxy :1: the host is missing"),
        (&["--io=x", "http://h/"], 2, "", "webbench: --io=x: --io takes auto, uring or epoll\n"),
        (&["http://h"], 2, BANNER, "\nwebbench: http://h: the host must end with a /"),
        (&["https://h/"], 2, BANNER, "\nwebbench: https://h/: only http:// can be had"),
        (&[&gone_url], 1, BANNER, &refused),
        (&["http://127.0.0.1:99999/"], 1, BANNER, "\nwebbench: cannot connect to 127.0.0.1:99999"),
        (&["http://no.such.host.invalid/"], 1, BANNER, "\nwebbench: cannot connect to no.such"),
        (&["-c", "2000000000", &gone_url], 1, BANNER, &refused),
    ] {
        let (found, out, error) = run(&[&["webbench"], line].concat());
        assert_eq!(found, status, "{line:?}: {error}");
        assert!(error.starts_with(&format!("{head}{said}")), "{line:?}: {error}");
        // The start is announced before it is tried.
        assert_eq!(out.starts_with("\nBenchmarking: GET "), status == 1, "{line:?}: {out}");
    }
    assert_eq!(run(&["webbench", "-V"]), (0, "1.5\n".into(), String::new()));
}

#[test]
fn more_clients_than_files_are_refused() {
    let (status, _, error) =
        run(&["webbench", "-c", "2000000000", &format!("http://{}/", silent())]);
    assert_eq!(status, 3);
    assert!(error.contains("--clients is 2000000000: with 1 target(s) that needs"), "{error}");
}

#[test]
fn ctrl_c_prints_what_is_there() {
    let (address, _) = recording(GOOD);
    let mut child = Command::new(env!("CARGO_BIN_EXE_volley"))
        .args(["webbench", "-t", "3600", &format!("http://{address}/")])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let (mut said, mut buffer) = (Vec::new(), [0; 256]);
    while !said.ends_with(b"sec.\n") {
        let length = out.read(&mut buffer).unwrap();
        said.extend_from_slice(&buffer[..length]);
    }
    thread::sleep(Duration::from_millis(300));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    out.read_to_end(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(figures(&text(said))[2] > 0);
}

#[test]
fn a_link_of_its_name_is_enough() {
    let link = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("webbench");
    let _ = std::fs::remove_file(&link);
    symlink(env!("CARGO_BIN_EXE_volley"), &link).unwrap();
    let output = Command::new(&link).arg("-V").output().unwrap();
    assert_eq!((output.status.code(), text(output.stdout).as_str()), (Some(0), "1.5\n"));
}

#[test]
fn a_server_hears_the_end_of_an_http_0_9_request_behind_all_of_it() {
    for io in ways() {
        let address = serve(|mut stream| {
            let mut bytes = Vec::new();
            // Returns only when the client has ended its side.
            let _ = stream.read_to_end(&mut bytes);
            thread::sleep(Duration::from_millis(20));
            let _ = stream.write_all(&bytes);
            let _ = stream.shutdown(Shutdown::Both);
        });
        let (_, out, _) = webbench(address, &["-9", io]);
        let [_, bytes, ok, failed] = figures(&out);
        assert!(ok > 0 && failed == 0, "{io}: {out}");
        // One more may be read when the time is up, except for its end.
        let length = "GET /p\r\n".len() as u64;
        assert!((ok * length..=(ok + 1) * length).contains(&bytes), "{io}: {bytes} of {ok}");
    }
}
