//! `volley ab`, on both ways of doing I/O where sockets matter.

use crate::common::command::{run, text};
use crate::common::servers::{GOOD, nobody, read_request, serve, silent};
use crate::ways;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The answer to HTTP/1.0 of a server that keeps connections.
const KEPT: &[u8] = b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello";

/// Status, standard output without the banner, standard error.
fn ab(address: SocketAddr, words: &[&str]) -> (i32, String, String) {
    let url = format!("http://{address}/p");
    let (status, out, error) = run(&[&["ab", "--quiet-advice"], words, &[&url]].concat());
    (status, out.split_once("\n\n").map_or_else(String::new, |(_, rest)| rest.into()), error)
}

/// The value after a label.
fn figure(out: &str, label: &str) -> String {
    let line = out.lines().find(|line| line.starts_with(label));
    let line = line.unwrap_or_else(|| panic!("no {label} in {out}"));
    line[label.len()..].trim_start_matches(':').trim().to_owned()
}

/// A server with this handler for its connections, which are numbered from 0.
fn numbered(on_connection: impl Fn(u64, TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let count = AtomicU64::new(0);
    serve(move |stream| on_connection(count.fetch_add(1, Ordering::SeqCst), stream))
}

/// Answers a request, and closes.
fn answer(mut stream: TcpStream) {
    if read_request(&mut stream) {
        let _ = stream.write_all(GOOD);
    }
}

/// Resets a connection after a request.
fn reset(mut stream: TcpStream) {
    // Unread bytes cause a reset.
    let _ = stream.read(&mut [0]);
}

#[test]
fn the_others_connect_when_the_first_has_a_head() {
    for io in ways() {
        let connected = Arc::new(AtomicU64::new(0));
        let (counted, early) = (connected.clone(), Arc::new(AtomicU64::new(0)));
        let noted = early.clone();
        let address = numbered(move |nth, mut stream| {
            counted.fetch_add(1, Ordering::SeqCst);
            if nth == 0 && read_request(&mut stream) {
                thread::sleep(Duration::from_millis(50));
                noted.store(counted.load(Ordering::SeqCst), Ordering::SeqCst);
                let _ = stream.write_all(GOOD);
            } else {
                answer(stream);
            }
        });
        let (status, out, _) = ab(address, &["-n", "8", "-c", "4", io]);
        assert_eq!((status, figure(&out, "Complete requests").as_str()), (0, "8"), "{io}");
        assert_eq!(early.load(Ordering::SeqCst), 1, "{io}");
        assert!(connected.load(Ordering::SeqCst) >= 8, "{io}");
    }
}

#[test]
fn a_connection_is_kept_where_both_sides_say_so() {
    for io in ways() {
        let connections = Arc::new(AtomicU64::new(0));
        let counted = connections.clone();
        let address = serve(move |mut stream| {
            counted.fetch_add(1, Ordering::SeqCst);
            while read_request(&mut stream) && stream.write_all(KEPT).is_ok() {}
        });
        let (_, out, _) = ab(address, &["-n", "20", "-c", "2", "-k", io]);
        assert_eq!(figure(&out, "Keep-Alive requests"), "20", "{io}");
        assert_eq!(figure(&out, "HTML transferred"), "100 bytes", "{io}");
        assert_eq!(connections.load(Ordering::SeqCst), 2, "{io}");
    }
}

#[test]
fn failures_are_counted_by_kind() {
    for io in ways() {
        let third = |broken: fn(TcpStream)| {
            numbered(move |nth, stream| if nth % 3 == 2 { broken(stream) } else { answer(stream) })
        };
        let failures = |address, words: &[&str]| {
            let (status, out, _) = ab(address, &[words, &["-n", "9", io]].concat());
            assert_eq!((status, figure(&out, "Complete requests").as_str()), (0, "9"), "{io}");
            figure(&out, "   (Connect")
        };
        let unanswered = third(|mut stream| _ = read_request(&mut stream));
        assert_eq!(failures(unanswered, &[]), "0, Receive: 0, Length: 3, Exceptions: 0)", "{io}");
        let broken = failures(third(reset), &["-r"]);
        assert_eq!(broken, "0, Receive: 3, Length: 3, Exceptions: 3)", "{io}");
        let wrong = third(|mut stream| {
            if read_request(&mut stream) {
                let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\n\r\nHello, World!");
            }
        });
        let (_, out, _) = ab(wrong, &["-n", "9", io]);
        assert_eq!(figure(&out, "Failed requests"), "0", "{io}");
        assert_eq!(figure(&out, "Non-2xx responses"), "3", "{io}");
    }
}

#[test]
fn without_r_the_first_error_of_receiving_ends_the_run() {
    for io in ways() {
        let address = numbered(|nth, stream| if nth == 3 { reset(stream) } else { answer(stream) });
        let (status, out, error) = ab(address, &["-n", "9", io]);
        assert_eq!(
            (status, error.as_str()),
            (104, "apr_socket_recv: Connection reset by peer (104)\n")
        );
        assert!(out.ends_with("Total of 3 requests completed\n"), "{io}: {out}");
        let (status, _, error) = ab(nobody(), &[io]);
        assert_eq!((status, error.as_str()), (111, "apr_socket_recv: Connection refused (111)\n"));
    }
}

#[test]
fn who_is_refused_twice_in_a_row_has_one_exception() {
    for io in ways() {
        for (requests, failed, kinds) in [("10", "15", "10"), ("9", "15", "10")] {
            let (status, out, _) = ab(nobody(), &["-r", "-n", requests, "-c", "3", io]);
            assert_eq!((status, figure(&out, "Complete requests").as_str()), (0, requests));
            assert_eq!(figure(&out, "Failed requests"), failed, "{io}");
            let expected = format!("0, Receive: {kinds}, Length: 0, Exceptions: 5)");
            assert_eq!(figure(&out, "   (Connect"), expected, "{io}");
        }
    }
}

#[test]
fn a_server_that_says_nothing_is_waited_for_so_long() {
    for io in ways() {
        let (status, out, error) = ab(silent(), &["-s", "1", "-n", "2", io]);
        let said = "apr_pollset_poll: The timeout specified has expired (70007)\n";
        assert_eq!((status, error.as_str()), (119, said), "{io}");
        assert_eq!(out, "Benchmarking 127.0.0.1 (be patient)...", "{io}");
    }
}

#[test]
fn heads_without_an_end_are_given_up() {
    for io in ways() {
        let address = serve(|mut stream| {
            if read_request(&mut stream) {
                let _ = stream.write_all(&[b'a'; 9000]);
            }
        });
        let (status, _, error) = ab(address, &["-n", "20", io]);
        assert_eq!((status, error.as_str()), (1, "\nTest aborted after 10 failures\n\n\n"), "{io}");
    }
}

#[test]
fn a_body_arrives_whole() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ab-body");
    let bytes: Vec<u8> = (0..=250_u8).cycle().take(3_000_000).collect();
    fs::write(&file, &bytes).unwrap();
    for io in ways() {
        let expected = bytes.clone();
        let address = serve(move |mut stream| {
            let mut all = Vec::new();
            let head = |all: &[u8]| all.windows(4).position(|part| part == b"\r\n\r\n");
            let mut buffer = vec![0; 65_536];
            while head(&all).is_none_or(|end| all.len() < end + 4 + expected.len()) {
                let length = stream.read(&mut buffer).unwrap();
                all.extend_from_slice(&buffer[..length]);
            }
            let right = all.ends_with(&expected) && all.starts_with(b"POST /p HTTP/1.0\r\n");
            let _ = stream.write_all(if right { GOOD } else { b"HTTP/1.0 500 Wrong\r\n\r\n" });
        });
        let (status, out, _) = ab(address, &["-n", "2", "-p", file.to_str().unwrap(), io]);
        assert_eq!((status, out.contains("Non-2xx")), (0, false), "{io}: {out}");
        let sent: usize = figure(&out, "Total body sent").parse().unwrap();
        assert!((6_000_001..6_001_000).contains(&sent), "{io}: {sent}");
    }
    fs::remove_file(file).unwrap();
}

#[test]
fn ctrl_c_prints_what_there_is() {
    for io in ways() {
        let address = serve(answer);
        let url = format!("http://{address}/");
        let mut child = Command::new(env!("CARGO_BIN_EXE_volley"))
            .args(["ab", "-n", "100000000", io, "--quiet-advice", &url])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(300));
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let status = child.wait().unwrap();
        let mut out = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut out).unwrap();
        let out = text(out);
        assert_eq!(status.code(), Some(1), "{io}");
        let done: u64 = figure(&out, "Complete requests").parse().unwrap();
        assert!(done > 0 && out.ends_with("(longest request)\n"), "{io}: {out}");
    }
}

#[test]
fn json_takes_the_text_s_place() {
    for io in ways() {
        let address = serve(answer);
        let url = format!("http://{address}/");
        let (status, out, error) = run(&["ab", "--json", "-n", "200", "-c", "2", io, &url]);
        assert_eq!((status, out.lines().count()), (0, 1), "{io}: {out}");
        let figures: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(figures["schema"], "bakeoff.load/2");
        assert_eq!(figures["personality"], "ab");
        assert_eq!((&figures["requests"], &figures["connections"]), (&200.into(), &2.into()));
        assert_eq!(figures["io"], io.trim_start_matches("--io="));
        assert!(figures["latency_us"]["p50"].as_f64().unwrap() > 0.0, "{out}");
        assert!(error.starts_with("Completed 100 requests\nCompleted 200 requests\nFinished 200"));
        assert!(error.contains("\nadvice: each request had a connection of its own"), "{error}");
    }
}

#[test]
fn there_is_room_for_the_times_of_all_requests_or_it_says_so() {
    let (status, _, error) = ab(nobody(), &["-n", "1000000"]);
    assert_eq!((status, error.as_str()), (111, "apr_socket_recv: Connection refused (111)\n"));
    let (status, _, error) = ab(nobody(), &["-n", "2000000000"]);
    // A machine may have this much memory, or promise it.
    if status != 111 {
        let said = "Could not allocate memory (64000000000 bytes)\n";
        assert_eq!((status, error.as_str()), (1, said));
    }
}
